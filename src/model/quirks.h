/* SPDX-License-Identifier: MIT
 *
 * What one family does, or two of a line, and no other: only they and the code that does it
 * include this file.  A feature of more families belongs in struct family. */
#ifndef MODEL_QUIRKS_H
#define MODEL_QUIRKS_H

#include <stdbool.h>

#include "model/config.h"

struct family;

/* Slopes of ALiBi: see nn/bias.h. */
enum slopes { SLOPES_BELOW, SLOPES_ABOVE };

enum { QUIRKS_RULES = 3 };      /* at most; fewer end at a NULL */

/* Which tokens are global in a model of this class. */
struct class_rule {
    const char *class_name;     /* in architectures */
    enum global_rule rule;
};

struct quirks {
    /* embeddings and positions */
    bool norm_of_tokens;        /* blenderbot-small: W_EMB_NORM is of the tokens alone, before
                                   positions are added */
    bool never_scales;          /* its decoder: whatever scale_embedding says */
    bool proj_before_norm;      /* deberta: W_EMB_PROJ reads the sum before its norm */
    bool emb_norm_by_config;    /* esm: W_EMB_NORM only if the config says so */
    bool may_rotate;            /* esm: rotary positions instead of the table, if
                                   position_embedding_type is "rotary" */
    bool wave_norm_by_config;   /* hubert: W_EMB_NORM only if feat_proj_layer_norm says so */
    bool interpolates;          /* dinov2: W_POS, to the patches of a picture of another size */
    enum slopes slopes;         /* mpt */
    bool long_mscale;           /* phimoe: longrope has short_mscale and long_mscale */

    /* norms */
    bool norms_bare;            /* olmo: files have neither weights nor biases of norms */
    double bare_eps;            /* mobilebert: of W_EMB_NORM and W_MLP_NORM; 0: the config's */
    bool first_norm_absent;     /* modernbert: layer 0 has no W_ATT_NORM */
    bool residual_by_config;    /* bloom: the config may add the normed input to the sum */
    bool parallel_by_config;    /* stablelm: PLACE_PARALLEL with one norm, if the config says so */

    /* attention */
    bool never_masked;          /* convbert, mobilebert: whatever is_decoder says */
    bool may_see_both_ways;     /* gemma3: has use_bidirectional_attention */
    int full_first;             /* modernbert: layer l sees all if l % this == 0 */
    struct class_rule global_rule[QUIRKS_RULES];        /* longformer; else GLOBAL_NONE */
    bool attn_config;           /* mpt: attention's keys are in this object */
    bool norms_values;          /* gemma3n: x / rms(x) of each head of values, without weights */
    bool qk_norm_last;          /* llama4: queries and keys are normed, without weights, after
                                   they are rotated, in layers that rotate them */
    bool q_gated;               /* qwen3_next: W_Q gives each head's queries, then the gate of
                                   its output: y sigmoid(gate) */
    bool heads_apart;           /* xlnet: tensors may be [.., H, d] instead of [.., H d] */
    bool side_conv;             /* convbert: half of each head's columns are a convolution's, and
                                   heads are fewer by head_ratio: config/shape.c */

    /* mlps */
    bool fixed_act;             /* gpt-oss, lfm2: whatever the config says */
    bool mlp_by_config;         /* t5, mt5: MLP_PLAIN unless the config says gated */
    bool swiglu_by_config;      /* dinov2: the same of use_swiglu_ffn; F is D times mlp_ratio */
    bool widths_by_layer;       /* gemma3n: intermediate_size may be a list of equal numbers */
    bool dense_apart;           /* llama4: intermediate_size is of experts, intermediate_size_mlp
                                   of other mlps; moe_layers says which layers have experts */
    bool experts_in_pairs;      /* gpt-oss: outputs of W_EXPS_UP are gate, up, gate, up, ... */
    bool never_renormalise;     /* deepseek_v2: whatever norm_topk_prob says */
    bool always_renormalise;    /* gpt-oss, granitemoe: the same */

    /* heads, and what files hold besides */
    const char *headless;       /* prophetnet: why it has no logits */
    const char *one_number;     /* electra: the tensor of a head that gives one number a token */
    const char *head_class;     /* deit, vit: of a config that names no class with a head */
    bool pooler_by_config;      /* mobilebert: classifier_activation says whether the pooler has
                                   a dense layer */
    bool head_bias_unused;      /* reformer: the file has one, which the network does not add */
    bool spare_layers;          /* deepseek_v3: layers after the last predict further tokens */
};

/* The family's, or those of a family that has none. */
const struct quirks *quirks_of(const struct family *family);

#endif
