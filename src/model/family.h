/* SPDX-License-Identifier: MIT
 *
 * A model family is a table: tensor names per slot, norms and their place, position
 * scheme, mask, activation, how q/k/v are fused, the order in which linears are stored.
 * Three separate levels: struct family (kinds and names, const data), struct config
 * (numbers, filled by one table of keys), struct layer_plan (all that varies by layer,
 * resolved once by plan.c).  The forward pass reads the first and the last; nothing else
 * depends on a family's name. */
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include <stdbool.h>

#include "model/config.h"
#include "nn/rope.h"

/* Stacks of attention: cross-attention's rows are the decoder's, its keys the encoder's. */
enum stack_id { STACK_ENCODER, STACK_DECODER, STACK_CROSS, N_STACK };
extern const char *const family_stack_names[];     /* "encoder", "decoder", "cross", NULL */

/* Slots: the roles of tensors in a model.  The meaning of an empty slot is noted with it. */
enum slot {
    /* once per stack */
    W_TOK,                      /* embeddings of tokens; it, or the slot in its place (see enum */
    W_PATCH, W_CONV_1,          /* front), identifies the file's prefix */
    W_CLS, W_CONV_2,
    W_CLS_2,                    /* a second learned row, after W_CLS; empty: none */
    W_POS, W_TYPE,              /* embeddings of positions, of types */
    W_TASK,                     /* embeddings of tasks: the first row is used, if the config has
                                   tasks */
    W_BOX_X, W_BOX_Y,           /* embeddings of boxes: left and right, top and bottom; empty: no
                                   boxes */
    W_BOX_H, W_BOX_W,           /* embeddings of their heights and widths */
    W_INV_FREQ,                 /* inverse frequencies of rotary positions; empty: computed */
    W_AXIS_0, W_AXIS_1,         /* POS_AXIAL: rows and columns of the grid */
    W_TOK_PROJ,                 /* projection of each token, or of each with its neighbours, before
                                   positions; empty: none */
    W_EMB_NORM,                 /* empty: identity, as for every norm */
    W_EMB_PROJ,                 /* projection of the normed sum, or of the sum; empty: none */
    W_POS_CONV,                 /* convolution over the rows that is added to them as positions;
                                   empty: none */
    W_POS_CONV_SIZE,            /* norm of its weights at each tap (weight_g of weight norm) */
    W_POS_CONV_BIAS,
    W_POS_CONV_NORM,            /* of that sum; empty in PLACE_PRE */
    W_FINAL_NORM,
    W_FINAL_PROJ,               /* empty: none */
    W_HEAD_DENSE, W_HEAD_NORM,  /* the transform before a masked-language head */
    W_HEAD,                     /* empty: the token embedding (tied) */
    W_HEAD_REST,                /* the head's weights for columns of D beyond those of a narrower
                                   W_HEAD; empty: none */
    W_HEAD_BIAS,                /* heads of other tasks have their own names: head.h */
    W_REL,                      /* biases of position buckets [buckets, H] */
    W_GRID,                     /* biases of distances on a grid [DIM_GRID, H], in all layers; or
                                   empty */
    W_REL_TABLE,                /* embeddings of distances [2 span, D]; empty: sinusoids */
    W_REL_NORM,                 /* of those rows */
    W_CONV, W_CONV_NORM,        /* over the embeddings, added after layer 0 and normed;
                                   empty: none */
    W_INPUT_TOK,                /* layers' own inputs: second token embeddings, those of all layers
                                   side by side; */
    W_INPUT_EMB,                /* a projection of the embedding to all layers, */
    W_INPUT_EMB_NORM,           /* and its norm, layer by layer */
    /* once per stream except the first, see run/special/altup.h */
    W_STREAM_IN,                /* from the embedding to the stream */
    W_STREAM_OUT,               /* of the stream at the end */
    /* once per layer */
    W_IN, W_IN_NORM,            /* bottleneck: projection to the layer's narrower stream; empty: no
                                   bottleneck */
    W_READ, W_READ_NORM,        /* bottleneck: projection that queries and keys read; empty: see
                                   config.h */
    W_ATT_NORM,                 /* before attention, or after its sum: `norm_place` */
    W_ATT_OUT,                  /* norm of attention's output, before the sum */
    W_ATT_SCALE,                /* factor of that output, column by column; empty: 1 */
    W_Q, W_K, W_V,              /* QKV_SEPARATE */
    W_Q_GLOBAL, W_K_GLOBAL, W_V_GLOBAL,     /* the same for global rows (Longformer) */
    W_QKV,                      /* QKV_STACKED, QKV_GROUPED */
    W_Q_A, W_Q_A_NORM, W_Q_B,   /* QKV_LOW_RANK; W_Q where q_rank is 0 */
    W_KV_A, W_KV_A_NORM, W_KV_B,
    W_Q_BIAS, W_V_BIAS,         /* biases of queries and values with names of their own */
    W_REL_K, W_REL_Q,           /* projections of distances to keys, to queries */
    W_REL_BIAS,                 /* bias of queries in products with distances, for W_Q_BIAS */
    W_SEG, W_SEG_BIAS,          /* the same for two segments [2, H d]: the same, another */
    W_Q_NORM, W_K_NORM,         /* norms of queries and keys, before rotary positions */
    W_GRID_LAYER,               /* as W_GRID, for this layer, added to it */
    W_SINKS,                    /* attention sink: a logit per head that belongs to no key; empty:
                                   none */
    W_DISTANCE,                 /* relative position keys, by distance; empty: none */
    W_BUCKETS,                  /* from a row of the input to its biases of position buckets
                                   [buckets H]; empty: none */
    W_TAPS, W_TAPS_POINT,       /* ConvBERT's convolution (side_conv.h): column by column, */
    W_TAPS_BIAS,                /* then across them; empty: none */
    W_TAPS_ROW,                 /* from its output and the queries to the dynamic kernel */
    W_TAPS_VALUE,               /* values that this kernel is applied to */
    W_O,
    W_TAPS_O,                   /* the columns of W_O's tensor, which has no other name, that read
                                   the convolution's output */
    W_MIX_IN,                   /* replaces W_Q to W_O in layers without attention: see enum mixer
                                   */
    W_MIX_RATES,                /* MIXER_DELTA: learning rates and decay rates of heads */
    W_MIX_TAPS,                 /* kernel of its convolution over tokens, channel by channel */
    W_MIX_DECAY, W_MIX_STEP,    /* MIXER_DELTA: logarithm and offset of the decay rate */
    W_MIX_NORM,                 /* norm of a head's output */
    W_MIX_OUT,
    W_CROSS_NORM,               /* the same for cross-attention */
    W_CROSS_Q, W_CROSS_K, W_CROSS_V,
    W_CROSS_DISTANCE,
    W_CROSS_LAST_K, W_CROSS_LAST_V,     /* a key and its value after all others; empty: none */
    W_CROSS_O,
    W_OUT, W_OUT_NORM,          /* bottleneck: projection back, and norm after that sum */
    W_SKIP_DOWN, W_SKIP_UP,     /* low-rank branch parallel to attention; empty: none */
    W_SKIP_NORM,
    W_MLP_NORM,                 /* empty in PLACE_PARALLEL: the mlp reads attention's input */
    W_MLP_OUT, W_MLP_SCALE,     /* as W_ATT_OUT, W_ATT_SCALE, for the mlp */
    W_GATE,                     /* MLP_GATED */
    W_UP, W_DOWN,
    W_LANG_NORM,                /* norm of a language's adapter after the mlp; empty: by the
                                   config */
    W_LANG_DOWN, W_LANG_UP,     /* its linears; empty: none; "%s" is the language */
    W_MODE_NORM, W_MODES,       /* run/special/altup.h: router of the mixture of streams, */
    W_PREDICT, W_CORRECT,       /* and its coefficients before and after the layer */
    W_INPUT_SCALE,              /* scale of the stream combined with the layer's own input; empty: 1
                                   */
    W_INPUT_GATE, W_INPUT_PROJ, /* to that input's width, and back */
    W_INPUT_NORM,
    W_ROUTER,                   /* layers with experts, in place of W_GATE, W_UP, W_DOWN */
    W_ROUTER_BIAS,              /* added to scores for the choice alone */
    W_SHARED_GATE, W_SHARED_UP, W_SHARED_DOWN,  /* the shared expert, which all rows use */
    W_SHARED_SCORE,             /* a row's weight of it, through a sigmoid; empty: 1 */
    W_EXPS_UP, W_EXPS_DOWN,     /* all experts in one tensor: gate's rows, then up's; down's */
    W_EXPS_UP_BIAS, W_EXPS_DOWN_BIAS,   /* their biases; empty: none */
    /* once per convolution of a waveform */
    W_WAVE, W_WAVE_NORM,        /* the norm of each, or of the first alone, by the config */
    /* once per expert */
    W_EXP_GATE, W_EXP_UP, W_EXP_DOWN,
    /* once per mlp before the layer's last one */
    W_FORMER_UP, W_FORMER_DOWN, W_FORMER_NORM,
    N_SLOT
};

/* The front: what the rows of the first layer are computed from. */
enum front {
    FRONT_TOKENS,               /* ids of a vocabulary */
    FRONT_PATCH,                /* patches of a picture [channels, rows, columns], row by
                                   row, after a learned row */
    FRONT_MEL_CONV,             /* features [bins, frames], convolved over three frames,
                                   twice, the second time at every other frame */
    FRONT_WAVE,                 /* samples of sound [T], convolved as often as the config says */
    FRONT_ROWS,                 /* rows [T, D] as they are */
    FRONT_QKV                   /* queries, keys and values of each row side by side (keys only
                                   if of the same text): one attention without projections */
};

enum norm_kind {
    NORM_LAYER, NORM_RMS,
    NORM_RMS_PLUS_ONE,          /* the file has weight - 1 */
    NORM_LAYER_PLUS_ONE,        /* the same */
    NORM_DEVIATION,             /* divided by the sample deviation (D - 1), plus eps */
    NORM_AFFINE                 /* not normed: weight x + bias */
};
enum norm_place {
    PLACE_PRE,                  /* x + f(norm(x)) */
    PLACE_POST,                 /* norm(x + f(x)) */
    PLACE_PARALLEL,             /* x + attention(norm(x)) + mlp(norm(x)) */
    PLACE_REVERSIBLE            /* two streams: y1 + attention(norm(y2)), then
                                   y2 + mlp(norm(y1)); the final output is [y1; y2] */
};
enum positions {
    POS_NONE,
    POS_TABLE,                  /* row pos_offset + index in the text */
    POS_TABLE_FROM_IDS,         /* row pad_id + number of tokens so far that are not padding;
                                   padding has row pad_id */
    POS_TABLE_AFTER_PAD,        /* row pad_id + 1 + index in the text */
    POS_SINUSOID,               /* [sin; cos] of index / 10000^(2 i / D), not stored */
    POS_SINUSOID_CLOSED,        /* of (pos_offset + index) / 10000^(i / (D / 2 - 1)) */
    POS_SINUSOID_CLOSED_FROM_IDS,       /* the same with the rows of POS_TABLE_FROM_IDS; zeros for
                                   padding */
    POS_AXIAL,                  /* [row of the grid; column of the grid], each from a
                                   table; POS_TABLE if the config switches it off */
    POS_ROPE
};
/* Biases that are added to scores. */
enum bias {
    BIAS_NONE, BIAS_ALIBI, BIAS_BUCKETS,
    BIAS_DISENTANGLED,          /* DeBERTa: products of queries, and of keys, with embeddings of
                                   distances */
    BIAS_BUCKETS_OF_ROW,        /* buckets whose biases are computed from each query's row:
                                   W_BUCKETS */
    BIAS_GRID,                  /* by distance between patches of a picture, in rows and columns */
    BIAS_XL                     /* XLNet: products of queries with sinusoids of distances, and with
                                   segments */
};
enum qkv {
    QKV_SEPARATE,
    QKV_STACKED,                /* rows of all q, then k, then v */
    QKV_GROUPED,                /* per key/value head: its queries, its k, its v */
    QKV_QUARTERS,               /* per quarter of the heads: their q, their v, their k */
    QKV_LOW_RANK                /* q = B norm(A x); [c; r] = A x, per head [k; v] =
                                   B norm(c), and k ends with r, which all heads share */
};
/* The token mixer of layers without attention (LAYER_MIXER). */
enum mixer {
    MIXER_NONE,                 /* all layers attend */
    MIXER_CONV,                 /* [b; c; x] = A x, then B (c * taps of (b * x)) */
    MIXER_DELTA                 /* gated delta rule: a state that decays and is corrected at each
                                   token: nn/delta.h */
};
enum qk_norm {
    QK_NORM_HEAD,               /* over each head, with the same weights */
    QK_NORM_FULL,               /* over all heads together */
    QK_NORM_HEADS               /* over each head, with its own weights: [H, d], or a
                                   tensor per head (the name's second "%d") */
};
enum mlp {
    MLP_PLAIN,                  /* down(act(up x)) */
    MLP_GATED,                  /* down(act(gate x) * up x) */
    MLP_GATED_FUSED             /* the same, W_UP has gate's rows, then up's */
};
/* A router's scores of experts. */
enum score {
    SCORE_SOFTMAX, SCORE_SIGMOID,
    SCORE_SIGMOID_INPUT,        /* sigmoid of the best logits; multiplies the expert's input, not
                                   its output */
    SCORE_SPARSEMIXER           /* twice: the best remaining expert, by a softmax over those whose
                                   scores are near it (run/route.c) */
};

/* Restriction of the choice to the best groups of experts. */
enum group_score {
    GROUPS_NONE,                /* all experts */
    GROUPS_MAX,                 /* groups ranked by their best score; scores of other groups become
                                   0; only if topk_method is group_limited_greedy */
    GROUPS_TOP2                 /* groups ranked by the sum of their best two; others are excluded
                                   */
};
enum order {
    ORDER_OUT_IN,               /* y = W x */
    ORDER_IN_OUT,               /* y = x W (Conv1D) */
    ORDER_IN_OUT_QKV,           /* y = x W for W_Q, W_K, W_V and W_REL_K alone */
    ORDER_IN_OUT_EXPERTS        /* y = x W for W_EXPS_UP and W_EXPS_DOWN alone */
};

/* The config key of the number of rotated columns of a head; others are ignored. */
enum rotated {
    ROTATED_ALL,
    ROTATED_SHARE,              /* partial_rotary_factor */
    ROTATED_PCT,                /* rotary_pct; partial_rotary_factor in rope_parameters */
    ROTATED_DIM                 /* rotary_dim */
};

/* The layers that have a sliding window, if the config has one. */
enum window_rule {
    WINDOW_NONE,
    WINDOW_ALL,
    WINDOW_TYPES,               /* by layer_types, else by the family's pattern */
    WINDOW_TYPES_BELOW          /* the same, the pattern only below max_window_layers */
};

/* The layers that rotate queries and keys. */
enum rope_rule {
    ROPE_EVERY,
    ROPE_BY_LIST,               /* by no_rope_layers (0: not), else all except every
                                   no_rope_layer_interval-th; the others are windowed */
    ROPE_WINDOWED,              /* layers with a sliding window */
    ROPE_WINDOWED_OR_ALL        /* the same if the config has a window, else all */
};

/* Groups of slots that either all have biases, or none. */
enum bias_group {
    OF_NONE,            /* no bias */
    OF_QKV, OF_K,       /* OF_K: as OF_QKV, unless the family says otherwise */
    OF_LOW_RANK,        /* projections before the norms of QKV_LOW_RANK */
    OF_OUT, OF_MLP,
    OF_MIXER,
    OF_ROUTER,          /* router and experts: no biases, unless the family says otherwise */
    OF_NORM,            /* only NORM_LAYER has biases */
    OF_QK_NORM,         /* as OF_NORM, unless the family says otherwise */
    OF_PROJECTION,      /* projections of embeddings, and back */
    OF_TRANSFORM, OF_HEAD,
    OF_WAVE,            /* convolutions of a waveform */
    OF_OTHERS,          /* always */
    N_BIAS_GROUP
};

/*
 * Hugging Face tensor names without ".weight" and ".bias"; the first "%d" is the
 * layer, a second one the expert; alternatives are separated by "|" and tried in
 * order; NULL: no such tensor.  Each is tried with and without the file's prefix.
 */
struct stack {
    const char *name[N_SLOT];   /* read by family_names() */
};

enum { FAMILY_PREFIXES = 6 };   /* maximum; a shorter list ends with NULL */

struct quirks;

struct family {
    const char *name;           /* config.json's model_type */
    const char *source;         /* where these facts can be checked */
    enum stack_id stack_id;
    bool bare;                  /* bare layers, see layer.h; without W_UP a single attention,
                                   without residual sum and mlp */
    bool by_names;              /* derived from names and shapes of tensors, without config.json */
    bool causal;                /* false: only if the config has is_decoder */
    enum front front;
    enum norm_kind norm;
    enum norm_place norm_place;           /* the config may change it: see config.h */
    enum positions positions;
    int pos_offset;
    enum rope_layout rope_layout;
    enum rotated rotated;
    enum bias bias;
    enum qkv qkv;
    enum qk_norm qk_norm;
    enum mixer mixer;           /* of the layers named by layer_types, or the pattern */
    enum order order;
    enum mlp mlp;
    enum window_rule window_rule;
    enum rope_rule rope_rule;
    int full_every;             /* layer l sees all where (l + 1) % this == 0 */
    enum score score;
    enum group_score group_score;
    bool scale_by_mscale;       /* scores are scaled by mscale_all_dim's mscale squared */
    bool scale_embedding;       /* token embeddings are scaled by sqrt D */
    bool fixed_eps;             /* the config's eps is ignored */
    bool clips;                 /* queries, keys and values are clamped by the config's clip_qkv */
    bool gelu_is_tanh;          /* "gelu" in the config means the tanh approximation */
    bool pre_by_config;         /* PLACE_POST becomes PLACE_PRE if the config says so */
    const char *spare;          /* tensors of layers that the network does not compute with:
                                   beginnings of names after the layer's number, "A|B" */
    bool has_head_act;          /* head_act, not the config's activation, is that of the head */
    enum act head_act;
    const struct family *decoder;   /* decoder of an encoder-decoder, whose encoder this row is */
    /* The towers of texts and of pictures, models by themselves; then this row is only their pair,
     * without a stack.  NULL: none. */
    const struct family *tower[N_TOWER];
    /* By group; BIAS_USUAL: always, except OF_K: as OF_QKV, and heads: never. */
    enum bias_rule biased[N_BIAS_GROUP];
    enum bias_rule head_bias;   /* of W_HEAD_BIAS; BIAS_USUAL: if there is a head */
    bool proj_always;           /* W_EMB_PROJ exists even if it does not change the width */
    bool qk_norm_by_config;     /* W_Q_NORM, W_K_NORM exist only if the config says so */
    const struct quirks *quirks;    /* read by quirks_of(); NULL: none */
    struct config defaults;     /* values of config keys that are absent or null */
    const char *prefix[FAMILY_PREFIXES];    /* longest first; "" is implied as the last */
    /* A family with the same tensor names, except for those in this one's stack, where "" is a
     * tensor that this one lacks.  It has all of its names in its own stack. */
    const struct family *like;  /* NULL: no other */
    struct stack stack;
};

extern const struct family *const family_table[];   /* ends with NULL */
const struct family *family_find(const char *model_type);   /* NULL: none */

/* The names of a slot's tensor: its own, or those of the family it is like; NULL: none. */
const char *family_names(const struct family *family, enum slot s);
bool family_has(const struct family *family, enum slot s);

/* The kind of the family's mlps. */
enum mlp family_mlp(const struct family *family, const struct config *config);

/* Whether queries and keys are rotated, if no bias (ALiBi) replaces that. */
bool family_rotates(const struct family *family, const struct config *config);

/* Whether its norms are layer norms, with weights or weights - 1; whether they have biases; whether
 * they subtract the mean, as NORM_DEVIATION does, too. */
bool family_layer_norm(const struct family *family);
bool family_norm_has_bias(const struct family *family);
bool family_centres(const struct family *family);

/* Whether positions depend on ids: padding is not counted. */
bool family_counts_ids(const struct family *family);

#endif
