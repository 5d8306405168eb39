/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

/* transformers 5 saves the frequencies once, and with an asterisk for the layer. */
const struct family family_esm = {
    .name = "esm",
    .source = "Rives et al. 2021; Lin et al. 2023; transformers modeling_esm.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU,
    .quirks = &(const struct quirks){ .may_rotate = true, .emb_norm_by_config = true },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 33,
        .n_positions = 1026, .pad_id = 1, .token_dropout = { .mask_id = -1 },
        .norm = { .eps = 1e-12 }, .act = ACT_GELU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "esm." },
    .like = &family_roberta,
    .stack = { .name = {
        [W_TYPE] = "",
        [W_INV_FREQ]   = "rotary_embeddings.inv_freq|"
                         "encoder.layer.%d.attention.self.rotary_embeddings.inv_freq|"
                         "encoder.layer.*.attention.self.rotary_embeddings.inv_freq",
        [W_EMB_NORM]   = "embeddings.layer_norm",
        [W_ATT_NORM]   = "encoder.layer.%d.attention.LayerNorm",
        [W_MLP_NORM]   = "encoder.layer.%d.LayerNorm",
        [W_FINAL_NORM] = "encoder.emb_layer_norm_after",
    } },
};
