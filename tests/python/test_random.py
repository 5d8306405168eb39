# SPDX-License-Identifier: MIT
"""Random calls with random arguments: an exception or a result, and never a crash.

RANDOM_CALLS: how many (default 300); RANDOM_SEED: of the first (default 1).
"""
import inspect
import os
import random
import threading
import warnings

import numpy as np
import pytest
from conftest import REF
from test_memory import weights_of

import mha_viz

CALLS = int(os.environ.get("RANDOM_CALLS", "300"))
SEED = int(os.environ.get("RANDOM_SEED", "1"))
METHODS = ("attention", "rows", "stats", "stats_many", "tokens", "heatmap", "links", "model_view",
           "report", "diff", "ablate", "make")
OPTIONS = ("cmap", "title", "columns", "dpi", "shared", "vmax", "metric", "ids", "letters", "json",
           "top", "seed", "no_labels", "nothing", "size", "words", "hide", "merge", "mask")


class Odd:
    """What claims to be a list, a number and a path."""

    def __init__(self, random):
        self.random = random

    def __iter__(self):
        return iter([self.random.choice([0, "1", None, 2 ** 40, "\ud800", Odd])])

    def __len__(self):
        return self.random.choice([0, 1, 7])

    def __index__(self):
        return self.random.choice([0, -1, 3, 2 ** 80])


VALUES = (
    lambda r: None, lambda r: r.choice([True, False]), lambda r: r.randint(-9, 9),
    lambda r: r.choice([2 ** 31, -2 ** 31, 2 ** 64, 10 ** 5000]), lambda r: r.random() * 100,
    lambda r: float("nan"), lambda r: "", lambda r: "the cat saw the dog",
    lambda r: "".join(chr(r.choice([r.randint(0, 127), r.randint(0, 0xFFFF), 0x1F600]))
                      for _ in range(r.randint(0, 60))),
    lambda r: r.choice(["encoder", "decoder", "cross", "last", "-1", "0-2", "L3H1", "all", "png",
                        "svg", "pdf", "basic", "neff", "viridis", "skip"]),
    lambda r: b"bytes", lambda r: [], lambda r: ["the cat", ("a", "b"), 3],
    lambda r: [r.randint(-2, 6) for _ in range(r.randint(1, 4))], lambda r: {"a": 1},
    lambda r: object(), lambda r: Odd(r), lambda r: mha_viz.Image("/dev/null"),
    lambda r: mha_viz.Audio(b"\xff"), lambda r: memoryview(b"abc"), lambda r: print,
)


def arguments(r, function):
    """Some of what it takes by name, often all of it good but for one thing."""
    given, rate = {}, r.choice([0.02, 0.1, 0.3])
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("path", "progress"):
            continue                    # random paths are written to, random functions called
        if name == "options":
            more = r.sample(OPTIONS, r.choice([0, 0, 1, 2]) if rate > 0.02 else 0)
            given.update({o: r.choice(VALUES)(r) for o in more if o not in given})
            continue
        if name == "name":
            given[name] = r.choice(["heatmap", "stats", "curve", "trace", "neuron", "export",
                                    "tokens", "attribute", "circuits", "nothing", 3])
            continue
        if name in ("text", "other") and r.random() < 1 - rate:
            given[name] = r.choice(["the cat saw the dog", "a", "猫 🐈 é"])
        elif parameter.default is inspect.Parameter.empty or r.random() < rate:
            given[name] = r.choice(VALUES)(r)
    return given


def use(r, model, name):
    given = arguments(r, getattr(model, name))
    if r.random() < 0.1:
        given["text"] = mha_viz.Input(**inputs(r))
    result = getattr(model, name)(**given)
    if name in ("rows", "stats_many"):
        for _, _ in zip(result, range(r.randint(0, 5))):
            pass
    elif name == "attention":
        repr(result), result.tokens, list(result.rows.values())


def of_a_model(r, models):
    if r.random() < 0.02:
        model = models[r.randrange(2)]
        models[models.index(model)] = mha_viz.Model(
            r.choice([None, "builtin:encoder", "builtin:translate"]), threads=2)
        model.close()
    use(r, r.choice(models), r.choice(METHODS))


# ---- arrays ----

DTYPES = ("f4",) * 9 + ("f8", "f8", "f2", "i8", "u1", "?", ">f4", "c8", "O", "S3", "M8[s]", "f4,i4")


def array(r, *shapes):
    """One of any type, that may lie in any way, of one of the shapes or another."""
    shape = r.choice([*shapes, *shapes, *shapes, (), (0,), (r.randint(0, 4),) * r.randint(1, 9)])
    made = np.random.default_rng(r.randrange(99)).random(shape)
    if len(shape) > 1 and made.size and r.random() < 0.7:
        made /= made.sum(-1, keepdims=True)
    if made.size and r.random() < 0.1:
        made.flat[r.randrange(made.size)] = r.choice([np.nan, np.inf, -1, 1e30])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = made.astype(r.choice(DTYPES))
        except (TypeError, ValueError):
            pass
    change = r.randrange(7)
    if change == 0:
        made = np.asfortranarray(made)
    elif change == 1 and made.ndim:
        made = made[::-1]
    elif change == 2 and made.ndim:
        made = np.broadcast_to(made[..., :1], made.shape)
    elif change == 3:
        made = np.stack([made, made], -1)[..., 0]
    elif change == 4 and made.nbytes:
        apart = np.frombuffer(b"x" + made.tobytes(), np.uint8)[1:]      # at an odd address
        made = apart.view(made.dtype).reshape(made.shape) if made.dtype != "O" else made
    return made if r.random() < 0.97 else r.choice(VALUES)(r)


def inputs(r):
    """Of Input: ids, rows and what does not go with each other."""
    all_of_them = {
        "text": lambda: r.choice(["the cat", ["the", "cat"], r.choice(VALUES)(r)]),
        "ids": lambda: r.choice([[1, 2, 3], np.array([4, 5]), range(3), r.choice(VALUES)(r)]),
        "input": lambda: array(r, (5, 8), (3, 8), (2, 5, 8)),
        "memory": lambda: array(r, (7, 8)), "key": lambda: array(r, (4, 8)),
        "value": lambda: array(r, (4, 8)),
        "tokens": lambda: r.choice(["a b c d e", r.choice(VALUES)(r)]),
        "words": lambda: True, "no_special": lambda: r.choice([True, 1]), "shape": lambda: "5",
        "type_ids": lambda: [0, 0, 1], "truncate": lambda: True, "nothing": lambda: 3,
    }
    names = r.sample(sorted(all_of_them), r.choice([1, 1, 2, 3]))
    return {name: all_of_them[name]() for name in names}


def of_attention(r, _):
    rows = r.choice([
        lambda: [array(r, (2, 5, 5), (1, 2, 5, 5)) for _ in range(r.randint(0, 3))],
        lambda: array(r, (3, 2, 5, 5)),
        lambda: {r.choice(["attn.0", "attn.1", "dec.0", "cross.0", "x", 3]): array(r, (2, 5, 5))
                 for _ in range(2)},
        lambda: r.choice(VALUES)(r)])()
    tokens = r.choice([None, list("abcde"), r.choice(VALUES)(r)])
    with mha_viz.attention_arrays(rows, tokens, threads=1) as given:
        for name in r.sample(METHODS, 2):
            more = arguments(r, getattr(given, name))
            more.pop("text", None), more.pop("pair", None)
            result = getattr(given, name)(**more)
            if name in ("rows", "stats_many"):
                list(result)


WEIGHTS = weights_of("gpt2")
CONFIG = (REF / "gpt2" / "config.json").read_text()
TOKENISER = (REF / "gpt2" / "tokenizer.json").read_bytes()
LAYER = {"in_proj_weight": (24, 8), "in_proj_bias": (24,), "out_proj.weight": (8, 8),
         "out_proj.bias": (8,)}


def of_weights(r, _):
    if r.random() < 0.5:
        weights, config = dict(WEIGHTS), r.choice([CONFIG] * 5 + [CONFIG[:-9], r.choice(VALUES)(r)])
        name = r.choice(sorted(weights))
        weights[r.choice([name, name, "more"])] = array(r, weights[name].shape)
        given = r.choice(["the key", mha_viz.Input(ids=[1, 2])])
        opened = mha_viz.from_torch(weights, config, r.choice([TOKENISER, TOKENISER, None]))
    else:
        weights = {name: array(r, shape, shape, shape) if r.random() < 0.3 else
                   np.ones(shape, np.float32) for name, shape in LAYER.items()}
        given = mha_viz.Input(**inputs(r)) if r.random() < 0.7 else \
            mha_viz.Input(input=np.ones((5, 8), np.float32))
        opened = mha_viz.from_torch(weights, heads=r.choice([2, 2, 2, 3, 0, "x"]), threads=1)
    with opened:
        del weights
        opened.attention(given)
        getattr(opened, r.choice(["stats", "heatmap", "tokens", "report"]))(given)


def of_a_model_that_closes(r, _):
    """By two threads, while two others use it."""
    model, failed = mha_viz.Model(threads=r.randint(1, 3)), []
    stream = model.rows("the cat saw the dog " * 50)

    def run(work):
        try:
            work()
        except mha_viz.MhaVizError:
            pass
        except BaseException as error:
            failed.append(error)

    works = [model.close, model.close, lambda: use(r, model, "stats"), lambda: list(stream)]
    r.shuffle(works)
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    model.stats("the cat")


KINDS = (of_a_model,) * 14 + (of_attention,) * 2 + (of_weights,) * 3 + (of_a_model_that_closes,)


@pytest.mark.filterwarnings("ignore")
def test_random_calls():
    failed = {}
    models = [mha_viz.Model(), mha_viz.Model("builtin:encoder", threads=1)]
    for i in range(SEED, SEED + CALLS):
        r = random.Random(i)
        try:
            r.choice(KINDS)(r, models)
            outcome = "a result"
        except mha_viz.MhaVizError as error:
            assert "\n" not in str(error), f"seed {i}: {error!r}"
            assert len(str(error)) < 700, f"seed {i}: {error!r}"
            outcome = error.status.name
        except Exception as error:
            raise AssertionError(f"seed {i}: {error!r}") from error
        failed[outcome] = failed.get(outcome, 0) + 1
    print(failed)
    assert failed["a result"] > CALLS / 20 and failed["USAGE"] > CALLS / 20
