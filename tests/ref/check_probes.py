#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scores of the probes qr and function-vectors of `mha-viz types` for the built-in model, computed
again over the same texts, written here again: qr with NumPy of exported attention, the other with
PyTorch and transformers, by hooks.

    check_probes.py PROGRAM qr|function-vectors"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

program, which = sys.argv[1:]
DOCUMENTS = [line.split("|") for line in """\
The king lives in the white castle on the hill.|Where does the king live?
The farmer sells his apples at the market.|What does the farmer sell?
The ship sails to the island in the spring.|Where does the ship sail?
The teacher drinks black tea in the morning.|What does the teacher drink?
The cat sleeps under the kitchen table.|Where does the cat sleep?
The doctor reads the letter by the window.|What does the doctor read?
The soldier hides the gold in the forest.|What does the soldier hide?
The girl plays the piano in the evening.|What does the girl play?
The train stops at the bridge at noon.|Where does the train stop?
The boy paints the fence in green.|What does the boy paint?
The baker opens his shop before dawn.|When does the baker open his shop?
The bird builds its nest in the old tree.|Where does the bird build its nest?""".splitlines()]


def run(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


def tokens(s):
    return json.loads(run("tokens", "--json", s))


def span(t, start, end):
    return [i for i, (a, b) in enumerate(t["bytes"])
            if not t["special"][i] and b > start and a < end]


class Draw:
    """Whole numbers below n of 32 random bits each."""
    def __init__(self, seed):
        self.bits = numpy.random.RandomState(seed)._bit_generator.random_raw

    def below(self, n):
        return int(self.bits()) * n >> 32


def attention(s):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npz")
        run("export", "-q", "-o", path, s)
        with numpy.load(path) as arrays:
            n = sum(name.startswith("attn.") for name in arrays)
            return numpy.stack([arrays[f"attn.{l}"] for l in range(n)]).astype(float)


def ranking(gold):
    draw, bag = Draw(12 + gold), list(range(12))
    bag[0], bag[gold] = gold, 0
    for k in range(1, 8):
        other = k + draw.below(12 - k)
        bag[k], bag[other] = bag[other], bag[k]
    place = draw.below(8)
    order = bag[:8]
    order[0], order[place] = order[place], gold
    text = "".join(DOCUMENTS[k][0] + " " for k in order)
    cal = []
    for question in DOCUMENTS[gold][1], "N/A":
        whole = f"{text}Question: {question} Answer:"
        t = tokens(whole)
        start = whole.index(DOCUMENTS[gold][0])
        keys = span(t, start, start + len(DOCUMENTS[gold][0]))
        rows = span(t, len(text), len(whole))
        cal.append(attention(whole)[:, :, rows][..., keys].mean(2))
    cal = cal[0] - cal[1]
    least = cal.mean(-1, keepdims=True) - 2 * cal.std(-1, ddof=1, keepdims=True)
    return (cal * (cal > least)).sum(-1)


def qr(report):
    assert report["rankings"] == 12
    return numpy.mean([ranking(gold) for gold in range(12)], 0)


DIGITS = "zero one two three four five six seven eight nine".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TASKS = [list(zip(LETTERS, LETTERS[1:])), list(zip(LETTERS, LETTERS.upper())),
         list(zip("0123456789", DIGITS))]


def trial(task, i):
    """The text that shows a task, that which does not, and the answer."""
    pairs, draw = list(TASKS[task]), Draw((3 + task) * 1000 + i)
    for k in range(6):
        other = k + draw.below(len(pairs) - k)
        pairs[k], pairs[other] = pairs[other], pairs[k]
    whose = list(range(5))
    for k in range(4, 0, -1):
        other = draw.below(k)
        whose[k], whose[other] = whose[other], whose[k]
    assert all(k != w for k, w in enumerate(whose))
    text = lambda of: "".join(f"Q: {pairs[k][0]} A: {pairs[of[k]][1]} " for k in range(5)) + \
        f"Q: {pairs[5][0]} A:"
    return text(range(5)), text(whose), pairs[5][1]


def function_vectors(report):
    import torch
    import transformers
    torch.set_num_threads(1)
    model = transformers.AutoModelForCausalLM.from_pretrained("assets/default",
                                                              dtype=torch.float32)
    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    outputs = [layer.self_attn.o_proj for layer in model.model.layers]
    tasks, count = [], 0
    for task in range(3):
        trials = []
        for i in range(25):
            shown, shuffled, answer = trial(task, i)
            ids = [tokens(s)["ids"] for s in (shown, shuffled, f"{shown} {answer}")]
            assert ids[2][:len(ids[0])] == ids[0]
            trials.append((*ids[:2], ids[2][len(ids[0])]))
        count += len(trials)
        answer = torch.tensor([t[2] for t in trials])
        every = torch.arange(len(trials))

        def probability(of):
            """What comes after a text is seen by none of its tokens: they may be of one length."""
            texts = [t[of] for t in trials]
            last = torch.tensor([len(ids) - 1 for ids in texts])
            padded = [ids + [0] * (int(last.max()) + 1 - len(ids)) for ids in texts]
            place[:] = [last]
            with torch.no_grad():
                logits = model(torch.tensor(padded)).logits[every, last].double()
            return torch.softmax(logits, 1)[every, answer].numpy()

        mean, place = [None] * layers, []

        def keep(l):
            def hook(module, args):
                mean[l] = args[0][every, place[0]].double().mean(0)
            return hook

        hooks = [o.register_forward_pre_hook(keep(l)) for l, o in enumerate(outputs)]
        probability(0)
        for hook in hooks:
            hook.remove()
        before = probability(1)
        effect = numpy.zeros((layers, heads))
        for l in range(layers):
            width = len(mean[l]) // heads
            for h in range(heads):
                def replace(module, args):
                    z = args[0].clone()
                    z[every, place[0], h * width:(h + 1) * width] = \
                        mean[l][h * width:(h + 1) * width].float()
                    return (z,)

                hook = outputs[l].register_forward_pre_hook(replace)
                effect[l, h] = (probability(1) - before).mean()
                hook.remove()
        tasks.append(effect)
    assert report["trials"] == count, count
    return numpy.mean(tasks, 0)


def main():
    name, tolerance = {"qr": ("qr", 1e-7),
                       "function-vectors": ("function_vectors", 1e-6)}[which]
    report = json.loads(run("types", "--json", "--probe", which))
    want = (qr if which == "qr" else function_vectors)(report)
    for head in report["heads"]:
        value = head["probe"][name]
        assert abs(value - want[head["layer"], head["head"]]) < tolerance, (head, want)
    print(len(report["heads"]), round(float(want.max()), 3))


main()
