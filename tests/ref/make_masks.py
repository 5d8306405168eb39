#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes masks/: what the reference library computes under masks of the user's own.

    python3 tests/ref/make_masks.py

needs what make.py needs.  cases.json lists command lines of `mha-viz export`; each has
NAME.npz beside it, with the arrays that the command is to write, by their names.  The models
are those of make.py and make_families.py.
"""
import json
import pathlib

import numpy as np
import torch
import transformers as T
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).parent
OUT = HERE / "masks"
IDS = [2, 17, 40, 9, 33, 3]
N = len(IDS)
HIDDEN = torch.finfo(torch.float32).min
CASES = []


def case(name, argv, arrays):
    CASES.append({"name": name, "argv": argv})
    with open(OUT / f"{name}.npz", "wb") as f:
        np.savez(f, **{k: v.detach().numpy().astype(np.float32) for k, v in arrays.items()})


def model(kind, folder):
    m = kind.from_pretrained(HERE / folder, attn_implementation="eager", dtype=torch.float32)
    return m.eval()


def arrays(out, see):
    """attn.L and hidden; a row that sees no key at all is 0, where the library has it uniform,
    so that later layers differ and only the first is kept."""
    sees_some = see.any(-1)
    if not bool(sees_some.all()):
        return {"attn.0": (out.attentions[0] * sees_some.float()[..., None])[0]}
    result = {f"attn.{i}": a[0] for i, a in enumerate(out.attentions)}
    result["hidden"] = out.last_hidden_state[0]
    return result


def run(m, see, add=None):
    """see [.., N, N] true: the query sees the key; add: to the scores."""
    bias = torch.where(see, 0.0, HIDDEN)
    if add is not None:
        bias = bias + add
    bias = bias.expand(1, -1, N, N) if bias.dim() > 2 else bias.expand(1, 1, N, N)
    return m(input_ids=torch.tensor([IDS]), attention_mask=bias, output_attentions=True)


def save(name, array):
    np.save(OUT / name, array)
    return f"tests/ref/masks/{name}"


def bare_layers():
    """torch.nn's attention by itself, with a key that no mask hides; a decoder layer."""
    layers = HERE / "layers"
    torch.backends.mha.set_fastpath_enabled(False)
    x = torch.tensor(np.load(layers / "npz/x.npy"))[None]
    y = torch.tensor(np.load(layers / "npz/y.npy"))[None]
    t, s = x.shape[1], y.shape[1]
    m = torch.nn.MultiheadAttention(12, 3, batch_first=True, add_bias_kv=True).eval()
    m.load_state_dict(load_file(layers / "torch_bias_kv.safetensors"))
    argv = ["-m", "tests/ref/layers/torch_bias_kv.safetensors", "--heads", "3", "--all",
            "--input", "tests/ref/layers/npz/x.npy"]

    def attend(name, more, hidden, key=x):
        """hidden [.., t, keys]: true where the query does not see the key."""
        hidden = hidden.expand(3, t, key.shape[1])
        out, maps = m(x, key, key, attn_mask=hidden, average_attn_weights=False)
        case(name, [*argv, *more], {"cross.0": maps[0], "cross.out.0": out[0]})

    behind = torch.ones(t, t).triu(1).bool()
    memory = ["--memory", "tests/ref/layers/npz/y.npy"]
    attend("bias_kv_causal", ["--mask", "causal"], behind)
    attend("bias_kv_padding", ["--mask", "padding:1"], (torch.arange(t) == t - 1)[None])
    attend("bias_kv_block", [*memory, "--mask", f"block:0-{t - 1},2-3"],
           ((torch.arange(s) >= 2) & (torch.arange(s) <= 3))[None], y)
    see = torch.tensor([True, False, True, True, False, True])
    attend("bias_kv_one_row", [*memory, "--memory-mask", save("one_row.npy", see[None].numpy())],
           ~see[None], y)
    seen = torch.tensor(np.random.default_rng(7).integers(0, 2, (3, 1, s))).bool()
    attend("bias_kv_heads", [*memory, "--mask", save("head_rows.npy", seen.numpy()[None])],
           ~seen, y)

    state = load_file(layers / "torch_decoder_layer.safetensors")
    m = torch.nn.TransformerDecoderLayer(12, 3, len(state["linear1.bias"]),
                                         batch_first=True).eval()
    m.load_state_dict(state)
    out = m(x, y, tgt_mask=behind,
            memory_key_padding_mask=(torch.arange(s) >= 4)[None])
    case("decoder_layer_memory",
         ["-m", "tests/ref/layers/torch_decoder_layer.safetensors", "--heads", "3", "--hidden",
          "--input", "tests/ref/layers/npz/x.npy", *memory, "--memory-mask", "padding:2"],
         {"hidden": out[0]})


def main():
    OUT.mkdir(exist_ok=True)
    rng = np.random.default_rng(5)
    bert, gpt2 = model(T.BertModel, "bert"), model(T.GPT2Model, "gpt2")
    ids = ["--ids", ",".join(map(str, IDS))]
    causal = torch.ones(N, N).tril().bool()
    base = {"bert": (bert, torch.ones(N, N).bool()), "gpt2": (gpt2, causal)}

    padding = torch.ones(N, N).bool()
    padding[:, -2:] = False
    block = torch.ones(N, N).bool()
    block[1:4, 0:3] = False
    heads = bert.config.num_attention_heads
    seen = torch.tensor(rng.integers(0, 2, (heads, N, N))).bool() | torch.eye(N).bool()
    add = torch.tensor(rng.normal(size=(N, N)), dtype=torch.float32)
    integers = save("heads.npy", seen.numpy().astype(np.int64))
    floats = save("floats.npy", add.numpy())
    pair = torch.stack([padding, block])
    texts = save("texts.npy", pair.numpy()[:, None].astype(np.uint8))

    for name, (m, own) in base.items():
        def put(what, argv, see, add=None, name=name, m=m, own=own):
            see = see & own
            case(f"{name}_{what}", ["-m", f"tests/ref/{name}", "--hidden", *ids, *argv],
                 arrays(run(m, see, add), see))
        put("padding", ["--mask", "padding:2"], padding)
        put("block", ["--mask", "block:1-3,0-2"], block)
        put("both", ["--mask", "padding:2+block:1-3,0-2+causal"], padding & block & causal)
        put("floats", ["--mask", floats], torch.ones(N, N).bool(), add)
        put("floats_causal", ["--mask", f"causal+{floats}"], causal, add)
        put("first", ["--mask", texts], padding)
    case("bert_heads", ["-m", "tests/ref/bert", "--hidden", *ids, "--mask", integers],
         arrays(run(bert, seen), seen))

    # The documents' finite mask: a row that is masked as a whole is uniform.
    block[1:4, :] = False
    out = run(bert, block)
    case("bert_finite", ["-m", "tests/ref/bert", "--hidden", *ids, "--mask", "block:1-3,0-5",
                         "--mask-value", "-1e9"],
         {**{f"attn.{i}": a[0] for i, a in enumerate(out.attentions)},
          "hidden": out.last_hidden_state[0]})

    # Cross-attention that does not see the source's last tokens.
    bart = model(T.BartModel, "seq2seq/bart_base")
    src, dec = torch.tensor([[2, 8, 30, 19, 3]]), torch.tensor([[1, 11, 7, 21]])
    memory = bart.get_encoder()(input_ids=src).last_hidden_state
    out = bart.get_decoder()(input_ids=dec, encoder_hidden_states=memory,
                             encoder_attention_mask=torch.tensor([[1, 1, 1, 0, 0]]),
                             output_attentions=True)
    case("bart_memory",
         ["-m", "tests/ref/seq2seq/bart_base", "-s", "cross", "--hidden",
          "--ids", "2,8,30,19,3", "--decoder-ids", "1,11,7,21", "--memory-mask", "padding:2"],
         {**{f"cross.{i}": a[0] for i, a in enumerate(out.cross_attentions)},
          "hidden": out.last_hidden_state[0]})
    bare_layers()
    (OUT / "cases.json").write_text(json.dumps(CASES, indent=1) + "\n")


if __name__ == "__main__":
    main()
