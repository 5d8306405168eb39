/* SPDX-License-Identifier: MIT
 * How layers name their tensors, where they lie, and the parts that are cut or joined. */
#ifndef MODEL_LAYER_PRIV_H
#define MODEL_LAYER_PRIV_H

#include "model/layer.h"

enum part { PART_Q, PART_K, PART_V, PART_O, N_PART };

enum projections {
    PROJ_WHOLE,         /* a matrix for all heads, in any form: see enum form */
    PROJ_HEADS,         /* q, k, v: one matrix per head, "q_linears.0" */
    PROJ_TORCH,         /* one for q, k and v, or one each, with endings of their own */
    PROJ_FUSED,         /* one: rows of all q, then of k, then of v */
    PROJ_FUSED_HEADS,   /* one: head after head, of each its q, its k, its v */
    PROJ_KV             /* q, and one for all k, then all v */
};

/* Names of one attention's projections, without endings; those that a projection has no name
 * for are NULL.  Several rows may have the same name. */
struct naming {
    const char *writer;         /* for messages */
    const char *part[N_PART];   /* of the output, NULL: it is known to have none */
    enum projections kind;
    bool causal;                /* this writer's attention is always masked */
    bool sure;                  /* no whole model has such names */
    const char *norm;           /* of what it reads, inside the attention; NULL: none */
};

extern const struct naming layer_naming[];      /* ends with writer NULL */

/* What is around an attention: names within a layer, and how its writer computes it. */
struct layout {
    const char *writer;
    const char *self, *cross;   /* where attentions lie; cross NULL: there is none */
    const char *norm[4];        /* of attention; the mlp, without cross; cross; the mlp */
    const char *up, *down;      /* of down, alternatives */
    const char *last_norm;      /* after all layers, beside their list; NULL: none */
    bool norm_first;
    enum act act;
    enum norm_kind norm_kind;
    double eps;
    bool tanh_of_others;        /* gelu by tanh, in those that keep a mask or lie [in, out] */
    const char *tokens, *positions, *head;      /* of its writer's whole model, beside the
                                   list of layers; head may lie one part of a name above */
};

extern const struct layout layer_layout[];      /* ends with writer NULL */

/* Parts of an attention or layer that change what it computes, and are not supported. */
extern const char *const layer_unsupported[];   /* ends with NULL */

/* The tensor SCOPE NAME ENDING, written together; NULL: none. */
const struct tensor *layer_find(const struct weights *w, struct arena *a,
                                const char *scope, const char *name,
                                const char *ending);

/* Any tensor whose name begins so. */
bool layer_any(const struct weights *w, const char *begin);

/* Matrices of SCOPE NAME.0, .1, ..: how many. */
int layer_heads(const struct weights *w, struct arena *a, const char *scope,
                const char *name);

/* How a linear lies in a file. */
enum form {
    FORM_NONE,
    FORM_WEIGHT,        /* NAME.weight [out, in] */
    FORM_KERNEL,        /* NAME.kernel [in, out], or with heads apart: [in, H, d], [H, d, out] */
    FORM_BARE           /* NAME [in, out]; or [H, in, d], [H, d, out]; its bias: see layer_bias */
};

/* The weight of SCOPE NAME in any of these forms; NULL: none. */
const struct tensor *layer_weight(const struct weights *w, struct arena *a,
                                  const char *scope, const char *name, enum form *form);

/* Its bias; NULL: it has none. */
const struct tensor *layer_bias(const struct weights *w, struct arena *a, const char *scope,
                                const char *name, enum form form);

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
    const char *self;           /* where its own attention lies: "layers.%d.self_attn." */
    bool stacked;               /* layers.0, layers.1, .. */
    const char *layer;          /* what names of a layer begin with: "", "layers.%d." */
    const char *base;           /* what stands before the list of layers */
    const char *cross;          /* within the layer: "cross_attn."; NULL: there is none */
    const struct layout *layout;        /* NULL: one attention alone */
    const char *part[N_PART];   /* names of its projections once they are parted */
    int n_heads;                /* where shapes say it; else 0 */
    bool in_out;                /* all its linears are y = x W */
    bool causal, keeps_mask;
    bool no_output;             /* one attention, whose output is that of its heads */
    bool out_in;                /* parameters of their own are y = W x */
    const char *note;           /* what was decided of a file that leaves it open */
};

enum { LAYER_MAX_WIDTH = 1 << 20 };     /* of one side of any matrix here */

/* A name with the number of the layer put in, if it has one. */
const char *layer_name(struct arena *a, const char *name, int l);

/*
 * Finds the attention that k->asked and the names tell: naming, self, layer, base, layout;
 * and the same of *decoder, whose layout stays NULL unless *k is the encoder that it reads.
 * Errors: none, or an incomplete one (what was found, the nearest layouts); two layouts or
 * two places that fit (both, and the option that decides).
 */
int layer_search(struct look *k, struct look *decoder);

/* Adds to k->note. */
void layer_note(struct look *k, const char *note);

/* The error of a file in which no layout fits. */
int layer_unknown(const struct look *k);

/* The error of one that has the tensor `there`, but not the tensor `missing`. */
int layer_incomplete(const struct look *k, const char *there, const char *missing);

/* The heads that the file says in words; *n 0: it does not.  Errors: not a number. */
int layer_heads_said(const struct look *k, int *n);

/* A square of the attention in scope, or a number, under a name that masks have. */
bool layer_is_mask(const struct tensor *t, const char *scope);

/*
 * Takes tensors that hold masks out of w: of the attentions in scope [n_scopes], those that
 * are square and say which key a query sees.  True: some of them hide what comes later.
 */
bool layer_take_masks(struct look *k, const char *const *scope, int n_scopes);

/*
 * Replaces the tensors of each attention in scope [n_scopes] by one linear [out, in] for each
 * of q, k, v and the output, names in k->part; the same with the mlp of each layer, and with
 * norms whose parts have other names than weight and bias.
 * Errors: parts that do not fit together; heads that must be known, and are not.
 */
int layer_part(struct look *k, const char *const *scope, int n_scopes);

/* Numbers from the shapes of layer 0.  Errors: those of layer_describe. */
int layer_numbers(struct look *k);

/* The tensors of all layers are finite.  Errors: which is not. */
int layer_finite(const struct look *k);

/* Fills k->f from all of that. */
void layer_family(struct look *k);

#endif
