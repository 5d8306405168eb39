# SPDX-License-Identifier: MIT
"""What mha-viz itself finds in builtin:translate: the measured lines of its card, ../translate/README.md.

    python aligned.py [PROGRAM [SENTENCES]]

Sentences are drawn from grammar.py by Python's own random, so neither numpy nor torch is needed.
"""
import json
import random
import subprocess
import sys
import tempfile

import grammar


class Draw(random.Random):
    """As much of numpy's Generator as the grammar asks for."""

    def integers(self, n):
        return self.randrange(n)


def records(program, lines, *options):
    """-> a JSON object per line"""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in lines))
        f.flush()
        out = subprocess.run([program, "stats", *options, "-f", f.name], check=True, capture_output=True)
    return [json.loads(line) for line in out.stdout.decode().splitlines()]


def exact(program, sentences):
    """-> how many of the sentences the model translates word for word"""
    options = ["-m", "builtin:translate", "--json", "--generate", "32", "--top", "0"]
    found = records(program, [" ".join(en) for en, _, _ in sentences], *options)
    return sum(r["generated"] == "".join(zh) for r, (_, zh, _) in zip(found, sentences, strict=True))


def strongest(program, sentences):
    """-> per sentence and cross head the strongest key of each row; row 0 is the decoder's start"""
    options = ["-m", "builtin:translate", "--json", "--pairs", "-s", "cross"]
    found = records(program, [" ".join(en) + "\t" + "".join(zh) for en, zh, _ in sentences], *options)
    for r, (en, zh, _) in zip(found, sentences, strict=True):
        assert r["tokens"][1:-1] == zh and r["tokens_key"][:-1] == en, r["text"]
    return [[[key for _, key, _ in head["links"]] for head in r["heads"]] for r in found]


def shares(best, sentences, head):
    """-> of the rows, how many look at the English word of their own word, and of the next one"""
    own = [key == want for keys, (_, _, at) in zip(best, sentences) for key, want in zip(keys[head][1:], at)]
    following = [key == want for keys, (_, _, at) in zip(best, sentences) for key, want in zip(keys[head], at)]
    return sum(own) / len(own), sum(following) / len(following)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "mha-viz"
    rng = Draw(1)
    sentences = [grammar.sentence(rng) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 400)]
    best = strongest(program, sentences)
    print(f"Of {len(sentences)} sentences drawn from the grammar, {exact(program, sentences)} are translated word for word.")
    for head in range(4):
        print("| L0H{} | {:.2f} | {:.2f} |".format(head, *shares(best, sentences, head)))


if __name__ == "__main__":
    main()
