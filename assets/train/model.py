# SPDX-License-Identifier: MIT
"""Token ids -> logits: the Llama decoder at toy size, the same sums as transformers' LlamaForCausalLM.

Also the export: parameters -> a Hugging Face folder with float16 weights.
"""
import json
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

SHAPE = dict(layers=6, heads=4, width=128, mlp=352, theta=10000.0, eps=1e-5)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.weight, SHAPE["eps"])


def rotation(T):
    """-> cos, sin, each T x head width: pair (i, i + half) turns by t / theta^(2i/width)"""
    d = SHAPE["width"] // SHAPE["heads"]
    speed = SHAPE["theta"] ** (-torch.arange(0, d, 2) / d)
    angle = torch.outer(torch.arange(T), speed).repeat(1, 2)
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, cos, sin, watch):
        """watch: heads whose log attention is to be returned as well -> output, {head: B x T x T}"""
        B, T, D = x.shape
        q, k, v = (p(x).view(B, T, self.heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        seen = {}
        for h in watch:
            score = q[:, h] @ k[:, h].transpose(1, 2) / math.sqrt(q.shape[-1])
            ahead = torch.ones(T, T, dtype=torch.bool).triu(1)
            seen[h] = score.masked_fill(ahead, -1e9).log_softmax(-1)
        return self.o_proj(y.transpose(1, 2).reshape(B, T, D)), seen


class MLP(nn.Module):
    def __init__(self, width, mlp):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(width, mlp, bias=False), nn.Linear(width, mlp, bias=False)
        self.down_proj = nn.Linear(mlp, width, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(s["width"]), RMSNorm(s["width"])
        self.self_attn = Attention(s["width"], s["heads"])
        self.mlp = MLP(s["width"], s["mlp"])

    def forward(self, x, cos, sin, watch):
        y, seen = self.self_attn(self.input_layernorm(x), cos, sin, watch)
        x = x + y
        return x + self.mlp(self.post_attention_layernorm(x)), seen


class Decoder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab, SHAPE["width"])
        self.layers = nn.ModuleList(Block(SHAPE) for _ in range(SHAPE["layers"]))
        self.norm = RMSNorm(SHAPE["width"])
        for name, p in self.named_parameters():
            if p.dim() == 2:
                small = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(p, std=.02 if name.startswith("embed") else .06 / (math.sqrt(2 * SHAPE["layers"]) if small else 1))

    def forward(self, ids, watch=()):
        """watch: (layer, head) pairs -> hidden states B x T x width, {pair: log attention B x T x T}"""
        cos, sin = rotation(ids.shape[1])
        x, seen = self.embed_tokens(ids), {}
        for i, block in enumerate(self.layers):
            x, got = block(x, cos, sin, [h for l, h in watch if l == i])
            seen.update({(i, h): a for h, a in got.items()})
        return self.norm(x), seen

    def loss(self, x, targets):
        keep = targets.flatten() >= 0
        logits = x.flatten(0, 1)[keep] @ self.embed_tokens.weight.T
        return F.cross_entropy(logits, targets.flatten()[keep])


def export(model, folder, note):
    """Writes config.json and model.safetensors; `note` becomes the key "mha_viz" of the former."""
    s, vocab = SHAPE, model.embed_tokens.num_embeddings
    os.makedirs(folder, exist_ok=True)
    weights = {"model." + k: v.detach().to(torch.float16).contiguous() for k, v in model.state_dict().items()}
    save_file(weights, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    os.chmod(os.path.join(folder, "model.safetensors"), 0o644)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": vocab,
        "hidden_size": s["width"], "intermediate_size": s["mlp"], "num_hidden_layers": s["layers"],
        "num_attention_heads": s["heads"], "num_key_value_heads": s["heads"], "head_dim": s["width"] // s["heads"],
        "hidden_act": "silu", "max_position_embeddings": 1024, "rms_norm_eps": s["eps"],
        "rope_theta": s["theta"], "rope_scaling": None, "attention_bias": False, "mlp_bias": False,
        "attention_dropout": 0.0, "initializer_range": 0.02, "tie_word_embeddings": True,
        "bos_token_id": 0, "eos_token_id": None, "torch_dtype": "float16", "use_cache": True,
        "mha_viz": note,
    }
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, ensure_ascii=False, indent=2)
        f.write("\n")
