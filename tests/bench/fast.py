#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether products of fewer bits keep the attention, and how much faster they are.

    tests/bench/fast.py MHA-VIZ MODEL [OPTION=NAME ...]

1,000 passages of 6 to 50 words of samples/english.txt, each run with floats and with the numbers
of an option: fast=NAME are those that the processor multiplies (--fast), dtype=NAME those that are
simulated (--dtype); by default fast=bf16 fast=int8 dtype=int8
dtype=q8_0.  dtype=int8 is with a scale for each row
of inputs and each output, whose sums of whole numbers no kernel rounds.  A line has the mean
Jensen-Shannon divergence of the worst head and of all heads, in nats; a faster kernel is offered
where the worst one is at most 1e-3.  Of fast= it also has the processor time of stats over the
passages with one thread, floats divided by fewer bits, run PAIRS times in turn (environment; 5; 0:
not at all): the median, and the lowest and the highest.  MODEL may have random weights, of which
the time alone means something.
"""
import csv
import os
import pathlib
import random
import resource
import statistics
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


def divergences(viz, model, option, name, lines):
    out = subprocess.run([viz, "diff", "-m", model, f"--{option}", "f32", f"--{option}", name,
                          "-f", lines, "--summary", "--tsv"], check=True, capture_output=True,
                         text=True).stdout
    rows = csv.DictReader(out.splitlines(), delimiter="\t")
    return {f"L{r['layer']}H{r['head']}": float(r["js_mean"]) for r in rows}


def seconds(viz, model, name, lines):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([viz, "stats", "-q", "-t", "1", "-m", model, "--fast", name, "--summary",
                    "--tsv", "-f", lines], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def faster(viz, model, name, lines):
    n = int(os.environ.get("PAIRS", "5"))
    ratios = sorted(seconds(viz, model, "f32", lines) / seconds(viz, model, name, lines)
                    for _ in range(n))
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}..{ratios[-1]:.2f})" if n else "-"


def main(viz, model, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as f:
        f.write("\n".join(texts(1000)) + "\n")
        f.flush()
        print("numbers     worst head  JS of it  JS of all  offered  times faster")
        for each in options or ("fast=bf16", "fast=int8", "dtype=int8", "dtype=q8_0"):
            option, name = each.split("=")
            js = divergences(viz, model, option, name, f.name)
            worst = max(js, key=js.get)
            print(f"{each:10}  {worst:10}  {js[worst]:8.2e}  {sum(js.values()) / len(js):9.2e}"
                  f"  {'yes' if js[worst] <= MOST else 'no':7}  "
                  f"{faster(viz, model, name, f.name) if option == 'fast' else '-'}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
