/* SPDX-License-Identifier: MIT
 *
 * What each slot holds: a row for each, so that one loop binds and checks them all.  Sizes are
 * named, and follow from family and config. */
#ifndef MODEL_FAMILY_SLOTS_H
#define MODEL_FAMILY_SLOTS_H

#include "model/family.h"

enum dim {
    DIM_NONE, DIM_D,
    DIM_E,              /* width of the token embedding */
    DIM_TOK_IN,         /* input width of W_TOK_PROJ: E, or 3 E */
    DIM_INNER,          /* width of the stream within a layer: D, or that of the bottleneck */
    DIM_READ, DIM_READ_V,       /* input widths of queries and keys, and of values */
    DIM_BUCKETS_H,      /* buckets times heads */
    DIM_TAPS, DIM_TAPS_H,       /* taps of ConvBERT's convolution; times heads */
    DIM_MADE,           /* inputs of W_O's tensor: heads' outputs, and the convolution's */
    DIM_REST,           /* D - E */
    DIM_TRANSFORM,      /* output width of the transform before the head */
    DIM_EMB,            /* width of the sum of token, position and type */
    DIM_EMB_NORM,       /* width in which the sum is normed */
    DIM_HD, DIM_GD,     /* all queries, all keys */
    DIM_Q,              /* all queries, and gates */
    DIM_GV, DIM_HV,     /* all values, all heads' outputs */
    DIM_QKV,
    DIM_Q_NORM, DIM_K_NORM,
    DIM_F, DIM_UP,      /* DIM_UP: 2 F where gate and up are fused */
    DIM_TASK, DIM_PAIRS,        /* tasks; rotated pairs of columns */
    DIM_BOXES,                  /* coordinates on a page, from one side to the other */
    DIM_V, DIM_POS, DIM_TYPE,
    DIM_CHANNELS, DIM_MEL,
    DIM_BUCKETS, DIM_H,
    DIM_GRID,           /* distances on a grid, plus three for the learned row */
    DIM_REL,            /* rows of W_REL_TABLE */
    DIM_TWO,
    DIM_CONV,           /* input channels per output of W_CONV or W_POS_CONV */
    DIM_CONV_ROWS,      /* rows of their window */
    DIM_WAVE, DIM_WAVE_IN,      /* output and input channels of a convolution of a waveform */
    DIM_DISTANCES, DIM_ONE_HEAD,
    DIM_KEY_INPUT, DIM_VALUE_INPUT,     /* input widths of cross-attention's keys, values */
    DIM_HEAD,           /* outputs of the head per token: V, or 1; or those of its task */
    DIM_HEAD_IN,        /* input width of the head */
    DIM_OUT,            /* output width of attention: D, except for a single bare attention */
    DIM_END,            /* output width of the layers: that, or of both streams */
    DIM_AXIS_0, DIM_AXIS_1,     /* rows, columns of an axial grid */
    DIM_WIDTH_0, DIM_WIDTH_1,   /* widths of their embeddings, which sum to D */
    DIM_EXPERTS, DIM_FX,        /* experts, and the width of one */
    DIM_FX2, DIM_ONE,           /* twice that; 1 */
    DIM_FS,                     /* width of the shared expert */
    DIM_LANG,                   /* width of a language's adapter */
    DIM_STREAMS, DIM_STREAMS_2, /* streams, and pairs of them */
    DIM_SKIP,                   /* rank of the branch parallel to attention */
    DIM_INPUT, DIM_INPUTS,      /* width of a layer's own input, and of all layers' */
    DIM_INPUT_V,                /* tokens that have such an input; others use that of token 0 */
    DIM_MIX_IN, DIM_MIX_OUT,    /* outputs of a mixer's first linear, inputs of its last */
    DIM_MIX_CHANNELS, DIM_MIX_TAPS,     /* of its convolution */
    DIM_MIX_RATES, DIM_MIX_HEADS, DIM_MIX_VALUE,    /* two per head; heads; width of a head */
    DIM_Q_RANK, DIM_KV_RANK,
    DIM_KV_A,                   /* rank of keys and values, plus the shared rotary columns */
    DIM_KV_B                    /* of all heads: keys without these columns, then values */
};

enum slot_kind {
    SLOT_TABLE,         /* [out, in], rows are looked up */
    SLOT_NORM,          /* weight [out], bias [out] */
    SLOT_LINEAR,        /* [out, in] or, by the family's order, [in, out]; bias [out] */
    SLOT_CONV,          /* [out, in, 3], or as many rows as the config says; bias [out] */
    SLOT_KERNEL,        /* the same; full name without ".weight" */
    SLOT_PATCH,         /* [out, in, rows, columns] of a patch; bias [out] */
    SLOT_ROWS,          /* [out, 1, in] of a grid; full name */
    SLOT_COLUMNS,       /* [1, out, in] of a grid; full name */
    SLOT_EXPERTS,       /* [experts, out, in], or [experts, in, out]; full name */
    SLOT_BIASES,        /* [out, in]: a bias [in] for each of out; full name */
    SLOT_TAPS,          /* [out, 1, in], or [out, in]: a kernel of `in` rows for each column */
    SLOT_POINT,         /* [out, in, 1]: a linear stored as a convolution of width 1 */
    SLOT_VECTOR         /* [out]; full name */
};

enum { CONV_WINDOW = 3 };       /* rows that a convolution reads */

enum slot_count { PER_STACK, PER_LAYER, PER_WAVE, PER_EXPERT, PER_FORMER, PER_STREAM };

struct slot_row {
    const char *role;       /* for messages */
    const char *part;       /* of the model: "embeddings", "attention", ... */
    enum slot_kind kind;
    enum dim out, in;
    enum slot_count count;
    enum bias_group group;
};

extern const struct slot_row family_slots[N_SLOT];

/* Whether a slot is of attention alone, or of what takes its place in LAYER_MIXER. */
bool family_slot_attends(enum slot s);
bool family_slot_mixes(enum slot s);

int family_grid(const struct config *config, int axis);     /* patches of a column; of a row */
int family_slot_dim(const struct family *family, const struct config *config, enum dim d);
/* The same of convolution i of a waveform; that is the first above. */
int family_wave_dim(const struct family *family, const struct config *config, enum dim d, int i);
bool family_slot_in_out(const struct family *family, enum slot s);     /* stored as y = x W */

/* A tensor for each group of columns: [groups, in / groups, out / groups]. */
bool family_slot_is_grouped(const struct config *config, enum slot s);

/* A linear that tools for quantisation round: heads too; a router, convolutions, tables
 * that are looked up are not. */
bool family_slot_is_linear(enum slot s);

/* family_names(), or those of the config's head. */
const char *family_slot_names(const struct family *family, const struct config *config,
                              enum slot s);

/* Whether the reference library makes a bias for what the slot holds, which is of a group or
 * W_HEAD_BIAS itself: BIAS_ALWAYS, BIAS_NEVER, or BIAS_AS_STORED where the file alone says so. */
enum bias_rule family_slot_bias(const struct family *family, const struct config *config,
                                enum slot s);

#endif
