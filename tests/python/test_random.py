# SPDX-License-Identifier: MIT
"""Random calls with random arguments: an exception or a result, and never a crash.

RANDOM_CALLS: how many (default 300); RANDOM_SEED: of the first (default 1).
"""
import inspect
import os
import random

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
    """Some of what it takes by name, now and then all of it good."""
    given = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("path", "progress"):
            continue                    # random paths are written to, random functions called
        if name == "options":
            given.update({o: r.choice(VALUES)(r) for o in r.sample(OPTIONS, r.choice([0, 0, 1, 2]))
                          if o not in given})
            continue
        if name == "name":
            given[name] = r.choice(["heatmap", "stats", "curve", "trace", "neuron", "export",
                                    "tokens", "attribute", "circuits", "nothing", 3])
            continue
        if name in ("text", "other") and r.random() < 0.7:
            given[name] = r.choice(["the cat saw the dog", "a", "猫 🐈 é"])
        elif parameter.default is inspect.Parameter.empty or r.random() < 0.3:
            given[name] = r.choice(VALUES)(r)
    return given


def call(r, models):
    model = r.choice(models)
    name = r.choice(METHODS)
    if r.random() < 0.02:
        models[models.index(model)] = mha_viz.Model(r.choice([None, "builtin:encoder",
                                                              "builtin:translate"]), threads=2)
        model.close()
    given = arguments(r, getattr(model, name))
    result = getattr(model, name)(**given)
    if name in ("rows", "stats_many"):
        for _, _ in zip(result, range(r.randint(0, 5))):
            pass
    elif name == "attention":
        repr(result), result.tokens, list(result.rows.values())


def test_random_calls():
    failed = {}
    models = [mha_viz.Model(), mha_viz.Model("builtin:encoder", threads=1)]
    for i in range(SEED, SEED + CALLS):
        r = random.Random(i)
        try:
            call(r, models)
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
