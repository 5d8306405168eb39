#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a tiny model of every family, in the forms that its configuration can take.

    python3 tests/ref/make_families.py [CASE ...]

needs what make.py needs.  A case is a folder of families/ (encoder-decoders: of seq2seq/) with config.json, the weights,
expected.json and expected.npz as make.py describes them, but no tokeniser: it runs by ids,
or by the arrays RUN.pixel_values, RUN.input_features, RUN.input_values.
The weights and config.json are written first, in an old or a new style, with keys left out,
with or without the prefix of the tensors; what the reference library computes after it has
read them back from there is what is expected.
"""
import json
import pathlib
import shutil
import sys
import tempfile

import gguf
import numpy as np
import torch
import transformers as T
import transformers.models.falcon.modeling_falcon as modeling_falcon
import transformers.models.longformer.modeling_longformer as modeling_longformer
from safetensors.torch import load_file, save_file
from tokenizers import processors

from make import arrays_of, byte_pairs, write_json

HERE = pathlib.Path(__file__).parent

# name: class, config, then how it is written:
#   style   5: all keys; 4: as transformers 4 had them; "diff": only keys that are no default
#   dtype   of the weights
#   strip   a prefix that the tensors lose
#   names   other names for parts of those of tensors
#   shards  number of files
#   shapes  of the array of each run, where the configuration does not say it
#   edit    changes config.json last
#   first   other ids for the first run
#   ids     other ids for the second run
#   types   its token types
#   boxes   that it has boxes
#   weights changes the model's weights
#   length  of the first run, without which it is 11
#   globals of Longformer: a list of global tokens a run; without it what the class does
#   tokens  makes a tokeniser, for the tests of the command line
#   vocab   writes the files of one
CASES = {}

# Families whose experts the library computes in more than one way.
MIXTURES = ("mixtral", "qwen3_moe", "qwen2_moe", "deepseek", "olmoe", "granitemoe", "phimoe",
            "gpt_oss", "qwen3_next")


def case(name, kind, config, **how):
    CASES[name] = kind, config, how


def encoder(heads, width, **more):
    return {"vocab_size": 43, "hidden_size": heads * width, "num_hidden_layers": 2,
            "num_attention_heads": heads, "intermediate_size": 26,
            "max_position_embeddings": 24, **more}


def decoder(heads, kv, width, **more):
    return {"vocab_size": 47, "hidden_size": heads * width, "num_hidden_layers": 2,
            "num_attention_heads": heads, "num_key_value_heads": kv, "intermediate_size": 30,
            "max_position_embeddings": 40, "bos_token_id": 1, "eos_token_id": 2,
            "pad_token_id": 0, **more}


def gpt(heads, width, **more):
    return {"vocab_size": 41, "n_embd": heads * width, "n_layer": 2, "n_head": heads,
            "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0, **more}


def without(*keys):
    return lambda config: [config.pop(k, None) for k in keys]


def four_bits(model):
    """Experts become what MXFP4 leaves of them, in blocks of 32 inputs of an output."""
    kind = gguf.GGMLQuantizationType.MXFP4
    for name, x in model.named_parameters():
        if x.ndim == 3:
            w = np.ascontiguousarray(x.detach().transpose(1, 2).numpy())
            w = gguf.quants.dequantize(gguf.quants.quantize(w, kind), kind)
            x.data = torch.tensor(w).transpose(1, 2).contiguous()


def with_keys(**values):
    return lambda config: config.update(values)


def esm_vocab(folder):
    """The tokeniser's file and the class, as they are published."""
    words = [*"<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - "
             "<null_1> <mask>".split()]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "EsmTokenizer"})


def differing(config, kind):
    """What is not as the class has it."""
    default = kind().to_dict()
    return {k: v for k, v in config.items()
            if k == "model_type" or k not in default or default[k] != v}


def published(config):
    """Pictures and text as they are published: of text_config only what is no default."""
    text = differing(config["text_config"], T.Gemma3TextConfig)
    without("layer_types", "rope_parameters")(text)
    config["text_config"] = {**text, "rope_theta": 1e6, "rope_local_base_freq": 10000.0}


# ---- encoders ----

case("distilbert", T.DistilBertModel,
     {"vocab_size": 45, "dim": 28, "n_layers": 2, "n_heads": 2, "hidden_dim": 22,
      "max_position_embeddings": 20, "activation": "relu"}, style=4, dtype="float16")
case("roberta", T.RobertaForMaskedLM,
     encoder(4, 6, hidden_act="relu", type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5),
     style=4, dtype="bfloat16", shards=2, ids=[0, 9, 1, 30, 8, 1, 17, 2])
case("xlm_roberta", T.XLMRobertaModel, encoder(2, 10, pad_token_id=3), style="diff",
     dtype="float16", ids=[0, 3, 9, 30, 3, 3, 8, 17, 2])
case("camembert", T.CamembertForMaskedLM, encoder(2, 8, type_vocab_size=1), style="diff",
     dtype="float16", ids=[0, 1, 9, 30, 1, 1, 8, 17, 2])
case("data2vec_text", T.Data2VecTextForMaskedLM,
     encoder(3, 6, type_vocab_size=1, hidden_act="relu"), style="diff", dtype="float16",
     ids=[0, 9, 1, 30, 8, 1, 17, 2])
case("roberta_prelayernorm", T.RobertaPreLayerNormForMaskedLM,
     encoder(2, 8, pad_token_id=1, layer_norm_eps=1e-3), style=4, dtype="bfloat16",
     ids=[0, 9, 1, 30, 8, 1, 17, 2])
# The norm of the mlp before the adapters; one of their own, in layers that norm first; none.
case("xmod", T.XmodForMaskedLM,
     encoder(2, 8, type_vocab_size=1, languages=["en_XX", "de-DE"], default_language="de-DE",
             adapter_reduction_factor=1, intermediate_size=10, hidden_act="relu"), style=4,
     dtype="float16", ids=[0, 9, 1, 30, 8, 1, 17, 2])
case("xmod_pre", T.XmodModel,
     encoder(3, 6, pre_norm=True, adapter_layer_norm=True, ln_before_adapter=False,
             default_language="en_XX"), style="diff", dtype="bfloat16",
     ids=[0, 9, 1, 30, 8, 1, 17, 2])
case("xmod_plain", T.XmodModel,
     encoder(2, 6, adapter_reuse_layer_norm=False, adapter_reduction_factor=5,
             default_language="en_XX"), style="diff", dtype="float16")
case("splinter", T.SplinterModel, encoder(2, 7, hidden_act="relu"), dtype="float16",
     types=[0, 0, 0, 1, 1, 0])
case("nomic_bert", T.NomicBertForMaskedLM, encoder(3, 6, layer_norm_eps=1e-3), dtype="float16",
     types=[0, 0, 0, 1, 1, 0])
case("nomic_bert_base", T.NomicBertModel,
     encoder(2, 8, rope_parameters={"rope_type": "default", "rope_theta": 200.0}), style="diff",
     dtype="bfloat16")
case("ernie", T.ErnieForMaskedLM, encoder(2, 7, use_task_id=True, hidden_act="relu"), style=4,
     dtype="float16", types=[0, 0, 0, 1, 1, 0])
case("layoutlm", T.LayoutLMForMaskedLM,
     encoder(2, 7, max_2d_position_embeddings=12, hidden_act="relu"), style=4, dtype="float16",
     types=[0, 0, 0, 1, 1, 0], boxes=True)
case("ernie_plain", T.ErnieModel, encoder(3, 6, use_task_id=False, type_vocab_size=4),
     style="diff", dtype="bfloat16", types=[3, 0, 0, 1, 2, 0])
# Residues with masks among them; then positions from a table, by ids.
case("esm", T.EsmForMaskedLM,
     encoder(2, 10, vocab_size=33, pad_token_id=1, mask_token_id=32, token_dropout=True,
             position_embedding_type="rotary", rope_theta=500.0), dtype="float16",
     ids=[0, 5, 32, 9, 32, 2], vocab=esm_vocab)
case("esm_table", T.EsmForMaskedLM,
     encoder(3, 6, vocab_size=33, pad_token_id=1, mask_token_id=32, token_dropout=False,
             emb_layer_norm_before=True), style="diff", dtype="bfloat16",
     ids=[0, 5, 1, 9, 7, 1, 8, 2])
case("electra", T.ElectraForPreTraining,
     encoder(3, 6, embedding_size=18, hidden_act="gelu_new"), dtype="float16")
case("electra_generator", T.ElectraForMaskedLM,
     encoder(2, 14, embedding_size=10, hidden_act="relu"), style=4,
     dtype="float16")
case("rembert", T.RemBertForMaskedLM,
     encoder(3, 6, input_embedding_size=10, output_embedding_size=14, hidden_act="relu"),
     style=4, dtype="float16", types=[0, 0, 0, 1, 1, 0])
# Norms that divide by nothing; those that do, and other ways through a layer; no bottlenecks.
case("mobilebert", T.MobileBertForMaskedLM,
     encoder(3, 7, embedding_size=8, intra_bottleneck_size=12, num_feedforward_networks=3,
             type_vocab_size=3), style=4, dtype="bfloat16", types=[0, 0, 2, 1, 1, 0])
case("mobilebert_all", T.MobileBertForMaskedLM,
     encoder(2, 8, embedding_size=5, intra_bottleneck_size=10, use_bottleneck_attention=True,
             key_query_shared_bottleneck=False, normalization_type="layer_norm",
             trigram_input=False, num_feedforward_networks=2, layer_norm_eps=1e-2,
             hidden_act="gelu"), style="diff", dtype="float16")
case("mobilebert_apart", T.MobileBertModel,
     encoder(2, 6, embedding_size=4, intra_bottleneck_size=12, num_feedforward_networks=1,
             key_query_shared_bottleneck=False, is_decoder=True), dtype="bfloat16")
case("mobilebert_plain", T.MobileBertModel,
     encoder(2, 6, embedding_size=12, use_bottleneck=False, trigram_input=False,
             num_feedforward_networks=2), style="diff", dtype="float16")
case("convbert", T.ConvBertForMaskedLM,
     encoder(5, 8, embedding_size=6, num_groups=2, conv_kernel_size=3, hidden_act="relu",
             type_vocab_size=3), style=4, dtype="bfloat16", types=[0, 0, 2, 1, 1, 0])
case("convbert_one", T.ConvBertModel,
     encoder(2, 6, embedding_size=12, head_ratio=3, is_decoder=True), style="diff",
     dtype="float16")
case("rembert_same", T.RemBertModel, encoder(2, 6, input_embedding_size=12), style="diff",
     dtype="bfloat16")
case("albert", T.AlbertForMaskedLM,
     encoder(3, 8, embedding_size=10, num_hidden_layers=3, num_hidden_groups=2,
             hidden_act="gelu"), style="diff", dtype="bfloat16")
case("albert_inner", T.AlbertModel,
     encoder(2, 6, embedding_size=8, num_hidden_layers=3, num_hidden_groups=2,
             inner_group_num=2, hidden_act="relu"), dtype="float16")
case("mpnet", T.MPNetForMaskedLM, encoder(4, 6, hidden_act="relu"), dtype="float16",
     ids=[0, 9, 1, 30, 1, 8, 17, 2])
case("modernbert", T.ModernBertForMaskedLM,
     encoder(2, 10, num_hidden_layers=3, local_attention=6, pad_token_id=0,
             layer_types=["full_attention", "sliding_attention", "full_attention"],
             rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 5000.0},
                              "sliding_attention": {"rope_type": "default",
                                                    "rope_theta": 300.0}},
             attention_bias=True, mlp_bias=True, norm_bias=True), dtype="float16",
     edit=lambda c: (without("rope_parameters", "layer_types")(c),
                     with_keys(global_rope_theta=5000.0, local_rope_theta=300.0,
                               global_attn_every_n_layers=2)(c)))
# For GGUF, which has no key of biases: those of its last norm could not be missed.
case("modernbert_plain", T.ModernBertModel,
     encoder(2, 8, num_hidden_layers=4, local_attention=4, pad_token_id=0,
             layer_types=["full_attention", "sliding_attention"] * 2), dtype="float16",
     edit=lambda c: (without("rope_parameters", "layer_types")(c),
                     with_keys(global_rope_theta=160000.0, local_rope_theta=10000.0,
                               global_attn_every_n_layers=2)(c)))
# Windows by layer; tokens that are global, in one run none; all of them; those of a question.
case("longformer", T.LongformerForMaskedLM,
     encoder(2, 6, attention_window=[8, 4], pad_token_id=1, hidden_act="relu"), style=4,
     dtype="float16", globals=[[0, 7], []])
case("longformer_int", T.LongformerModel,
     encoder(3, 6, attention_window=4, max_position_embeddings=50, type_vocab_size=1),
     style="diff", dtype="bfloat16", length=41, edit=with_keys(attention_window=4),
     globals=[[2, 3, 39], [0, 1, 2, 3, 4, 5]])
case("longformer_question", T.LongformerForQuestionAnswering,
     encoder(2, 6, attention_window=4, num_hidden_layers=1, sep_token_id=3), dtype="float16",
     first=[0, 9, 30, 3, 3, 8, 17, 21, 6, 40, 3], ids=[0, 9, 3, 3, 30, 8, 17, 3])
case("longformer_class", T.LongformerForSequenceClassification,
     encoder(2, 6, attention_window=4, num_hidden_layers=1), dtype="float16")
# More than (5 + 2 random blocks) blocks, the last one not full; the second run is short.
case("big_bird", T.BigBirdForMaskedLM,
     encoder(2, 6, block_size=3, num_random_blocks=1, max_position_embeddings=40,
             rescale_embeddings=True), style=4, dtype="float16", strip="bert.", length=37)
case("big_bird_random", T.BigBirdModel,
     encoder(2, 6, block_size=2, max_position_embeddings=32, num_hidden_layers=1,
             use_bias=False), style="diff", dtype="bfloat16", length=25)
case("big_bird_full", T.BigBirdForCausalLM,
     encoder(3, 6, attention_type="original_full", is_decoder=True, block_size=1,
             num_random_blocks=1, hidden_act="gelu"), dtype="float16", length=11)
case("bert_decoder", T.BertLMHeadModel, encoder(3, 6, is_decoder=True), style=4, dtype="float16")

# ---- encoders whose scores look at distances ----

case("deberta", T.DebertaForMaskedLM,
     encoder(2, 8, embedding_size=10, relative_attention=True, pos_att_type=["p2c", "c2p"],
             position_biased_input=False, max_relative_positions=14, type_vocab_size=2,
             hidden_act="relu", pad_token_id=3),
     dtype="float16", length=40, types=[0, 0, 1, 1, 0, 1])
case("deberta_c2p", T.DebertaModel,
     encoder(3, 6, relative_attention=True, pos_att_type=["c2p"]), style=4, dtype="bfloat16")
case("deberta_p2c", T.DebertaForMaskedLM,
     encoder(2, 6, relative_attention=True, pos_att_type="P2C", legacy=False), style="diff",
     dtype="float16", edit=with_keys(pos_att_type="P2C ", position_buckets=4))
case("deberta_none", T.DebertaModel,
     encoder(2, 6, relative_attention=False, pos_att_type=["none"], type_vocab_size=3),
     dtype="float16", types=[2, 0, 1, 1, 2, 0])
case("deberta_v2", T.DebertaV2ForMaskedLM,
     encoder(2, 8, relative_attention=True, pos_att_type="p2c|c2p", position_buckets=8,
             share_att_key=True, norm_rel_ebd="layer_norm", position_biased_input=False,
             conv_kernel_size=3, conv_act="gelu"), style=4, dtype="float16", length=40,
     edit=with_keys(pos_att_type="p2c|c2p"))
case("deberta_v2_conv", T.DebertaV2Model,
     encoder(4, 4, embedding_size=10, relative_attention=True, pos_att_type=["c2p", "p2c"],
             conv_kernel_size=5, conv_groups=2, type_vocab_size=2, max_relative_positions=6,
             hidden_act="gelu_new"), dtype="bfloat16", types=[0, 0, 0, 1, 1, 1])
case("deberta_v2_c2p", T.DebertaV2ForMaskedLM,
     encoder(3, 6, relative_attention=True, pos_att_type=["c2p", "none"], position_buckets=7,
             legacy=False, conv_kernel_size=0, num_hidden_layers=1), style="diff",
     dtype="float16")
case("deberta_v2_p2c", T.DebertaV2Model,
     encoder(2, 6, relative_attention=True, pos_att_type=["p2c"], share_att_key=True,
             norm_rel_ebd="none", type_vocab_size=1), dtype="float16")


def xlnet(heads, width, **more):
    return {"vocab_size": 43, "d_model": heads * width, "n_layer": 2, "n_head": heads,
            "d_inner": 26, **more}


case("xlnet", T.XLNetLMHeadModel, xlnet(2, 8, ff_activation="relu"), dtype="float16",
     length=40, types=[0, 0, 0, 1, 1, 2])
case("xlnet_uni", T.XLNetModel, xlnet(3, 6, attn_type="uni", clamp_len=4), style=4,
     dtype="bfloat16", types=[0, 0, 1, 1, 1, 2])
case("xlnet_clamp", T.XLNetLMHeadModel, xlnet(2, 7, clamp_len=3, n_layer=1), style="diff",
     dtype="float16", edit=with_keys(d_head=None))

# ---- decoders with learned positions, or none ----

case("gpt2_unscaled", T.GPT2Model,
     gpt(2, 14, n_inner=20, activation_function="relu", scale_attn_weights=False),
     style=4, dtype="float16")
case("gpt_bigcode", T.GPTBigCodeForCausalLM, gpt(3, 6), style="diff", dtype="float16")
case("gpt_bigcode_heads", T.GPTBigCodeModel,
     gpt(2, 8, multi_query=False, n_inner=20, scale_attn_weights=False), style=4, dtype="bfloat16")
case("clip_text_model", T.CLIPTextModel,
     encoder(3, 6, vocab_size=47, bos_token_id=1, eos_token_id=2, layer_norm_eps=1e-3),
     dtype="float16")
case("biogpt", T.BioGptForCausalLM,
     encoder(2, 8, layer_norm_eps=0.01, bos_token_id=0, eos_token_id=2, pad_token_id=1), style=4,
     dtype="float16")
case("biogpt_unscaled", T.BioGptModel,
     encoder(3, 6, scale_embedding=False, hidden_act="relu", bos_token_id=0, eos_token_id=2,
             pad_token_id=1), style="diff", dtype="bfloat16")
# An odd width: the last column of positions is zero.
case("xglm", T.XGLMForCausalLM,
     {"vocab_size": 47, "d_model": 21, "ffn_dim": 22, "num_layers": 2, "attention_heads": 3,
      "max_position_embeddings": 30}, style="diff", dtype="float16")
case("mpt", T.MptForCausalLM,
     {"vocab_size": 45, "d_model": 20, "n_heads": 5, "n_layers": 2, "max_seq_len": 30,
      "bos_token_id": 0, "eos_token_id": 0,
      "attn_config": {"clip_qkv": 0.9, "softmax_scale": 0.3}}, style=4, dtype="float16")
case("mpt_plain", T.MptModel,
     {"vocab_size": 45, "d_model": 16, "n_heads": 4, "n_layers": 2, "max_seq_len": 30},
     style="diff", dtype="bfloat16")
case("gpt_neo", T.GPTNeoForCausalLM,
     {"vocab_size": 41, "hidden_size": 18, "num_layers": 3, "num_heads": 3,
      "max_position_embeddings": 32, "window_size": 3, "intermediate_size": 20, "bos_token_id": 0, "eos_token_id": 0,
      "attention_types": [[["global", "local"], 1], [["local"], 1]]},
     style=4, dtype="float16", strip="transformer.", edit=without("attention_layers"))
case("opt", T.OPTForCausalLM,
     {"vocab_size": 47, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
      "ffn_dim": 20, "max_position_embeddings": 24, "word_embed_proj_dim": 24}, dtype="float16",
     style="diff")
case("opt_bare", T.OPTForCausalLM,
     {"vocab_size": 47, "hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3,
      "ffn_dim": 20, "max_position_embeddings": 24, "word_embed_proj_dim": 18,
      "enable_bias": False, "layer_norm_elementwise_affine": False}, dtype="float16")
case("opt_no_final", T.OPTModel,
     {"vocab_size": 47, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "ffn_dim": 16, "max_position_embeddings": 24, "word_embed_proj_dim": 12,
      "_remove_final_layer_norm": True}, dtype="float16")
case("opt_post", T.OPTModel,
     {"vocab_size": 47, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
      "ffn_dim": 20, "max_position_embeddings": 24, "word_embed_proj_dim": 14,
      "do_layer_norm_before": False}, dtype="bfloat16", style=4)
case("bloom", T.BloomForCausalLM,
     {"vocab_size": 45, "hidden_size": 20, "n_layer": 2, "n_head": 4}, dtype="float16",
     style="diff")
case("bloom_residual", T.BloomModel,
     {"vocab_size": 45, "hidden_size": 18, "n_layer": 2, "n_head": 3,
      "apply_residual_connection_post_layernorm": True}, style=4, dtype="bfloat16")

# ---- decoders with one sum of attention and mlp ----


def falcon(heads, width, **more):
    return {"vocab_size": 47, "hidden_size": heads * width, "num_hidden_layers": 2,
            "num_attention_heads": heads, "max_position_embeddings": 32, "ffn_hidden_size": 30,
            "bos_token_id": 1, "eos_token_id": 1, **more}


case("falcon", T.FalconForCausalLM, falcon(3, 8), style="diff", dtype="bfloat16")
case("falcon_alibi", T.FalconForCausalLM,
     falcon(3, 6, multi_query=False, parallel_attn=False, alibi=True, bias=True),
     style=4, dtype="float16")
case("falcon_alibi_parallel", T.FalconModel, falcon(2, 6, alibi=True), dtype="float16")
case("falcon_heads", T.FalconForCausalLM, falcon(4, 6, multi_query=False, bias=True),
     dtype="float16")
case("falcon_new", T.FalconForCausalLM,
     falcon(4, 6, new_decoder_architecture=True, num_kv_heads=2), style=4, dtype="float16",
     edit=without("num_ln_in_parallel_attn"))
case("falcon_new_one_norm", T.FalconForCausalLM,
     falcon(6, 4, new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1),
     dtype="bfloat16")
case("falcon_new_sum", T.FalconModel,
     falcon(2, 6, new_decoder_architecture=True, num_kv_heads=1), dtype="float16",
     edit=with_keys(apply_residual_connection_post_layernorm=True))
case("gpt_neox", T.GPTNeoXForCausalLM,
     encoder(2, 12, rope_parameters={"rope_type": "default", "rope_theta": 3000.0,
                                     "partial_rotary_factor": 0.5}, bos_token_id=0,
             eos_token_id=0), dtype="float16", style=4)
case("gpt_neox_serial", T.GPTNeoXModel,
     encoder(3, 6, use_parallel_residual=False, attention_bias=False, hidden_act="gelu_fast",
             rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0,
                              "partial_rotary_factor": 1.0}, bos_token_id=0, eos_token_id=0),
     dtype="bfloat16")
case("gptj", T.GPTJForCausalLM, gpt(3, 6, rotary_dim=4, tie_word_embeddings=False),
     dtype="float16", style="diff")
case("codegen", T.CodeGenForCausalLM, gpt(8, 4, rotary_dim=4), dtype="float16", style="diff")
case("cohere", T.CohereForCausalLM,
     decoder(4, 2, 6, use_qk_norm=True, logit_scale=0.3, layer_norm_eps=1e-3), style=4,
     dtype="float16")
case("cohere_plain", T.CohereModel, decoder(3, 3, 6, attention_bias=True), style="diff",
     dtype="bfloat16")
case("cohere2", T.Cohere2ForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=4, sliding_window=4, head_dim=8), style=4,
     dtype="float16", edit=without("layer_types"))
case("cohere2_pattern", T.Cohere2Model,
     decoder(2, 1, 8, num_hidden_layers=2, sliding_window=3,
             layer_types=["sliding_attention", "full_attention"]), dtype="bfloat16",
     edit=lambda c: (without("layer_types")(c), with_keys(sliding_window_pattern=2)(c)))
case("phi", T.PhiForCausalLM,
     decoder(4, 2, 6, qk_layernorm=True, partial_rotary_factor=0.34), dtype="float16")
case("phi_old", T.PhiForCausalLM,
     decoder(2, 2, 8, partial_rotary_factor=0.25, tie_word_embeddings=True), style=4,
     dtype="bfloat16")
case("phi_unrotated", T.PhiModel, decoder(2, 1, 6, partial_rotary_factor=0.0),
     dtype="float16")

# ---- llama and those built like it ----

case("llama_share", T.LlamaModel, decoder(2, 1, 8), dtype="float16",
     edit=with_keys(partial_rotary_factor=0.5))
case("llama", T.LlamaModel, decoder(3, 1, 8, head_dim=None), style=4, dtype="float16",
     edit=with_keys(head_dim=None))
case("llama_llama3", T.LlamaForCausalLM,
     decoder(2, 2, 12, attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
             rope_parameters={"rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0,
                              "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                              "original_max_position_embeddings": 16}), dtype="float16")
case("llama_yarn", T.LlamaForCausalLM,
     decoder(2, 1, 12, rope_parameters={
         "rope_type": "yarn", "rope_theta": 1000.0, "factor": 4.0, "beta_fast": 4.0,
         "original_max_position_embeddings": 10}), style=4, dtype="bfloat16")
case("llama_yarn_mscale", T.LlamaForCausalLM,
     decoder(2, 1, 12, rope_parameters={
         "rope_type": "yarn", "rope_theta": 1000.0, "factor": 5.0, "mscale": 0.8,
         "mscale_all_dim": 0.5, "truncate": False,
         "original_max_position_embeddings": 8}), dtype="float16")
case("llama_yarn_ratio", T.LlamaForCausalLM,
     decoder(2, 1, 12, rope_parameters={
         "rope_type": "yarn", "rope_theta": 1000.0, "factor": None, "beta_fast": 4.0,
         "original_max_position_embeddings": 9}), dtype="float16")
case("llama_longrope", T.LlamaForCausalLM,
     decoder(2, 2, 8, rope_parameters={
         "rope_type": "longrope", "rope_theta": 1000.0,
         "short_factor": [1.0, 1.1, 1.3, 1.6], "long_factor": [1.0, 2.0, 4.0, 7.5],
         "original_max_position_embeddings": 10}), dtype="float16")
case("llama_dynamic", T.LlamaForCausalLM,
     decoder(2, 1, 10, rope_parameters={"rope_type": "dynamic", "rope_theta": 1000.0,
                                        "factor": 3.0}), style=4, dtype="float16")
case("mistral", T.MistralForCausalLM, decoder(3, 1, 8, head_dim=14, sliding_window=4),
     style=4, dtype="bfloat16", shards=3)
case("mistral_open", T.MistralModel, decoder(4, 2, 6, sliding_window=None), dtype="float16")
case("mixtral", T.MixtralForCausalLM,
     decoder(3, 1, 6, num_local_experts=3, num_experts_per_tok=2, sliding_window=5,
             intermediate_size=14), style=4, dtype="float16")
case("ministral", T.MinistralForCausalLM,
     decoder(3, 1, 8, head_dim=10, sliding_window=4, num_hidden_layers=3,
             layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
     dtype="float16")
case("ministral_all", T.MinistralModel, decoder(4, 2, 6, head_dim=6, sliding_window=3), style=4,
     dtype="bfloat16", edit=without("layer_types"))
case("qwen2", T.Qwen2ForCausalLM, decoder(4, 2, 6), style="diff", dtype="float16")
case("qwen2_window", T.Qwen2Model,
     decoder(2, 1, 10, use_sliding_window=True, sliding_window=4, max_window_layers=1),
     style=4, dtype="bfloat16", edit=without("layer_types"))
case("qwen2_moe", T.Qwen2MoeForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=4, num_experts=4, num_experts_per_tok=2,
             moe_intermediate_size=10, shared_expert_intermediate_size=14, mlp_only_layers=[1],
             use_sliding_window=True, sliding_window=4, max_window_layers=2, qkv_bias=False),
     style=4, dtype="float16", edit=without("layer_types"))
case("qwen2_moe_plain", T.Qwen2MoeModel,
     decoder(3, 1, 6, num_experts=3, num_experts_per_tok=1, moe_intermediate_size=12,
             shared_expert_intermediate_size=8, norm_topk_prob=True),
     dtype="bfloat16")
case("qwen3", T.Qwen3ForCausalLM,
     decoder(4, 1, 5, head_dim=6, use_sliding_window=True, sliding_window=3,
             layer_types=["sliding_attention", "full_attention"], tie_word_embeddings=True),
     dtype="float16")
case("qwen3_moe", T.Qwen3MoeForCausalLM,
     decoder(3, 1, 6, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=10,
             norm_topk_prob=False, decoder_sparse_step=2), style=4, dtype="float16")
case("qwen3_moe_dense", T.Qwen3MoeForCausalLM,
     decoder(2, 2, 6, head_dim=8, num_experts=4, num_experts_per_tok=1,
             moe_intermediate_size=12, norm_topk_prob=True, mlp_only_layers=[1],
             use_sliding_window=True, sliding_window=4), dtype="bfloat16")
case("gemma", T.GemmaForCausalLM, decoder(2, 1, 9, head_dim=14), style=4, dtype="float16",
     edit=with_keys(hidden_act="gelu", hidden_activation=None))
case("gemma2", T.Gemma2ForCausalLM,
     decoder(4, 2, 6, head_dim=6, sliding_window=4, query_pre_attn_scalar=9,
             attn_logit_softcapping=3.0, final_logit_softcapping=2.0), style=4,
     dtype="float16", edit=without("layer_types"))
case("gemma2_open", T.Gemma2Model,
     decoder(3, 1, 6, head_dim=6, sliding_window=3, query_pre_attn_scalar=6,
             layer_types=["full_attention", "sliding_attention"],
             attn_logit_softcapping=None, final_logit_softcapping=None), dtype="bfloat16")
case("gemma3", T.Gemma3ForCausalLM,
     decoder(4, 2, 5, head_dim=6, num_hidden_layers=3, sliding_window=4,
             query_pre_attn_scalar=6,
             layer_types=["sliding_attention", "full_attention", "sliding_attention"],
             rope_parameters={"full_attention": {"rope_type": "linear", "factor": 4.0,
                                                 "rope_theta": 5000.0},
                              "sliding_attention": {"rope_type": "default",
                                                    "rope_theta": 300.0}}),
     dtype="float16",
     edit=lambda c: (without("rope_parameters", "layer_types", "_sliding_window_pattern")(c),
                     with_keys(rope_theta=5000.0, rope_local_base_freq=300.0,
                               sliding_window_pattern=2,
                               rope_scaling={"rope_type": "linear", "factor": 4.0})(c)))
case("gemma3_both_ways", T.Gemma3TextModel,
     decoder(2, 1, 8, head_dim=8, sliding_window=6, query_pre_attn_scalar=8,
             layer_types=["sliding_attention", "full_attention"],
             use_bidirectional_attention=True, attn_logit_softcapping=2.0),
     dtype="bfloat16")
# Three streams, the second active; more tokens than have inputs of layers; keys of two layers
# shared by three.  Without any of that; with the library's own sparse layers, types and keys.
case("gemma3n", T.Gemma3nForCausalLM,
     decoder(2, 1, 8, num_hidden_layers=6, head_dim=6, intermediate_size=20, sliding_window=4,
             layer_types=["sliding_attention", "full_attention", "sliding_attention",
                          "full_attention", "sliding_attention", "sliding_attention"],
             num_kv_shared_layers=3, activation_sparsity_pattern=[.7, 0.0, .2, 0.0, 0.0, .95],
             altup_num_inputs=3, altup_active_idx=1, laurel_rank=3, hidden_size_per_layer_input=4,
             vocab_size_per_layer_input=30, final_logit_softcapping=4.0, attention_bias=True),
     dtype="bfloat16")
case("gemma3n_plain", T.Gemma3nTextModel,
     decoder(2, 2, 4, num_hidden_layers=11, head_dim=4, intermediate_size=8, sliding_window=3,
             altup_num_inputs=2, altup_correct_scale=False, laurel_rank=1, num_kv_shared_layers=0,
             hidden_size_per_layer_input=2, vocab_size_per_layer_input=47), style="diff",
     dtype="float16", edit=lambda c: (without(
         "layer_types", "rope_parameters", "activation_sparsity_pattern")(c),
         with_keys(intermediate_size=8)(c)))
case("gemma3_nested", T.Gemma3ForConditionalGeneration,
     {"text_config": decoder(2, 1, 8, head_dim=8, sliding_window=4, query_pre_attn_scalar=8),
      "vision_config": {"hidden_size": 2, "intermediate_size": 2, "num_hidden_layers": 1,
                        "num_attention_heads": 1, "image_size": 4, "patch_size": 2},
      "mm_tokens_per_image": 4, "image_token_index": 46, "boi_token_index": 44,
      "eoi_token_index": 45}, dtype="float16", style="diff", edit=published)
# Models of pictures and text: a head of its own behind the inner prefix; a head that the
# whole ties and the inner config does not.
EYES = {"hidden_size": 2, "intermediate_size": 2, "num_hidden_layers": 1,
        "num_attention_heads": 1, "image_size": 4, "patch_size": 2}
case("llama_nested", T.LlavaForConditionalGeneration,
     {"text_config": {"model_type": "llama", **decoder(2, 1, 6)},
      "vision_config": {"model_type": "clip_vision_model", "projection_dim": 2, **EYES},
      "image_token_index": 46}, dtype="float16")
# As newer releases name its parts.
case("qwen2_nested", T.LlavaForConditionalGeneration,
     {"text_config": {"model_type": "qwen2", **decoder(2, 1, 6)},
      "vision_config": {"model_type": "siglip_vision_model", **EYES},
      "image_token_index": 46}, dtype="bfloat16",
     names={"language_model.model.": "model.language_model.",
            "language_model.lm_head.": "lm_head.", "vision_tower.": "model.vision_tower.",
            "multi_modal_projector.": "model.multi_modal_projector."})
case("mistral_nested", T.Mistral3ForConditionalGeneration,
     {"text_config": {"model_type": "mistral", **decoder(2, 1, 6, sliding_window=4)},
      "vision_config": {"model_type": "pixtral", **EYES},
      "tie_word_embeddings": True, "image_token_index": 46}, dtype="bfloat16")
case("phi3", T.Phi3ForCausalLM,
     decoder(2, 1, 12, partial_rotary_factor=0.5, sliding_window=None), style=4,
     dtype="float16")
case("phi3_window", T.Phi3Model, decoder(4, 2, 6, sliding_window=4), dtype="bfloat16")
case("starcoder2", T.Starcoder2ForCausalLM,
     decoder(4, 2, 6, sliding_window=4, norm_epsilon=1e-4), style=4, dtype="float16")
case("starcoder2_bare", T.Starcoder2Model, decoder(3, 1, 6, use_bias=False), dtype="bfloat16")
case("phimoe", T.PhimoeForCausalLM,
     decoder(3, 1, 6, num_local_experts=5, sliding_window=4, attention_bias=True,
             lm_head_bias=True, router_jitter_noise=0.3, rms_norm_eps=1e-3), style=4,
     dtype="float16")
# For GGUF, which has no key of the jitter, nor of the head's bias, which could not be missed.
case("phimoe_base", T.PhimoeForCausalLM,
     decoder(3, 1, 6, num_local_experts=3, sliding_window=4, attention_bias=True,
             rms_norm_eps=1e-3, intermediate_size=16), style=4,
     dtype="float16")
# More tokens than the original positions; the second run has fewer.
case("phimoe_longrope", T.PhimoeModel,
     decoder(2, 2, 8, num_local_experts=2, rope_parameters={
         "rope_type": "longrope", "rope_theta": 1000.0, "short_mscale": 1.1,
         "long_mscale": 1.4, "short_factor": [1.0, 1.1, 1.3, 1.6],
         "long_factor": [1.0, 2.0, 4.0, 7.5], "original_max_position_embeddings": 10}),
     dtype="bfloat16")
case("smollm3", T.SmolLM3ForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=3, no_rope_layers=[1, 0, 1], use_sliding_window=True,
             sliding_window=4), style=4, dtype="float16", edit=without("layer_types"))
case("smollm3_interval", T.SmolLM3Model,
     decoder(2, 1, 8, no_rope_layer_interval=2, attention_bias=True, mlp_bias=True),
     style="diff", dtype="bfloat16", edit=without("no_rope_layers", "layer_types"))
case("smollm3_four", T.SmolLM3ForCausalLM, decoder(2, 2, 6, num_hidden_layers=4), style="diff",
     dtype="float16", edit=without("no_rope_layers", "layer_types"))
case("exaone4", T.Exaone4ForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=4, sliding_window=4, head_dim=8), style=4,
     dtype="float16", edit=without("layer_types"))
case("exaone4_open", T.Exaone4Model,
     decoder(2, 1, 8, sliding_window=None, layer_types=["full_attention"] * 2),
     dtype="bfloat16")
case("granite", T.GraniteForCausalLM,
     decoder(4, 2, 6, embedding_multiplier=2.5, attention_multiplier=0.3,
             residual_multiplier=0.7, logits_scaling=1.7), style=4, dtype="float16")
case("granite_plain", T.GraniteModel, decoder(3, 1, 6, attention_bias=True, mlp_bias=True),
     style="diff", dtype="bfloat16")
case("granitemoe", T.GraniteMoeForCausalLM,
     decoder(4, 2, 6, embedding_multiplier=2.5, attention_multiplier=0.3,
             residual_multiplier=0.7, logits_scaling=1.7, num_local_experts=5,
             num_experts_per_tok=3, intermediate_size=10), dtype="float16")
case("gpt_oss", T.GptOssForCausalLM,
     decoder(4, 2, 6, head_dim=8, num_local_experts=5, num_experts_per_tok=2,
             intermediate_size=10, sliding_window=4, swiglu_limit=1.5, rope_parameters={
                 "rope_type": "yarn", "rope_theta": 900.0, "factor": 8.0, "beta_fast": 4.0,
                 "beta_slow": 1.0, "truncate": False,
                 "original_max_position_embeddings": 10}),
     style=4, dtype="float16", edit=without("layer_types"))
case("gpt_oss_plain", T.GptOssModel,
     decoder(2, 1, 8, head_dim=6, num_local_experts=3, num_experts_per_tok=3,
             intermediate_size=8, attention_bias=False, sliding_window=3), style="diff",
     dtype="bfloat16", edit=without("layer_types"))
# For GGUF, which has no key of a limit: experts of as many bits as the published ones.
case("gpt_oss_mxfp4", T.GptOssForCausalLM,
     decoder(4, 2, 8, num_local_experts=3, num_experts_per_tok=2, intermediate_size=32,
             sliding_window=4, head_dim=8, rope_parameters={
                 "rope_type": "yarn", "rope_theta": 900.0, "factor": 8.0, "beta_fast": 4.0,
                 "beta_slow": 1.0, "truncate": False,
                 "original_max_position_embeddings": 10}),
     dtype="bfloat16", edit=without("layer_types"), weights=four_bits)
case("minicpm3", T.MiniCPM3ForCausalLM,
     decoder(3, 3, 8, q_lora_rank=10, kv_lora_rank=14, qk_nope_head_dim=6, qk_rope_head_dim=4,
             v_head_dim=5, scale_emb=3, scale_depth=0.8, dim_model_base=9, rms_norm_eps=1e-3),
     style=4, dtype="float16")
case("minicpm3_base", T.MiniCPM3ForCausalLM,
     decoder(3, 3, 6, q_lora_rank=10, kv_lora_rank=14, qk_nope_head_dim=6, qk_rope_head_dim=4,
             v_head_dim=6), style="diff", dtype="float16")
case("minicpm3_plain", T.MiniCPM3Model,
     decoder(2, 2, 6, q_lora_rank=None, kv_lora_rank=10, qk_nope_head_dim=4, qk_rope_head_dim=2,
             scale_depth=None, dim_model_base=None), dtype="bfloat16",
     edit=with_keys(scale_depth=None, dim_model_base=None, q_lora_rank=None))
case("nemotron", T.NemotronForCausalLM,
     decoder(4, 2, 6, norm_eps=1e-3, head_dim=8), style="diff", dtype="float16")
case("nemotron_bias", T.NemotronModel,
     decoder(3, 1, 8, attention_bias=True, mlp_bias=True, hidden_act="silu", rope_parameters={
         "rope_type": "default", "rope_theta": 700.0, "partial_rotary_factor": 0.25}), style=4,
     dtype="bfloat16")
case("olmo", T.OlmoForCausalLM, decoder(4, 2, 6, clip_qkv=0.7), style=4, dtype="float16")
case("olmo_open", T.OlmoModel, decoder(3, 1, 6, attention_bias=True), style="diff",
     dtype="bfloat16")
case("olmo2", T.Olmo2ForCausalLM, decoder(4, 2, 6), style="diff", dtype="float16")
case("olmo3", T.Olmo3ForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=4, sliding_window=4, rope_parameters={
         "full_attention": {"rope_type": "yarn", "rope_theta": 1000.0, "factor": 4.0,
                            "beta_fast": 4.0, "original_max_position_embeddings": 10},
         "sliding_attention": {"rope_type": "default", "rope_theta": 300.0}}),
     dtype="float16", edit=without("layer_types"))
case("olmo3_old", T.Olmo3Model,
     decoder(2, 1, 8, num_hidden_layers=2, sliding_window=3, attention_bias=True,
             layer_types=["full_attention", "sliding_attention"]), style="diff", dtype="bfloat16",
     edit=lambda c: (without("rope_parameters")(c), with_keys(rope_theta=2000.0)(c)))
case("olmoe", T.OlmoeForCausalLM,
     decoder(4, 2, 6, num_experts=5, num_experts_per_tok=2, intermediate_size=10, clip_qkv=0.8,
             norm_topk_prob=True), style=4, dtype="float16")
case("olmoe_open", T.OlmoeModel,
     decoder(2, 2, 6, num_experts=3, num_experts_per_tok=1, intermediate_size=12,
             attention_bias=True), style="diff", dtype="bfloat16")
case("stablelm", T.StableLmForCausalLM,
     decoder(4, 2, 8, qk_layernorm=True, use_qkv_bias=True), style="diff", dtype="float16")
case("stablelm_parallel", T.StableLmModel,
     decoder(3, 3, 8, use_parallel_residual=True, qk_layernorm=True, rope_parameters={
         "rope_type": "default", "rope_theta": 700.0, "partial_rotary_factor": 0.5}), style=4,
     dtype="bfloat16")
case("glm", T.GlmForCausalLM,
     decoder(4, 2, 6, head_dim=8, rope_parameters={
         "rope_type": "default", "rope_theta": 1000.0, "partial_rotary_factor": 0.75}),
     dtype="float16")
case("glm_plain", T.GlmModel, decoder(2, 1, 8, head_dim=8, attention_bias=False), style=4,
     dtype="bfloat16")
case("glm4", T.Glm4ForCausalLM, decoder(3, 1, 8, head_dim=8), style="diff", dtype="float16")

# Chunks where queries are rotated, a temperature where they are not; experts by a list, by steps.
case("llama4_text", T.Llama4ForCausalLM,
     decoder(4, 2, 5, head_dim=6, num_hidden_layers=3, attention_chunk_size=4, floor_scale=3,
             attn_scale=0.4, no_rope_layers=[1, 0, 1], intermediate_size=8, moe_layers=[1],
             intermediate_size_mlp=14, num_local_experts=4, num_experts_per_tok=2), style=4,
     dtype="float16")
case("llama4_text_plain", T.Llama4ForCausalLM,
     decoder(2, 1, 8, head_dim=8, num_hidden_layers=2, attention_chunk_size=5,
             no_rope_layer_interval=2, interleave_moe_layer_step=2, use_qk_norm=False,
             attn_temperature_tuning=False, intermediate_size=6, intermediate_size_mlp=10,
             num_local_experts=2, attention_bias=True, tie_word_embeddings=True), style="diff",
     dtype="bfloat16", edit=without("layer_types", "no_rope_layers", "moe_layers"))
# As large models are, as GGUF has them: chunks longer than the text, each fourth layer without rope.
case("llama4_text_wide", T.Llama4TextModel,
     decoder(2, 1, 4, head_dim=4, num_hidden_layers=4, interleave_moe_layer_step=2,
             intermediate_size=6, intermediate_size_mlp=8, num_local_experts=2), style="diff",
     dtype="float16", edit=without("layer_types", "no_rope_layers", "moe_layers"))
# Pictures and text as they are published: the text's part under its own key and prefix.
case("llama4", T.Llama4ForConditionalGeneration,
     {"text_config": {**decoder(2, 2, 6, head_dim=6, attention_chunk_size=4, floor_scale=2,
                                no_rope_layers=[0, 1], intermediate_size=6, num_local_experts=2),
                      "num_hidden_layers": 2},
      "vision_config": {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1,
                        "intermediate_size": 4, "image_size": 4, "patch_size": 2,
                        "vision_output_dim": 4, "projector_input_dim": 4,
                        "projector_output_dim": 4}}, dtype="float16")
# Layers that convolve; layer_types, or the list that came before it.
case("lfm2", T.Lfm2ForCausalLM,
     decoder(4, 2, 6, num_hidden_layers=4, conv_bias=True, conv_L_cache=3, block_multiple_of=4,
             layer_types=["conv", "full_attention", "conv", "full_attention"]), style=4,
     dtype="float16", edit=lambda c: (without("layer_types")(c),
                                      with_keys(full_attn_idxs=[1, 3], block_ff_dim=30,
                                                intermediate_size=99)(c)))
case("lfm2_base", T.Lfm2Model,
     decoder(3, 3, 8, num_hidden_layers=3, conv_L_cache=4, block_auto_adjust_ff_dim=False,
             layer_types=["full_attention", "conv", "conv"]), style="diff", dtype="bfloat16")
# Layers of the gated delta rule; heads whose outputs are gated.
DELTA = {"linear_conv_kernel_dim": 3, "linear_key_head_dim": 4, "linear_value_head_dim": 3,
         "moe_intermediate_size": 6, "shared_expert_intermediate_size": 5, "num_experts": 3}
case("qwen3_next", T.Qwen3NextForCausalLM,
     decoder(4, 2, 6, head_dim=8, num_hidden_layers=3, linear_num_key_heads=2,
             linear_num_value_heads=4, num_experts_per_tok=2, mlp_only_layers=[2], **DELTA,
             layer_types=["linear_attention", "full_attention", "linear_attention"]), style=4,
     dtype="float16")
case("qwen3_next_plain", T.Qwen3NextModel,
     decoder(2, 1, 8, head_dim=8, linear_num_key_heads=1, linear_num_value_heads=1,
             num_experts_per_tok=1, norm_topk_prob=False, attention_bias=True,
             **{**DELTA, "linear_conv_kernel_dim": 1}, full_attention_interval=2), style="diff",
     dtype="bfloat16", edit=lambda c: (without("layer_types")(c),
                                       with_keys(full_attention_interval=2)(c)))


def latent(heads, **more):
    return decoder(heads, heads, 6, q_lora_rank=10, kv_lora_rank=14, qk_nope_head_dim=6,
                   qk_rope_head_dim=4, v_head_dim=9, n_routed_experts=6,
                   moe_intermediate_size=8, n_shared_experts=2, num_experts_per_tok=2,
                   first_k_dense_replace=1, rms_norm_eps=1e-3, **more)


YARN = {"rope_type": "yarn", "factor": 8.0, "rope_theta": 5000.0, "mscale": 0.7,
        "mscale_all_dim": 1.3, "beta_fast": 4, "original_max_position_embeddings": 12}
case("deepseek_v2", T.DeepseekV2ForCausalLM,
     {**latent(3, rope_parameters=dict(YARN), topk_method="group_limited_greedy", n_group=3,
               topk_group=2, routed_scaling_factor=2.0, attention_bias=True,
               norm_topk_prob=True), "num_experts_per_tok": 3}, style=4, dtype="float16")
case("deepseek_v2_plain", T.DeepseekV2ForCausalLM,
     {**latent(2, topk_method="greedy"), "q_lora_rank": None, "first_k_dense_replace": 0},
     dtype="bfloat16")
# The file's third layer is beyond the configuration, as layers for further tokens are.
case("deepseek_v3", T.DeepseekV3ForCausalLM,
     {**latent(3, rope_parameters=dict(YARN), n_group=3, topk_group=2),
      "num_hidden_layers": 3}, style=4, dtype="float16",
     edit=with_keys(num_hidden_layers=2))
# For GGUF, which has one key for both.
case("deepseek_v3_mscale", T.DeepseekV3ForCausalLM,
     latent(3, rope_parameters={**YARN, "mscale_all_dim": 0.7}, n_group=3, topk_group=2),
     dtype="float16")
case("deepseek_v3_halves", T.DeepseekV3Model,
     {**latent(2, n_group=2, topk_group=1, rope_interleave=False, attention_bias=True,
               norm_topk_prob=False), "q_lora_rank": None, "n_shared_experts": 1},
     dtype="bfloat16")


# ---- encoder-decoders ----

case("t5", T.T5ForConditionalGeneration,
     {"vocab_size": 47, "d_model": 18, "d_kv": 5, "d_ff": 22, "num_layers": 2,
      "num_decoder_layers": 3, "num_heads": 3, "relative_attention_num_buckets": 6,
      "relative_attention_max_distance": 9, "tie_word_embeddings": True}, style="diff",
     dtype="float16")
case("t5_plain", T.T5ForConditionalGeneration,
     {"vocab_size": 43, "d_model": 12, "d_kv": 4, "d_ff": 14, "num_layers": 1, "num_heads": 2,
      "num_decoder_layers": 2}, style=4, dtype="float16")
case("t5_gated", T.T5ForConditionalGeneration,
     {"vocab_size": 43, "d_model": 16, "d_kv": 8, "d_ff": 20, "num_layers": 2, "num_heads": 2,
      "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}, style=4,
     dtype="bfloat16")

case("mt5", T.MT5ForConditionalGeneration,
     {"vocab_size": 43, "d_model": 12, "d_kv": 4, "d_ff": 14, "num_layers": 1, "num_heads": 2,
      "num_decoder_layers": 2}, style="diff", dtype="float16")
case("t5_encoder", T.T5EncoderModel,
     {"vocab_size": 43, "d_model": 12, "d_kv": 4, "d_ff": 14, "num_layers": 2, "num_heads": 3,
      "num_decoder_layers": 2}, dtype="float16")


def bart(width, **more):
    return {"vocab_size": 47, "d_model": width, "encoder_layers": 2, "decoder_layers": 2,
            "encoder_ffn_dim": 18, "decoder_ffn_dim": 26, "max_position_embeddings": 24,
            "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
            "decoder_start_token_id": 2, "forced_eos_token_id": 2, **more}


def prophet(width, **more):
    return {"vocab_size": 39, "hidden_size": width, "num_encoder_layers": 2,
            "num_decoder_layers": 3, "encoder_ffn_dim": 22, "decoder_ffn_dim": 18,
            "max_position_embeddings": 24, "pad_token_id": 0, "decoder_start_token_id": 2,
            "num_buckets": 6, "relative_max_distance": 5, **more}


case("bart", T.BartForConditionalGeneration,
     bart(12, encoder_attention_heads=4, decoder_attention_heads=3, scale_embedding=True,
          activation_function="relu"), style=4, dtype="float16")
case("bart_base", T.BartModel,
     bart(12, encoder_attention_heads=2, decoder_attention_heads=2, encoder_layers=1),
     dtype="bfloat16", strip="model.")
case("mbart", T.MBartForConditionalGeneration,
     bart(12, encoder_attention_heads=3, decoder_attention_heads=3, scale_embedding=True),
     dtype="float16")
case("led", T.LEDForConditionalGeneration,
     {**{k: v for k, v in bart(12, encoder_attention_heads=2, decoder_attention_heads=3,
                               attention_window=[8, 4], max_encoder_position_embeddings=24,
                               max_decoder_position_embeddings=14).items()
         if k != "max_position_embeddings"}}, style=4, dtype="float16", globals=[[0, 7], [2]])
case("pegasus", T.PegasusForConditionalGeneration,
     bart(12, encoder_attention_heads=2, decoder_attention_heads=3, scale_embedding=True,
          activation_function="relu"), style=4, dtype="float16")
case("blenderbot", T.BlenderbotForConditionalGeneration,
     bart(18, encoder_attention_heads=3, decoder_attention_heads=2, encoder_layers=1),
     dtype="bfloat16")
case("blenderbot_small", T.BlenderbotSmallForConditionalGeneration,
     bart(12, encoder_attention_heads=2, decoder_attention_heads=3, scale_embedding=True),
     style=4, dtype="float16")
case("blenderbot_small_base", T.BlenderbotSmallModel,
     bart(16, encoder_attention_heads=2, decoder_attention_heads=2, encoder_layers=1),
     style="diff", dtype="bfloat16")
case("m2m_100", T.M2M100ForConditionalGeneration,
     bart(12, encoder_attention_heads=3, decoder_attention_heads=2), style=4, dtype="float16",
     ids=[9, 1, 8, 7, 1, 5])
case("m2m_100_base", T.M2M100Model,
     bart(16, encoder_attention_heads=2, decoder_attention_heads=2, scale_embedding=False,
          activation_function="gelu"), style="diff", dtype="bfloat16")
case("prophetnet", T.ProphetNetForConditionalGeneration,
     prophet(12, num_encoder_attention_heads=3, num_decoder_attention_heads=2), style=4,
     dtype="float16")
case("prophetnet_base", T.ProphetNetModel,
     prophet(16, num_encoder_attention_heads=2, num_decoder_attention_heads=4,
             num_decoder_layers=1, pad_token_id=3, num_buckets=4, relative_max_distance=7,
             activation_function="relu", ngram=1), style="diff", dtype="bfloat16", length=17)
case("marian", T.MarianMTModel,
     bart(20, encoder_attention_heads=2, decoder_attention_heads=4, decoder_layers=1,
          activation_function="swish", scale_embedding=True), style=4, dtype="bfloat16")
case("marian_two_vocabs", T.MarianMTModel,
     {**bart(12, encoder_attention_heads=2, decoder_attention_heads=2, encoder_layers=1,
             share_encoder_decoder_embeddings=False, decoder_vocab_size=37),
      "vocab_size": 31}, dtype="float16")
# The library stores the tables of sines with a model without a head.
case("marian_bare", T.MarianModel,
     {**bart(12, encoder_attention_heads=2, decoder_attention_heads=2, decoder_layers=1,
             share_encoder_decoder_embeddings=False, decoder_vocab_size=37),
      "vocab_size": 31}, style="diff", dtype="float32")


def sound(**more):
    return {"d_model": 12, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 18,
            "decoder_ffn_dim": 26, "encoder_attention_heads": 3, "decoder_attention_heads": 2,
            "num_mel_bins": 5, "max_source_positions": 9, "max_target_positions": 14,
            "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1,
            "decoder_start_token_id": 2, "begin_suppress_tokens": None, **more}


def sound_tokens():
    """As whisper's: the template begins with the token that the decoder starts with."""
    t = byte_pairs(["<|pad|>", "<|endoftext|>", "<|startoftranscript|>", "<|notimestamps|>"])
    t.post_processor = processors.TemplateProcessing(
        single="<|startoftranscript|> <|notimestamps|> $A <|endoftext|>",
        pair="<|startoftranscript|> <|notimestamps|> $A $B:1 <|endoftext|>:1",
        special_tokens=[(n, t.token_to_id(n)) for n in
                        ("<|startoftranscript|>", "<|notimestamps|>", "<|endoftext|>")])
    return t


# The library reads scale_embedding, and does not use it.
case("whisper", T.WhisperForConditionalGeneration,
     sound(vocab_size=300, scale_embedding=True, activation_function="relu"), style=4,
     dtype="float16", tokens=sound_tokens)
case("whisper_base", T.WhisperModel,
     sound(vocab_size=31, encoder_layers=1, decoder_layers=1, num_mel_bins=7,
           max_source_positions=40), style="diff", dtype="bfloat16")

# ---- waveforms ----

def wave(**more):
    return {"vocab_size": 9, "hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3,
            "intermediate_size": 22, "conv_dim": [5, 7, 8], "conv_kernel": [5, 3, 2],
            "conv_stride": [3, 2, 1], "num_conv_pos_embeddings": 4,
            "num_conv_pos_embedding_groups": 2, "pad_token_id": 0, **more}


# Tensors as they were called before torch 2; the norm of the first convolution over all rows.
case("wav2vec2", T.Wav2Vec2ForCTC, wave(), style=4, dtype="float16", shapes=[(98,), (23,)],
     names={"parametrizations.weight.original0": "weight_g",
            "parametrizations.weight.original1": "weight_v"})
# A norm after each, biases, layers that norm first, an odd kernel of positions; one row.
case("wav2vec2_stable", T.Wav2Vec2ForAudioFrameClassification,
     wave(do_stable_layer_norm=True, feat_extract_norm="layer", conv_bias=True,
          feat_extract_activation="relu", hidden_act="gelu_new", num_conv_pos_embeddings=5,
          num_labels=3, layer_norm_eps=1e-3), style="diff", dtype="bfloat16",
     shapes=[(77,), (17,)],
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
# The width of the last convolution is the model's; the mean of a projection of all rows.
case("hubert", T.HubertForSequenceClassification,
     wave(conv_dim=[4, 12], conv_kernel=[4, 4], conv_stride=[3, 2], hidden_size=12,
          num_conv_pos_embeddings=1, num_conv_pos_embedding_groups=3, classifier_proj_size=5,
          feat_proj_layer_norm=False, num_labels=4), dtype="float16", shapes=[(64,), (37,)],
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(4)}))
case("hubert_base", T.HubertModel, wave(), style="diff", dtype="bfloat16", strip="hubert.",
     shapes=[(70,), (30,)])

# ---- pictures ----

case("vit", T.ViTForImageClassification,
     {"hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3,
      "intermediate_size": 22, "image_size": [8, 12], "patch_size": 4, "num_channels": 2,
      "qkv_bias": False, "hidden_act": "gelu_new", "num_labels": 5}, dtype="float16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(5)}))
case("deit", T.DeiTForImageClassification,
     {"hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3,
      "intermediate_size": 22, "image_size": [8, 12], "patch_size": 4, "qkv_bias": False,
      "num_labels": 3}, dtype="float16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
case("dinov2", T.Dinov2ForImageClassification,
     {"hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3, "mlp_ratio": 2,
      "image_size": 8, "patch_size": 4, "num_channels": 2, "num_labels": 3}, dtype="float16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
case("dinov2_swiglu", T.Dinov2Model,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_ratio": 3,
      "image_size": 12, "patch_size": 4, "use_swiglu_ffn": True, "qkv_bias": False}, style="diff",
     dtype="bfloat16")
# Pictures of other sizes: larger, with pixels left over, and smaller.
case("dinov2_sizes", T.Dinov2Model,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_ratio": 2,
      "image_size": 12, "patch_size": 4, "num_channels": 1}, dtype="float16",
     shapes=[(1, 22, 19), (1, 4, 8)])
# Biases of each layer; of all layers, with positions and the first row's class.
case("beit", T.BeitForImageClassification,
     {"hidden_size": 18, "num_hidden_layers": 2, "num_attention_heads": 3,
      "intermediate_size": 22, "image_size": 12, "patch_size": 4, "num_labels": 3,
      "use_relative_position_bias": True}, style=4, dtype="float16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
case("beit_first", T.BeitForImageClassification,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "intermediate_size": 16, "image_size": [8, 8], "patch_size": 4, "num_labels": 3,
      "use_shared_relative_position_bias": True, "use_relative_position_bias": True,
      "use_absolute_position_embeddings": True, "use_mean_pooling": False,
      "layer_scale_init_value": 0.0}, style="diff", dtype="bfloat16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))


def towers(text, picture, **more):
    """Both towers, of widths of their own; two runs of ids, then one of a picture."""
    sizes = {"num_hidden_layers": 2, "intermediate_size": 18}
    return {"text_config": {**sizes, "vocab_size": 44, "num_attention_heads": 2, "hidden_size": 12,
                            "max_position_embeddings": 15, **text},
            "vision_config": {**sizes, "num_attention_heads": 3, "hidden_size": 18,
                              "patch_size": 4, **picture}, **more}


case("clip", T.CLIPModel, towers({"bos_token_id": 0, "eos_token_id": 3, "pad_token_id": 1},
                                 {"image_size": 8}, projection_dim=4), style=4,
     dtype="float16")
# A head that reads the mean of all rows but the first, of all rows; each part alone, with names
# of its own and without.
case("clip_classes", T.CLIPForImageClassification,
     towers({}, {"image_size": 8, "hidden_act": "gelu"}, num_labels=3), dtype="bfloat16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
case("clip_vision_model", T.CLIPVisionModel,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "intermediate_size": 16, "image_size": 9, "patch_size": 4}, style="diff", dtype="float16")
case("siglip", T.SiglipModel, towers({"hidden_act": "gelu"}, {"image_size": 12}), style="diff",
     dtype="bfloat16")
case("siglip_classes", T.SiglipForImageClassification,
     towers({}, {"image_size": 12, "vision_use_head": False}, num_labels=3), dtype="float16",
     edit=with_keys(id2label={str(i): f"LABEL_{i}" for i in range(3)}))
case("siglip_text_model", T.SiglipTextModel,
     {"vocab_size": 43, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "intermediate_size": 16, "max_position_embeddings": 14}, style="diff", dtype="float16")
case("siglip_vision_model", T.SiglipVisionModel,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "intermediate_size": 16, "image_size": 8, "patch_size": 4, "num_channels": 1},
     dtype="bfloat16")
# A column and a row of pixels are left over.
case("vit_base", T.ViTModel,
     {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
      "intermediate_size": 16, "image_size": 10, "patch_size": 3}, style="diff",
     dtype="bfloat16")


# ---- weights ----

def spread(model, seed):
    """As make.py's, with norms round the value that leaves their input as it is."""
    g = torch.Generator().manual_seed(seed)
    kind = model.config.get_text_config().model_type
    plus_one = kind.startswith(("gemma", "nemotron", "qwen3_next")) and kind != "gemma3n_text"
    for name, p in model.named_parameters():
        norm = "norm" in name.lower() or ".ln_" in name or "ln_f" in name
        if model.config.model_type == "marian" and "embed_positions" in name:
            continue                    # sines
        if p.dim() > 1:
            kernel = p.dim() == 4 or ".conv" in name
            inputs = p[0].numel() if kernel else p.shape[-1]
            p.data = 1.3 * torch.randn(p.shape, generator=g) / inputs ** 0.5
        else:
            centre = 1.0 if norm and not name.endswith("bias") and (
                not plus_one or "linear_attn" in name) else 0.0
            p.data = centre + 0.2 * torch.randn(p.shape, generator=g)
    for name, b in model.named_buffers():
        if name.endswith("e_score_correction_bias"):
            b.data = 0.3 * torch.randn(b.shape, generator=g)
    model.tie_weights()


def store(folder, model, dtype, strip, shards, names):
    """The tensors as the library saves them, split by name where asked."""
    with tempfile.TemporaryDirectory() as room:
        model.to(dtype).save_pretrained(room)
        tensors = load_file(pathlib.Path(room) / "model.safetensors")
    tensors = {n.removeprefix(strip): t for n, t in tensors.items()}
    for part, other in names.items():
        tensors = {n.replace(part, other): t for n, t in tensors.items()}
    if shards == 1:
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
        return
    names, files = sorted(tensors), {}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = {n: tensors[n] for n in names[i::shards]}
        save_file(part, folder / file, {"format": "pt"})
        files.update({n: file for n in part})
    size = sum(t.numel() * t.element_size() for t in tensors.values())
    write_json(folder / "model.safetensors.index.json",
               {"metadata": {"total_size": size}, "weight_map": dict(sorted(files.items()))})


# ---- config.json ----

def style4(config):
    """Rotary positions and the type of the weights under the keys of transformers 4."""
    config["torch_dtype"] = config.pop("dtype")
    rope = config.pop("rope_parameters", None)
    if rope is not None:
        theta, share = rope.pop("rope_theta", None), rope.pop("partial_rotary_factor", None)
        names = {"gpt_neox": ("rotary_emb_base", "rotary_pct")}.get(
            config["model_type"], ("rope_theta", "partial_rotary_factor"))
        if theta is not None:
            config[names[0]] = theta
        if share is not None:
            config[names[1]] = share
        kind = rope.pop("rope_type")
        config["rope_scaling"] = None if kind == "default" else {"type": kind, **rope}
    config["transformers_version"] = "4.38.0"


def write_config(folder, model, dtype, style, edit):
    config = json.loads(json.dumps(model.config.to_dict()))
    if style == "diff":
        config = differing(config, type(model.config))
    config["architectures"] = [type(model).__name__]
    config["dtype"] = dtype
    for key in ("_name_or_path", "output_attentions", "output_hidden_states", "id2label",
                "label2id", "problem_type", "return_dict", "chunk_size_feed_forward",
                "is_encoder_decoder"):
        config.pop(key, None)
    if style == 4:
        style4(config)
    if edit:
        edit(config)
    write_json(folder / "config.json", config)


# ---- expected values ----

def once(build):
    """In 5.23.0 eager attention adds Falcon's ALiBi twice, the default attention once."""
    return lambda *args, **more: build(*args, **more) / 2


modeling_falcon.build_alibi_tensor = once(modeling_falcon.build_alibi_tensor)


def dense(bands, rows, n, tokens):
    """Longformer's attention as maps: columns of global tokens, then of the window, and the
    rows of global tokens apart."""
    maps = []
    for l, band in enumerate(bands):
        whole = torch.zeros(1, band.shape[1], n, n, dtype=band.dtype)
        half = (band.shape[-1] - len(tokens)) // 2
        for i in range(n):
            for k in range(2 * half + 1):
                if 0 <= i + k - half < n:
                    whole[:, :, i, i + k - half] = band[:, :, i, len(tokens) + k]
            for k, token in enumerate(tokens):
                whole[:, :, i, token] = band[:, :, i, k]
        for k, token in enumerate(tokens):
            whole[:, :, token] = rows[l][:, :, :n, k]
        maps.append(whole)
    return maps


def global_by_class(model, ids):
    """What the class makes global where it is not told."""
    if isinstance(model, T.LongformerForSequenceClassification):
        return [0]
    mask = modeling_longformer._compute_global_attention_mask(
        torch.tensor([ids]), model.config.sep_token_id)
    return [i for i, m in enumerate(mask[0]) if m]


def arguments(model, source, double):
    """A source is ids, or an array for a model that reads none."""
    if model.main_input_name == "input_ids":
        return {"input_ids": torch.tensor([source]), "attention_mask": torch.ones(1, len(source))}
    values = torch.tensor(source)[None]
    return {model.main_input_name: values.double() if double else values}


def tower_of(model, source):
    """Of two towers the one that reads it."""
    if not isinstance(model, (T.CLIPModel, T.SiglipModel)):
        return model
    return model.text_model if isinstance(source, list) else model.vision_model


def last_hidden(model, args):
    of_towers = (T.CLIPForImageClassification, T.SiglipForImageClassification)
    base = model.vision_model if isinstance(model, of_towers) else body(model)
    return base(**args).last_hidden_state


def body(model):
    """What gives hidden states; Llama 4 has another name for it than the class says."""
    if model.config.model_type.startswith("llama4"):
        text = getattr(model, "language_model", model)
        return getattr(text, "model", text)
    return model.base_model


def forward(model, source, double=False, tokens=None, types=None, boxes=None):
    double = double and model.config.model_type != "xglm"       # its mask is of float32
    model = model.double() if double else model.float()
    args = arguments(model, source, double)
    if types:
        args["token_type_ids"] = torch.tensor([types])
    if boxes:
        args["bbox"] = torch.tensor([boxes])
    longformer = model.config.model_type == "longformer"
    if tokens is not None:
        args["global_attention_mask"] = torch.tensor(
            [[int(i in tokens) for i in range(len(source))]])
    with torch.no_grad():
        out = model(**args, output_attentions=True, output_hidden_states=True)
        if longformer:
            hidden = out.hidden_states[-1]
            if tokens is None:
                tokens = global_by_class(model, source)
        else:
            hidden = last_hidden(model, args)
    model.float()
    logits = getattr(out, "logits", None)
    if isinstance(model, T.LongformerForSequenceClassification):
        logits = None
    attentions = dense(out.attentions, out.global_attentions, len(source),
                       tokens) if longformer else out.attentions
    return ([a.numpy() for a in attentions], hidden.numpy(),
            None if logits is None else logits.numpy())


def is_short(config, n):
    """BigBird looks at all of such a text."""
    return n <= (5 + 2 * config.num_random_blocks) * config.block_size


def for_text(model, folder, n):
    """The library turns BigBird to full attention for a short text, for good, and then
    returns no attentions; loaded that way it does."""
    if model.config.model_type != "big_bird" or not is_short(model.config, n):
        return model
    return type(model).from_pretrained(folder, dtype=torch.float32,
                                       attention_type="original_full").eval()


def with_copies(config, attentions, n):
    """BigBird's weights of the values: the first block counts once more for each block
    that would be random."""
    sums, block, copies = ([a[0].copy() for a in attentions], config.block_size,
                           1 + config.num_random_blocks)
    if not is_short(config, n):
        for a in sums:
            a[:, block:(n - 1) // block * block, :block] *= copies
    assert all(np.abs(a.sum(-1) - 1).max() < 1e-5 for a in sums)
    return {f"eff.{l}": a for l, a in enumerate(sums)}


def prophet_arrays(arrays, n):
    """The library gives scores of the encoder's and of cross-attention; logits are of its
    streams of n-grams."""
    for key, value in arrays.items():
        if key.startswith(("attn.", "cross.")):
            arrays[key] = torch.softmax(value[..., :n if key[0] == "c" else None, :], -1)
    arrays.pop("logits_last", None)


def forward_both(model, source, target, double=False, tokens=None):
    """The arrays of the three stacks, as float32."""
    model = model.double() if double else model.float()
    args = {**arguments(model, source, double), "decoder_input_ids": torch.tensor([target])}
    if model.config.model_type == "prophetnet":         # its cache is as deep as the encoder
        args["use_cache"] = False
    if tokens is not None:
        args["global_attention_mask"] = torch.tensor(
            [[int(i in tokens) for i in range(len(source))]])
    base = model.base_model if hasattr(model, "base_model") else model
    with torch.no_grad():
        out = model(**args, output_attentions=True)
        seen = {}
        hook = model.get_decoder().register_forward_hook(
            lambda m, i, o: seen.update(hidden=o.last_hidden_state))
        base(**args)
        hook.remove()
    model.float()
    arrays = {"enc_hidden": out.encoder_last_hidden_state, "hidden": seen["hidden"]}
    encoder = out.encoder_attentions
    if tokens is not None:
        encoder = dense(encoder, out.encoder_global_attentions, len(source), tokens)
        arrays["enc_hidden"] = arrays["enc_hidden"][:, :len(source)]
    n_keys = len(source) if isinstance(source, list) else None      # some texts are padded
    for name, stack in (("attn", encoder), ("dec", out.decoder_attentions),
                        ("cross", [a[..., :n_keys] for a in out.cross_attentions])):
        arrays.update({f"{name}.{l}": a for l, a in enumerate(stack)})
    if getattr(out, "logits", None) is not None:
        arrays["logits_last"] = out.logits[:, -1]
    if model.config.model_type == "prophetnet":
        prophet_arrays(arrays, len(target))
    return {k: v[0].numpy() for k, v in arrays.items()}


def stacks_of(model, ids, other, tokens):
    """The arrays of a run, and how far float32 is from float64 in each."""
    found, exact = (forward_both(model, ids, other, double, tokens) for double in (False, True))
    return found, {k: float(np.abs(v - exact[k]).max()) for k, v in found.items()}


def described(model, i, source, arrays):
    """A run of expected.json, without its results; an array that it reads goes to arrays."""
    model = tower_of(model, source)
    if model.main_input_name == "input_ids":
        return {"id": f"r{i}", "input_ids": source}
    arrays[f"r{i}.{model.main_input_name}"] = source
    return {"id": f"r{i}"}


def expect_both(folder, name, kind, sources, starts, tokens):
    model = kind.from_pretrained(folder, attn_implementation="eager",
                                 dtype=torch.float32).eval()
    runs, arrays, worst = [], {}, {"attn": 0.0, "hidden": 0.0}
    start = getattr(model.config, "decoder_start_token_id", None) or 0
    for i, source in enumerate(sources):
        target = [start, *starts[1 - i][:5]]
        said = None if tokens is None else tokens[i]
        values, off = stacks_of(model, source, target, said)
        for key, value in off.items():
            what = "attn" if key.split(".")[0] in ("attn", "dec", "cross") else "hidden"
            worst[what] = max(worst[what], value)
        arrays.update({f"r{i}.{k}": np.ascontiguousarray(v) for k, v in values.items()})
        runs.append({**described(model, i, source, arrays), "decoder_input_ids": target,
                     **({} if said is None else {"global_tokens": said}),
                     "arrays": [f"r{i}.{k}" for k in values]})
    write_expected(folder, name, model, kind, worst, runs)
    np.savez(folder / "expected.npz", **arrays)


def write_expected(folder, name, model, kind, worst, runs):
    attn = max(2e-5, 20 * worst["attn"])
    write_json(folder / "expected.json", {
        "case": name, "family": model.config.model_type
        if model.config.model_type in ("clip", "siglip")
        else model.config.get_text_config().model_type,
        "architecture": kind.__name__,
        "made_with": {"torch": torch.__version__.split("+")[0],
                      "transformers": T.__version__},
        "tolerance": {"attn_abs": attn,
                      "hidden_logits_abs": max(1e-4, 20 * worst["hidden"]),
                      "entropy_abs": 20 * attn},
        "f32_vs_f64_max_abs": worst, "runs": runs})


def boxes_of(model, n):
    """Lines of three tokens each; the last one's is as large as the tables have it."""
    last = model.config.max_2d_position_embeddings - 1
    boxes = [[i % 3, i // 3, i % 3 + 2 * (i % 2), i // 3 + 1] for i in range(n - 1)]
    return [*boxes, [0, 0, last, last]]


def of_layers(config, values):
    """The library returns attention of the layers that attend; arrays count all layers."""
    kinds = getattr(config.get_text_config(), "layer_types", None) or []
    attend = [l for l, kind in enumerate(kinds) if kind not in ("conv", "linear_attention")]
    if len(attend) == len(kinds):
        return values
    return {f"attn.{attend[int(k[5:])]}" if k.startswith("attn.") else k: v
            for k, v in values.items()}


def expect(folder, name, kind, sources, tokens, types, boxed):
    model = kind.from_pretrained(folder, attn_implementation="eager",
                                 dtype=torch.float32, experts_implementation="eager"
                                 if name.startswith(MIXTURES) else None).eval()
    runs, arrays, worst = [], {}, {"attn": 0.0, "hidden": 0.0}
    for i, source in enumerate(sources):
        said, given = None if tokens is None else tokens[i], types if i == 1 else None
        boxes = boxes_of(model, len(source)) if boxed and i == 1 else None
        used = tower_of(for_text(model, folder, len(source)), source)
        found, exact = (forward(used, source, double, said, given, boxes)
                        for double in (False, True))
        worst["attn"] = max([worst["attn"], *(float(np.abs(a - b).max())
                                              for a, b in zip(found[0], exact[0]))])
        for a, b in zip(found[1:], exact[1:]):
            if a is not None:
                worst["hidden"] = max(worst["hidden"], float(np.abs(a - b).max()))
        one_each = found[2] is not None and found[2].ndim == 2      # a discriminator
        values = of_layers(model.config, arrays_of(*found, True, one_each))
        del values["argmax"]
        if getattr(model.config, "attention_type", None) == "block_sparse":
            values.update(with_copies(model.config, found[0], len(source)))
        arrays.update({f"r{i}.{k}": np.ascontiguousarray(v) for k, v in values.items()})
        runs.append({**described(model, i, source, arrays),
                     **({"token_type_ids": given} if given else {}),
                     **({"bbox": boxes} if boxes else {}),
                     "arrays": [f"r{i}.{k}" for k in values]})
        if said is not None:
            runs[-1]["global_tokens"] = said
        elif model.config.model_type == "longformer":
            runs[-1]["global_tokens"] = global_by_class(model, source)
            runs[-1]["global_by_class"] = True
    write_expected(folder, name, model, kind, worst, runs)
    np.savez(folder / "expected.npz", **arrays)


def shape_of(config):
    """Of the array that a model of pictures or sound reads."""
    if config.model_type == "whisper":
        return config.num_mel_bins, 2 * config.max_source_positions
    config = getattr(config, "vision_config", config)
    size = config.image_size
    return config.num_channels, *(size if isinstance(size, list) else (size, size))


def ids_of(rng, n, vocab):
    return [int(i) for i in rng.integers(4, vocab, n)]


def make(folder, name):
    kind, values, how = CASES[name]
    seed = sum(name.encode())
    rng = np.random.default_rng(seed)
    dtype = how.get("dtype", "float32")
    model = kind(kind.config_class(**json.loads(json.dumps(values))))
    spread(model, seed)
    how.get("weights", lambda m: None)(model)
    store(folder, model, getattr(torch, dtype), how.get("strip", ""), how.get("shards", 1),
          how.get("names", {}))
    write_config(folder, model, dtype, how.get("style", 5), how.get("edit"))
    vocab = values.get("vocab_size", 44)
    ids = [how.get("first") or ids_of(rng, how.get("length", 11), vocab),
           how.get("ids") or ids_of(rng, 6, vocab)]
    sources = ids if model.main_input_name == "input_ids" else [
        rng.standard_normal(how["shapes"][i] if "shapes" in how else shape_of(model.config),
                            np.float32) for i in range(2)]
    if tower_of(model, None) is not model:
        sources = [*ids, rng.standard_normal(shape_of(model.config), np.float32)]
    if model.config.is_encoder_decoder:
        expect_both(folder, name, kind, sources, ids, how.get("globals"))
    else:
        expect(folder, name, kind, sources, how.get("globals"), how.get("types"),
               how.get("boxes"))
    if "vocab" in how:
        how["vocab"](folder)
    if "tokens" in how:
        how["tokens"]().save(str(folder / "tokenizer.json"))


def main(names):
    torch.set_num_threads(1)
    for name in names or CASES:
        kind = CASES[name][0]
        both = kind.config_class().is_encoder_decoder and "Encoder" not in kind.__name__
        folder = HERE / ("seq2seq" if both else "families") / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder, name)
        size = sum(f.stat().st_size for f in folder.iterdir())
        print(f"{name}: {size // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
