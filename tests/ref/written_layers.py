# SPDX-License-Identifier: MIT
"""Layers as people write them: small modules whose parameters have the names, and whose sums
have the order, of the sources that are named.  make_layers.py writes their cases.

Each forward returns the output and the maps by stack and layer: {"attn.0": [B,H,T,S]}, where
a causal attention without cross-attention is "dec.0".
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

D, H, T = 16, 4, 6


def split(x, heads):
    """[B,T,H d] -> [B,H,T,d]"""
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def attend(q, k, v, causal=False):
    """Heads [B,H,T,d] -> rows [B,T,H d], and the weights."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        later = torch.ones(q.shape[2], k.shape[2]).triu(1).bool()
        scores = scores.masked_fill(later, -math.inf)
    weights = scores.softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2), weights


class Linears(nn.Module):
    """Linears by name, perhaps within lists, without an output where there are three; causal:
    rows see what comes before; inner: what q, k, v and the output give."""

    def __init__(self, names, bias=(True, True, True, True), causal=False, heads=H, d=D,
                 mask=None, inner=D):
        super().__init__()
        self.names, self.causal, self.heads = names, causal, heads
        for i, (name, b) in enumerate(zip(names, bias)):
            put(self, name, nn.Linear(inner if i == 3 else d, inner, bias=b))
        if mask is not None:
            self.register_buffer("mask", mask)

    def forward(self, q, k=None, v=None):
        k, v = q if k is None else k, q if v is None else v
        q, k, v = (split(self.get_submodule(n)(x), self.heads)
                   for n, x in zip(self.names, (q, k, v)))
        out, weights = attend(q, k, v, self.causal)
        return out if len(self.names) == 3 else self.get_submodule(self.names[3])(out), weights


def put(module, name, part):
    """A submodule at a path such as to_out.0, with the modules between made as needed."""
    *path, last = name.split(".")
    for step in path:
        if step not in module._modules:
            module.add_module(step, nn.Module())
        module = module._modules[step]
    module.add_module(last, part)


class Fused(nn.Module):
    """One linear for q, k and v; by_head: a head after the other."""

    def __init__(self, names, bias=(True, True), causal=False, by_head=False, d=D, buffer=None,
                 norm=None):
        super().__init__()
        self.names, self.causal, self.by_head = names, causal, by_head
        put(self, names[0], nn.Linear(d, 3 * d, bias=bias[0]))
        if len(names) > 1:
            put(self, names[1], nn.Linear(d, d, bias=bias[1]))
        if norm:
            put(self, norm, nn.LayerNorm(d))
        self.inner = norm
        if buffer:
            self.register_buffer("bias", torch.tril(torch.ones(buffer, buffer))
                                 .view(1, 1, buffer, buffer))

    def forward(self, x, *_):
        if self.inner:
            x = self.get_submodule(self.inner)(x)
        qkv = self.get_submodule(self.names[0])(x)
        if self.by_head:
            qkv = qkv.view(*x.shape[:2], H, -1).transpose(1, 2).chunk(3, -1)
        else:
            qkv = [split(part, H) for part in qkv.chunk(3, -1)]
        out, weights = attend(*qkv, self.causal)
        return out if len(self.names) == 1 else self.get_submodule(self.names[1])(out), weights


class QueryAndKeyValue(nn.Module):
    """lucidrains' perceiver: to_q, to_kv, to_out."""

    def __init__(self):
        super().__init__()
        self.to_q, self.to_kv = nn.Linear(D, D, bias=False), nn.Linear(D, 2 * D, bias=False)
        self.to_out = nn.Linear(D, D)

    def forward(self, x, memory, _=None):
        k, v = self.to_kv(memory).chunk(2, -1)
        out, weights = attend(split(self.to_q(x), H), split(k, H), split(v, H))
        return self.to_out(out), weights


class Parameters(nn.Module):
    """x @ W_Q with parameters of their own, without an output where there are three; turned:
    W_Q @ x.  q, k and v give inner numbers, the output gives out."""

    def __init__(self, names=("W_Q", "W_K", "W_V", "W_O"), inner=D, bias=False, turned=False,
                 out=D):
        super().__init__()
        self.names, self.turned = names, turned
        for i, name in enumerate(names):
            shape = (inner, out) if i == 3 else (D, inner)
            self.register_parameter(name, nn.Parameter(torch.randn(
                shape[::-1] if turned else shape)))
        for i, name in enumerate(names if bias else ()):
            self.register_parameter("b" + name[1:],
                                    nn.Parameter(torch.randn(out if i == 3 else inner)))

    def product(self, x, name):
        w = getattr(self, name)
        y = x @ (w.T if self.turned else w)
        bias = getattr(self, "b" + name[1:], None)
        return y if bias is None else y + bias

    def forward(self, x, *_):
        out, weights = attend(*(split(self.product(x, n), H) for n in self.names[:3]))
        return out if len(self.names) == 3 else self.product(out, self.names[3]), weights


class Hooked(nn.Module):
    """TransformerLens: W_Q [H,D,d], W_O [H,d,D], a mask and a number that fills it."""

    def __init__(self, causal=True, positions=8):
        super().__init__()
        d = D // H
        for name in "QKV":
            self.register_parameter("W_" + name, nn.Parameter(torch.randn(H, D, d)))
            self.register_parameter("b_" + name, nn.Parameter(torch.randn(H, d)))
        self.W_O, self.b_O = nn.Parameter(torch.randn(H, d, D)), nn.Parameter(torch.randn(D))
        ones = torch.ones(positions, positions).bool()
        self.causal = causal
        self.register_buffer("mask", ones.tril() if causal else ones)
        self.register_buffer("IGNORE", torch.tensor(-math.inf))

    def project(self, x, name):
        return torch.einsum("btd,hde->bhte", x, getattr(self, "W_" + name)) + \
            getattr(self, "b_" + name)[:, None]

    def forward(self, x, *_):
        scores, weights = attend(*(self.project(x, n) for n in "QKV"), self.causal)
        out = torch.einsum("bthe,hed->btd", split(scores, H).transpose(1, 2), self.W_O)
        return out + self.b_O, weights


class Kernels(nn.Module):
    """Keras' and Flax' MultiHeadAttention: kernels [D,H,d] and [H,d,D]."""

    def __init__(self, out):
        super().__init__()
        self.last, d = out, D // H
        for name in ("query", "key", "value"):
            put(self, name, nn.ParameterDict({"kernel": torch.randn(D, H, d),
                                              "bias": torch.randn(H, d)}))
        put(self, out, nn.ParameterDict({"kernel": torch.randn(H, d, D),
                                         "bias": torch.randn(D)}))

    def project(self, x, name):
        part = getattr(self, name)
        return torch.einsum("btd,dhe->bhte", x, part["kernel"]) + part["bias"][:, None]

    def forward(self, x, *_):
        rows, weights = attend(*(self.project(x, n) for n in ("query", "key", "value")))
        part = getattr(self, self.last)
        out = torch.einsum("bthe,hed->btd", split(rows, H).transpose(1, 2), part["kernel"])
        return out + part["bias"], weights


# ---- norms ----

class Deviation(nn.Module):
    """The Annotated Transformer's: by torch.std, to which eps is added."""

    def __init__(self, names, d=D, eps=1e-6):
        super().__init__()
        self.names, self.eps = names, eps
        self.register_parameter(names[0], nn.Parameter(torch.ones(d)))
        self.register_parameter(names[1], nn.Parameter(torch.zeros(d)))

    def forward(self, x):
        scale, shift = (getattr(self, n) for n in self.names)
        return scale * (x - x.mean(-1, keepdim=True)) / \
            (x.std(-1, keepdim=True) + self.eps) + shift


class Renamed(nn.Module):
    """A layer norm whose parameters have other names."""

    def __init__(self, names, eps=1e-5, d=D):
        super().__init__()
        self.names, self.eps = names, eps
        self.register_parameter(names[0], nn.Parameter(torch.ones(d)))
        self.register_parameter(names[1], nn.Parameter(torch.zeros(d)))

    def forward(self, x):
        scale, shift = (getattr(self, n) for n in self.names)
        return F.layer_norm(x, x.shape[-1:], scale, shift, self.eps)


# ---- layers ----

class Layer(nn.Module):
    """An attention, perhaps one to a memory, an mlp, and a norm before or after each."""

    def __init__(self, attention, mlp, norms, act, norm=nn.LayerNorm, first=False, cross=None,
                 width=24):
        super().__init__()
        self.paths, self.pair, self.norms = [attention[0]], mlp, norms
        self.act, self.first = act, first
        put(self, *attention)
        if cross:
            put(self, *cross)
            self.paths.append(cross[0])
        put(self, mlp[0], nn.Linear(D, width))
        put(self, mlp[1], nn.Linear(width, D))
        for name in norms:
            put(self, name, norm(D) if norm is nn.LayerNorm else norm())

    def around(self, x, i, f):
        norm = self.get_submodule(self.norms[i])
        return x + f(norm(x)) if self.first else norm(x + f(x))

    def attending(self, i, maps, *more):
        def run(x):
            module = self.get_submodule(self.paths[i])
            out, weights = module(x, *more)
            causal = getattr(module, "causal", False)
            maps["cross" if i else "dec" if causal or len(self.paths) > 1 else "attn"] = weights
            return out
        return run

    def feed(self, x):
        up, down = (self.get_submodule(n) for n in self.pair)
        return down(self.act(up(x)))

    def forward(self, x, memory=None):
        maps = {}
        x = self.around(x, 0, self.attending(0, maps))
        if memory is not None:
            x = self.around(x, 1, self.attending(1, maps, memory, memory))
        return self.around(x, len(self.norms) - 1, self.feed), maps


class Layers(nn.Module):
    """A list of layers under a path, with a norm after them, and whatever lies beside."""

    def __init__(self, path, layers, last=None, beside=()):
        super().__init__()
        self.path, self.n, self.last = path, len(layers), last
        for i, layer in enumerate(layers):
            put(self, f"{path}{i}", layer)
        if last:
            put(self, *last)
        for name, module in beside:
            put(self, name, module)

    def forward(self, x, *memory):
        maps = []
        for i in range(self.n):
            x, one = self.get_submodule(f"{self.path}{i}")(x, *memory)
            maps.append(one)
        return self.get_submodule(self.last[0])(x) if self.last else x, maps


class Chain(nn.Module):
    """Attentions and nothing else: each reads what the one before gives."""

    def __init__(self, path, parts):
        super().__init__()
        self.paths = [path.format(i) for i in range(len(parts))]
        for name, part in zip(self.paths, parts):
            put(self, name, part)

    def forward(self, x, *memory):
        maps = []
        for name in self.paths:
            x, weights = self.get_submodule(name)(x, *memory, *memory)
            maps.append({"cross" if memory else "attn": weights})
        return x, maps


class Pair(nn.Module):
    """An encoder, and a decoder that reads what it gives."""

    def __init__(self, encoder, decoder, beside=()):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        for name, module in beside:
            put(self, name, module)

    def forward(self, x, y):
        memory, own = self.encoder(x)
        out, maps = self.decoder(y, memory)
        return out, own, maps


class Flat(nn.Module):
    """The same with both lists of layers side by side."""

    def __init__(self, encoder_layers, decoder_layers, beside=()):
        super().__init__()
        self.encoder_layers = nn.ModuleList(encoder_layers)
        self.decoder_layers = nn.ModuleList(decoder_layers)
        for name, module in beside:
            put(self, name, module)

    def forward(self, x, y):
        own, maps = [], []
        for layer in self.encoder_layers:
            x, one = layer(x)
            own.append(one)
        for layer in self.decoder_layers:
            y, one = layer(y, x)
            maps.append(one)
        return y, own, maps


class Beside(nn.Module):
    """A layer, or one attention, beside an embedding and a classifier."""

    def __init__(self, name, layer):
        super().__init__()
        self.embedding, self.classifier = nn.Embedding(7, D), nn.Linear(D, 3)
        self.name = name
        put(self, name, layer)

    def forward(self, x, *memory):
        return self.get_submodule(self.name)(x, *memory)


class Whole(nn.Module):
    """A model of ids: embeddings, causal layers, a norm, a head that is the embedding."""

    def __init__(self, layers, base, names, head, tied=True):
        super().__init__()
        self.base, self.names, self.head = base, names, head
        put(self, f"{base}{names[0]}", nn.Embedding(11, D))
        put(self, f"{base}{names[1]}", nn.Embedding(8, D))
        put(self, f"{base}{names[3]}", nn.LayerNorm(D) if names[3] == "ln_f" else
            Renamed(("scale", "shift")))
        self.n = len(layers)
        for i, layer in enumerate(layers):
            put(self, f"{base}{names[2]}.{i}", layer)
        put(self, head, nn.Linear(D, 11, bias=False))
        if tied:
            self.get_submodule(head).weight = self.get_submodule(f"{base}{names[0]}").weight

    def forward(self, ids):
        token, position, _, last = (f"{self.base}{n}" for n in self.names)
        x = self.get_submodule(token)(ids) + self.get_submodule(position).weight[:ids.shape[1]]
        maps = []
        for i in range(self.n):
            x, one = self.get_submodule(f"{self.base}{self.names[2]}.{i}")(x)
            maps.append(one)
        x = self.get_submodule(last)(x)
        return x, maps, self.get_submodule(self.head)(x)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


ANNOTATED = ("linears.0", "linears.1", "linears.2", "linears.3")
NONE = (False, False, False, False)
NO_QKV = (False, False, False, True)
SMALL = ("W_q", "W_k", "W_v", "W_o")
QUERY = ("W_query", "W_key", "W_value", "out_proj")
PROJ = ("q_proj", "k_proj", "v_proj", "out_proj")
OUT = ("q_linear", "k_linear", "v_linear", "out")
CONCAT = ("w_q", "w_k", "w_v", "w_concat")
QS = ("w_qs", "w_ks", "w_vs", "fc")
TO = ("to_q", "to_k", "to_v", "to_out.0")


def raschka(positions=8):
    return Linears(QUERY, NO_QKV, causal=True, mask=torch.ones(positions, positions).triu(1))


def attentions():
    """name, module, what the command line says, [memory]"""
    yield "annotated", Linears(ANNOTATED), {}
    yield "nanogpt", Fused(("c_attn", "c_proj"), causal=True), {}
    yield "nanogpt_plain", Fused(("c_attn", "c_proj"), (False, False), causal=True), {}
    yield "mingpt", Fused(("c_attn", "c_proj"), causal=True, buffer=8), {}
    yield "timm", Fused(("qkv", "proj")), {}
    yield "d2l", Linears(SMALL, NONE), {}
    yield "raschka", raschka(), {}
    yield "q_linear_out", Linears(OUT), {}
    yield "w_concat", Linears(CONCAT), {}
    yield "w_qs", Linears(QS, NONE), {}
    yield "uva", Fused(("qkv_proj", "o_proj"), by_head=True), {"fused": "heads"}
    yield "qkv_parts", Fused(("qkv_proj", "o_proj")), {"fused": "parts"}
    yield "fairseq", Linears(PROJ), {}
    yield "to_q", Linears(TO, NO_QKV), {}
    yield "to_q_memory", Linears(TO, NO_QKV), {"memory": 5}
    yield "to_qkv", Fused(("to_qkv", "to_out.0"), (False, True)), {}
    yield "to_qkv_norm", Fused(("to_qkv", "to_out.0"), (False, False), norm="norm"), {}
    yield "to_kv", QueryAndKeyValue(), {"memory": 5}
    yield "bare", Parameters(), {}
    yield "bare_bias", Parameters(("Wq", "Wk", "Wv", "Wo"), inner=8, bias=True), {}
    yield "bare_turned", Parameters(turned=True), {"order": "out-in"}
    yield "hooked", Hooked(), {"heads": 0}
    yield "hooked_both", Hooked(causal=False), {"heads": 0}
    yield "keras", Kernels("attention_output"), {"heads": 0}
    yield "flax", Kernels("out"), {"heads": 0}
    yield "beside", Beside("attention", Linears(OUT)), {"unused": 3}
    yield "named", Linears(("ask", "look", "say", "give")), {"names": "ask,look,say,give"}
    yield "named_fused", Beside("mix", Fused(("all", "end"))), \
        {"names": "all,end", "prefix": "mix", "unused": 3}
    yield "raschka_unmasked", Linears(QUERY, NO_QKV), {"unmasked": True}


def more_attentions():
    """Other names, widths of their own, and none at the end; those of attentions() go on."""
    yield "o_proj", Linears((*PROJ[:3], "o_proj")), {}
    yield "w_fc", Linears(("W_Q", "W_K", "W_V", "fc"), NONE), {}
    yield "w_linear", Linears(("W_Q", "W_K", "W_V", "linear")), {}
    yield "out_linear", Linears((*OUT[:3], "out_linear")), {}
    for last in ("o", "out", "proj"):
        yield f"q_{last}", Linears(("q", "k", "v", last)), {}
    yield "three", Linears(QUERY[:3], NO_QKV), {}
    yield "three_causal", Linears(QUERY[:3], NO_QKV, causal=True,
                                  mask=torch.ones(8, 8).triu(1)), {}
    yield "three_named", Linears(("ask", "look", "say")), {"names": "ask,look,say,-"}
    yield "three_memory", Linears(TO[:3], NONE), {"memory": 5}
    yield "three_bare", Parameters(("W_query", "W_key", "W_value"), inner=8), {}
    yield "fused_alone", Fused(("to_qkv",), (False,), norm="norm"), {}
    yield "named_weights", Linears(("ask", "look", "say", "give")), \
        {"names": "ask.weight,look.weight,say.weight,give.weight"}
    yield "raschka_wider", Linears(QUERY, NO_QKV, causal=True, inner=24,
                                   mask=torch.ones(8, 8).triu(1)), {}
    yield "d2l_narrower", Linears(SMALL, NONE, inner=8), {"memory": 5}
    yield "bare_by_bias", Parameters(inner=24, bias=True, turned=True), {}
    yield "bare_wider", Parameters(inner=24, out=24, turned=True), {}


def annotated_layer(cross=False):
    norms = [f"sublayer.{i}.norm" for i in range(3 if cross else 2)]
    attention = Linears(ANNOTATED, causal=cross)
    return Layer(("self_attn", attention), ("feed_forward.w_1", "feed_forward.w_2"), norms,
                 F.relu, lambda: Deviation(("a_2", "b_2")), True,
                 ("src_attn", Linears(ANNOTATED)) if cross else None)


def alpha_layer(cross=False):
    norms = ["norm_1", "norm_2", "norm_3"][:3 if cross else 2]
    return Layer(("attn_1" if cross else "attn", Linears(OUT, causal=cross)),
                 ("ff.linear_1", "ff.linear_2"), norms, F.relu,
                 lambda: Deviation(("alpha", "bias")), True,
                 ("attn_2", Linears(OUT)) if cross else None)


def gpt_layer(buffer=None, act=F.gelu):
    attention = Fused(("c_attn", "c_proj"), causal=True, buffer=buffer)
    return Layer(("attn", attention), ("mlp.c_fc", "mlp.c_proj"), ["ln_1", "ln_2"], act,
                 first=True)


def timm_layer():
    return Layer(("attn", Fused(("qkv", "proj"))), ("mlp.fc1", "mlp.fc2"), ["norm1", "norm2"],
                 F.gelu, lambda: nn.LayerNorm(D, eps=1e-6), True)


def d2l_layer(cross=False):
    norms = [f"addnorm{i}.ln" for i in range(1, 4 if cross else 3)]
    return Layer(("attention1" if cross else "attention", Linears(SMALL, NONE, causal=cross)),
                 ("ffn.dense1", "ffn.dense2"), norms, F.relu,
                 cross=("attention2", Linears(SMALL, NONE)) if cross else None)


def raschka_layer():
    return Layer(("att", raschka()), ("ff.layers.0", "ff.layers.2"), ["norm1", "norm2"],
                 gelu_tanh, lambda: Renamed(("scale", "shift")), True)


def gamma_layer(cross=False):
    norms = [f"norm{i}" for i in range(1, 4 if cross else 3)]
    return Layer(("self_attention" if cross else "attention", Linears(CONCAT, causal=cross)),
                 ("ffn.linear1", "ffn.linear2"), norms, F.relu,
                 lambda: Renamed(("gamma", "beta"), 1e-12),
                 cross=("enc_dec_attention", Linears(CONCAT)) if cross else None)


def slf_layer():
    return Layer(("slf_attn", Linears(QS, NONE)), ("pos_ffn.w_1", "pos_ffn.w_2"),
                 ["slf_attn.layer_norm", "pos_ffn.layer_norm"], F.relu,
                 lambda: nn.LayerNorm(D, eps=1e-6))


def uva_layer():
    return Layer(("self_attn", Fused(("qkv_proj", "o_proj"), by_head=True)),
                 ("linear_net.0", "linear_net.3"), ["norm1", "norm2"], F.relu)


def fairseq_layer(cross=False):
    norms = ["self_attn_layer_norm", *(["encoder_attn_layer_norm"] if cross else []),
             "final_layer_norm"]
    return Layer(("self_attn", Linears(PROJ, causal=cross)), ("fc1", "fc2"), norms, F.relu,
                 cross=("encoder_attn", Linears(PROJ)) if cross else None)


def course_layer(cross=False):
    norms = [f"norm{i}" for i in range(1, 4 if cross else 3)]
    return Layer(("self_attn", Linears(SMALL, causal=cross)),
                 ("feed_forward.fc1", "feed_forward.fc2"), norms, F.relu,
                 cross=("cross_attn", Linears(SMALL)) if cross else None)


def position_layer(cross=False):
    norms = [f"norm{i}" for i in range(1, 4 if cross else 3)]
    return Layer(("self_attn", Linears(SMALL, causal=cross)),
                 ("feed_forward.w_1", "feed_forward.w_2"), norms, F.relu,
                 cross=("cross_attn", Linears(SMALL)) if cross else None)


def hooked_layer():
    layer = Layer(("attn", Hooked()), ("mlp.up", "mlp.down"), ["ln1", "ln2"], gelu_tanh,
                  lambda: Renamed(("w", "b")), True)
    mlp = Parameters(("W_in", "W_x", "W_y", "W_out"), inner=24, bias=True)
    del mlp.W_x, mlp.W_y, mlp.b_x, mlp.b_y
    layer.mlp = mlp
    layer.feed = lambda x: mlp.product(gelu_tanh(mlp.product(x, "W_in")), "W_out")
    return layer


def vit_layer():
    return Layer(("0", Fused(("to_qkv", "to_out.0"), (False, True))), ("1.net.1", "1.net.4"),
                 ["0.norm", "1.net.0"], F.gelu, first=True)


def wholes():
    """name, module"""
    names = ("wte", "wpe", "h", "ln_f")
    yield "nanogpt_model", Whole([gpt_layer(), gpt_layer()], "transformer.", names, "lm_head")
    yield "mingpt_model", Whole([gpt_layer(8, gelu_tanh), gpt_layer(8, gelu_tanh)],
                                "transformer.", names, "lm_head", tied=False)
    yield "raschka_model", Whole([raschka_layer(), raschka_layer()], "",
                                 ("tok_emb", "pos_emb", "trf_blocks", "final_norm"),
                                 "out_head", tied=False)


def layers():
    """name, module, what the command line says"""
    yield "annotated_layer", annotated_layer(), {}
    yield "annotated_stack", Layers("layers.", [annotated_layer(), annotated_layer()],
                                    ("norm", Deviation(("a_2", "b_2")))), {}
    yield "annotated_decoder", annotated_layer(True), {"memory": 5}
    yield "nanogpt_layer", gpt_layer(), {}
    yield "nanogpt_stack", Layers("h.", [gpt_layer(), gpt_layer()],
                                  ("ln_f", nn.LayerNorm(D))), {}
    yield "mingpt_layer", gpt_layer(8, gelu_tanh), {}
    yield "timm_stack", Layers("blocks.", [timm_layer(), timm_layer()],
                               ("norm", nn.LayerNorm(D, eps=1e-6))), {}
    yield "d2l_stack", Layers("blks.block", [d2l_layer(), d2l_layer()]), {}
    yield "d2l_decoder", d2l_layer(True), {"memory": 5}
    yield "raschka_stack", Layers("trf_blocks.", [raschka_layer(), raschka_layer()],
                                  ("final_norm", Renamed(("scale", "shift")))), {}
    yield "alpha_layer", alpha_layer(), {}
    yield "alpha_decoder", alpha_layer(True), {"memory": 5}
    yield "gamma_stack", Layers("encoder.layers.", [gamma_layer(), gamma_layer()]), {}
    yield "gamma_decoder", gamma_layer(True), {"memory": 5}
    yield "slf_stack", Layers("layer_stack.", [slf_layer(), slf_layer()]), {}
    yield "uva_stack", Layers("layers.", [uva_layer(), uva_layer()]), {"fused": "heads"}
    yield "fairseq_layer", fairseq_layer(), {}
    yield "fairseq_decoder", Layers("layers.", [fairseq_layer(True), fairseq_layer(True)],
                                    ("layer_norm", nn.LayerNorm(D))), {"memory": 5}
    yield "course_stack", Layers("encoder_layers.", [course_layer(), course_layer()],
                                 beside=(("encoder_embedding", nn.Embedding(7, D)),
                                         ("fc", nn.Linear(D, 7)))), {"unused": 3}
    yield "course_decoder", Layers("decoder_layers.", [course_layer(True)]), {"memory": 5}
    yield "hooked_stack", Layers("blocks.", [hooked_layer(), hooked_layer()],
                                 ("ln_final", Renamed(("w", "b")))), {"heads": 0}
    yield "vit_stack", Layers("transformer.layers.", [vit_layer(), vit_layer()],
                              ("transformer.norm", nn.LayerNorm(D)),
                              (("to_patch_embedding.1", nn.LayerNorm(D)),
                               ("mlp_head", nn.Linear(D, 3)))), {"unused": 4}


def more_layers():
    """Those of layers() go on: norms that say how a layer is read, and lists of attentions."""
    yield "position_stack", Layers("encoder_layers.", [position_layer(), position_layer()]), {}
    yield "position_decoder", Layers("decoder_layers.", [position_layer(True)]), {"memory": 5}
    yield "chain", Chain("layers.{}", [Linears((*PROJ[:3], "o_proj")) for _ in range(3)]), {}
    yield "chain_memory", Chain("blocks.{}.attn", [Linears(TO, NO_QKV) for _ in range(2)]), \
        {"memory": 5}
    yield "chain_named", Chain("h.{}.mix", [Linears(("ask", "look", "say", "give"))
                                            for _ in range(2)]), {"names": "ask,look,say,give"}


def pairs():
    """name, module, what the command line says: an encoder and its decoder in one file"""
    deviation = ("norm", Deviation(("a_2", "b_2")))
    yield "annotated_pair", Pair(
        Layers("layers.", [annotated_layer(), annotated_layer()], deviation),
        Layers("layers.", [annotated_layer(True)], ("norm", Deviation(("a_2", "b_2")))),
        (("src_embed.0.lut", nn.Embedding(7, D)), ("generator.proj", nn.Linear(D, 7)))), \
        {"unused": 3}
    yield "course_pair", Flat([course_layer()], [course_layer(True), course_layer(True)],
                              (("encoder_embedding", nn.Embedding(7, D)),)), {"unused": 1}
