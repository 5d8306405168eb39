#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU seconds and peak memory of `mha-viz heatmap` and of transformers + matplotlib
drawing the same heads of the same sentence, in turn, each run a new process.

    cold.py PROGRAM MODEL [RUNS]

Prints the medians and their ratio.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

TEXT = "The animal didn't cross the street because it was too tired."
LAYER = 5
PEER = pathlib.Path(__file__).parent / "peer.py"


def measure(argv):
    """CPU seconds, elapsed seconds, peak MiB of a process and its threads."""
    start = time.perf_counter()
    with open(os.devnull, "w") as null:
        process = subprocess.Popen(argv, stdout=null, stderr=null,
                                   env=os.environ | {"HF_HUB_OFFLINE": "1"})
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{argv[0]}: status {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024


def candidates(program, model, folder, ids=None):
    """Commands that draw TEXT, or a text of these ids, into the folder."""
    listed = ids and ",".join(map(str, ids))
    return {
        "mha-viz": [program, "heatmap", "-q", "-m", model, "-l", str(LAYER), "-o",
                    f"{folder}/ours.png", *(["--ids", listed] if ids else [TEXT])],
        "transformers + matplotlib": [sys.executable, str(PEER), model, str(LAYER),
                                      f"{folder}/peer.png", "ids:" + listed if ids else TEXT],
    }


def main(program, model, runs="7"):
    with tempfile.TemporaryDirectory() as folder:
        sides = candidates(program, model, folder)
        seen = {name: [] for name in sides}
        for argv in sides.values():        # files into the page cache
            measure(argv)
        for _ in range(int(runs)):
            for name, argv in sides.items():
                seen[name].append(measure(argv))
    median = {n: [statistics.median(column) for column in zip(*rows)] for n, rows in seen.items()}
    for name, (cpu, elapsed, mib) in median.items():
        print(f"{name:<26} {cpu:8.3f} s CPU {elapsed:8.3f} s elapsed {mib:8.1f} MiB at most")
    ours, peer = median.values()
    print(f"ratio: {peer[0] / ours[0]:.0f} times less CPU, {peer[1] / ours[1]:.0f} times less "
          f"time, {peer[2] / ours[2]:.0f} times less memory (medians of {runs})")


if __name__ == "__main__":
    main(*sys.argv[1:])
