#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes Hugging Face models as GGUF, as llama.cpp's converter stores them, so that the same
expected values hold for both.

    pip install numpy torch safetensors gguf==0.19.0
    tests/ref/gguf/make.py [NAME ...]            # the fixtures: tests/ref/*/gguf_*, gguf_*
    tests/ref/gguf/make.py SHARED/goldens OUT    # all cases that can be written, for a proof:
    MHA_VIZ_SHARED=OUT build/tests/ref/exact NAME ...    # as it prints them

Names come from the package's own table; keys, the order of q/k rows, fused q/k/v, norms and
transposed matrices are written here a second time, independently of the program's tables.
"""
import json
import pathlib
import re
import shutil
import sys

import gguf
import numpy as np
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).resolve().parent
ARCH = {"llama": "llama", "mistral": "llama", "mixtral": "llama", "qwen2": "qwen2",
        "qwen3": "qwen3", "qwen3_moe": "qwen3moe", "gemma": "gemma", "gemma2": "gemma2",
        "gemma3_text": "gemma3", "gpt2": "gpt2", "gpt_neox": "gptneox", "falcon": "falcon",
        "bloom": "bloom", "phi": "phi2", "phi3": "phi3", "starcoder2": "starcoder2",
        "olmo2": "olmo2", "bert": "bert", "t5": "t5", "cohere": "command-r",
        "cohere2": "cohere2", "exaone4": "exaone4", "glm4": "glm4", "granite": "granite",
        "granitemoe": "granitemoe", "mpt": "mpt", "nemotron": "nemotron",
        "nomic_bert": "nomic-bert", "olmo": "olmo", "olmoe": "olmoe",
        "qwen2_moe": "qwen2moe", "smollm3": "smollm3", "stablelm": "stablelm",
        "gpt_bigcode": "starcoder", "gpt_oss": "gpt-oss", "phimoe": "phimoe",
        "minicpm3": "minicpm3", "deepseek_v2": "deepseek2", "deepseek_v3": "deepseek2",
        "glm": "chatglm", "gptj": "gptj", "modernbert": "modern-bert", "olmo3": "olmo2",
        "lfm2": "lfm2", "llama4_text": "llama4"}
LATENT = ("minicpm3", "deepseek2")
PAIRED = ("llama", "granite", "granitemoe", "olmo", "smollm3")
LAYER_NORM = ("bert", "gpt2", "gptneox", "falcon", "bloom", "phi2", "starcoder2", "starcoder",
              "command-r", "cohere2", "mpt", "nemotron", "nomic-bert", "olmo", "stablelm", "gptj",
              "modern-bert")
# Cases of make_families.py that are fixtures here as well: all architectures but those of
# make.py, each with what its keys can say.
FIXTURES = ["families/" + n for n in (
    "bloom", "falcon", "falcon_new", "gemma", "gemma2", "gemma3", "gpt_neox",
    "llama_llama3", "llama_yarn", "mistral", "mixtral", "olmo2", "phi_old", "phi3_window",
    "qwen2", "starcoder2", "cohere", "cohere2", "exaone4", "glm4", "granite", "granitemoe",
    "mpt", "nemotron", "nomic_bert", "olmo", "olmoe", "qwen2_moe_plain", "smollm3_four",
    "stablelm", "gpt_bigcode", "gpt_oss_mxfp4", "phimoe_base", "minicpm3_base",
    "deepseek_v2_plain", "deepseek_v3_mscale", "glm", "gptj", "modernbert_plain", "olmo3",
    "gemma3_both_ways", "lfm2_base", "llama4_text_wide")] + ["seq2seq/t5_plain", "seq2seq/t5_gated"]
IGNORED = ("rotary_emb.inv_freq", "position_ids", "pooler.", "masked_bias", ".attn.bias",
           "attention.bias", "cls.")


def first(config, *names, default=None):
    for n in names:
        if config.get(n) is not None:
            return config[n]
    return default


class Model:
    def __init__(self, folder, encoder_only=False):
        self.folder = folder
        self.c = json.loads((folder / "config.json").read_text())
        self.arch = ARCH[self.c["model_type"]] + encoder_only * "encoder"
        if self.c.get("use_bidirectional_attention"):
            self.arch = "gemma-embedding"
        c = self.c
        self.d = first(c, "hidden_size", "n_embd", "n_embed", "d_model")
        self.heads = first(c, "num_attention_heads", "n_head", "num_heads", "n_heads")
        self.layers = first(c, "num_hidden_layers", "n_layer", "num_layers", "n_layers",
                            default=2 if self.arch == "bloom" else None)
        self.dec_layers = first(c, "num_decoder_layers", default=self.layers)
        self.kv = first(c, "num_key_value_heads", "num_kv_heads", default=self.heads)
        if self.arch == "falcon" and not c.get("new_decoder_architecture"):
            self.kv = 1 if c.get("multi_query", True) else self.heads
        width = {"qwen3": 128, "gemma": 256, "gemma2": 256, "gemma3": 256}.get(self.arch)
        if self.arch == "starcoder" and c.get("multi_query", True):
            self.kv = 1
        self.width = first(c, "head_dim", "d_kv", default=width or self.d // self.heads)
        self.tensors = {}
        for f in sorted(folder.glob("*.safetensors")):
            for k, v in load_file(f).items():
                k = k.replace(".gamma", ".weight").replace(".beta", ".bias")
                if not (encoder_only and k.startswith("decoder.")):
                    self.tensors[k] = v.float().numpy()

    # ---- tensors ----

    def pairs(self, x, heads):
        """Rows (or a bias) of each head: halves -> pairs."""
        shape = x.shape
        return x.reshape(heads, 2, shape[0] // heads // 2, *shape[1:]).swapaxes(1, 2) \
            .reshape(shape)

    def stacked(self, x):
        """Fused q/k/v by key/value head -> all q, all k, all v."""
        q = self.heads // self.kv
        g = x.reshape(self.kv, q + 2, self.width, *x.shape[1:])
        return np.concatenate([g[:, :q].reshape(-1, *x.shape[1:]),
                               g[:, q].reshape(-1, *x.shape[1:]),
                               g[:, q + 1].reshape(-1, *x.shape[1:])])

    def change(self, name, x):
        if self.arch in PAIRED and ".q_proj." in name:
            return self.pairs(x, self.heads)
        if self.arch in PAIRED and ".k_proj." in name:
            return self.pairs(x, self.kv)
        if self.arch in ("falcon", "bloom", "gptneox") and ".query_key_value." in name:
            return self.stacked(x)
        if (self.arch.startswith("gemma") or self.arch == "nemotron") and \
                name.endswith("norm.weight"):
            return x + 1
        if self.arch == "gpt2" and ".c_" in name and name.endswith(".weight"):
            return x.T
        return x

    def named(self):
        """GGUF name -> array."""
        table = gguf.get_tensor_name_map(
            {v: k for k, v in gguf.MODEL_ARCH_NAMES.items()}[self.arch],
            max(self.layers, self.dec_layers))
        out, experts = {}, {}
        for name, x in self.tensors.items():
            if any(i in name for i in IGNORED) or self.is_left_out(name):
                continue
            x = self.change(name, x)
            if self.arch == "lfm2" and name.endswith("conv.conv.weight"):
                x = x[:, 0]
            if self.arch == "llama4" and ".experts." in name:
                bid = name.split("layers.")[1].split(".")[0]
                x = x.transpose(0, 2, 1)
                parts = np.split(x, 2, axis=1) if "gate_up" in name else [x]
                for part, array in zip(("gate", "up") if len(parts) > 1 else ("down",), parts):
                    out[f"blk.{bid}.ffn_{part}_exps.weight"] = array
                continue
            if self.arch == "granitemoe" and ".input_linear." in name:
                gate, up = np.split(x, 2, axis=1)
                bid = name.split(".")[2]
                out[f"blk.{bid}.ffn_gate_exps.weight"] = gate
                out[f"blk.{bid}.ffn_up_exps.weight"] = up
                continue
            if self.arch == "gpt-oss" and ".experts." in name:
                out.update(self.experts(name, x))
                continue
            if name.endswith(("self_attn.sinks", "e_score_correction_bias")):
                bid, end = name.split(".")[-4 + ("sinks" in name)], name.rsplit(".", 1)[1]
                out[f"blk.{bid}.attn_sinks.weight" if end == "sinks" else
                    f"blk.{bid}.exp_probs_b.bias"] = x
                continue
            if "_layernorm.norms." in name:
                base, head = name.removesuffix(".weight").split(".norms.")
                experts.setdefault(base + ".weight", {})[int(head)] = x
                continue
            parts = name.split(".experts.")
            if len(parts) == 2:
                e, rest = parts[1].split(".", 1)
                experts.setdefault(parts[0] + ".experts." + rest, {})[int(e)] = x
                continue
            out.setdefault(self.gguf_name(table, name), x)      # T5's embedding, twice
        if self.arch == "t5" and self.c.get("scale_decoder_outputs") is False:
            out.setdefault("output.weight", out["token_embd.weight"])   # not T5 1.0's
        for name, x in experts.items():
            out[self.gguf_name(table, name)] = np.stack([x[i] for i in range(len(x))])
        return out

    def is_left_out(self, name):
        """Layers beyond those that the configuration counts; a head that has no names."""
        found = re.search(r"layers\.(\d+)\.", name)
        return (found is not None and int(found[1]) >= max(self.layers, self.dec_layers)) or \
            (self.arch == "modern-bert" and name.startswith(("head.", "decoder.")))

    def experts(self, name, x):
        """Outputs gate, up, gate, up, .. of [experts, in, out] -> two of [experts, out, in]."""
        parts = name.split(".")
        of, end = parts[-1].removesuffix("_bias"), "bias" if "_bias" in name else "weight"
        if end == "weight":
            x = x.swapaxes(1, 2)
        split = {"down": x} if of == "down_proj" else {"gate": x[:, ::2], "up": x[:, 1::2]}
        return {f"blk.{parts[-4]}.ffn_{k}_exps.{end}": v for k, v in split.items()}

    def gguf_name(self, table, name):
        base, dot, end = name.rpartition(".")
        found = table.get_name(base if end in ("weight", "bias") else name)
        for prefix in ("model.", "bert.", "transformer.", "gpt_neox.", "nomic_bert."):
            found = found or table.get_name(prefix + base)
            if base.startswith(prefix):
                found = found or table.get_name(base[len(prefix):])
        if found is None:
            raise KeyError(f"{self.folder}: no GGUF name for {name}")
        return found + dot + end

    # ---- keys ----

    def keys(self, w):
        c, a = self.c, self.arch
        ffn = first(c, "intermediate_size_mlp", "intermediate_size", "n_inner", "ffn_hidden_size", "d_ff",
                    default=4 * self.d)
        w.add_uint32(a + ".block_count", self.layers)
        w.add_uint32(a + ".context_length",
                     first(c, "max_position_embeddings", "n_positions", "max_seq_len",
                           default=2048))
        w.add_uint32(a + ".embedding_length", self.d)
        w.add_uint32(a + ".feed_forward_length", ffn)
        w.add_uint32(a + ".attention.head_count", self.heads)
        if a == "lfm2":
            w.add_array(a + ".attention.head_count_kv",
                        [self.kv * (t != "conv") for t in c["layer_types"]])
            w.add_uint32(a + ".shortconv.l_cache", c["conv_L_cache"])
        else:
            w.add_uint32(a + ".attention.head_count_kv", self.kv)
        if a in LATENT:
            self.latent(w)
        elif self.width * self.heads != self.d:
            w.add_uint32(a + ".attention.key_length", self.width)
            w.add_uint32(a + ".attention.value_length", self.width)
        rms = first(c, "rms_norm_eps", "layer_norm_epsilon",
                    default={"lfm2": 1e-5, "llama4": 1e-5, "olmo2": 1e-5, "olmoe": 1e-5, "exaone4": 1e-5, "gpt-oss": 1e-5,
                             "minicpm3": 1e-5, "glm4": 1.5625e-7,
                             "chatglm": 1.5625e-7}.get(a, 1e-6))
        if a in LAYER_NORM:
            eps = first(c, "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps",
                        default=1e-12 if a in ("bert", "nomic-bert") else 1e-5)
            w.add_float32(a + ".attention.layer_norm_epsilon", eps)
        else:
            w.add_float32(a + ".attention.layer_norm_rms_epsilon", rms)
        if c.get("sliding_window") and c.get("use_sliding_window", True):
            w.add_uint32(a + ".attention.sliding_window", c["sliding_window"])
        for cap in ("attn_logit_softcapping", "final_logit_softcapping"):
            if c.get(cap):
                w.add_float32(f"{a}.{cap}", c[cap])
        if a == "modern-bert":
            w.add_uint32(a + ".attention.sliding_window", c["local_attention"])
            w.add_uint32(a + ".attention.sliding_window_pattern",
                         c["global_attn_every_n_layers"])
        if c.get("layer_types") and a in ("gemma2", "gemma3", "gemma-embedding"):
            w.add_array(a + ".attention.sliding_window_pattern",
                        [t == "sliding_attention" for t in c["layer_types"]])
        elif c.get("sliding_window_pattern") and a == "gemma3":
            w.add_array(a + ".attention.sliding_window_pattern",
                        [(i + 1) % c["sliding_window_pattern"] != 0
                         for i in range(self.layers)])
        if a in ("cohere2", "exaone4", "qwen2moe"):
            w.add_array(a + ".attention.sliding_window_pattern", self.windowed())
        if a in ("command-r", "cohere2"):
            w.add_float32(a + ".logit_scale", c.get("logit_scale", 0.0625))
        if a in ("granite", "granitemoe"):
            for key, name in (("attention.scale", "attention_multiplier"),
                              ("embedding_scale", "embedding_multiplier"),
                              ("residual_scale", "residual_multiplier"),
                              ("logit_scale", "logits_scaling")):
                w.add_float32(f"{a}.{key}", c[name])
        clip = first(c, "clip_qkv", default=(c.get("attn_config") or {}).get("clip_qkv"))
        if clip:
            w.add_float32(a + ".attention.clamp_kqv", clip)
        if (c.get("attn_config") or {}).get("softmax_scale"):
            w.add_float32(a + ".attention.scale", c["attn_config"]["softmax_scale"])
        if a == "mpt":
            w.add_float32(a + ".attention.max_alibi_bias", 8)
        if a == "stablelm":
            w.add_bool(a + ".use_parallel_residual", c.get("use_parallel_residual", False))
        if a == "qwen2moe":
            w.add_uint32(a + ".expert_shared_feed_forward_length",
                         c["shared_expert_intermediate_size"])
        if c.get("query_pre_attn_scalar"):
            w.add_float32(a + ".attention.scale", c["query_pre_attn_scalar"] ** -0.5)
        if a == "gptneox":
            w.add_bool(a + ".use_parallel_residual", c.get("use_parallel_residual", True))
        experts = first(c, "num_local_experts", "num_experts")
        experts = experts or first(c, "n_routed_experts")
        if a == "llama4":
            w.add_uint32(a + ".interleave_moe_layer_step", c.get("interleave_moe_layer_step", 1))
            w.add_uint32(a + ".expert_feed_forward_length", c["intermediate_size"])
        if experts and a in ("llama", "llama4", "qwen3moe", "granitemoe", "olmoe", "qwen2moe", "gpt-oss",
                             "phimoe", "deepseek2"):
            w.add_uint32(a + ".expert_count", experts)
            w.add_uint32(a + ".expert_used_count", c.get("num_experts_per_tok", 1))
            if a in ("olmoe", "qwen2moe"):
                w.add_bool(a + ".expert_weights_norm", c.get("norm_topk_prob", False))
            if c.get("moe_intermediate_size"):
                w.add_uint32(a + ".expert_feed_forward_length", c["moe_intermediate_size"])
        if a in ("bert", "nomic-bert", "modern-bert"):
            w.add_bool(a + ".attention.causal", False)
        if a in ("t5", "t5encoder"):
            w.add_uint32(a + ".attention.relative_buckets_count",
                         c.get("relative_attention_num_buckets", 32))
        if a == "t5":
            w.add_uint32(a + ".decoder_block_count", self.dec_layers)
            w.add_uint32(a + ".decoder_start_token_id", c.get("decoder_start_token_id", 0))
        if a not in ("bert", "gpt2", "bloom", "t5", "t5encoder", "mpt", "starcoder"):
            self.rope(w)

    def latent(self, w):
        c, a = self.c, self.arch
        w.add_uint32(a + ".attention.key_length", c["qk_nope_head_dim"] + c["qk_rope_head_dim"])
        if c.get("q_lora_rank"):
            w.add_uint32(a + ".attention.q_lora_rank", c["q_lora_rank"])
        w.add_uint32(a + ".attention.kv_lora_rank", c["kv_lora_rank"])
        if a != "deepseek2":
            return
        w.add_uint32(a + ".attention.value_length", c["v_head_dim"])
        w.add_uint32(a + ".leading_dense_block_count", c.get("first_k_dense_replace", 0))
        w.add_uint32(a + ".expert_shared_count", c["n_shared_experts"])
        w.add_float32(a + ".expert_weights_scale", c.get("routed_scaling_factor", 1))
        third = c["model_type"] == "deepseek_v3"
        w.add_bool(a + ".expert_weights_norm", c.get("norm_topk_prob", third) and third)
        w.add_uint32(a + ".expert_gating_func", 2 if third else 1)
        if third or c.get("topk_method") == "group_limited_greedy":
            w.add_uint32(a + ".expert_group_count", c["n_group"])
            w.add_uint32(a + ".expert_group_used_count", c["topk_group"])

    def windowed(self):
        """Which layers are, where the converter writes it layer by layer."""
        c, n = self.c, self.c.get("sliding_window_pattern", 4)
        if self.arch == "qwen2moe":
            return [i % 2 == 0 and i < c["max_window_layers"] and c["use_sliding_window"]
                    for i in range(self.layers)]
        return [t == "sliding_attention" for t in c["layer_types"]] if c.get("layer_types") \
            else [(i + 1) % n != 0 for i in range(self.layers)]

    def rope(self, w):
        c, a = self.c, self.arch
        r = first(c, "rope_parameters", "rope_scaling", default={})
        if "full_attention" in r:
            r = r["full_attention"]
        if a in LATENT:
            self.width = c["qk_rope_head_dim"]
        share = first(c, "partial_rotary_factor", "rotary_pct",
                      default=r.get("partial_rotary_factor",
                                    {"gptneox": 0.25, "phi2": 0.5, "stablelm": 0.25,
                                     "nemotron": 0.5, "glm4": 0.5, "chatglm": 0.5}.get(a, 1)))
        turned = c["rotary_dim"] if a == "gptj" else int(self.width * share)
        w.add_uint32(a + ".rope.dimension_count", turned)
        theta = r.get("rope_theta") or first(
            c, "rope_theta", "rotary_emb_base", "global_rope_theta",
            default={"gemma3": 1e6, "lfm2": 1e6, "llama4": 5e5, "smollm3": 2e6, "command-r": 5e5,
                     "nomic-bert": 1000}.get(a, 10000))
        w.add_float32(a + ".rope.freq_base", theta)
        local = first(c, "rope_local_base_freq", "local_rope_theta")
        if "sliding_attention" in first(c, "rope_parameters", default={}):
            local = c["rope_parameters"]["sliding_attention"]["rope_theta"]
        if local:
            w.add_float32(a + ".rope.freq_base_swa", local)
        kind = first(r, "rope_type", "type", default="default")
        if kind in ("linear", "yarn"):
            w.add_string(a + ".rope.scaling.type", kind)
            w.add_float32(a + ".rope.scaling.factor", r["factor"])
        if kind == "yarn":
            w.add_uint32(a + ".rope.scaling.original_context_length",
                         r["original_max_position_embeddings"])
            if r.get("mscale_all_dim"):
                w.add_float32(a + ".rope.scaling.yarn_log_multiplier", 0.1 * r["mscale_all_dim"])
            for k in ("beta_fast", "beta_slow"):
                if r.get(k):
                    w.add_float32(f"{a}.rope.scaling.yarn_{k}", r[k])
        if kind == "longrope":
            original = first(c, "original_max_position_embeddings",
                             default=r.get("original_max_position_embeddings"))
            scale = c["max_position_embeddings"] / original
            w.add_uint32(a + ".rope.scaling.original_context_length", original)
            w.add_float32(a + ".rope.scaling.attn_factor",
                          1 if scale <= 1 else np.sqrt(1 + np.log(scale) / np.log(original)))
            for k in ("long", "short"):
                w.add_tensor(f"rope_factors_{k}.weight",
                             np.array(r[k + "_factor"], dtype=np.float32))
        if kind == "llama3":
            w.add_tensor("rope_freqs.weight", self.llama3_factors(theta, r))

    def llama3_factors(self, theta, r):
        out = []
        for i in range(self.width // 2):
            f = theta ** (-2 * i / self.width)
            wave = 2 * np.pi / f
            low = r["original_max_position_embeddings"] / r["low_freq_factor"]
            high = r["original_max_position_embeddings"] / r["high_freq_factor"]
            if wave < high:
                out.append(1)
            elif wave > low:
                out.append(r["factor"])
            else:
                s = (r["original_max_position_embeddings"] / wave - r["low_freq_factor"]) / \
                    (r["high_freq_factor"] - r["low_freq_factor"])
                out.append(1 / ((1 - s) / r["factor"] + s))
        return np.array(out, dtype=np.float32)

    def tokens(self, w):
        path = self.folder / "tokenizer.json"
        j = json.loads(path.read_text()) if path.exists() else None
        if j is None or j["model"]["type"] not in ("WordPiece", "BPE") or \
                (j["model"]["type"] == "BPE" and j["model"].get("byte_fallback")):
            return
        added = {t["id"]: t for t in j["added_tokens"]}
        pieces = {i: p for p, i in j["model"]["vocab"].items()}
        pieces.update({i: t["content"] for i, t in added.items()})
        n = max(pieces) + 1
        types = [3 if added[i]["special"] else 4 if i in added else 1 for i in added] and \
            [(3 if added[i]["special"] else 4) if i in added else 1 for i in range(n)]
        text = [pieces.get(i, f"[PAD{i}]") for i in range(n)]
        special = {t["content"]: i for i, t in added.items()}
        if j["model"]["type"] == "WordPiece":
            w.add_string("tokenizer.ggml.model", "bert")
            text = [t if t.startswith("[") and t.endswith("]") else
                    t[2:] if t.startswith("##") else "\u2581" + t for t in text]
            for k, t in (("cls", "[CLS]"), ("seperator", "[SEP]"), ("unknown", "[UNK]")):
                w.add_uint32(f"tokenizer.ggml.{k}_token_id", special[t])
        else:
            split = json.dumps(j["pre_tokenizer"])
            w.add_string("tokenizer.ggml.model", "gpt2")
            w.add_string("tokenizer.ggml.pre", "gpt-2" if "Split" not in split else
                         "llama-bpe" if "{1,3}" in split else "qwen2")
            w.add_array("tokenizer.ggml.merges",
                        [m if isinstance(m, str) else " ".join(m) for m in j["model"]["merges"]])
            before = [s["SpecialToken"]["id"] for p in
                      [j["post_processor"]] + ((j["post_processor"] or {}).get("processors") or [])
                      if p for s in p.get("single", []) if "SpecialToken" in s]
            w.add_bool("tokenizer.ggml.add_bos_token", bool(before))
            if before:
                w.add_uint32("tokenizer.ggml.bos_token_id", special[before[0]])
        w.add_array("tokenizer.ggml.tokens", text)
        w.add_array("tokenizer.ggml.token_type", types)

    def add(self, w, name, x):
        """Matrices in 16 bits where that is exact, experts in blocks of 4 if that is."""
        half, kind = x.astype(np.float16), gguf.GGMLQuantizationType.MXFP4
        blocks = gguf.quants.quantize(x, kind) if x.ndim == 3 and x.shape[2] % 32 == 0 else None
        if blocks is not None and np.array_equal(gguf.quants.dequantize(blocks, kind), x):
            w.add_tensor(name, blocks, raw_dtype=kind)
        elif x.ndim > 1 and np.array_equal(half.astype(np.float32), x):
            w.add_tensor(name, half)
        elif x.ndim > 1 and not (x.view(np.uint32) & 0xffff).any():
            kind = gguf.GGMLQuantizationType.BF16
            w.add_tensor(name, gguf.quants.quantize(x, kind), raw_dtype=kind)
        else:
            w.add_tensor(name, x)

    def write(self, path):
        w = gguf.GGUFWriter(path, self.arch)
        self.keys(w)
        self.tokens(w)
        for name, x in self.named().items():
            self.add(w, name, np.ascontiguousarray(x, dtype=np.float32))
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()


def case(source, to):
    to.mkdir(parents=True, exist_ok=True)
    Model(source).write(to / "model.gguf")
    for f in ("expected.json", "expected.npz"):
        shutil.copyfile(source / f, to / f)


def encoder(source, to):
    """The encoder of an encoder-decoder by itself, with what is expected of it."""
    to.mkdir(parents=True, exist_ok=True)
    Model(source, encoder_only=True).write(to / "model.gguf")
    expected = json.loads((source / "expected.json").read_text())
    found, kept = np.load(source / "expected.npz"), {}
    for run in expected["runs"]:
        run.pop("decoder_input_ids")
        run["arrays"] = []
        for name in found:
            part = name.removeprefix(run["id"] + ".")
            if part == "enc_hidden" or part.startswith("attn."):
                run["arrays"].append(f"{run['id']}.{part.removeprefix('enc_')}")
                kept[run["arrays"][-1]] = found[name]
        maps = [kept[n] for n in run["arrays"] if ".attn." in n]
        run["arrays"].append(run["id"] + ".entropy")
        kept[run["arrays"][-1]] = np.array(     # rows of an encoder have no zero
            [-(m * np.log(m)).sum(-1).mean(-1) for m in maps], dtype=np.float32)
    (to / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    np.savez(to / "expected.npz", **kept)


def main():
    if len(sys.argv) != 3 or not pathlib.Path(sys.argv[1]).is_dir():
        for name in sys.argv[1:] or ["bert", "llama", *FIXTURES]:
            kind, slash, rest = name.rpartition("/")
            case(HERE.parent / name, HERE.parent / (kind + slash + "gguf_" + rest))
        if len(sys.argv) == 1:
            encoder(HERE.parent / "seq2seq/t5_plain",
                    HERE.parent / "families/gguf_t5_encoder")
        return
    source, to = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for config in sorted(source.glob("**/config.json")):
        name = str(config.parent.relative_to(source))
        c = json.loads(config.read_text())
        if c.get("use_sliding_window") or not (config.parent / "tokenizer.json").exists():
            continue                        # no key says so; its ids could not be checked
        if (config.parent / "expected.json").exists() and c["model_type"] in ARCH:
            try:
                case(config.parent, to / "goldens" / name)
                print(name)
            except KeyError as why:     # what the format cannot hold
                shutil.rmtree(to / "goldens" / name)
                print("#", why)


if __name__ == "__main__":
    main()
