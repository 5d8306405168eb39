#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The families in other shapes: every case of make_families.py with its widths doubled or tripled
and its mlps, vocabularies' positions and experts of other sizes, at random, against the reference
library.

    python3 tests/ref/shapes.py BUILD [SEED ...]

BUILD: the folder of tests/ref/exact and tests/ref/seq2seq, which run on each kernel of this
machine.  Cases whose arrays or lists fix a width are left out and named.  Needs what make.py needs.
"""
import copy
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import make_families

WIDTHS = {"hidden_size", "n_embd", "dim", "d_model", "head_dim", "d_head", "d_kv", "embedding_size",
          "input_embedding_size", "output_embedding_size", "qk_nope_head_dim", "v_head_dim",
          "kv_lora_rank", "q_lora_rank"}
SIZES = {"intermediate_size", "n_inner", "d_ff", "ffn_dim", "hidden_dim", "encoder_ffn_dim",
         "decoder_ffn_dim", "max_position_embeddings", "moe_intermediate_size",
         "shared_expert_intermediate_size"}
FIXED = {"weights", "shapes", "boxes"}      # what a case has besides, of its own widths
# Tests that are no cases of a family
OTHERS = {"what_is_unused"}


def reshaped(values, factor, rng):
    for key, value in values.items():
        if isinstance(value, dict):
            reshaped(value, factor, rng)
        elif isinstance(value, int) and key in WIDTHS:
            values[key] = value * factor
        elif isinstance(value, int) and key in SIZES:
            values[key] = value + rng.choice((0, 2, 4, 8, 16))


def make_all(top, seed):
    rng, made, left = random.Random(seed), 0, []
    for name, (kind, values, how) in sorted(make_families.CASES.items()):
        values = copy.deepcopy(values)
        reshaped(values, rng.choice((2, 3)), rng)
        both = kind.config_class().is_encoder_decoder and "Encoder" not in kind.__name__
        folder = top / "tests/ref" / ("seq2seq" if both else "families") / name
        folder.mkdir(parents=True)
        before = make_families.CASES[name]
        make_families.CASES[name] = (kind, values, how)
        try:
            if FIXED & how.keys():
                raise ValueError("a shape of its own")
            make_families.make(folder, name)
            made += 1
        except Exception:       # of the reference library: shapes that do not fit each other
            shutil.rmtree(folder)
            left.append(name)
        make_families.CASES[name] = before
    print(f"seed {seed}: {made} cases; left out: {' '.join(left)}")


def failed(build, top, kernel):
    bad = []
    for program in ("exact", "seq2seq"):
        run = subprocess.run([os.path.abspath(f"{build}/tests/ref/{program}")], cwd=top, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                             env=os.environ | {"MHA_VIZ_KERNEL": kernel, "MHA_VIZ_SHARED": "/nonexistent",
                                               "CMOCKA_MESSAGE_OUTPUT": "TAP"})
        lines = run.stdout.splitlines()
        passed = sum(x.startswith("ok ") and "# SKIP" not in x for x in lines)
        wrong = [x.split(" - ")[-1] for x in lines if x.startswith("not ok ") and "# SKIP" not in x]
        wrong = [x for x in wrong if x not in OTHERS]
        bad += wrong
        print(f"{kernel}: {program}: {passed} agree, {len(wrong)} do not {' '.join(wrong)}")
        if passed == 0:
            bad.append(f"{program} ran nothing")
    return bad


def main(build, *seeds):
    bad = []
    for seed in seeds or ("1",):
        with tempfile.TemporaryDirectory() as top:
            make_all(pathlib.Path(top), int(seed))
            for kernel in ("c", "avx2"):
                bad += failed(build, top, kernel)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main(*sys.argv[1:])
