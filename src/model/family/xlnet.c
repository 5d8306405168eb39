/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

/* q, k, v, r and o are stored [D, H, d]. */
const struct family family_xlnet = {
    .name = "xlnet",
    .source = "Yang et al. 2019; transformers modeling_xlnet.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_NONE, .bias = BIAS_XL,
    .qkv = QKV_SEPARATE, .order = ORDER_IN_OUT_QKV,
    .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_HEAD] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){ .heads_apart = true },
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .n_vocab = 32000, .n_positions = 1 << 24,       /* no limit of its own */
        .relative = { .on = true, .clamp = -1 }, .front = { .conv_groups = 1 },
        .norm = { .eps = 1e-12 }, .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "word_embedding",
        [W_Q]          = "layer.%d.rel_attn.q",
        [W_K]          = "layer.%d.rel_attn.k",
        [W_V]          = "layer.%d.rel_attn.v",
        [W_Q_BIAS]     = "layer.%d.rel_attn.r_w_bias",
        [W_REL_K]      = "layer.%d.rel_attn.r",
        [W_REL_BIAS]   = "layer.%d.rel_attn.r_r_bias",
        [W_SEG]        = "layer.%d.rel_attn.seg_embed",
        [W_SEG_BIAS]   = "layer.%d.rel_attn.r_s_bias",
        [W_O]          = "layer.%d.rel_attn.o",
        [W_ATT_NORM]   = "layer.%d.rel_attn.layer_norm",
        [W_UP]         = "layer.%d.ff.layer_1",
        [W_DOWN]       = "layer.%d.ff.layer_2",
        [W_MLP_NORM]   = "layer.%d.ff.layer_norm",
        [W_HEAD]       = "lm_loss",
    } },
};
