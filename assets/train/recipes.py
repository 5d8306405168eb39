# SPDX-License-Identifier: MIT
"""What a training run is made of, by name: every schedule counts shares of the steps, never seconds.

first   the model shipped with 0.1: 12,500 steps, 59 % natural text, one rewarded head
second  24,000 steps, 72 % natural text, three rewarded heads and a task that needs the third
third   2,400 steps from the weights of "first" on: beside L3H1, which had come to hold to the token before by itself,
        two more heads of its layer are rewarded
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Nudge:
    """A head rewarded for its log mass on what `kind` says; the reward falls from `weight` to 0 at share `end`."""
    layer: int
    head: int
    kind: str
    weight: float
    end: float

    def at(self, share):
        return self.weight * max(0., 1 - share / self.end)


@dataclass(frozen=True)
class Recipe:
    steps: int
    natural: tuple       # (corpus, share of natural text)
    contexts: tuple      # (from share, tokens in a row)
    rows: tuple          # (from share, share of repeats, of brackets, of marks, random part of the repeats)
    nudges: tuple
    step_tokens: int = 1024
    rate: float = 2e-3
    warmup: int = 200

    def context(self, share):
        return since(self.contexts, share)[0]

    def mixture(self, share):
        return since(self.rows, share)


def since(table, share):
    return [row for row in table if share >= row[0]][-1][1:]


RECIPES = {
    "first": Recipe(
        steps=12500,
        natural=(("en", .60), ("zh", .22), ("pairs", .18)),
        contexts=((.0, 64), (.20, 128), (.45, 256), (.92, 512)),
        rows=((.0, .55, .10, .0, .6), (.45, .14, .07, .0, .6)),
        nudges=(Nudge(0, 0, "previous", 1., .25),),
    ),
    "second": Recipe(
        steps=24000,
        natural=(("en", .66), ("zh", .20), ("pairs", .14)),
        contexts=((.0, 64), (.15, 128), (.35, 256), (.90, 512)),
        rows=((.0, .40, .05, .10, .5), (.20, .15, .04, .06, .3), (.60, .10, .03, .05, .3)),
        nudges=(Nudge(0, 0, "previous", 1., .25), Nudge(1, 0, "induction", .3, .6), Nudge(1, 1, "duplicate", .3, .6)),
    ),
    "third": Recipe(
        steps=2400,
        natural=(("en", .66), ("zh", .20), ("pairs", .14)),
        contexts=((.0, 128), (.10, 256), (.85, 512)),
        rows=((.0, .20, .03, .10, .4), (.35, .08, .03, .06, .3)),
        nudges=(Nudge(3, 2, "induction", .5, .6), Nudge(3, 0, "duplicate", .5, .6)),
        rate=6e-4,
        warmup=100,
    ),
}
