#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mha-viz beside its peers, a row each, in turn within one run: CPU seconds, or seconds of the
clock where a row has two threads.

    peers.py [OPTION ...] PROGRAM MODEL [ROW ...]

MODEL is the folder of all-MiniLM-L6-v2; without ROW all rows run, each in a process of its own.
mha-viz is a new process each time, its start and its printing included, but for generation,
where the prompt is left out.  A peer is loaded and warm, in inference mode, but for cold and
heatmap, where it is a new process as well; in the rows of corpora it has texts sorted by length,
in its best batch size.  Models other than MODEL have random weights.

No time of a row counts, and it says WRONG, unless entropies of all heads of all texts agree within
1e-4 with those of a peer that captures attention; ids are the same (tokens), or bytes (two-*), or
the first 32 tokens (generate-f32).  What is not installed, or not in this processor, is skipped,
and the row says so.  --earlier adds another mha-viz, run in turn with both.

Prints a header and TSV; fails where results differ, not where a goal is missed.
"""
import argparse
import csv
import functools
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}

import cold
import generation
import sides
from sides import Cost, Llama, Onnx, Torch, Wrong, timed

TOLERANCE = 1e-4
PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "matplotlib", "onnxruntime",
            "llama_cpp_python")
COLUMNS = ("row", "work", "peer", "unit", "bound", "goal", "mha-viz, min", "median", "peer, min",
           "median of it", "ratio of the minima", "ratio per pair", "earlier, min",
           "earlier / mha-viz", "pairs", "load", "note")


class Pair(NamedTuple):
    ours: Callable      # program -> Cost, what was found
    theirs: Callable    # () -> Cost, what was found
    agree: Callable     # what both found -> a note; raises Wrong where they differ
    tokens: int = 0     # so many a second are printed; 0: seconds


class Row(NamedTuple):
    work: str
    peer: str
    bound: float | None
    goal: float | None
    packages: tuple
    prepare: Callable   # Bench, threads -> Pair
    threads: int = 1
    fast: str | None = None     # of --fast: some processors lack it, and 0.1.0 the option


class Bench(NamedTuple):
    program: str
    minilm: pathlib.Path
    work: pathlib.Path      # where models are kept


def stats(bench, threads, model, given, program):
    """Statistics of every head as a file of TSV."""
    out = str(bench.work / "stats.tsv")
    return Cost(*cold.measure([program, "stats", "-q", "--tsv", "-t", str(threads), "-m",
                               str(model), *given, "-o", out])), out


def same_entropies(note, tsv, found):
    theirs = sides.entropies_of(found)
    if theirs is None:
        return note + "nothing captured to compare"
    with open(tsv, encoding="utf-8", newline="") as f:
        ours = [float(r["entropy"]) for r in csv.DictReader(f, delimiter="\t")]
    if len(ours) != theirs.numel():
        raise Wrong(f"{len(ours)} heads, the peer has {theirs.numel()}")
    off = max(abs(a - b) for a, b in zip(ours, theirs.flatten().tolist()))
    if not off <= TOLERANCE:
        raise Wrong(f"entropies differ by {off:.1e}")
    return note + f"entropies equal to {off:.1e}"


# ---- rows ----

def corpus(kind, model, n, bench, threads):
    from transformers import AutoTokenizer
    folder = bench.minilm if model == "MODEL" else sides.shape(bench, model)
    tok = AutoTokenizer.from_pretrained(folder)
    texts = sides.sentences(n, tok)
    given = sides.text_file(bench, texts)
    peer = (Onnx(bench, folder, threads) if kind == "onnx"
            else Torch(folder, threads, kind == "eager"))
    batch = sides.best_batch(peer, tok, texts)
    return Pair(functools.partial(stats, bench, threads, folder, given),
                lambda: timed(lambda: sides.over_texts(peer, tok, texts, batch)),
                functools.partial(same_entropies, f"batch {batch}; "))


def long_text(kind, model, n, bench, threads):
    import torch
    folder = sides.shape(bench, model)
    peer = Torch(folder, threads, kind == "eager")
    ids = sides.some_ids(n)
    inputs = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, n, dtype=int)}
    peer({k: x[:, :64] for k, x in inputs.items()})
    return Pair(functools.partial(stats, bench, threads, folder, sides.id_list(ids)),
                lambda: timed(lambda: [peer(inputs)]), functools.partial(same_entropies, ""))


def two_threads(model, n, bench, _):
    """Against one, of mha-viz itself; n < 0: so many sentences."""
    folder = bench.minilm if model == "MODEL" else sides.shape(bench, model)
    if n < 0:
        from transformers import AutoTokenizer
        given = sides.text_file(bench, sides.sentences(-n, AutoTokenizer.from_pretrained(folder)))
    else:
        given = sides.id_list(sides.some_ids(n))

    def run(threads, program):
        cost, out = stats(bench, threads, folder, given, program)
        return cost, pathlib.Path(out).read_bytes()

    def same(a, b):
        if a != b:
            raise Wrong("other bytes with two threads")
        return "same bytes"
    return Pair(functools.partial(run, 2), lambda: run(1, bench.program), same)


def prompt(kind, n, fast, bench, threads):
    path, ids = sides.gguf(bench, kind), sides.some_ids(n)
    peer = Llama(path, threads, n)

    def theirs():
        peer.forget()
        return timed(lambda: peer.decode(ids).copy())

    theirs()
    given = [*sides.id_list(ids), *(["--fast", fast] if fast else [])]
    return Pair(functools.partial(stats, bench, threads, path, given), theirs,
                lambda *_: "nothing captured to compare", n)


def generate(kind, n, fast, bench, threads):
    path = sides.gguf(bench, kind)
    given = ["--fast", fast] if fast else []
    peer = Llama(path, threads, generation.PROMPT + n + 8)

    def ours(program):
        cpu, wall, ids = generation.ours(program, path, n, given)
        return Cost(cpu, wall), ids

    def theirs():
        peer.forget()
        ids = [int(peer.decode(range(1, generation.PROMPT + 1)).argmax())]

        def go_on():
            for _ in range(n):
                ids.append(int(peer.decode(ids[-1:]).argmax()))
            return ids
        return timed(go_on)

    def agree(a, b):
        a = [int(i) for i in re.findall(r"<id (\d+)>", a)]
        if len(a) != len(b):
            raise Wrong(f"{len(a)} tokens, the peer has {len(b)}")
        same = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), len(b))
        if kind == "f32" and same < 32:         # later, its keys in 16 bits may decide
            raise Wrong(f"another token after {same}")
        return f"the first {same} of {len(b)} tokens are the same"
    return Pair(ours, theirs, agree, n)


def drawn(candidates):
    """Programs that draw."""
    def run(argv):
        return Cost(*cold.measure(argv)), None
    ours, peer = candidates
    return Pair(lambda program: run([program, *ours[1:]]), lambda: run(peer),
                lambda *_: "", 0)


def cold_start(bench, _):
    return drawn(cold.candidates(bench.program, str(bench.minilm), str(bench.work)).values())


def heatmap(n, bench, _):
    # In a process of its own: what is measured would count the memory of this one.
    child = multiprocessing.get_context("fork").Process(target=sides.shape, args=(bench, "minilm"))
    child.start()
    child.join()
    return drawn(cold.candidates(bench.program, str(bench.work / "minilm"), str(bench.work),
                                 sides.some_ids(n)).values())


def tokens(bench, threads):
    os.environ |= {"TOKENIZERS_PARALLELISM": "true", "RAYON_NUM_THREADS": str(threads)}
    from tokenizers import Tokenizer
    lines = sides.lines(12000)
    given = sides.text_file(bench, lines)
    tok = Tokenizer.from_file(str(bench.minilm / "tokenizer.json"))
    tok.no_padding()
    tok.no_truncation()
    encode = getattr(tok, "encode_batch_fast", tok.encode_batch)
    out = str(bench.work / "tokens.json")

    def ours(program):
        return Cost(*cold.measure([program, "tokens", "-q", "--json", "-t", str(threads), "-m",
                                   str(bench.minilm), *given, "-o", out])), out

    def same(path, found):
        with open(path, encoding="utf-8") as f:
            if any(json.loads(line)["ids"] != e.ids for line, e in zip(f, found, strict=True)):
                raise Wrong("other ids")
        return "same ids"
    return Pair(ours, lambda: timed(lambda: encode(lines)), same,
                sum(len(e.ids) for e in encode(lines)))


ALL = ("torch", "transformers")
F = functools.partial
EAGER, SDPA = "torch, eager, statistics", "torch, sdpa, nothing captured"
ROWS = {
    "cold": Row("sentence to picture of 12 heads, a new process", "transformers, matplotlib",
                195, 150, (*ALL, "matplotlib"), cold_start),
    "corpus": Row("MiniLM, 1,000 sentences", EAGER, 1.58, 1.35, ALL,
                  F(corpus, "eager", "MODEL", 1000)),
    "corpus-onnx": Row("MiniLM, 1,000 sentences", "ONNX Runtime, attention", 1.49, 1.25,
                       (*ALL, "onnxruntime", "onnxscript"), F(corpus, "onnx", "MODEL", 1000)),
    "corpus-sdpa": Row("MiniLM, 1,000 sentences", SDPA, 1.48, 1.2, ALL,
                       F(corpus, "sdpa", "MODEL", 1000)),
    "corpus-2": Row("MiniLM, 1,000 sentences, 2 threads", EAGER, None, 1.3, ALL,
                    F(corpus, "eager", "MODEL", 1000), 2),
    "corpus-2-onnx": Row("MiniLM, 1,000 sentences, 2 threads", "ONNX Runtime, attention", None,
                         1.15, (*ALL, "onnxruntime", "onnxscript"),
                         F(corpus, "onnx", "MODEL", 1000), 2),
    "bert": Row("BERT-base shape, 100 sentences", EAGER, 1.53, 1.35, ALL,
                F(corpus, "eager", "bert", 100)),
    "gpt2": Row("GPT-2 shape, 100 sentences", EAGER, 1.74, 1.5, ALL,
                F(corpus, "eager", "gpt2", 100)),
    **{f"llama-{k}": Row(f"LLaMA 85M, {k}, 512 tokens", f"llama.cpp, {k}, nothing captured", b, g,
                         ("numpy", "llama_cpp"), F(prompt, k, 512, None))
       for k, b, g in (("f32", 2.0, 1.75), ("bf16", 2.2, 1.85), ("q8_0", 1.9, 1.65),
                       ("q4_k", 1.5, 1.2))},
    **{f"llama-{k}-{fast}": Row(f"LLaMA 85M, {k}, 512 tokens, --fast {fast}",
                                f"llama.cpp, {k}, nothing captured", None, None,
                                ("numpy", "llama_cpp"), F(prompt, k, 512, fast), fast=fast)
       for k, fast in (("bf16", "bf16"), ("q8_0", "int8"), ("q4_k", "int8"))},
    "minilm-2048": Row("MiniLM shape, 2,048 tokens", EAGER, 8.7, 6, ALL,
                       F(long_text, "eager", "minilm", 2048)),
    "minilm-4096": Row("MiniLM shape, 4,096 tokens", EAGER, 10, 8, ALL,
                       F(long_text, "eager", "minilm", 4096)),
    "minilm-2048-sdpa": Row("MiniLM shape, 2,048 tokens", SDPA, None, None, ALL,
                            F(long_text, "sdpa", "minilm", 2048)),
    "minilm-4096-sdpa": Row("MiniLM shape, 4,096 tokens", SDPA, 1.6, 1.2, ALL,
                            F(long_text, "sdpa", "minilm", 4096)),
    "gpt2-2048": Row("GPT-2 shape, 2,048 tokens", EAGER, 4.9, 4.2, ALL,
                     F(long_text, "eager", "gpt2", 2048)),
    "heatmap": Row("MiniLM shape, heatmaps of 4,096 tokens", "transformers, matplotlib", None, 35,
                   (*ALL, "matplotlib"), F(heatmap, 4096)),
    **{f"generate-{k}": Row(f"LLaMA 85M, {k}, 256 tokens generated", f"llama.cpp, {k}", None, g,
                            ("numpy", "llama_cpp"), F(generate, k, 256, None))
       for k, g in (("f32", 1.1), ("bf16", 1.2), ("q8_0", 1.0), ("q4_k", 0.8))},
    **{f"generate-{k}-{fast}": Row(f"LLaMA 85M, {k}, 256 tokens generated, --fast {fast}",
                                   f"llama.cpp, {k}", None, None, ("numpy", "llama_cpp"),
                                   F(generate, k, 256, fast), fast=fast)
       for k, fast in (("bf16", "bf16"), ("q8_0", "int8"), ("q4_k", "int8"))},
    "tokens": Row("tokens, as JSON", "tokenizers", None, 2, ("tokenizers",), tokens),
    "tokens-2": Row("tokens, as JSON, 2 threads", "tokenizers", None, 2, ("tokenizers",), tokens,
                    2),
    "two-corpus": Row("MiniLM, 1,000 sentences, 2 threads", "mha-viz, 1 thread", 2, 1.9, ALL,
                      F(two_threads, "MODEL", -1000), 2),
    "two-2048": Row("MiniLM shape, 2,048 tokens, 2 threads", "mha-viz, 1 thread", 2, 1.9, ALL,
                    F(two_threads, "minilm", 2048), 2),
    "two-bert": Row("BERT-base shape, 100 sentences, 2 threads", "mha-viz, 1 thread", 2, 1.9, ALL,
                    F(two_threads, "bert", -100), 2),
}


# ---- a run ----

def fast_lacks(program, fast):
    """What --fast says where it is not there, or nothing."""
    done = subprocess.run([program, "stats", "-q", "--fast", fast, "the cat"], check=False, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr.strip() if done.returncode != 0 else ""


def run_row(name, bench, earlier, pairs):
    """The cells of a row."""
    row = ROWS[name]
    cells = dict.fromkeys(COLUMNS, "-") | {
        "row": name, "work": row.work, "peer": row.peer, "bound": row.bound or "-",
        "goal": row.goal or "-", "load": f"{os.getloadavg()[0]:.1f}"}
    missing = [p for p in row.packages if importlib.util.find_spec(p) is None]
    if missing:
        return cells | {"note": f"skipped: no {', '.join(missing)}"}
    why = fast_lacks(bench.program, row.fast) if row.fast else ""
    if why:
        return cells | {"note": f"skipped: {why}"}
    pair = row.prepare(bench, row.threads)
    runs = {"ours": lambda: pair.ours(bench.program), "theirs": pair.theirs}
    if row.fast:
        earlier = None
    if earlier:
        runs["earlier"] = lambda: pair.ours(earlier)
    seen = {side: [] for side in runs}
    for i in range(pairs):
        found = {}
        for side, run in runs.items():
            cost, found[side] = run()
            seen[side].append(cost)
            if side == "theirs" and i == 0:
                note = pair.agree(found["ours"], found["theirs"])
    second = {side: [c.wall if row.threads > 1 else c.cpu for c in costs]
              for side, costs in seen.items()}
    ratio = [b / a for a, b in zip(second["ours"], second["theirs"])]
    shown = (lambda s: f"{pair.tokens / s:.0f}") if pair.tokens else (lambda s: f"{s:.3f}")
    clock = "s" if row.threads > 1 else "CPU s"
    least = {side: min(of) for side, of in second.items()}
    cells |= {
        "unit": f"tokens per {clock}" if pair.tokens else clock,
        "mha-viz, min": shown(least["ours"]), "median": shown(statistics.median(second["ours"])),
        "peer, min": shown(least["theirs"]),
        "median of it": shown(statistics.median(second["theirs"])),
        "ratio of the minima": f"{least['theirs'] / least['ours']:.2f}",
        "ratio per pair": f"{statistics.median(ratio):.2f} ({min(ratio):.2f}-{max(ratio):.2f})",
        "pairs": pairs,
    }
    if earlier:
        cells |= {"earlier, min": shown(least["earlier"]),
                  "earlier / mha-viz": f"{least['earlier'] / least['ours']:.2f}"}
    mib = [max(c.mib for c in seen[side]) for side in ("ours", "theirs")]
    if mib[0] and mib[1]:
        note += ("; " if note else "") + f"memory {mib[0]:.0f} and {mib[1]:.0f} MiB"
    return cells | {"note": note}


def in_process(name, bench, earlier, pairs):
    """run_row in a process of its own: threads, memory and packages of one are not another's."""
    def child(end):
        try:
            end.send(run_row(name, bench, earlier, pairs))
        except Wrong as wrong:
            end.send(str(wrong))
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    process = fork.Process(target=child, args=(there,))
    process.start()
    there.close()
    try:
        cells = here.recv()
    except EOFError:
        cells = "it failed"
    process.join()
    if isinstance(cells, str):
        cells = dict.fromkeys(COLUMNS, "-") | {"row": name, "note": f"WRONG: {cells}"}
    return {k: str(x) for k, x in cells.items()}


def vector_unit():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = next((line.split() for line in f if line.startswith("flags")), [])
    return " ".join(x for x in ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni")
                    if x in flags) or "none known"


def header(program, earlier):
    lines = []
    for p in (program, earlier) if earlier else (program,):
        version = subprocess.run([p, "--version"], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.splitlines()
        lines.append("; ".join(version))
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{package} -")
    lines += ["; ".join(found),
              f"{generation.processor()}, {os.cpu_count()} processors; vector unit: "
              f"{vector_unit()}; kernel {os.environ.get('MHA_VIZ_KERNEL', 'fastest')}; "
              f"load {' '.join(f'{x:.1f}' for x in os.getloadavg())}"]
    return ["# " + line for line in lines]


def kept(path):
    """Rows that an earlier run has written."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as f:
        lines = [line for line in f if not line.startswith("#")]
    return {r["row"]: r for r in csv.DictReader(lines, delimiter="\t")}


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [r for r in rows if r["ratio of the minima"] != "-"][::-1]
    figure, axis = plt.subplots(figsize=(10, 1.5 + 0.35 * len(rows)))
    axis.barh(range(len(rows)), [float(r["ratio of the minima"]) for r in rows], color="C0",
              label="measured")
    for column, marker in ("goal", "D"), ("bound", "|"):
        points = [(float(r[column]), y) for y, r in enumerate(rows) if r[column] != "-"]
        if points:
            axis.scatter(*zip(*points), marker=marker, s=60, color="black", zorder=2,
                         label=column)
    axis.axvline(1, color="grey", lw=1)
    axis.set_yticks(range(len(rows)), [f"{r['work']}: {r['peer']}" for r in rows], fontsize=8)
    axis.set_xscale("log")
    axis.set_xlabel("cost of the peer / cost of mha-viz")
    axis.legend(loc="lower right")
    figure.savefig(path, dpi=100, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("row", nargs="*", help=", ".join(ROWS))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--earlier", help="another mha-viz, run in turn as well")
    parser.add_argument("--work", help="folder that keeps the models that are made")
    parser.add_argument("--tsv", help="file of the rows; rows of other runs stay in it")
    parser.add_argument("--picture", help="PNG of the ratios of the rows in --tsv")
    args = parser.parse_args()
    unknown = [r for r in args.row if r not in ROWS]
    if unknown or args.pairs < 1:
        parser.error(f"{', '.join(unknown) or '--pairs'}: none of {', '.join(ROWS)}")
    head, rows = header(args.program, args.earlier), kept(args.tsv)
    print("\n".join([*head, "\t".join(COLUMNS)]), flush=True)
    good = True
    with tempfile.TemporaryDirectory() as temp:
        work = pathlib.Path(args.work or temp).resolve()
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(os.path.realpath(args.program), pathlib.Path(args.model).resolve(), work)
        for name in args.row or ROWS:
            rows[name] = in_process(name, bench, args.earlier, args.pairs)
            good &= not rows[name]["note"].startswith("WRONG")
            print("\t".join(rows[name].values()), flush=True)
            if args.tsv:
                order = [rows[k] for k in ROWS if k in rows]
                pathlib.Path(args.tsv).write_text("\n".join(
                    [*head, "\t".join(COLUMNS), *("\t".join(r.values()) for r in order)]) + "\n",
                    encoding="utf-8")
    if args.picture and importlib.util.find_spec("matplotlib"):
        draw([rows[k] for k in ROWS if k in rows], args.picture)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
