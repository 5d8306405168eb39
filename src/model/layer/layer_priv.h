/* SPDX-License-Identifier: MIT
 * Private interface of bare layers: known names and layouts of tensors, and the state of reading a
 * file. */
#ifndef MODEL_LAYER_PRIV_H
#define MODEL_LAYER_PRIV_H

#include "model/layer.h"

enum part { PART_Q, PART_K, PART_V, PART_O, N_PART };

enum projections {
    PROJ_WHOLE,         /* one matrix for all heads, in any form: see enum form */
    PROJ_HEADS,         /* q, k, v: one matrix per head, "q_linears.0" */
    PROJ_TORCH,         /* torch: one for q, k and v, or one each, with special endings */
    PROJ_FUSED,         /* one matrix: rows of all q, then of k, then of v */
    PROJ_FUSED_HEADS,   /* one matrix: for each head its q, its k, its v */
    PROJ_KV             /* q, and one matrix for all k, then all v */
};

/* A naming: names of one attention's projections, without endings; NULL if a projection does not
 * exist.  Several rows may have the same name. */
struct naming {
    const char *writer;         /* for messages */
    const char *part[N_PART];   /* the output's may be NULL: there is none */
    enum projections kind;
    bool causal;                /* this writer's attention is always causal */
    bool sure;                  /* no complete model has such names */
    const char *norm;           /* norm of its input, inside the attention; NULL: none */
};

extern const struct naming layer_naming[];      /* ends with writer NULL */

/* A layout: names in a layer around an attention, and the rules by which its writer computes it. */
struct layout {
    const char *writer;
    const char *self, *cross;   /* scopes of the attentions; cross NULL: there is none */
    const char *norm[4];        /* before attention; the mlp, without cross; cross; the mlp */
    const char *up, *down;      /* down: alternatives */
    const char *last_norm;      /* norm after all layers, next to their list; NULL: none */
    bool norm_first;
    enum act act;
    enum norm_kind norm_kind;
    double eps;
    bool tanh_of_others;        /* gelu is the tanh approximation in files that store a mask, or
                                   whose linears are [in, out] */
    const char *tokens, *positions, *head;      /* tensors of its writer's complete model, next to
                                   the list of layers; head may be one level above */
};

extern const struct layout layer_layout[];      /* ends with writer NULL */

/* Names of tensors that change what an attention or layer computes, and are not supported. */
extern const char *const layer_unsupported[];   /* ends with NULL */

/* The tensor named SCOPE NAME ENDING, concatenated; NULL if none. */
const struct tensor *layer_find(const struct weights *weights, struct arena *a,
                                const char *scope, const char *name,
                                const char *ending);

/* Whether any tensor's name begins so. */
bool layer_any(const struct weights *weights, const char *begin);

/* Number of matrices SCOPE NAME.0, .1, .. */
int layer_heads(const struct weights *weights, struct arena *a, const char *scope,
                const char *name);

/* The form of a linear in a file. */
enum form {
    FORM_NONE,
    FORM_WEIGHT,        /* NAME.weight [out, in] */
    FORM_KERNEL,        /* NAME.kernel [in, out], or by head: [in, H, d], [H, d, out] */
    FORM_BARE           /* NAME [in, out]; or [H, in, d], [H, d, out]; its bias: see layer_bias */
};

/* The weight of SCOPE NAME in any of these forms; NULL if none. */
const struct tensor *layer_weight(const struct weights *weights, struct arena *a,
                                  const char *scope, const char *name, enum form *form);

/* Its bias; NULL if none. */
const struct tensor *layer_bias(const struct weights *weights, struct arena *a, const char *scope,
                                const char *name, enum form form);

/* ---- the state of reading a file ---- */

struct look {
    struct config *c;
    struct family *f;
    struct arena *a;
    struct weights *w;
    const char *name;
    const struct layer_asked *asked;
    struct err *e;
    const struct naming *naming;
    const char *self;           /* scope of its self-attention: "layers.%d.self_attn." */
    bool stacked;               /* a list of layers, layers.0, layers.1, .. */
    const char *layer;          /* prefix of a layer's names: "", "layers.%d." */
    const char *base;           /* prefix before the list of layers */
    const char *cross;          /* scope within the layer: "cross_attn."; NULL: there is none */
    const struct layout *layout;        /* NULL: a single attention */
    const char *part[N_PART];   /* names of its projections after conversion */
    int n_heads;                /* if shapes tell it; else 0 */
    bool in_out;                /* all its linears are y = x W */
    bool causal, keeps_mask;
    bool no_output;             /* a single attention without output projection */
    bool out_in;                /* bare parameters (W_Q) are y = W x */
    const char *note;           /* assumptions where the file is ambiguous */
};

enum { LAYER_MAX_WIDTH = 1 << 20 };     /* largest dimension of a matrix here */

/* A name with the layer's number inserted, if it has a place for it. */
const char *layer_name(struct arena *a, const char *name, int l);

/*
 * Finds the attention by look->asked and names: sets naming, self, layer, base, layout; and the
 * same in *decoder, whose layout stays NULL unless *look is its encoder.
 * Errors: none, or an incomplete one (with the tensors found, and the nearest layouts); two layouts
 * or two scopes match (both, and the option that decides).
 */
int layer_search(struct look *look, struct look *decoder);

/* Adds to look->note. */
void layer_note(struct look *look, const char *note);

/* Sets the error of a file that matches no layout. */
int layer_unknown(const struct look *look);

/* Sets the error of a file that has the tensor `there`, but not `missing`. */
int layer_incomplete(const struct look *look, const char *there, const char *missing);

/* *n = the number of heads in the file's metadata; 0 if it has none.  Errors: not a number. */
int layer_heads_said(const struct look *look, int *n);

/* Whether tensor is a mask of the attention in scope: a square, or a number, with a usual name of
 * masks.
 * */
bool layer_is_mask(const struct tensor *tensor, const char *scope);

/*
 * Removes masks from w: of the attentions in scope [n_scopes], square tensors that mark which keys
 * a query sees.  True: some are causal.
 */
bool layer_take_masks(struct look *look, const char *const *scope, int n_scopes);

/*
 * Converts the tensors of each attention in scope [n_scopes] into one linear [out, in] for each of
 * q, k, v and the output, with names in look->part; likewise the mlp of each layer, and norms whose
 * tensors are not named weight and bias.
 * Errors: tensors that do not fit together; the number of heads is required and unknown.
 */
int layer_part(struct look *look, const char *const *scope, int n_scopes);

/* Sets the config's numbers from the shapes of layer 0.  Errors: those of layer_describe. */
int layer_numbers(struct look *look);

/* Checks that the tensors of all layers are finite.  Errors: names one that is not. */
int layer_finite(const struct look *look);

/* Fills the family look->f from this state. */
void layer_family(struct look *look);

#endif
