#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was published of the heads of GPT-2 small and BERT-base, looked for with the program in a
model that a user has: which of it holds.

    findings.py PROGRAM MODEL

A line for each finding: holds or fails, the paper, what was found.  Exit status 0: all hold; 1:
some do not; 2: usage; 77: nothing was published of a model of this shape.  Layers and heads are
counted from 0, as the program does; of BERT's paper, which counts from 1, one is taken off.
Needs no packages.

GPT-2 small: Wang et al. 2022 (IOI), appendix C, H and I; Vig and Belinkov 2019.  BERT-base-uncased:
Clark et al. 2019, by lists of layers alone, since the paper has no numbers of single heads.
Texts are samples/english.txt, not those of the papers, so that levels may be off where ranks are
not.  Left out are findings that need parses of Wikipedia or the prompts of a paper.  planted:
the model of make_planted.py, whose heads are known since its weights were set by hand; it serves
to prove this script.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = HERE.parent.parent / "samples" / "english.txt"
SKIP = 77


class Model:
    """Runs the program once for each report."""

    def __init__(self, program, path):
        self.program, self.path, self.seen = program, path, {}

    def report(self, *args):
        if args not in self.seen:
            command = [self.program, args[0], "-q", "-m", self.path, "--json", *args[1:]]
            out = subprocess.run(command, capture_output=True, check=False)
            if out.returncode != 0:
                raise SystemExit(out.stderr.decode().strip() or f"{self.program}: failed")
            self.seen[args] = json.loads(out.stdout.decode().splitlines()[-1])
        return self.seen[args]

    def scores(self, field, *args):
        """{"L4H11": score} of a report; field: probe.induction, scores.next, copy_rank"""
        found = {}
        for head in self.report(*args)["heads"]:
            value = head
            for part in field.split("."):
                value = value[part]
            found[f"L{head['layer']}H{head['head']}"] = value
        return found

    def probe(self, field):
        return self.scores("probe." + field, "types")

    def text(self, field):
        return self.scores("scores." + field, "types", "--no-probe", "-f", str(TEXTS))


def ranked(scores):
    """Names, the largest score first; what is undefined comes last."""
    return sorted(scores, key=lambda k: -scores[k] if scores[k] is not None else float("inf"))


def shown(scores, names):
    return ", ".join(f"{k} {scores[k]:.2f}" if scores[k] is not None else f"{k} null" for k in names)


# ---- kinds of findings: each gives whether it holds, and what was found ----

def top(scores, names, among):
    """All of these are among the largest."""
    best = ranked(scores)[:among]
    return set(names) <= set(best), shown(scores, best)


def not_above(scores, names, most):
    return all((scores[k] or 0) < most for k in names), shown(scores, names)


def near(scores, name, want, off):
    value = scores[name]
    return value is not None and abs(value - want) <= off, shown(scores, [name])


def layers_above(scores, least, layers):
    """In each of these layers a head is above: what a paper lists by layers."""
    found = [k for k in ranked(scores) if scores[k] is not None and scores[k] > least]
    have = sorted(int(k[1:k.index("H")]) for k in found)
    return have == sorted(layers), shown(scores, found) or "none"


def mean_near(scores, want, off):
    mean = sum(scores.values()) / len(scores)
    return abs(mean - want) <= off, f"{mean:.3f}"


def mean_of_layers(scores, first, last, least):
    values = [v for k, v in scores.items() if first <= int(k[1:k.index("H")]) <= last]
    mean = sum(values) / len(values)
    return mean > least, f"{mean:.3f}"


def separate(scores, names, least):
    """These are above it, and no other is."""
    found = {k for k, v in scores.items() if v is not None and v >= least}
    return found == set(names), shown(scores, ranked(scores)[:len(names) + 1])


# ---- what was published ----

def gpt2(m):
    return [
        ("the two highest previous-token scores are L4H11 and L2H2", "IOI, H",
         top(m.probe("previous"), ["L4H11", "L2H2"], 2)),
        ("L5H5 and L6H9 are among the five highest induction scores", "IOI, H",
         top(m.probe("induction"), ["L5H5", "L6H9"], 5)),
        ("the five highest: L5H5, L7H10, L5H1, L6H9, L7H2", "OE-GOD 2026",
         top(m.probe("induction"), ["L5H5", "L7H10", "L5H1", "L6H9", "L7H2"], 5)),
        ("L3H0 and L0H1 are among the three highest duplicate scores", "IOI, I",
         top(m.probe("duplicate"), ["L3H0", "L0H1"], 3)),
        ("the fuzzy L0H10 does not show as duplicate on random tokens", "IOI, C",
         not_above(m.probe("duplicate"), ["L0H10"], .4)),
        ("L10H7 lowers the tokens it looks at: 85 % of them, within 10 points", "metrics of weights",
         near(m.probe("negative_copy"), "L10H7", .85, .1)),
        ("57 % of the weight is on the first token, within 7 points", "Vig and Belinkov, 5.2.3",
         mean_near(m.text("first"), .57, .07)),
    ]


def bert(m):
    return [
        ("four heads above 50 % on the previous token, in layers 1, 3, 6, 7", "Clark, 3.1",
         layers_above(m.text("prev"), .5, [1, 3, 6, 7])),
        ("five heads above 50 % on the next token, in layers 0, 1, 1, 2, 5", "Clark, 3.1",
         layers_above(m.text("next"), .5, [0, 1, 1, 2, 5])),
        ("over half of the weight of layers 5 to 9 is on [SEP]", "Clark, 3.2",
         mean_of_layers(m.text("sep"), 5, 9, .5)),
    ]


def planted(m):
    ids = ",".join(str((7 * i + i * i // 3) % 47 + 10) for i in range(60))

    def text(field):
        return m.scores("scores." + field, "types", "--no-probe", "--ids", ids)
    return [
        ("L0H0 looks at the token before, no other", "by hand",
         separate(m.probe("previous"), ["L0H0"], .5)),
        ("L1H0 is an induction head, no other", "by hand",
         separate(m.probe("induction"), ["L1H0"], .4)),
        ("L0H2 looks at the same token before, no other", "by hand",
         separate(m.probe("duplicate"), ["L0H2"], .4)),
        ("L0H1 rests on the first token, no other", "by hand",
         separate(text("bos"), ["L0H1"], .6)),
        ("L1H1 looks at itself most", "by hand", top(text("self"), ["L1H1"], 2)),
        ("L0H3 and L1H3 spread evenly, no others", "by hand",
         separate(text("entropy_norm"), ["L0H3", "L1H3"], .98)),
        ("L1H0 raises what it looks at, no other", "by hand",
         separate(m.probe("copy_rank"), ["L1H0"], .5)),
    ]


def findings_of(path):
    """-> the list for this model's shape, by its config.json; None: there is none"""
    config = json.loads((pathlib.Path(path) / "config.json").read_text())
    shape = (config.get("model_type"), config.get("n_layer", config.get("num_hidden_layers")),
             config.get("n_head", config.get("num_attention_heads")), config.get("vocab_size"))
    return {("gpt2", 12, 12, 50257): gpt2, ("bert", 12, 12, 30522): bert,
            ("gpt2", 2, 4, 60): planted}.get(shape)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: findings.py PROGRAM MODEL")
    program, path = sys.argv[1:]
    if not (pathlib.Path(path) / "config.json").is_file():
        print(f"{path}: no folder with a config.json; make check-findings MODEL=folder",
              file=sys.stderr)
        sys.exit(2)
    findings = findings_of(path)
    if findings is None:
        print(f"skipped: {path}: nothing was published of a model of this shape; expected GPT-2 "
              "small or BERT-base-uncased", file=sys.stderr)
        sys.exit(SKIP)
    rows = findings(Model(program, path))
    for what, source, (holds, found) in rows:
        print(f"{'holds' if holds else 'FAILS'}  {what} ({source}): {found}")
    held = sum(holds for _, _, (holds, _) in rows)
    print(f"{held} of {len(rows)} hold")
    sys.exit(held < len(rows))


if __name__ == "__main__":
    main()
