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
    DIM_TOK_IN,         /* of what W_TOK_PROJ reads: that, or three of it */
    DIM_INNER,          /* of the stream within a layer: D, unless it is narrower */
    DIM_READ, DIM_READ_V,       /* of what queries and keys read, and values */
    DIM_BUCKETS_H,      /* buckets of all heads */
    DIM_TAPS, DIM_TAPS_H,       /* neighbours that the convolution has; of all heads */
    DIM_MADE,           /* what W_O's tensor reads: heads' outputs, and the convolution's */
    DIM_REST,           /* D less the width of the token embedding */
    DIM_TRANSFORM,      /* what the transform before the head gives */
    DIM_EMB,            /* width in which token, position and type are summed */
    DIM_EMB_NORM,       /* and in which the sum is normed */
    DIM_HD, DIM_GD,     /* all queries, all keys */
    DIM_Q,              /* all queries, and gates */
    DIM_GV, DIM_HV,     /* all values, all heads' outputs */
    DIM_QKV,
    DIM_Q_NORM, DIM_K_NORM,
    DIM_F, DIM_UP,      /* DIM_UP: 2 F where gate and up are fused */
    DIM_TASK, DIM_PAIRS,        /* tasks; pairs of columns that are rotated */
    DIM_BOXES,                  /* places on a page, from one side to the other */
    DIM_V, DIM_POS, DIM_TYPE,
    DIM_CHANNELS, DIM_MEL,
    DIM_BUCKETS, DIM_H,
    DIM_GRID,           /* distances on a grid, and three of the row before it */
    DIM_REL,            /* rows of distances */
    DIM_TWO,
    DIM_CONV,           /* channels that an output of W_CONV or W_POS_CONV reads */
    DIM_CONV_ROWS,      /* rows that they read */
    DIM_WAVE, DIM_WAVE_IN,      /* channels of a convolution of a waveform, and before it */
    DIM_DISTANCES, DIM_ONE_HEAD,
    DIM_KEY_INPUT, DIM_VALUE_INPUT,     /* what cross-attention reads */
    DIM_HEAD,           /* what the head gives a token: V, or 1; or as its task says */
    DIM_HEAD_IN,        /* what it reads */
    DIM_OUT,            /* what attention gives: D, unless it is alone */
    DIM_END,            /* what the layers end with: that, or both streams */
    DIM_AXIS_0, DIM_AXIS_1,     /* of an axial grid: rows, columns */
    DIM_WIDTH_0, DIM_WIDTH_1,   /* and what each adds to the width D */
    DIM_EXPERTS, DIM_FX,        /* experts, and the width of one */
    DIM_FX2, DIM_ONE,           /* twice that; 1 */
    DIM_FS,                     /* width of the shared one */
    DIM_LANG,                   /* width of a language's adapter */
    DIM_STREAMS, DIM_STREAMS_2, /* streams, and pairs of them */
    DIM_SKIP,                   /* rank of what stands beside attention */
    DIM_INPUT, DIM_INPUTS,      /* width of a layer's own input, and of all layers' */
    DIM_INPUT_V,                /* tokens that have one; others have the first's */
    DIM_MIX_IN, DIM_MIX_OUT,    /* what a mixer's first linear gives, its last one reads */
    DIM_MIX_CHANNELS, DIM_MIX_TAPS,     /* of its convolution */
    DIM_MIX_RATES, DIM_MIX_HEADS, DIM_MIX_VALUE,    /* two a head; heads; the width of one */
    DIM_Q_RANK, DIM_KV_RANK,
    DIM_KV_A,                   /* keys' and values' rank, and the shared columns */
    DIM_KV_B                    /* of all heads: keys without those, then values */
};

enum slot_kind {
    SLOT_TABLE,         /* [out, in], rows are looked up */
    SLOT_NORM,          /* weight [out], bias [out] */
    SLOT_LINEAR,        /* [out, in] or, by the family's order, [in, out]; bias [out] */
    SLOT_CONV,          /* [out, in, 3]; bias [out]; a linear on what three rows hold, or as
                           many as the config says */
    SLOT_KERNEL,        /* the same; its name is complete */
    SLOT_PATCH,         /* [out, in, rows, columns] of a patch; the same of a patch */
    SLOT_ROWS,          /* [out, 1, in] of a grid; its name is complete */
    SLOT_COLUMNS,       /* [1, out, in] of a grid; the same */
    SLOT_EXPERTS,       /* [experts, out, in], or [experts, in, out]; its name is complete */
    SLOT_BIASES,        /* [out, in]: a bias [in] for each of out; its name is complete */
    SLOT_TAPS,          /* [out, 1, in], or [out, in]: so many numbers for each column */
    SLOT_POINT,         /* [out, in, 1]: a linear that is stored as a convolution */
    SLOT_VECTOR         /* [out]; its name is complete */
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

int family_grid(const struct config *c, int axis);     /* patches of a column; of a row */
int family_slot_dim(const struct family *f, const struct config *c, enum dim d);
/* The same of convolution i of a waveform; that is the first above. */
int family_wave_dim(const struct family *f, const struct config *c, enum dim d, int i);
bool family_slot_in_out(const struct family *f, enum slot s);     /* stored as y = x W */

/* A tensor for each group of columns: [groups, in / groups, out / groups]. */
bool family_slot_is_grouped(const struct config *c, enum slot s);

/* A linear that tools for quantisation round: heads too; a router, convolutions, tables
 * that are looked up are not. */
bool family_slot_is_linear(enum slot s);

/* family_names(), or those of the config's head. */
const char *family_slot_names(const struct family *f, const struct config *c, enum slot s);

/* Whether the reference library makes a bias for what the slot holds, which is of a group or
 * W_HEAD_BIAS itself: BIAS_ALWAYS, BIAS_NEVER, or BIAS_AS_STORED where the file alone says so. */
enum bias_rule family_slot_bias(const struct family *f, const struct config *c, enum slot s);

#endif
