# SPDX-License-Identifier: MIT
"""Scores of the shipped decoder and of the candidates -> which is to be shipped.

The rule, written down before the seeds were trained. Each score is that of the best of the 24 heads, with the weights
as stored; texts are 24 stretches of 256 tokens of held-out English behind <|bos|>; a score is the mean over the texts.

induction   the mass on tokens that follow an earlier occurrence of the row's token, mean over the rows that have one
            (induction_covered of the program): at least .6
previous    the mass on the token before, rows from 1 (prev): at least .95
third       at least .5 for one of
            duplicate  the smaller of: mass on the earlier equal token in 50 random tokens told twice
                       (probe.duplicate), and in English, mean over the rows that have one (duplicate_covered)
            bracket    mass of the token before a closing bracket on its opening bracket, where another one was opened
                       and closed since; counts only where it is more than the mass on any other opening bracket
picture     in one layer, on DEMO of score.py: a head whose strongest key is the token to be copied in at least 3 of the
            4 rows that can be copied, with at least .5 in the mean (induction), beside another head that in the same
            way holds to the earlier equal token (duplicate) or to the token before (previous)

A candidate stands if its files have at most 5,000,000 bytes and its loss on English is at most .05 above that of the
shipped one. The best candidate has the most aims met; then the largest sum of the first three scores, each divided by
its aim and cut off at 1; then the smallest loss. It replaces the shipped one only if it meets more aims.
"""
AIMS = {"induction": .6, "previous": .95, "third": .5, "picture": 1.}
MOST_BYTES, MOST_LOSS = 5_000_000, .05


def met(r):
    return [aim for aim, least in AIMS.items() if r[aim] >= least]


def rank(r):
    return len(met(r)), sum(min(1., r[a] / AIMS[a]) for a in ("induction", "previous", "third")), -r["loss"]


def choose(shipped, candidates):
    """Scores, {name: scores} -> the name of the candidate to be shipped, or None: the shipped one stays"""
    stands = {name: r for name, r in candidates.items()
              if r["bytes"] <= MOST_BYTES and r["loss"] <= shipped["loss"] + MOST_LOSS}
    leader = max(stands, key=lambda name: rank(stands[name]), default=None)
    better = leader is not None and len(met(stands[leader])) > len(met(shipped))
    return leader if better else None
