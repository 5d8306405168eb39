/* SPDX-License-Identifier: MIT
 * How layers name their tensors, and the parts that are cut or joined. */
#ifndef MODEL_LAYER_PRIV_H
#define MODEL_LAYER_PRIV_H

#include "model/layer.h"

enum part { PART_Q, PART_K, PART_V, PART_O, N_PART };

enum projections {
    PROJ_WHOLE,         /* a matrix for all heads */
    PROJ_HEADS,         /* q, k, v: a matrix a head, "q_linears.0" */
    PROJ_TORCH          /* one for q, k and v, or one each, with endings of their own */
};

/* Names of one attention's projections, without ".weight" and ".bias". */
struct naming {
    const char *part[N_PART];
    enum projections kind;
};

extern const struct naming layer_naming[];      /* ends with part[0] NULL */

/* The two linears of an mlp; of the second, alternatives. */
struct ff_naming { const char *up, *down; };
extern const struct ff_naming layer_ff[];       /* ends with up NULL */

/* Where a second attention lies, the one to another input: "cross_attn.". */
extern const char *const layer_cross[];         /* ends with NULL */

/* The tensor SCOPE NAME ENDING; NULL: none. */
const struct tensor *layer_find(const struct weights *w, struct arena *a,
                                const char *scope, const char *name,
                                const char *ending);

/* Matrices of SCOPE NAME.0, .1, ..: how many. */
int layer_heads(const struct weights *w, struct arena *a, const char *scope,
                const char *name);

/*
 * Replaces the tensors of the attention in each scope [n_scopes] by one for each of q, k
 * and v: "q_linears.weight" for PROJ_HEADS, "q_proj_weight" for PROJ_TORCH.
 * Errors: parts that do not fit together.
 */
int layer_part(struct weights *w, struct arena *a, const struct naming *n,
               const char *const *scope, int n_scopes, struct err *e);

/* ---- one file, on its way ---- */

struct look {
    struct config *c;
    struct family *f;
    struct arena *a;
    struct weights *w;
    const char *name;
    const struct layer_asked *asked;
    struct err *e;
    const struct naming *naming;
    const char *self;           /* where its own attention lies: "self_attn." */
    bool stacked;               /* layers.0, layers.1, .. */
    const char *layer;          /* what names of a layer begin with: "", "layers.%d." */
    const char *cross;          /* "cross_attn."; NULL: there is none */
    const struct ff_naming *ff; /* NULL: one attention alone */
    int n_heads;                /* where each has a matrix of its own; else 0 */
};

enum { LAYER_MAX_WIDTH = 1 << 20 };     /* of one side of any matrix here */

/* A name with the number of the layer put in, if it has one. */
const char *layer_name(struct arena *a, const char *name, int l);

/* Numbers from the shapes of layer 0.  Errors: those of layer_describe. */
int layer_numbers(struct look *k);

/* The tensors of all layers are finite.  Errors: which is not. */
int layer_finite(const struct look *k);

/* Fills k->f from all of that. */
void layer_family(struct look *k);

#endif
