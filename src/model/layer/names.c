/* SPDX-License-Identifier: MIT
 * Names of tensors in bare layers, written by hand or by libraries: a row for each layout.  Two
 * with the same names are distinguished by the output projection, by shapes, or by an option. */
#include <string.h>

#include "model/layer/layer_priv.h"

const struct naming layer_naming[] = {
    { "the documents", { "q_linear", "k_linear", "v_linear", "output_linear" }, PROJ_WHOLE,
      .sure = true },
    { "ESPnet", { "linear_q", "linear_k", "linear_v", "linear_out" }, PROJ_WHOLE,
      .sure = true },
    { "TransformerLens", { "W_Q", "W_K", "W_V", "W_O" }, PROJ_WHOLE, .sure = true },
    { "the documents", { "q_linears", "k_linears", "v_linears", "output_linear" },
      PROJ_HEADS, .sure = true },
    { "torch.nn", { "q_proj", "k_proj", "v_proj", "out_proj" }, PROJ_TORCH, .sure = true },
    { "fairseq", { "q_proj", "k_proj", "v_proj", "out_proj" }, PROJ_WHOLE },
    { "a linear each", { "q_proj", "k_proj", "v_proj", "o_proj" }, PROJ_WHOLE },
    { "The Annotated Transformer", { "linears.0", "linears.1", "linears.2", "linears.3" },
      PROJ_WHOLE },
    { "nanoGPT, minGPT", { "c_attn", NULL, NULL, "c_proj" }, PROJ_FUSED, .causal = true },
    { "timm", { "qkv", NULL, NULL, "proj" }, PROJ_FUSED },
    { "UvA", { "qkv_proj", NULL, NULL, "o_proj" }, PROJ_FUSED_HEADS },
    { "Phi-3", { "qkv_proj", NULL, NULL, "o_proj" }, PROJ_FUSED },
    { "a linear each", { "W_Q", "W_K", "W_V", "fc" }, PROJ_WHOLE },
    { "a linear each", { "W_Q", "W_K", "W_V", "linear" }, PROJ_WHOLE },
    { "d2l.ai", { "W_q", "W_k", "W_v", "W_o" }, PROJ_WHOLE },
    { "a parameter each", { "Wq", "Wk", "Wv", "Wo" }, PROJ_WHOLE },
    { "a linear each", { "wq", "wk", "wv", "wo" }, PROJ_WHOLE },
    { "Raschka", { "W_query", "W_key", "W_value", "out_proj" }, PROJ_WHOLE, .causal = true },
    { "a linear each", { "q_linear", "k_linear", "v_linear", "out" }, PROJ_WHOLE },
    { "a linear each", { "q_linear", "k_linear", "v_linear", "out_linear" }, PROJ_WHOLE },
    { "a linear each", { "w_q", "w_k", "w_v", "w_concat" }, PROJ_WHOLE },
    { "a linear each", { "w_q", "w_k", "w_v", "w_o" }, PROJ_WHOLE },
    { "attention-is-all-you-need-pytorch", { "w_qs", "w_ks", "w_vs", "fc" }, PROJ_WHOLE },
    { "lucidrains", { "to_qkv", NULL, NULL, "to_out.0" }, PROJ_FUSED, .norm = "norm" },
    { "lucidrains", { "to_qkv", NULL, NULL, "to_out" }, PROJ_FUSED, .norm = "norm" },
    { "lucidrains", { "to_q", "to_kv", NULL, "to_out.0" }, PROJ_KV },
    { "lucidrains", { "to_q", "to_kv", NULL, "to_out" }, PROJ_KV },
    { "diffusers", { "to_q", "to_k", "to_v", "to_out.0" }, PROJ_WHOLE },
    { "lucidrains", { "to_q", "to_k", "to_v", "to_out" }, PROJ_WHOLE },
    { "Keras", { "query", "key", "value", "attention_output" }, PROJ_WHOLE },
    { "Flax", { "query", "key", "value", "out" }, PROJ_WHOLE },
    { "a linear each", { "q", "k", "v", "o" }, PROJ_WHOLE },
    { "a linear each", { "q", "k", "v", "out" }, PROJ_WHOLE },
    { "a linear each", { "q", "k", "v", "proj" }, PROJ_WHOLE },
    { NULL }
};

/* Of torch's and the documents' layers, whose norms have the same names. */
#define NORMS { "norm1", "norm2", "norm2", "norm3" }

const struct layout layer_layout[] = {
    { "torch.nn", "self_attn.", "multihead_attn.", NORMS, "linear1", "linear2", "norm",
      false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "the documents", "self_attn.", "cross_attn.", NORMS, "feed_forward.0",
      "feed_forward.3|feed_forward.2", "norm", false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "torch.nn", "self_attn.", "cross_attn.", NORMS, "linear1", "linear2", "norm", false,
      ACT_RELU, NORM_LAYER, 1e-5 },
    { "the documents", "self_attn.", "multihead_attn.", NORMS, "feed_forward.0",
      "feed_forward.3|feed_forward.2", "norm", false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "encoder_layers", "self_attn.", "cross_attn.", NORMS, "feed_forward.fc1",
      "feed_forward.fc2", NULL, false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "encoder_layers", "self_attn.", "cross_attn.", NORMS, "feed_forward.linear1",
      "feed_forward.linear2", NULL, false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "encoder_layers", "self_attn.", "cross_attn.", NORMS, "feed_forward.w_1",
      "feed_forward.w_2", NULL, false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "The Annotated Transformer", "self_attn.", "src_attn.",
      { "sublayer.0.norm", "sublayer.1.norm", "sublayer.1.norm", "sublayer.2.norm" },
      "feed_forward.w_1", "feed_forward.w_2", "norm", true, ACT_RELU, NORM_DEVIATION, 1e-6 },
    { "UvA", "self_attn.", NULL, NORMS, "linear_net.0", "linear_net.3", NULL, false,
      ACT_RELU, NORM_LAYER, 1e-5 },
    { "fairseq", "self_attn.", "encoder_attn.",
      { "self_attn_layer_norm", "final_layer_norm", "encoder_attn_layer_norm",
        "final_layer_norm" },
      "fc1", "fc2", "layer_norm", false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "nanoGPT, minGPT", "attn.", NULL, { "ln_1", "ln_2" }, "mlp.c_fc", "mlp.c_proj", "ln_f",
      true, ACT_GELU, NORM_LAYER, 1e-5, true,
      "wte", "wpe", "lm_head" },
    { "timm", "attn.", NULL, { "norm1", "norm2" }, "mlp.fc1", "mlp.fc2", "norm", true,
      ACT_GELU, NORM_LAYER, 1e-6 },
    { "TransformerLens", "attn.", NULL, { "ln1", "ln2" }, "mlp.W_in", "mlp.W_out",
      "ln_final", true, ACT_GELU_TANH, NORM_LAYER, 1e-5 },
    { "Raschka", "att.", NULL, { "norm1", "norm2" }, "ff.layers.0", "ff.layers.2",
      "final_norm", true, ACT_GELU_TANH, NORM_LAYER, 1e-5, false, "tok_emb", "pos_emb",
      "out_head" },
    { "d2l.ai", "attention.", NULL, { "addnorm1.ln", "addnorm2.ln" }, "ffn.dense1",
      "ffn.dense2", NULL, false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "d2l.ai", "attention1.", "attention2.",
      { "addnorm1.ln", NULL, "addnorm2.ln", "addnorm3.ln" }, "ffn.dense1", "ffn.dense2", NULL,
      false, ACT_RELU, NORM_LAYER, 1e-5 },
    { "norm_1", "attn.", NULL, { "norm_1", "norm_2" }, "ff.linear_1", "ff.linear_2", "norm",
      true, ACT_RELU, NORM_DEVIATION, 1e-6 },
    { "norm_1", "attn_1.", "attn_2.", { "norm_1", NULL, "norm_2", "norm_3" }, "ff.linear_1",
      "ff.linear_2", "norm", true, ACT_RELU, NORM_DEVIATION, 1e-6 },
    { "w_concat", "attention.", NULL, { "norm1", "norm2" }, "ffn.linear1", "ffn.linear2",
      NULL, false, ACT_RELU, NORM_LAYER, 1e-12 },
    { "w_concat", "self_attention.", "enc_dec_attention.", NORMS, "ffn.linear1",
      "ffn.linear2", NULL, false, ACT_RELU, NORM_LAYER, 1e-12 },
    { "attention-is-all-you-need-pytorch", "slf_attn.", "enc_attn.",
      { "slf_attn.layer_norm", "pos_ffn.layer_norm", "enc_attn.layer_norm",
        "pos_ffn.layer_norm" },
      "pos_ffn.w_1", "pos_ffn.w_2", NULL, false, ACT_RELU, NORM_LAYER, 1e-6 },
    { "lucidrains", "0.", NULL, { "0.norm", "1.net.0" }, "1.net.1", "1.net.4|1.net.3", "norm",
      true, ACT_GELU, NORM_LAYER, 1e-5 },
    { NULL }
};
#undef NORMS

const char *const layer_unsupported[] = {
    "q_norm", "k_norm", "ls1.gamma", "ls2.gamma", "norm_q", "norm_k", "rotary_emb", NULL
};

const char *layer_name(struct arena *a, const char *scope, int l)
{
    const char *d = strstr(scope, "%d");

    return d == NULL ? scope : arena_printf(a, "%.*s%d%s", (int)(d - scope), scope, l, d + 2);
}
