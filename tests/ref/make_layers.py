#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/ref/layers: bare layers, with what PyTorch computes of them.

    python3 tests/ref/make_layers.py

NAME.safetensors is a layer: modules written by hand, as texts about attention have them,
and those of torch.nn.  NAME.npz has its input [B,T,D], perhaps memory and values (another
input for keys and values), and the results: attn.L, dec.L or cross.L [B,H,T,S] and out
[B,T,D], that of a decoder where its input, target [B,T,D], is there too; of some, queries, keys, values and scores too, with a B in front of the shapes that
export --all gives them, or bf16.attn.L, where inputs of products are rounded to that.  Weights are rounded to floats, everything else is computed in double.
cases.json has the options that the file cannot tell, how many tensors are not used, and within
what maps must agree where that is less than usual: those of written_layers.py.  npz holds a layer as npz, and inputs;
init, what mha-viz init must write.
"""
import json
import math
import re
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from safetensors.torch import load_file as load_torch
from safetensors.torch import save_file
from torch import nn

import written_layers as written

HERE = Path(__file__).parent / "layers"


class Attention(nn.Module):
    """Heads side by side in four linears; names as the writer likes them."""

    def __init__(self, d_model, heads, names, bias=True, d_k=None, d_v=None, max_len=0,
                 shaw=False):
        super().__init__()
        self.heads, self.names, self.shaw = heads, names, shaw
        self.lower = lambda x: x        # what each product reads of its inputs
        self.d_k, self.d_v = d_k or d_model // heads, d_v or d_model // heads
        for name, out in zip(names, (self.d_k, self.d_k, self.d_v)):
            self.add_module(name, nn.Linear(d_model, heads * out, bias=bias))
        self.add_module(names[3], nn.Linear(heads * self.d_v, d_model, bias=bias))
        if max_len:
            self.rel_pos_encoding = nn.Parameter(torch.randn(2 * max_len - 1, self.d_k))

    def split(self, name, x, d):
        linear = getattr(self, name)
        y = self.lower(x) @ self.lower(linear.weight).T
        y = y if linear.bias is None else y + linear.bias
        return self.lower(y.view(len(x), -1, self.heads, d).transpose(1, 2))

    def positions(self, q, S):
        """The part of the scores that depends on i - j."""
        T, rows = q.shape[2], len(self.rel_pos_encoding)
        table = self.lower(self.rel_pos_encoding)
        i, j = torch.arange(T)[:, None], torch.arange(S)[None, :]
        if self.shaw:
            k = rows // 2
            r = table[(j - i).clamp(-k, k) + k]
            return torch.einsum("bhid,ijd->bhij", q, r) / math.sqrt(self.d_k)
        r = table[i - j + T - 1]
        return torch.einsum("bhid,ijd->bhij", q, r)

    def forward(self, q, k, v, mask=None):
        q = self.split(self.names[0], q, self.d_k)
        k = self.split(self.names[1], k, self.d_k)
        v = self.split(self.names[2], v, self.d_v)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if hasattr(self, "rel_pos_encoding"):
            scores = scores + self.positions(q, k.shape[2])
        self.inner = {"q": q, "k": k, "v": v, "scores": scores}
        if mask is not None:
            scores = self.inner["scores"] = scores.masked_fill(mask == 0, -math.inf)
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return getattr(self, self.names[3])(out), weights


class Separable(nn.Module):
    """A linear a head."""

    def __init__(self, d_model, heads, d_k):
        super().__init__()
        for name in ("q_linears", "k_linears", "v_linears"):
            self.add_module(name, nn.ModuleList(nn.Linear(d_model, d_k) for _ in range(heads)))
        self.output_linear = nn.Linear(heads * d_k, d_model)

    def forward(self, q, k, v, mask=None):
        outs, maps = [], []
        for one_q, one_k, one_v in zip(self.q_linears, self.k_linears, self.v_linears):
            a = one_q(q)
            w = (a @ one_k(k).transpose(-2, -1) / math.sqrt(a.shape[-1])).softmax(-1)
            outs.append(w @ one_v(v))
            maps.append(w)
        return self.output_linear(torch.cat(outs, -1)), torch.stack(maps, 1)


class Encoder(nn.Module):
    def __init__(self, attention, d_model, d_ff):
        super().__init__()
        self.self_attn = attention
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(),
                                          nn.Dropout(0.1), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        a, weights = self.self_attn(x, x, x)
        x = self.norm1(x + a)
        return self.norm2(x + self.feed_forward(x)), {"attn": weights}


class Decoder(nn.Module):
    def __init__(self, attention, cross, d_model, d_ff):
        super().__init__()
        self.self_attn, self.cross_attn = attention, cross
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(),
                                          nn.Dropout(0.1), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, x, memory):
        mask = torch.ones(x.shape[1], x.shape[1]).tril()
        a, weights = self.self_attn(x, x, x, mask)
        x = self.norm1(x + a)
        a, cross = self.cross_attn(x, memory, memory)
        x = self.norm2(x + a)
        return self.norm3(x + self.feed_forward(x)), {"dec": weights, "cross": cross}


class Stack(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x, *memory):
        maps = []
        for layer in self.layers:
            x, weights = layer(x, *memory)
            maps.append(weights)
        return x, maps


def watch(module, maps):
    """torch's attention, asked for the weights of each head."""
    inner = module.forward

    def forward(*args, **kwargs):
        out, weights = inner(*args, **{**kwargs, "need_weights": True,
                                       "average_attn_weights": False})
        maps.append(weights)
        return out, weights
    module.forward = forward


def spread(module, seed, gain=1.5):
    """Weights that make maps neither uniform nor sharp, and biases that count."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, p in module.named_parameters():
            noise = torch.randn_like(p)
            if "norm" in name or re.search(r"(^|[._])ln", name):
                scale = re.search(r"(weight|a_2|alpha|scale|gamma|\.w)$", name)
                p.copy_(1 + 0.3 * noise if scale else 0.3 * noise)
            elif p.dim() == 3 and len(p) > 1:       # kernels, and parameters of heads
                p.copy_(noise * gain / math.sqrt(written.D))
            else:
                p.copy_(noise * (gain / math.sqrt(p.shape[-1]) if p.dim() == 2 else gain / 3))
    return module.eval().double()


cases = {}


def store(name, module, arrays, **options):
    """options: what the command line would say."""
    save_file({k: v.detach().float().contiguous().clone() for k, v in module.state_dict().items()},
              HERE / f"{name}.safetensors")
    np.savez(HERE / f"{name}.npz", **{k: v.detach().float().numpy()
                                      for k, v in arrays.items()})
    cases[name] = options


def numbers(*shape):
    return torch.randn(*shape).float().double()


def attention(name, module, T, B=1, memory=None, values=None, d_model=12, inner=False,
              bf16=False, **options):
    """One attention: to its own input, to memory, or to memory and values."""
    spread(module, len(cases))
    x = numbers(B, T, d_model)
    arrays = {"input": x}
    k = v = x
    if memory:
        k = v = arrays["memory"] = numbers(B, *memory)
    if values:
        v = arrays["values"] = numbers(B, *values)
    with torch.no_grad():
        if isinstance(module, nn.MultiheadAttention):
            out, weights = module(x, k, v, average_attn_weights=False)
        else:
            out, weights = module(x, k, v)
    own = not (memory or getattr(module, "bias_k", None) is not None or
               getattr(module, "add_zero_attn", False))
    arrays.update({"attn.0" if own else "cross.0": weights, "out": out})
    if bf16:
        module.lower = lambda x: x.float().bfloat16().double()
        with torch.no_grad():
            arrays["bf16.attn.0"] = module(x, k, v)[1]
    if inner:
        arrays.update({f"{'' if own else 'cross.'}{k}.0": v for k, v in module.inner.items()})
    store(name, module, arrays, **options)


def layers(name, module, T, memory=0, d_model=12, inner=False, **options):
    """Layers by hand: their maps come back."""
    spread(module, len(cases))
    x, more = numbers(1, T, d_model), [numbers(1, memory, d_model)] if memory else []
    with torch.no_grad():
        out, maps = module(x, *more)
    arrays = {"input": x, "out": out}
    if more:
        arrays["memory"] = more[0]
    for i, one in enumerate(maps if isinstance(maps, list) else [maps]):
        arrays.update({f"{k}.{i}": v for k, v in one.items()})
    for i, one in enumerate(module.layers if inner else ()):
        arrays.update({f"dec.{k}.{i}": v for k, v in one.self_attn.inner.items()})
        arrays.update({f"cross.{k}.{i}": v for k, v in one.cross_attn.inner.items()})
    store(name, module, arrays, **options)


def torch_layers(name, module, T, memory=0, d_model=12, **options):
    spread(module, len(cases))
    own, cross = [], []
    for key, part in module.named_modules():
        if isinstance(part, nn.MultiheadAttention):
            watch(part, cross if key.endswith("multihead_attn") else own)
    x = numbers(1, T, d_model)
    mask = torch.full((T, T), -math.inf, dtype=torch.double).triu(1)
    arrays = {"input": x}
    if memory:
        arrays["memory"] = numbers(1, memory, d_model)
        arrays["out"] = module(x, arrays["memory"], tgt_mask=mask)
    else:
        arrays["out"] = module(x)
    arrays.update({f"{'dec' if memory else 'attn'}.{i}": w for i, w in enumerate(own)})
    arrays.update({f"cross.{i}": w for i, w in enumerate(cross)})
    store(name, module, arrays, **options)


# ---- as others write them ----

def store_written(name, module, maps, out, x, memory, within=2e-7, **options):
    arrays = {"input": x, "out": out, **maps, **({"memory": memory} if memory is not None else {})}
    given = {"heads": written.H, **options, "within": within}
    store(name, module, arrays, **{k: v for k, v in given.items() if v})


def written_attentions(all_of_them):
    for name, module, options in all_of_them:
        spread(module, len(cases), 0.6)
        S = options.pop("memory", 0)
        x, memory = numbers(1, written.T, written.D), numbers(1, S, written.D) if S else None
        with torch.no_grad():
            out, weights = module(x) if memory is None else module(x, memory, memory)
        causal = any(getattr(m, "causal", False) for m in module.modules())
        key = "cross.0" if S else "dec.0" if causal or options.get("unmasked") else "attn.0"
        store_written(name, module, {key: weights}, out, x, memory, **options)


def as_written():
    """Attentions and layers of written_layers.py; maps as precise as floats can be."""
    written_attentions(written.attentions())
    layers_as_written(written.layers())


def layers_as_written(all_of_them):
    for name, module, options in all_of_them:
        spread(module, len(cases), 0.6)
        S = options.pop("memory", 0)
        x, memory = numbers(1, written.T, written.D), numbers(1, S, written.D) if S else None
        with torch.no_grad():
            out, maps = module(x) if memory is None else module(x, memory)
        maps = {f"{k}.{i}": v for i, one in enumerate(maps if isinstance(maps, list) else [maps])
                for k, v in one.items()}
        store_written(name, module, maps, out, x, memory, **options)


def whole_models():
    for name, module in written.wholes():
        spread(module, len(cases), 0.6)
        ids = torch.randint(0, 11, (1, written.T))
        with torch.no_grad():
            out, maps, logits = module(ids)
        arrays = {f"{k}.{i}": v for i, one in enumerate(maps) for k, v in one.items()}
        store(name, module, {"ids": ids, "input": out, "out": out, "logits": logits, **arrays},
              heads=written.H, within=2e-7)


def rewritten():
    """The same numbers under other names, or lying the other way."""
    def write(name, source, change):
        tensors = dict(change(k, v) for k, v in load_torch(HERE / f"{source}.safetensors").items())
        save_file(tensors, HERE / f"{name}.safetensors")
        (HERE / f"{name}.npz").write_bytes((HERE / f"{source}.npz").read_bytes())
        cases[name] = cases[source]
    write("keras_paths", "keras",
          lambda k, v: (f"net/multi_head_attention/{k.replace('.', '/')}:0", v))


def of_gpt2():
    """The same names with other activations: a nanoGPT that keeps a mask, and transformers' own
    block, whose Conv1D lies [in, out] and whose gelu is by tanh."""
    x = numbers(1, written.T, written.D)
    for name, module, options in (
            ("nanogpt_noflash", written.gpt_layer(8), {"activation": "gelu"}),
            ("conv1d_layer", written.gpt_layer(None, written.gelu_tanh), {})):
        spread(module, len(cases), 0.6)
        with torch.no_grad():
            out, maps = module(x)
        store_written(name, module, {"dec.0": maps["dec"]}, out, x, None, **options)
    path = HERE / "conv1d_layer.safetensors"
    save_file({k: v.T.contiguous() if v.dim() == 2 else v for k, v in load_torch(path).items()},
              path)


def transformer():
    """torch.nn.Transformer in one file: its encoder, and its decoder on what that gives."""
    module = nn.Transformer(written.D, written.H, 2, 2, 24, batch_first=True)
    spread(module, len(cases), 0.6)
    own, cross = [], []
    for key, part in module.named_modules():
        if isinstance(part, nn.MultiheadAttention):
            watch(part, cross if key.endswith("multihead_attn") else own)
    x, y = numbers(1, 5, written.D), numbers(1, written.T, written.D)
    mask = torch.full((written.T, written.T), -math.inf, dtype=torch.double).triu(1)
    with torch.no_grad():
        memory = module.encoder(x)
        out = module.decoder(y, memory, tgt_mask=mask)
    given = dict(heads=written.H, within=2e-7)
    store("transformer_encoder", module,
          {"input": x, "out": memory, "attn.0": own[0], "attn.1": own[1]},
          prefix="encoder.", unused=38, **given)
    store("transformer_decoder", module,
          {"input": y, "memory": memory, "out": out, "dec.0": own[2], "dec.1": own[3],
           "cross.0": cross[0], "cross.1": cross[1]}, prefix="decoder.", unused=26, **given)


def pair_arrays(x, y, out, own, self_maps, cross):
    arrays = {"input": x, "target": y, "out": out}
    for name, maps in ("attn", own), ("dec", self_maps), ("cross", cross):
        arrays.update({f"{name}.{i}": one for i, one in enumerate(maps)})
    return arrays


def whole_transformer(name, n_encoder, n_decoder, **options):
    """torch.nn.Transformer as one: both inputs, and the maps of all three attentions."""
    module = nn.Transformer(written.D, written.H, n_encoder, n_decoder, 24, batch_first=True,
                            **options)
    spread(module, len(cases), 0.6)
    own, cross = [], []
    for key, part in module.named_modules():
        if isinstance(part, nn.MultiheadAttention):
            watch(part, cross if key.endswith("multihead_attn") else own)
    x, y = numbers(2, 5, written.D), numbers(2, written.T, written.D)
    mask = torch.full((written.T, written.T), -math.inf, dtype=torch.double).triu(1)
    with torch.no_grad():
        out = module(x, y, tgt_mask=mask)
    store(name, module, pair_arrays(x, y, out, own[:n_encoder], own[n_encoder:], cross),
          heads=written.H, within=2e-7, **options)


def pairs():
    """Encoders with their decoders, and what came after them."""
    whole_transformer("transformer", 2, 2)
    whole_transformer("transformer_first", 1, 2, norm_first=True, activation="gelu")
    for name, module, options in written.pairs():
        spread(module, len(cases), 0.6)
        x, y = numbers(1, 5, written.D), numbers(1, written.T, written.D)
        with torch.no_grad():
            out, own, maps = module(x, y)
        store(name, module, pair_arrays(x, y, out, [one["attn"] for one in own],
                                        [one["dec"] for one in maps],
                                        [one["cross"] for one in maps]),
              heads=written.H, within=2e-7, **options)


LINEAR = ("q_linear", "k_linear", "v_linear", "output_linear")
LINEAR_2 = ("linear_q", "linear_k", "linear_v", "linear_out")
UPPER = ("W_Q", "W_K", "W_V", "W_O")


def as_npz():
    """q_linear as NumPy has it, and inputs of its width."""
    folder = HERE / "npz"
    folder.mkdir(exist_ok=True)
    np.savez(folder / "q_linear.npz", **load_file(HERE / "q_linear.safetensors"))
    torch.manual_seed(0)
    np.save(folder / "x.npy", torch.randn(4, 12).numpy())
    np.save(folder / "y.npy", torch.randn(6, 12).numpy())


def init(d_model=16, heads=2):
    """An encoder layer as torch's Xavier initialisation has it, header and all."""
    folder = HERE / "init"
    folder.mkdir(exist_ok=True)
    torch.manual_seed(1)
    tensors = {}
    for name, out, inputs in (
            *((f"self_attn.{n}", d_model, d_model) for n in LINEAR),
            ("feed_forward.0", 4 * d_model, d_model), ("feed_forward.3", d_model, 4 * d_model)):
        tensors[f"{name}.weight"] = nn.init.xavier_uniform_(torch.empty(out, inputs))
        tensors[f"{name}.bias"] = torch.zeros(out)
    for i in (1, 2):
        tensors[f"norm{i}.weight"] = torch.ones(d_model)
        tensors[f"norm{i}.bias"] = torch.zeros(d_model)
    header, at = {"__metadata__": {"heads": str(heads)}}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape),
                        "data_offsets": [at, at + 4 * t.numel()]}
        at += 4 * t.numel()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    (folder / "encoder.safetensors").write_bytes(
        len(text).to_bytes(8, "little") + text +
        b"".join(t.numpy().tobytes() for t in tensors.values()))


def main():
    HERE.mkdir(exist_ok=True)
    torch.backends.mha.set_fastpath_enabled(False)

    attention("q_linear", Attention(12, 3, LINEAR), 7, heads=3, inner=True)
    attention("linear_q_plain", Attention(12, 2, LINEAR_2, bias=False), 5, B=3, heads=2)
    attention("w_q", Attention(12, 4, UPPER), 40, heads=4)
    attention("w_q_memory", Attention(12, 4, UPPER), 5, B=2, memory=(9, 12), heads=4,
              inner=True)
    attention("own_widths", Attention(12, 2, UPPER, d_k=5, d_v=3), 6, heads=2, inner=True)
    attention("own_widths_values", Attention(12, 2, UPPER, d_k=3, d_v=5), 6,
              memory=(4, 12), values=(4, 12), heads=2)
    attention("one_head", Attention(3, 1, LINEAR), 4, d_model=3, heads=1)
    attention("separable", Separable(12, 3, 4), 6)
    attention("separable_wide", Separable(12, 3, 5), 6, memory=(3, 12))

    attention("relative", Attention(12, 3, LINEAR, max_len=9), 6, inner=True)
    attention("relative_full", Attention(12, 3, LINEAR, max_len=8), 8, B=2, bf16=True)
    attention("relative_memory", Attention(12, 3, LINEAR, max_len=9), 6, memory=(4, 12))
    attention("shaw", Attention(12, 3, LINEAR, max_len=4, shaw=True), 40, relative="shaw",
              bf16=True)
    attention("shaw_memory", Attention(12, 3, LINEAR, max_len=3, shaw=True), 5,
              memory=(11, 12), relative="shaw")

    # Tables of several panels, of which a text reads the beginning, the middle, or all.
    attention("relative_long", Attention(12, 2, UPPER, max_len=60), 37)
    attention("relative_long_memory", Attention(12, 2, UPPER, max_len=60), 45,
              memory=(33, 12))
    attention("shaw_short", Attention(12, 2, UPPER, max_len=50, shaw=True), 10,
              relative="shaw", bf16=True)
    attention("shaw_long", Attention(12, 2, UPPER, max_len=35, shaw=True), 45, B=2,
              relative="shaw")

    layers("encoder", Encoder(Attention(12, 3, LINEAR), 12, 20), 6, heads=3)
    layers("encoder_stack", Stack(*(Encoder(Attention(12, 2, UPPER), 12, 8)
                                    for _ in range(3))), 5, heads=2)
    layers("encoder_relative", Stack(*(Encoder(Attention(12, 3, LINEAR, max_len=7), 12, 8)
                                       for _ in range(2))), 5)
    layers("encoder_separable", Encoder(Separable(12, 3, 4), 12, 8), 5)
    layers("decoder", Decoder(Attention(12, 3, LINEAR), Attention(12, 3, LINEAR), 12, 20),
           6, memory=4, heads=3)
    layers("decoder_stack", Stack(*(Decoder(Attention(12, 2, LINEAR_2),
                                            Attention(12, 2, LINEAR_2), 12, 8)
                                    for _ in range(2))), 5, memory=7, heads=2, inner=True)

    torch_mha = dict(embed_dim=12, num_heads=3, batch_first=True)
    attention("torch", nn.MultiheadAttention(**torch_mha), 7, heads=3)
    attention("torch_plain", nn.MultiheadAttention(**torch_mha, bias=False), 7, heads=3)
    attention("torch_memory", nn.MultiheadAttention(**torch_mha), 7, memory=(5, 12), heads=3)
    attention("torch_kdim", nn.MultiheadAttention(**torch_mha, kdim=5, vdim=7), 6, B=2,
              memory=(4, 5), values=(4, 7), heads=3)
    attention("torch_bias_kv", nn.MultiheadAttention(**torch_mha, add_bias_kv=True), 5, B=2,
              heads=3)
    attention("torch_bias_kv_memory", nn.MultiheadAttention(**torch_mha, add_bias_kv=True),
              5, B=2, memory=(3, 12), heads=3)

    sizes = dict(d_model=12, nhead=3, dim_feedforward=16, batch_first=True)
    torch_layers("torch_encoder_layer", nn.TransformerEncoderLayer(**sizes), 6, heads=3)
    torch_layers("torch_encoder_layer_first", nn.TransformerEncoderLayer(
        **sizes, norm_first=True, activation="gelu"), 6, heads=3, norm_first=True,
        activation="gelu")
    torch_layers("torch_encoder", nn.TransformerEncoder(
        nn.TransformerEncoderLayer(**sizes), 2, norm=nn.LayerNorm(12)), 6, heads=3)
    torch_layers("torch_encoder_first", nn.TransformerEncoder(nn.TransformerEncoderLayer(
        **sizes, norm_first=True), 2, norm=nn.LayerNorm(12)), 6, heads=3, norm_first=True)
    torch_layers("torch_decoder_layer", nn.TransformerDecoderLayer(**sizes), 6, memory=4,
                 heads=3)
    torch_layers("torch_decoder_first", nn.TransformerDecoder(nn.TransformerDecoderLayer(
        **sizes, norm_first=True), 2, norm=nn.LayerNorm(12)), 5, memory=8, heads=3,
        norm_first=True)
    as_written()
    attention("torch_zero", nn.MultiheadAttention(**torch_mha, add_zero_attn=True), 5, B=2,
              heads=3, zero_attn=True)
    attention("torch_zero_bias_kv", nn.MultiheadAttention(
        **torch_mha, add_zero_attn=True, add_bias_kv=True), 5, memory=(3, 12), heads=3,
        zero_attn=True)
    whole_models()
    transformer()
    rewritten()
    of_gpt2()
    as_npz()
    init()
    written_attentions(written.more_attentions())
    layers_as_written(written.more_layers())
    pairs()
    (HERE / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
