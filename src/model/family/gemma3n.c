/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_gemma3n = {
    .name = "gemma3n_text",
    .source = "Gemma team 2025, Gemma 3n; Baykal et al. 2023, Alternating updates; Menghani et "
              "al. 2024, LAuReL; transformers modeling_gemma3n.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .scale_embedding = true, .gelu_is_tanh = true, .qk_norm = QK_NORM_HEAD,
    .window_rule = WINDOW_TYPES, .full_every = 5,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .spare = "altup.correct_output_scale",    /* where altup_correct_scale is false */
    .quirks = &(const struct quirks){ .norms_values = true, .widths_by_layer = true },
    .defaults = {
        .n_layers = 35, .n_heads = 8, .n_kv_heads = 2, .d_head = 256, .d_model = 2048,
        .d_ff = 16384, .n_vocab = 262400, .n_positions = 32768,
        .window = { .n_keys = 512, .used = true }, .norm = { .eps = 1e-6 },
        .head = { .cap = 30 }, .act = ACT_GELU_TANH,
        .streams = { .n = 4, .scaled = true, .d_skip = 64, .d_input = 256, .n_vocab = 262144,
                     .n_shared = 15 },
        .rotary = { .rope = { { .theta = 1e6 }, { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_gemma2,
    .stack = { .name = {
        [W_INPUT_TOK]      = "embed_tokens_per_layer",
        [W_INPUT_EMB]      = "per_layer_model_projection",
        [W_INPUT_EMB_NORM] = "per_layer_projection_norm",
        [W_STREAM_IN]      = "altup_projections.%d",
        [W_STREAM_OUT]     = "altup_unembed_projections.%d",
        [W_Q_NORM]         = "layers.%d.self_attn.q_norm",
        [W_K_NORM]         = "layers.%d.self_attn.k_norm",
        [W_SKIP_DOWN]      = "layers.%d.laurel.linear_left",
        [W_SKIP_UP]        = "layers.%d.laurel.linear_right",
        [W_SKIP_NORM]      = "layers.%d.laurel.post_laurel_norm",
        [W_MODE_NORM]      = "layers.%d.altup.router_norm",
        [W_MODES]          = "layers.%d.altup.modality_router",
        [W_PREDICT]        = "layers.%d.altup.prediction_coefs",
        [W_CORRECT]        = "layers.%d.altup.correction_coefs",
        [W_INPUT_SCALE]    = "layers.%d.altup.correct_output_scale",
        [W_INPUT_GATE]     = "layers.%d.per_layer_input_gate",
        [W_INPUT_PROJ]     = "layers.%d.per_layer_projection",
        [W_INPUT_NORM]     = "layers.%d.post_per_layer_input_norm",
    } },
};
