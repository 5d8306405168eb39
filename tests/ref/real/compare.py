#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real all-MiniLM-L6-v2: mha-viz against the transformers library (eager attention,
float32) on ids, types, all attention maps, entropies, strongest links and hidden states.

    compare.py PROGRAM MODEL

Prints one line of figures; exit status 1 where one is out of its tolerance.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers

# Largest absolute differences.  float32 and float64 runs of the reference differ by about
# 2e-6 in attention; entropies are sums of up to 60 terms of a map.
TOLERANCE = {"attention": 2e-5, "entropy": 1e-4, "exact entropy": 1e-4, "hidden": 1e-4}

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "A quick reader finds the key before the door is closed.",
    "Nobody who saw the river in spring would believe how low it is now.",
    "In 1998 she paid $3.50 for 12 roses; he paid nothing at all!",
    "What did the gardener plant, and where did the gardener plant it?",
    "naïve café über El Niño façade",
    "unbelievably counterrevolutionary antidisestablishmentarianism",
    "Hello",
    "",
    "...",
    "UPPER lower MiXeD CamelCase snake_case kebab-case a.b.c@d.org https://e.f/g?h=1",
    "我喜欢吃苹果",
    "窗外下雨了,我们在家里看书。",
    "今日は天気がいいですね。",
    "القطة جلست لأنها كانت متعبة.",
    "אני אוהב לקרוא ספרים",
    "I like 🍎 and 🍐, but not 👩‍👧‍👦 🇫🇷 ❤️.",
    "Ω ≈ 3.14 × 10⁻² ± ½ … “quoted” — dashed",
    "tab\tand two  spaces,   and three",
    ("Where is the boat?", "It is on the river."),
    ("The doctor asked the nurse.", "She answered it in 1998."),
    ("我喜欢吃苹果", "I like to eat apples."),
    ("First sentence, second one missing?", "?"),
    " ".join(["the cat saw the dog and the dog saw the cat,"] * 12),
]


def run(program, *args):
    return subprocess.run([program, *args], check=True, stdout=subprocess.PIPE).stdout


def ours(program, model, folder):
    lines = folder / "texts.jsonl"
    with lines.open("w") as f:
        for t in TEXTS:
            text, pair = t if isinstance(t, tuple) else (t, None)
            print(json.dumps({"text": text} | ({} if pair is None else {"pair": pair})), file=f)
    texts = ["-m", model, "--jsonl", "-f", str(lines)]
    run(program, "export", *texts, "--hidden", "-o", f"{folder}/")
    return {
        "npz": [np.load(folder / f"{i + 1:06}.npz") for i in range(len(TEXTS))],
        "tokens": [json.loads(l) for l in run(program, "tokens", "--json", *texts).splitlines()],
        "eps": [json.loads(l) for l in run(program, "stats", "--json", "--entropy-eps", "1e-9",
                                           *texts).splitlines()],
        "exact": [json.loads(l) for l in run(program, "stats", "--json", *texts).splitlines()],
    }


def entropy(attn, eps):
    a = attn.astype(np.float64)
    terms = np.where(a > 0, a * np.log(np.where(a > 0, a, 1) + eps), 0)
    return -terms.sum(-1).mean(-1)


def check_links(attn, heads, tolerance):
    """The strongest key of every row, where it is clearly the strongest."""
    n = 0
    for l, maps in enumerate(attn):
        for h, a in enumerate(maps):
            best = np.sort(a, -1)
            clear = best[:, -1] - best[:, -2] > 2 * tolerance
            keys = np.array([link[1] for link in heads[l * maps.shape[0] + h]["links"]])
            assert (keys == a.argmax(-1))[clear].all(), f"a strongest link of L{l}H{h}"
            n += int(clear.sum())
    return n


def main(program, folder):
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    tok = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    worst = dict.fromkeys(TOLERANCE, 0.0)
    n_links = 0
    with tempfile.TemporaryDirectory() as temp:
        got = ours(program, folder, pathlib.Path(temp))
        for i, text in enumerate(TEXTS):
            args = tok(*text if isinstance(text, tuple) else [text], return_tensors="pt")
            with torch.no_grad():
                want = model(**args, output_attentions=True)
            attn = np.stack([a[0].numpy() for a in want.attentions])        # [L, H, N, N]
            npz = got["npz"][i]
            assert npz["ids"].tolist() == args["input_ids"][0].tolist(), f"ids of {text!r}"
            assert got["tokens"][i]["ids"] == args["input_ids"][0].tolist(), f"ids of {text!r}"
            assert got["tokens"][i]["type_ids"] == args["token_type_ids"][0].tolist()
            ours_attn = np.stack([npz[f"attn.{l}"] for l in range(len(attn))])
            assert ours_attn.shape == attn.shape
            off = {"attention": np.abs(ours_attn - attn).max(),
                   "hidden": np.abs(npz["hidden"] - want.last_hidden_state[0].numpy()).max()}
            for key, name, eps in (("eps", "entropy", 1e-9), ("exact", "exact entropy", 0)):
                heads = np.array([h["entropy"] for h in got[key][i]["heads"]])
                off[name] = np.abs(heads - entropy(attn, eps).reshape(-1)).max()
            worst = {k: max(worst[k], float(off[k])) for k in worst}
            n_links += check_links(attn, got["exact"][i]["heads"], TOLERANCE["attention"])
    print(f"{len(TEXTS)} texts x {attn.shape[0] * attn.shape[1]} attention maps, ids and "
          f"{n_links} strongest links equal; largest differences: " +
          ", ".join(f"{k} {v:.1e} (of {TOLERANCE[k]:.0e})" for k, v in worst.items()))
    return int(any(not worst[k] <= TOLERANCE[k] for k in worst))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
