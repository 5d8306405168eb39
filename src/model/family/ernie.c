/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_ernie = {
    .name = "ernie",
    .source = "Sun et al. 2019; transformers modeling_ernie.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .n_tasks = 3, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "ernie." },
    .like = &family_bert,
    .stack = { .name = {
        [W_TASK] = "embeddings.task_type_embeddings",
    } },
};
