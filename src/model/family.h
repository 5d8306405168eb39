/* SPDX-License-Identifier: MIT
 *
 * A model family is a table: tensor names a slot, norm and its place, position
 * scheme, mask, activation, how q/k/v are fused, which order a linear stores.
 * Three levels, kept apart: struct family (kinds and names, const data), struct
 * config (numbers, filled by one table of keys), struct layer_plan (what varies
 * by layer, resolved once by bind.c).  The forward pass reads the first and the
 * last; nothing else knows a family's name. */
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include <stdbool.h>

#include "model/config.h"

enum stack_id { STACK_ENCODER, STACK_DECODER, N_STACK };
extern const char *const stack_names[];     /* "encoder", "decoder", NULL */

/* Which tensor plays which part.  What an empty slot means stands beside it. */
enum slot {
    /* once a stack */
    W_TOK, W_POS, W_TYPE,       /* embeddings of tokens, positions, types */
    W_EMB_NORM,                 /* empty: identity, as for every norm */
    W_FINAL_NORM,
    W_HEAD_DENSE, W_HEAD_NORM,  /* BERT's transform before the head */
    W_HEAD,                     /* empty: the token embedding (tied) */
    W_HEAD_BIAS,
    /* once a layer */
    W_ATT_NORM,                 /* before attention, or after its sum: `place` */
    W_Q, W_K, W_V,              /* QKV_SEPARATE */
    W_QKV,                      /* QKV_STACKED: rows of q, then k, then v */
    W_O,
    W_MLP_NORM,
    W_GATE,                     /* MLP_GATED */
    W_UP, W_DOWN,
    N_SLOT
};

enum norm_kind { NORM_LAYER, NORM_RMS };
enum place { PLACE_PRE, PLACE_POST };       /* x + f(norm(x)), norm(x + f(x)) */
enum positions { POS_NONE, POS_TABLE, POS_ROPE };
enum qkv { QKV_SEPARATE, QKV_STACKED };
enum mlp { MLP_PLAIN, MLP_GATED };          /* down(act(up)), down(act(gate) up) */
enum order { ORDER_OUT_IN, ORDER_IN_OUT };  /* y = W x; y = x W (Conv1D) */

/*
 * Hugging Face tensor names without ".weight" and ".bias"; "%d" is the layer;
 * alternatives are separated by "|" and tried in order; NULL: the family has
 * none.  Each is tried behind the file's prefix and bare.
 */
struct stack {
    const char *name[N_SLOT];
};

struct family {
    const char *name;           /* config.json's model_type */
    const char *source;         /* where these facts can be checked */
    enum stack_id stack_id;
    bool causal;                /* unless the config's is_decoder says so */
    enum norm_kind norm;
    enum place place;
    enum positions positions;
    enum qkv qkv;
    enum order order;
    enum mlp mlp;
    struct config defaults;     /* of config keys that are absent or null */
    const char *prefix[4];      /* longest first; "" last is implied */
    struct stack stack;
};

extern const struct family *const family_table[];   /* ends with NULL */
const struct family *family_find(const char *model_type);   /* NULL: none */

/* ---- what a slot holds: one row each, so that bind checks them in one loop ---- */

enum dim { DIM_NONE, DIM_D, DIM_HD, DIM_GD, DIM_QKV, DIM_F, DIM_V, DIM_POS, DIM_TYPE };

enum slot_kind {
    SLOT_TABLE,         /* [out, in], rows are looked up */
    SLOT_NORM,          /* weight [out], bias [out] */
    SLOT_LINEAR,        /* [out, in] or, by the family's order, [in, out]; bias [out] */
    SLOT_VECTOR         /* [out]; its name is complete */
};

struct slot_row {
    const char *part;       /* of the model: "embeddings", "attention", ... */
    enum slot_kind kind;
    enum dim out, in;
    bool per_layer;
    bool optional;          /* may be missing where the family names it */
};

extern const struct slot_row slot_table[N_SLOT];
int slot_dim(const struct config *c, enum dim d);

#endif
