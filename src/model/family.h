/* SPDX-License-Identifier: MIT
 *
 * A model family is a table: tensor names per slot, norms and their place, position
 * scheme, mask, activation, how q/k/v are fused, which order a linear stores.
 * Three levels, kept apart: struct family (kinds and names, const data), struct
 * config (numbers, filled by one table of keys), struct layer_plan (what varies
 * by layer, resolved once by plan.c).  The forward pass reads the first and the
 * last; nothing else knows a family's name. */
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include <stdbool.h>

#include "model/config.h"
#include "nn/rope.h"

/* Whose rows of attention: cross rows are the decoder's, with the encoder's keys. */
enum stack_id { STACK_ENCODER, STACK_DECODER, STACK_CROSS, N_STACK };
extern const char *const family_stack_names[];     /* "encoder", "decoder", "cross", NULL */

/* Which tensor plays which part.  What an empty slot means is said next to it. */
enum slot {
    /* once per stack */
    W_TOK,                      /* embeddings of tokens; the file's prefix is found by */
    W_PATCH, W_CONV_1,          /* it, or by what stands in its place: see enum front */
    W_CLS, W_CONV_2,
    W_CLS_2,                    /* a second learnt row, after W_CLS; empty: none */
    W_POS, W_TYPE,              /* of positions, types */
    W_TASK,                     /* of tasks: the first row, unless the config has none */
    W_BOX_X, W_BOX_Y,           /* of boxes: left and right, top and bottom; empty: it reads
                                   none */
    W_BOX_H, W_BOX_W,           /* of their heights and widths */
    W_INV_FREQ,                 /* of rotary positions, where the file has its own */
    W_AXIS_0, W_AXIS_1,         /* POS_AXIAL: rows and columns of the grid */
    W_TOK_PROJ,                 /* of the tokens alone, or of each with those beside it, before
                                   positions; empty: none */
    W_EMB_NORM,                 /* empty: identity, as for every norm */
    W_EMB_PROJ,                 /* of the normed sum, or of the sum; empty: none */
    W_POS_CONV,                 /* positions as a convolution over the rows so far, added to
                                   them; empty: none */
    W_POS_CONV_SIZE,            /* what its weights of each tap are scaled to, as a vector */
    W_POS_CONV_BIAS,
    W_POS_CONV_NORM,            /* of that sum; empty in PLACE_PRE */
    W_FINAL_NORM,
    W_FINAL_PROJ,               /* empty: none */
    W_HEAD_DENSE, W_HEAD_NORM,  /* the transform before a masked-language head */
    W_HEAD,                     /* empty: the token embedding (tied) */
    W_HEAD_REST,                /* of the columns that a narrower one does not read; empty: none */
    W_HEAD_BIAS,                /* a head of another kind has names of its own: head.h */
    W_REL,                      /* values of position buckets [buckets, H] */
    W_GRID,                     /* of distances on a grid [DIM_GRID, H], in all layers; or empty */
    W_REL_TABLE,                /* rows of distances [2 span, D]; empty: sinusoids */
    W_REL_NORM,                 /* of those rows */
    W_CONV, W_CONV_NORM,        /* over the embeddings, added after layer 0 and normed;
                                   empty: none */
    W_INPUT_TOK,                /* of tokens once more, for every layer side by side, */
    W_INPUT_EMB,                /* and made of the embedding, */
    W_INPUT_EMB_NORM,           /* which a norm goes over, layer by layer */
    /* once per stream but the first, see run/altup.h */
    W_STREAM_IN,                /* of the embedding */
    W_STREAM_OUT,               /* of the stream at the end */
    /* once per layer */
    W_IN, W_IN_NORM,            /* to the narrower stream that attention and mlps of the layer add
                                   to; empty: that is the stream itself */
    W_READ, W_READ_NORM,        /* to what queries and keys read there; empty: see config.h */
    W_ATT_NORM,                 /* before attention, or after its sum: `norm_place` */
    W_ATT_OUT,                  /* norm of attention's output, before the sum */
    W_ATT_SCALE,                /* what that is multiplied by, column by column; empty: 1 */
    W_Q, W_K, W_V,              /* QKV_SEPARATE */
    W_Q_GLOBAL, W_K_GLOBAL, W_V_GLOBAL,     /* the same for rows that are global, where
                                   a text may have some; they see all, and all see them */
    W_QKV,                      /* QKV_STACKED, QKV_GROUPED */
    W_Q_A, W_Q_A_NORM, W_Q_B,   /* QKV_LOW_RANK; W_Q where q_rank is 0 */
    W_KV_A, W_KV_A_NORM, W_KV_B,
    W_Q_BIAS, W_V_BIAS,         /* vectors of their own, with no bias of keys */
    W_REL_K, W_REL_Q,           /* rows of distances as keys and as queries */
    W_REL_BIAS,                 /* added to queries that meet those, for W_Q_BIAS */
    W_SEG, W_SEG_BIAS,          /* the same of two segments [2, H d]: one's own, another */
    W_Q_NORM, W_K_NORM,         /* of queries and keys, before rotary positions */
    W_GRID_LAYER,               /* as W_GRID, of the layer, added to that */
    W_SINKS,                    /* a score of no key for each head, in its softmax; empty: none */
    W_DISTANCE,                 /* what queries meet besides keys, by distance; empty: none */
    W_BUCKETS,                  /* what position buckets add to a row's scores [buckets H]: of what
                                   attention reads; empty: none */
    W_TAPS, W_TAPS_POINT,       /* a convolution beside the heads (taps.h): column by column, */
    W_TAPS_BIAS,                /* then across them; empty: none */
    W_TAPS_ROW,                 /* what that and the queries make the shares of neighbours from */
    W_TAPS_VALUE,               /* what these have a share in */
    W_O,
    W_TAPS_O,                   /* the rest of the inputs of W_O's tensor, which has no name of its
                                   own: those that the convolution makes */
    W_MIX_IN,                   /* instead of W_Q to W_O in layers that do not attend: see
                                   enum mixer */
    W_MIX_RATES,                /* MIXER_DELTA: how much heads learn, how fast they forget */
    W_MIX_TAPS,                 /* of its convolution over tokens, channel by channel */
    W_MIX_DECAY, W_MIX_STEP,    /* MIXER_DELTA: the logarithm of how fast, and what is added */
    W_MIX_NORM,                 /* of a head's output */
    W_MIX_OUT,
    W_CROSS_NORM,               /* the same for attention to the encoder's output */
    W_CROSS_Q, W_CROSS_K, W_CROSS_V,
    W_CROSS_DISTANCE,
    W_CROSS_LAST_K, W_CROSS_LAST_V,     /* a key and its value after all others; empty: none */
    W_CROSS_O,
    W_OUT, W_OUT_NORM,          /* from the narrower stream, and after that sum */
    W_SKIP_DOWN, W_SKIP_UP,     /* beside attention, low-rank: empty: none */
    W_SKIP_NORM,
    W_MLP_NORM,                 /* empty in PLACE_PARALLEL: what attention read */
    W_MLP_OUT, W_MLP_SCALE,     /* the same of the mlp's output */
    W_GATE,                     /* MLP_GATED */
    W_UP, W_DOWN,
    W_LANG_NORM,                /* of a language's adapter after the mlp; empty: as the config
                                   says */
    W_LANG_DOWN, W_LANG_UP,     /* its linears; empty: none; "%s" is the language */
    W_MODE_NORM, W_MODES,       /* what decides how streams mix: once per layer and stream, */
    W_PREDICT, W_CORRECT,       /* before the layer, and after it */
    W_INPUT_SCALE,              /* of the stream that meets the layer's own input: empty: 1 */
    W_INPUT_GATE, W_INPUT_PROJ, /* to that input's width, and back */
    W_INPUT_NORM,
    W_ROUTER,                   /* layers with experts, instead of the three above */
    W_ROUTER_BIAS,              /* added to scores for the choice alone */
    W_SHARED_GATE, W_SHARED_UP, W_SHARED_DOWN,  /* of the expert that all rows go to */
    W_SHARED_SCORE,             /* a row's share of it, through a sigmoid; empty: 1 */
    W_EXPS_UP, W_EXPS_DOWN,     /* of all experts in one: gate's rows, then up's; down's */
    W_EXPS_UP_BIAS, W_EXPS_DOWN_BIAS,   /* of those; empty: none */
    /* once per convolution of a waveform */
    W_WAVE, W_WAVE_NORM,        /* the second by the config: of all, or of the first */
    /* once per expert */
    W_EXP_GATE, W_EXP_UP, W_EXP_DOWN,
    /* once per mlp that comes before the layer's last */
    W_FORMER_UP, W_FORMER_DOWN, W_FORMER_NORM,
    N_SLOT
};

/* What the rows of the first layer are made of. */
enum front {
    FRONT_TOKENS,               /* ids of a vocabulary */
    FRONT_PATCH,                /* patches of a picture [channels, rows, columns], row by
                                   row, after one row that is learnt */
    FRONT_MEL_CONV,             /* features [bins, frames], convolved over three frames,
                                   twice, the second time at every other frame */
    FRONT_WAVE,                 /* samples of sound [T], convolved as often as the config says */
    FRONT_ROWS,                 /* rows [T, D] as they are */
    FRONT_QKV                   /* queries, and of the same text keys and values, of each
                                   row side by side: one attention without projections */
};

enum norm_kind {
    NORM_LAYER, NORM_RMS,
    NORM_RMS_PLUS_ONE,          /* the file holds weight - 1 */
    NORM_LAYER_PLUS_ONE,        /* the same */
    NORM_DEVIATION,             /* by the deviation of D - 1 of D, plus eps */
    NORM_AFFINE                 /* by nothing: weight x + bias */
};
enum norm_place {
    PLACE_PRE,                  /* x + f(norm(x)) */
    PLACE_POST,                 /* norm(x + f(x)) */
    PLACE_PARALLEL,             /* x + attention(norm(x)) + mlp(norm(x)) */
    PLACE_REVERSIBLE            /* two streams: y1 + attention(norm(y2)), then
                                   y2 + mlp(norm(y1)); [y1; y2] is what they end with */
};
enum positions {
    POS_NONE,
    POS_TABLE,                  /* row pos_offset + index in the text */
    POS_TABLE_FROM_IDS,         /* pad + number of tokens so far that are not pad;
                                   a pad has row pad */
    POS_TABLE_AFTER_PAD,        /* row pad + 1 + index in the text */
    POS_SINUSOID,               /* [sin; cos] of index / 10000^(2 i / D), not stored */
    POS_SINUSOID_CLOSED,        /* of (pos_offset + index) / 10000^(i / (D / 2 - 1)) */
    POS_SINUSOID_CLOSED_FROM_IDS,       /* the same of POS_TABLE_FROM_IDS's rows; a pad has
                                   zeros */
    POS_AXIAL,                  /* [row of the grid; column of the grid], each from a
                                   table; POS_TABLE where the config says not axial */
    POS_ROPE
};
/* Added to scores. */
enum bias {
    BIAS_NONE, BIAS_ALIBI, BIAS_BUCKETS,
    BIAS_DISENTANGLED,          /* rows of a table by distance: as keys to queries, as
                                   queries to keys */
    BIAS_BUCKETS_OF_ROW,        /* the same, of values that each row has of its own: W_BUCKETS */
    BIAS_GRID,                  /* distances between patches of a picture, row and column */
    BIAS_XL                     /* sinusoids of distances as keys, and segments */
};
enum qkv {
    QKV_SEPARATE,
    QKV_STACKED,                /* rows of all q, then k, then v */
    QKV_GROUPED,                /* per key/value head: its queries, its k, its v */
    QKV_QUARTERS,               /* per quarter of the heads: their q, their v, their k */
    QKV_LOW_RANK                /* q = B norm(A x); [c; r] = A x, per head [k; v] =
                                   B norm(c), and k ends with r, which all heads share */
};
/* What mixes the tokens of layers that do not attend (LAYER_MIXER). */
enum mixer {
    MIXER_NONE,                 /* all layers attend */
    MIXER_CONV,                 /* [b; c; x] = A x, then B (c * taps of (b * x)) */
    MIXER_DELTA                 /* a state that every token makes fade and corrects:
                                   nn/delta.h */
};
enum qk_norm {
    QK_NORM_HEAD,               /* each head by itself */
    QK_NORM_FULL,               /* all together */
    QK_NORM_HEADS               /* each by itself, with weights of its own: [H, d], or a
                                   tensor for each head (the name's second "%d") */
};
enum mlp {
    MLP_PLAIN,                  /* down(act(up x)) */
    MLP_GATED,                  /* down(act(gate x) * up x) */
    MLP_GATED_FUSED             /* the same, W_UP holds gate's rows, then up's */
};
/* A router's scores of experts. */
enum score {
    SCORE_SOFTMAX, SCORE_SIGMOID,
    SCORE_SIGMOID_INPUT,        /* of the best logits; it multiplies what an expert reads, not
                                   what it gives */
    SCORE_SPARSEMIXER           /* twice: the best of those that are left, by a softmax over
                                   those that come near it (route.c) */
};

/* Which experts can be chosen: those of the best groups. */
enum group_score {
    GROUPS_NONE,                /* all experts */
    GROUPS_MAX,                 /* by a group's best; the others' scores become 0; only
                                   where topk_method is group_limited_greedy */
    GROUPS_TOP2                 /* by the sum of its best two; the others are out */
};
enum order {
    ORDER_OUT_IN,               /* y = W x */
    ORDER_IN_OUT,               /* y = x W (Conv1D) */
    ORDER_IN_OUT_QKV,           /* the second for W_Q, W_K, W_V and W_REL_K alone */
    ORDER_IN_OUT_EXPERTS        /* the second for W_EXPS_UP and W_EXPS_DOWN alone */
};

/* The config key that says how many columns of a head are rotated; others are ignored. */
enum rotated {
    ROTATED_ALL,
    ROTATED_SHARE,              /* partial_rotary_factor */
    ROTATED_PCT,                /* rotary_pct; among the rotary parameters the former */
    ROTATED_DIM                 /* rotary_dim */
};

/* Which layers are windowed, where the config has a window. */
enum window_rule {
    WINDOW_NONE,
    WINDOW_ALL,
    WINDOW_TYPES,               /* as layer_types says, else the family's pattern */
    WINDOW_TYPES_BELOW          /* the same, the pattern below max_window_layers alone */
};

/* Which layers rotate queries and keys. */
enum rope_rule {
    ROPE_EVERY,
    ROPE_BY_LIST,               /* as no_rope_layers says (0: not), else all but each
                                   no_rope_layer_interval-th; those are windowed */
    ROPE_WINDOWED,              /* those that are windowed */
    ROPE_WINDOWED_OR_ALL        /* the same, where the config has a window */
};

/* Slots whose biases are there, or are not, together. */
enum bias_group {
    OF_NONE,            /* no bias */
    OF_QKV, OF_K,       /* keys: as the former, unless the family says otherwise */
    OF_LOW_RANK,        /* what comes before QKV_LOW_RANK's norms */
    OF_OUT, OF_MLP,
    OF_MIXER,
    OF_ROUTER,          /* its experts too: none, unless the family says otherwise */
    OF_NORM,            /* only NORM_LAYER has any */
    OF_QK_NORM,         /* as the former, unless the family says otherwise */
    OF_PROJECTION,      /* of embeddings, and back */
    OF_TRANSFORM, OF_HEAD,
    OF_WAVE,            /* convolutions of a waveform */
    OF_OTHERS,          /* always */
    N_BIAS_GROUP
};

/*
 * Hugging Face tensor names without ".weight" and ".bias"; the first "%d" is the
 * layer, a second one the expert; alternatives are separated by "|" and tried in
 * order; NULL: the family has none.  Each is tried after the file's prefix and bare.
 */
struct stack {
    const char *name[N_SLOT];   /* read by family_names() */
};

enum { FAMILY_PREFIXES = 6 };   /* at most; fewer end at a NULL */

struct quirks;

struct family {
    const char *name;           /* config.json's model_type */
    const char *source;         /* where these facts can be checked */
    enum stack_id stack_id;
    bool bare;                  /* a layer by itself, see layer.h: one attention, without
                                   sum and mlp, where it has no W_UP */
    bool by_names;              /* no config.json: what its tensors' names and shapes say */
    bool causal;                /* unless the config's is_decoder says so */
    enum front front;
    enum norm_kind norm;
    enum norm_place norm_place;           /* the config may say otherwise: see config.h */
    enum positions positions;
    int pos_offset;
    enum rope_layout rope_layout;
    enum rotated rotated;
    enum bias bias;
    enum qkv qkv;
    enum qk_norm qk_norm;
    enum mixer mixer;           /* of layers that layer_types, or the pattern, say */
    enum order order;
    enum mlp mlp;
    enum window_rule window_rule;
    enum rope_rule rope_rule;
    int full_every;             /* layer l sees all where (l + 1) % this == 0 */
    enum score score;
    enum group_score group_score;
    bool scale_by_mscale;       /* scores by mscale_all_dim's mscale squared */
    bool scale_embedding;       /* tokens by sqrt D */
    bool fixed_eps;             /* whatever the config says */
    bool clips;                 /* queries, keys and values, where the config says clip_qkv */
    bool gelu_is_tanh;          /* where the config says "gelu" */
    bool pre_by_config;         /* PLACE_POST is PLACE_PRE where the config says so */
    const char *spare;          /* what files may have in a layer and the network does not compute
                                   with: beginnings of names after the layer's number, "A|B" */
    bool has_head_act;          /* of a head of V: its activation is not the config's */
    enum act head_act;
    const struct family *decoder;   /* of an encoder-decoder; this row: its encoder */
    /* Of texts, of pictures: models by themselves, of which this row is no more than the pair,
     * and without a stack.  NULL: none. */
    const struct family *tower[N_TOWER];
    /* By group; BIAS_USUAL: always, keys as queries and values, a head never. */
    enum bias_rule biased[N_BIAS_GROUP];
    enum bias_rule head_bias;   /* W_HEAD_BIAS; BIAS_USUAL: where there is a head */
    bool proj_always;           /* W_EMB_PROJ, also where it changes no width */
    bool qk_norm_by_config;     /* W_Q_NORM, W_K_NORM only where the config says so */
    const struct quirks *quirks;    /* read by quirks_of(); NULL: none */
    struct config defaults;     /* of config keys that are absent or null */
    const char *prefix[FAMILY_PREFIXES];    /* longest first; "" last is implied */
    /* A family with the same tensor names, except for those in this one's stack, where "" is a
     * tensor that this one lacks.  It has all of its names in its own stack. */
    const struct family *like;  /* NULL: no other */
    struct stack stack;
};

extern const struct family *const family_table[];   /* ends with NULL */
const struct family *family_find(const char *model_type);   /* NULL: none */

/* The names of a slot's tensor: its own, or those of the family it is like; NULL: none. */
const char *family_names(const struct family *f, enum slot s);
bool family_has(const struct family *f, enum slot s);

/* The kind of its mlps. */
enum mlp family_mlp(const struct family *f, const struct config *c);

/* Queries and keys are rotated by position, not counting what a bias says instead. */
bool family_rotates(const struct family *f, const struct config *c);

/* NORM_LAYER, whatever the file holds of it; those of them and NORM_DEVIATION centre. */
bool family_layer_norm(const struct family *f);
bool family_norm_has_bias(const struct family *f);
bool family_centres(const struct family *f);

/* Positions are rows counted by ids. */
bool family_counts_ids(const struct family *f);

#endif
