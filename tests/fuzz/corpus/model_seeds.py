#!/usr/bin/env python3
"""Writes the seeds of the config and model fuzz targets beside itself: configs of several families
and wrong ones; models of a few hundred numbers.  Needs only Python."""
import json
import pathlib
import struct

here = pathlib.Path(__file__).resolve().parent
cases = here.parent.parent / "ref"

bert = {"model_type": "bert", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 4,
        "intermediate_size": 4, "vocab_size": 5, "max_position_embeddings": 4, "type_vocab_size": 2}
gpt2 = {"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 4, "n_inner": None,
        "vocab_size": 5, "n_positions": 4, "scale_attn_by_inverse_layer_idx": True}
llama = {"model_type": "llama", "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 2,
         "num_key_value_heads": 1, "hidden_size": 4, "intermediate_size": 4, "vocab_size": 5,
         "max_position_embeddings": 9}
reformer = {"model_type": "reformer", "attn_layers": ["lsh", "local"], "num_attention_heads": 2,
            "attention_head_size": 2, "hidden_size": 4, "feed_forward_size": 4, "vocab_size": 5,
            "max_position_embeddings": 6, "axial_pos_shape": [2, 3], "axial_pos_embds_dim": [1, 3],
            "lsh_attn_chunk_length": 1, "local_attn_chunk_length": 2, "num_hashes": 2,
            "num_buckets": [2, 2], "hash_seed": 1, "is_decoder": True}


def config(name, value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    (here / "config" / name).write_bytes(text)


def model(name, cfg, shapes, dtype="F16", size=2):
    header, data = {}, b""
    for i, (key, shape) in enumerate(shapes.items()):
        n = 1
        for d in shape:
            n *= d
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + n * size]}
        # 1.0 and -0.5 as halves
        data += b"".join(b"\x00\x3c" if (i + k) % 3 else b"\x00\xb8" for k in range(n * size // 2))
    text = json.dumps(header, separators=(",", ":")).encode()
    (here / "model" / name).write_bytes(json.dumps(cfg, separators=(",", ":")).encode() + b"\0" +
                                        struct.pack("<Q", len(text)) + text + data)


def norm(name, d=4):
    return {name + ".weight": [d], name + ".bias": [d]}


def linear(name, out, n):
    return {name + ".weight": [out, n], name + ".bias": [out]}


config("bert", bert)
config("gpt2", gpt2)
config("llama", llama)
config("llama3", {**llama, "rope_scaling": {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8}})
config("linear", {**llama, "rope_scaling": {"type": "linear", "factor": 2.0}})
config("parameters", {**llama, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}})
config("no_share", {**llama, "partial_rotary_factor": 0.1})
config("reformer", reformer)
config("open", {"model_type": "reformer", "axial_pos_embds": False})
config("card", {**llama, "mha_viz": {"name": "n", "default_text": "t", "default_layer": 0}})
longformer = {**bert, "model_type": "longformer", "max_position_embeddings": 12, "attention_window": [2],
              "architectures": ["LongformerForQuestionAnswering"], "sep_token_id": 3}
big_bird = {**bert, "model_type": "big_bird", "max_position_embeddings": 12, "block_size": 1,
            "num_random_blocks": 1, "rescale_embeddings": True}
config("longformer", longformer)
config("odd_window", {**longformer, "attention_window": 7})
config("big_bird", big_bird)
config("no_blocks", {**big_bird, "block_size": 0})
classes = {**bert, "architectures": ["BertForSequenceClassification"],
           "id2label": {"0": "no", "1": "\u662f", "2": None}, "pad_token_id": 4, "eos_token_id": [3, 4]}
config("head", {**classes, "summary_type": "cls_index", "summary_activation": None,
                "pooler_hidden_act": "relu", "classifier_proj_size": 12,
                "use_weighted_layer_sum": True})
few = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 2, "hidden_size": 4,
       "vocab_size": 5, "max_position_embeddings": 9}
lfm2 = {"model_type": "lfm2", **few, "num_hidden_layers": 2, "conv_L_cache": 2, "block_ff_dim": 6,
        "block_multiple_of": 4, "layer_types": ["conv", "full_attention"], "conv_bias": True}
qwen3_next = {"model_type": "qwen3_next", **few, "num_hidden_layers": 2, "linear_conv_kernel_dim": 2,
              "linear_num_key_heads": 1, "linear_num_value_heads": 2, "linear_key_head_dim": 2,
              "linear_value_head_dim": 1, "full_attention_interval": 2, "intermediate_size": 4,
              "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 2,
              "shared_expert_intermediate_size": 2, "mlp_only_layers": [0]}
llama4 = {"model_type": "llama4_text", **few, "num_hidden_layers": 2, "attention_chunk_size": 2,
          "no_rope_layers": [1, 0], "floor_scale": 2, "moe_layers": [1], "intermediate_size": 2,
          "intermediate_size_mlp": 4, "num_local_experts": 2}
config("lfm2", lfm2)
config("attn_idxs", {**lfm2, "layer_types": None, "full_attn_idxs": [1],
                     "block_ffn_dim_multiplier": 1.5})
config("no_attention", {**lfm2, "full_attn_idxs": [], "layer_types": ["conv", "conv"]})
config("qwen3_next", qwen3_next)
config("llama4", {"model_type": "llama4", "text_config": llama4})
config("negative", {**bert, "hidden_size": -4})
config("huge", {**bert, "hidden_size": 2**63 - 1})
config("float", {**bert, "num_attention_heads": 2.0})
config("heads", {**bert, "num_attention_heads": 3})
config("act", {**bert, "hidden_act": "mish"})
config("quantised", {**bert, "quantization_config": {"quant_method": "gptq"}})
config("type", {"model_type": "none\x1b[31m"})
config("no_type", {})
config("array", [])
config("deep", b"[" * 3000)
config("cut", json.dumps(bert).encode()[:-20])

# One of each family, as its case in tests/ref has it; those above have theirs.
seen = set()
for path in sorted([*cases.glob("families/*/config.json"), *cases.glob("seq2seq/*/config.json")]):
    value = json.loads(path.read_text())
    if value["model_type"] not in seen:
        seen.add(value["model_type"])
        config("family_" + value["model_type"],
               json.dumps(value, separators=(",", ":")).encode())

E, L = "embeddings.", "encoder.layer.0."


def like_bert(positions, parts=("query", "key", "value")):
    return {
        E + "word_embeddings.weight": [5, 4], E + "position_embeddings.weight": [positions, 4],
        E + "token_type_embeddings.weight": [2, 4], **norm(E + "LayerNorm"),
        **{k: v for p in parts for k, v in linear(L + "attention.self." + p, 4, 4).items()},
        **linear(L + "attention.output.dense", 4, 4), **norm(L + "attention.output.LayerNorm"),
        **linear(L + "intermediate.dense", 4, 4), **linear(L + "output.dense", 4, 4),
        **norm(L + "output.LayerNorm")}


model("bert", bert, like_bert(4))
model("head", classes, {**like_bert(4), **linear("pooler.dense", 4, 4), **linear("classifier", 3, 4)})
# A head that only the decoder after an encoder can have.
model("no_head", classes, {**like_bert(4), **linear("classification_head.dense", 4, 4),
                           **linear("classification_head.out_proj", 3, 4)})
model("big_bird", big_bird, like_bert(12))
model("longformer", longformer, like_bert(12, ("query", "key", "value", "query_global", "key_global",
                                               "value_global")))
model("gpt2", gpt2, {
    "wte.weight": [5, 4], "wpe.weight": [4, 4], **norm("h.0.ln_1"), **norm("h.0.ln_2"),
    "h.0.attn.c_attn.weight": [4, 12], "h.0.attn.c_attn.bias": [12],
    "h.0.attn.c_proj.weight": [4, 4], "h.0.mlp.c_fc.weight": [4, 16],
    "h.0.mlp.c_proj.weight": [16, 4], **norm("ln_f")})
K = "layers.0."
model("llama", llama, {
    "embed_tokens.weight": [5, 4], K + "input_layernorm.weight": [4],
    K + "self_attn.q_proj.weight": [4, 4], K + "self_attn.k_proj.weight": [2, 4],
    K + "self_attn.v_proj.weight": [2, 4], K + "self_attn.o_proj.weight": [4, 4],
    K + "post_attention_layernorm.weight": [4], K + "mlp.gate_proj.weight": [4, 4],
    K + "mlp.up_proj.weight": [4, 4], K + "mlp.down_proj.weight": [4, 4], "norm.weight": [4]},
    "BF16")



def hybrid(l, norms, mlp):
    return {f"layers.{l}.{n}.weight": s for n, s in {**{n: [4] for n in norms}, **mlp}.items()}


def attends(l, out="o_proj", wide=1, norm=None):
    at = f"layers.{l}.self_attn."
    return {at + "q_proj.weight": [4 * wide, 4], at + "k_proj.weight": [2, 4],
            at + "v_proj.weight": [2, 4], at + out + ".weight": [4, 4],
            **({f"{at}{n}_{norm}.weight": [2] for n in "qk"} if norm else {})}


both = ("operator_norm", "ffn_norm")
swiglu = {"feed_forward.w1": [4, 4], "feed_forward.w3": [4, 4], "feed_forward.w2": [4, 4]}
model("lfm2", lfm2, {
    "embed_tokens.weight": [5, 4], "embedding_norm.weight": [4], **hybrid(0, both, swiglu),
    **hybrid(1, both, swiglu), **attends(1, "out_proj", 1, "layernorm"),
    **linear("layers.0.conv.in_proj", 12, 4), **linear("layers.0.conv.out_proj", 4, 4),
    "layers.0.conv.conv.weight": [4, 1, 2], "layers.0.conv.conv.bias": [4]})
both = ("input_layernorm", "post_attention_layernorm")
delta = "layers.0.linear_attn."
model("qwen3_next", qwen3_next, {
    "embed_tokens.weight": [5, 4], "norm.weight": [4],
    **hybrid(0, both, {f"mlp.{n}_proj": [4, 4] for n in ("gate", "up", "down")}),
    **hybrid(1, both, {"mlp.gate": [2, 4], "mlp.shared_expert_gate": [1, 4],
                       **{f"mlp.{x}.{n}_proj": [4, 2] if n == "down" else [2, 4]
                          for x in ("shared_expert", "experts.0", "experts.1")
                          for n in ("gate", "up", "down")}}),
    **attends(1, "o_proj", 2, "norm"), delta + "in_proj_qkvz.weight": [8, 4],
    delta + "in_proj_ba.weight": [4, 4], delta + "conv1d.weight": [6, 1, 2], delta + "A_log": [2],
    delta + "dt_bias": [2], delta + "norm.weight": [1], delta + "out_proj.weight": [4, 2]})
model("llama4", llama4, {
    "embed_tokens.weight": [5, 4], "norm.weight": [4],
    **hybrid(0, both, {f"feed_forward.{n}_proj": [4, 4] for n in ("gate", "up", "down")}),
    **hybrid(1, both, {"feed_forward.router": [2, 4],
                       **{f"feed_forward.shared_expert.{n}_proj": [4, 2] if n == "down" else [2, 4]
                          for n in ("gate", "up", "down")}}),
    "layers.1.feed_forward.experts.gate_up_proj": [2, 4, 4],
    "layers.1.feed_forward.experts.down_proj": [2, 2, 4], **attends(0), **attends(1)}, "BF16")

deberta = {"model_type": "deberta-v2", "num_hidden_layers": 1, "num_attention_heads": 2,
           "hidden_size": 4, "intermediate_size": 4, "vocab_size": 5, "relative_attention": True,
           "position_buckets": 4, "max_position_embeddings": 9, "pos_att_type": "p2c|c2p",
           "position_biased_input": False, "norm_rel_ebd": "layer_norm", "conv_kernel_size": 3,
           "conv_groups": 2}
xlnet = {"model_type": "xlnet", "n_layer": 1, "n_head": 2, "d_model": 4, "d_inner": 4,
         "vocab_size": 5, "clamp_len": 1, "attn_type": "uni"}
gemma3n = {"model_type": "gemma3n_text", "num_hidden_layers": 2, "num_attention_heads": 1,
           "num_key_value_heads": 1, "head_dim": 2, "hidden_size": 2, "intermediate_size": [2, 2],
           "vocab_size": 4, "vocab_size_per_layer_input": 3, "hidden_size_per_layer_input": 1,
           "laurel_rank": 1, "altup_num_inputs": 2, "altup_active_idx": 1, "sliding_window": 2,
           "num_kv_shared_layers": 1, "activation_sparsity_pattern": [0.5, 0],
           "layer_types": ["sliding_attention", "sliding_attention"]}
config("gemma3n", gemma3n)
config("gemma3n_types", {**gemma3n, "layer_types": ["sliding_attention", "full_attention"]})
config("gemma3n_nested", {"model_type": "gemma3n", "text_config": gemma3n})


def like_gemma3n(layers):
    shapes = {"embed_tokens.weight": [4, 2], "embed_tokens_per_layer.weight": [3, layers],
              "per_layer_model_projection.weight": [layers, 2],
              "per_layer_projection_norm.weight": [1], "altup_projections.0.weight": [2, 2],
              "altup_unembed_projections.0.weight": [2, 2], "norm.weight": [2]}
    parts = {"self_attn.q_proj": [2, 2], "self_attn.k_proj": [2, 2], "self_attn.v_proj": [2, 2],
             "self_attn.o_proj": [2, 2], "mlp.gate_proj": [2, 2], "mlp.up_proj": [2, 2],
             "mlp.down_proj": [2, 2], "laurel.linear_left": [1, 2], "laurel.linear_right": [2, 1],
             "altup.modality_router": [2, 2], "altup.prediction_coefs": [4, 2],
             "altup.correction_coefs": [2, 2], "per_layer_input_gate": [1, 2],
             "per_layer_projection": [2, 1],
             **{n: [2] for n in ("self_attn.q_norm", "self_attn.k_norm", "input_layernorm",
                                 "post_attention_layernorm", "laurel.post_laurel_norm",
                                 "pre_feedforward_layernorm", "post_feedforward_layernorm",
                                 "altup.router_norm", "post_per_layer_input_norm")}}
    for layer in range(layers):
        shapes.update({f"layers.{layer}.{n}.weight": s for n, s in parts.items()})
        shapes[f"layers.{layer}.altup.correct_output_scale"] = [2]
    return shapes


model("gemma3n", gemma3n, like_gemma3n(2))
config("deberta", {**deberta, "pos_att_type": ["c2p", "p2p"]})
config("xlnet", {**xlnet, "attn_type": "both"})
S = L + "attention.self."
model("deberta", deberta, {
    E + "word_embeddings.weight": [5, 4], **norm(E + "LayerNorm"), **norm("encoder.LayerNorm"),
    "encoder.rel_embeddings.weight": [8, 4], "encoder.conv.conv.weight": [4, 2, 3],
    "encoder.conv.conv.bias": [4], **norm("encoder.conv.LayerNorm"),
    **linear(S + "query_proj", 4, 4), **linear(S + "key_proj", 4, 4),
    **linear(S + "value_proj", 4, 4), **linear(S + "pos_key_proj", 4, 4),
    **linear(S + "pos_query_proj", 4, 4), **linear(L + "attention.output.dense", 4, 4),
    **norm(L + "attention.output.LayerNorm"), **linear(L + "intermediate.dense", 4, 4),
    **linear(L + "output.dense", 4, 4), **norm(L + "output.LayerNorm")})
R = "layer.0.rel_attn."
model("xlnet", xlnet, {
    "word_embedding.weight": [5, 4], **{R + n: [4, 2, 2] for n in "qkvor"},
    **{R + n: [2, 2] for n in ("r_r_bias", "r_s_bias", "r_w_bias")}, R + "seg_embed": [2, 2, 2],
    **norm(R + "layer_norm"), **linear("layer.0.ff.layer_1", 4, 4),
    **linear("layer.0.ff.layer_2", 4, 4), **norm("layer.0.ff.layer_norm")})
whisper = {"model_type": "whisper", "encoder_layers": 1, "decoder_layers": 1, "d_model": 4,
           "encoder_attention_heads": 2, "decoder_attention_heads": 1, "encoder_ffn_dim": 4,
           "decoder_ffn_dim": 4, "vocab_size": 5, "num_mel_bins": 2, "max_source_positions": 3,
           "max_target_positions": 2}
vit = {"model_type": "vit", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 4,
       "intermediate_size": 4, "num_channels": 1, "image_size": [4, 5], "patch_size": 2,
       "id2label": {"0": "a", "1": "b", "2": "c"}}
config("whisper", whisper)
wave = {"model_type": "wav2vec2", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 4,
        "intermediate_size": 4, "conv_dim": [3, 2], "conv_kernel": [4, 2], "conv_stride": [2, 1],
        "num_conv_pos_embeddings": 2, "num_conv_pos_embedding_groups": 2, "vocab_size": 5}
config("wave", wave)
config("wave_layers", {**wave, "model_type": "hubert", "feat_extract_norm": "layer",
                       "conv_bias": True, "do_stable_layer_norm": True,
                       "feat_proj_layer_norm": False, "adapter_attn_dim": None})
config("wave_lists", {**wave, "conv_stride": [0, 1]})
config("vit", vit)
config("vit_huge", {**vit, "image_size": 65536, "patch_size": 1})
config("vit_patch", {**vit, "patch_size": [2, 6]})


def attention(name):
    return {**linear(name + "q_proj", 4, 4), name + "k_proj.weight": [4, 4],
            **linear(name + "v_proj", 4, 4), **linear(name + "out_proj", 4, 4)}


def sound_layer(name):
    return {**attention(name + "self_attn."), **norm(name + "self_attn_layer_norm"),
            **linear(name + "fc1", 4, 4), **linear(name + "fc2", 4, 4),
            **norm(name + "final_layer_norm")}


model("whisper", whisper, {
    "encoder.conv1.weight": [4, 2, 3], "encoder.conv1.bias": [4], "encoder.conv2.weight": [4, 4, 3],
    "encoder.embed_positions.weight": [3, 4], **norm("encoder.layer_norm"),
    **sound_layer("encoder.layers.0."), "decoder.embed_tokens.weight": [5, 4],
    "decoder.embed_positions.weight": [2, 4], **norm("decoder.layer_norm"),
    **sound_layer("decoder.layers.0."), **attention("decoder.layers.0.encoder_attn."),
    **norm("decoder.layers.0.encoder_attn_layer_norm")})
L, P = "encoder.layers.0.", "encoder.pos_conv_embed.conv."
model("wave", wave, {
    "feature_extractor.conv_layers.0.conv.weight": [3, 1, 4],
    **norm("feature_extractor.conv_layers.0.layer_norm", 3),
    "feature_extractor.conv_layers.1.conv.weight": [2, 3, 2],
    **norm("feature_projection.layer_norm", 2), **linear("feature_projection.projection", 4, 2),
    P + "weight_g": [1, 1, 2], P + "weight_v": [4, 2, 2], P + "bias": [4],
    **norm("encoder.layer_norm"), **linear(L + "attention.q_proj", 4, 4),
    **linear(L + "attention.k_proj", 4, 4), **linear(L + "attention.v_proj", 4, 4),
    **linear(L + "attention.out_proj", 4, 4), **norm(L + "layer_norm"),
    **linear(L + "feed_forward.intermediate_dense", 4, 4),
    **linear(L + "feed_forward.output_dense", 4, 4), **norm(L + "final_layer_norm"),
    **linear("lm_head", 5, 4)})
L = "encoder.layer.0."
model("vit", vit, {
    "embeddings.cls_token": [1, 1, 4], "embeddings.position_embeddings": [1, 5, 4],
    "embeddings.patch_embeddings.projection.weight": [4, 1, 2, 2],
    **linear(L + "attention.attention.query", 4, 4), L + "attention.attention.key.weight": [4, 4],
    **linear(L + "attention.attention.value", 4, 4), **linear(L + "attention.output.dense", 4, 4),
    **norm(L + "layernorm_before"), **norm(L + "layernorm_after"),
    **linear(L + "intermediate.dense", 4, 4), **linear(L + "output.dense", 4, 4),
    **norm("layernorm"), **linear("classifier", 3, 4)})
P, R = "embeddings.position_embeddings.weights.", "encoder.layers."
model("reformer", reformer, {
    E + "word_embeddings.weight": [5, 4], P + "0": [2, 1, 1], P + "1": [1, 3, 3],
    **{k: v for i in "01" for k, v in {
        **norm(R + i + ".attention.layer_norm"), **norm(R + i + ".feed_forward.layer_norm"),
        R + i + ".attention.self_attention.value.weight": [4, 4],
        R + i + ".attention.output.dense.weight": [4, 4],
        **linear(R + i + ".feed_forward.dense.dense", 4, 4),
        **linear(R + i + ".feed_forward.output.dense", 4, 4)}.items()},
    R + "0.attention.self_attention.query_key.weight": [4, 4],
    R + "1.attention.self_attention.query.weight": [4, 4],
    R + "1.attention.self_attention.key.weight": [4, 4],
    **norm("encoder.layer_norm", 8), "lm_head.decoder.weight": [5, 8]})
mobilebert = {"model_type": "mobilebert", "num_hidden_layers": 1, "num_attention_heads": 1,
              "hidden_size": 4, "intermediate_size": 4, "vocab_size": 5, "embedding_size": 2,
              "max_position_embeddings": 4, "intra_bottleneck_size": 2,
              "num_feedforward_networks": 2}
convbert = {"model_type": "convbert", "num_hidden_layers": 1, "num_attention_heads": 2,
            "hidden_size": 4, "intermediate_size": 4, "vocab_size": 5, "embedding_size": 4,
            "max_position_embeddings": 4, "conv_kernel_size": 3, "num_groups": 2}
prophetnet = {"model_type": "prophetnet", "num_encoder_layers": 1, "num_decoder_layers": 1,
              "hidden_size": 4, "num_encoder_attention_heads": 2, "num_decoder_attention_heads": 1,
              "encoder_ffn_dim": 4, "decoder_ffn_dim": 4, "vocab_size": 5, "num_buckets": 4,
              "relative_max_distance": 3, "max_position_embeddings": 5}
B, A = L + "bottleneck.", L + "attention."
model("mobilebert", mobilebert, {
    E + "word_embeddings.weight": [5, 2], E + "position_embeddings.weight": [4, 4],
    E + "token_type_embeddings.weight": [2, 4], **linear(E + "embedding_transformation", 4, 6),
    **norm(E + "LayerNorm"), **linear(B + "input.dense", 2, 4), **norm(B + "input.LayerNorm", 2),
    **linear(B + "attention.dense", 2, 4), **norm(B + "attention.LayerNorm", 2),
    **linear(S + "query", 2, 2), **linear(S + "key", 2, 2), **linear(S + "value", 2, 4),
    **linear(A + "output.dense", 2, 2), **norm(A + "output.LayerNorm", 2),
    **linear(L + "ffn.0.intermediate.dense", 4, 2), **linear(L + "ffn.0.output.dense", 2, 4),
    **norm(L + "ffn.0.output.LayerNorm", 2), **linear(L + "intermediate.dense", 4, 2),
    **linear(L + "output.dense", 2, 4), **norm(L + "output.LayerNorm", 2),
    **linear(L + "output.bottleneck.dense", 4, 2), **norm(L + "output.bottleneck.LayerNorm"),
    **linear("cls.predictions.transform.dense", 4, 4),
    **norm("cls.predictions.transform.LayerNorm"), "cls.predictions.dense.weight": [2, 5],
    "cls.predictions.bias": [5]})
C = S + "key_conv_attn_layer."
model("convbert", convbert, {
    E + "word_embeddings.weight": [5, 4], E + "position_embeddings.weight": [4, 4],
    E + "token_type_embeddings.weight": [2, 4], **norm(E + "LayerNorm"),
    **{k: v for n in ("query", "key", "value", "conv_out_layer") for k, v in
       linear(S + n, 2, 4).items()},
    C + "depthwise.weight": [4, 1, 3], C + "pointwise.weight": [2, 4, 1], C + "bias": [2, 1],
    **linear(S + "conv_kernel_layer", 3, 2), **linear(A + "output.dense", 4, 4),
    **norm(A + "output.LayerNorm"), L + "intermediate.dense.weight": [2, 2, 2],
    L + "intermediate.dense.bias": [4], L + "output.dense.weight": [2, 2, 2],
    L + "output.dense.bias": [4], **norm(L + "output.LayerNorm")})


def prophet(name, parts):
    return {k: v for part in parts for n in ("query", "key", "value", "out")
            for k, v in linear(f"{name}layers.0.{part}.{n}_proj", 4, 4).items()} | {
                k: v for part in (*parts, "feed_forward")
                for k, v in norm(f"{name}layers.0.{part}_layer_norm").items()} | {
                    **linear(name + "layers.0.feed_forward.intermediate", 4, 4),
                    **linear(name + "layers.0.feed_forward.output", 4, 4),
                    name + "position_embeddings.weight": [5, 4],
                    **norm(name + "embeddings_layer_norm")}


model("prophetnet", prophetnet, {
    "word_embeddings.weight": [5, 4], **prophet("encoder.", ["self_attn"]),
    **prophet("decoder.", ["self_attn", "cross_attn"]),
    **linear("decoder.layers.0.self_attn.relative_pos_embeddings", 4, 4)})
