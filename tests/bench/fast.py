#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether products of fewer bits would keep the attention: the divergence of each head.

    tests/bench/fast.py MHA-VIZ MODEL [DTYPE ...]

1,000 passages of 6 to 50 words of samples/english.txt, each run with f32 and with the numbers
that a kernel of that type would compute (--dtype, default bf16 int8 q8_0): int8 with a scale for
each row of inputs and each output, whose sums of whole numbers no kernel rounds.  A line has the
mean Jensen-Shannon divergence of the worst head and of all heads, in nats.  A faster kernel is
offered where the worst one is at most 1e-3.  Figures do not depend on time, hardly on the kernel.
"""
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).parent.parent.parent / "samples" / "english.txt"
MOST = 1e-3


def texts(n):
    rng = random.Random(1)
    words = SAMPLE.read_text(encoding="utf-8").split()
    for i in range(n):
        length = max(6, int((6 + i * 57 // n) * .8))
        at = rng.randrange(len(words))
        yield " ".join((words[at:] + words)[:length])


def main(viz, model, *dtypes):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as f:
        f.write("\n".join(texts(1000)) + "\n")
        f.flush()
        print("numbers  worst head  JS of it  JS of all  offered")
        for dtype in dtypes or ("bf16", "int8", "q8_0"):
            out = subprocess.run([viz, "diff", "-m", model, "--dtype", "f32", "--dtype", dtype,
                                  "-f", f.name, "--summary", "--tsv"], check=True,
                                 capture_output=True, text=True).stdout
            rows = list(csv.DictReader(out.splitlines(), delimiter="\t"))
            js = {f"L{r['layer']}H{r['head']}": float(r["js_mean"]) for r in rows}
            worst = max(js, key=js.get)
            print(f"{dtype:7}  {worst:10}  {js[worst]:8.2e}  {sum(js.values()) / len(js):9.2e}"
                  f"  {'yes' if js[worst] <= MOST else 'no'}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
