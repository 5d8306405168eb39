/* SPDX-License-Identifier: MIT
 *
 * Bare layers: a file with one attention, or layers around it, and no config.json: the names and
 * shapes of its tensors -> a family and a config.
 *
 *     q_linear k_linear v_linear output_linear        and the other names of layer/names.c,
 *                                                     one row each
 *     q_linears.{i} k_linears.{i} v_linears.{i} output_linear     one matrix per head
 *     c_attn c_proj, qkv proj, ..                     one for q, k and v
 *     in_proj_weight in_proj_bias out_proj            torch.nn.MultiheadAttention, or
 *     q_proj_weight k_proj_weight v_proj_weight       with other widths of keys and values
 *     bias_k bias_v                                   a key and value after the others
 *     rel_pos_encoding [2 max_len - 1, d_k]           with any of these
 *
 * alone; or in a layer, with norms and an mlp as in a row of layer/names.c; one layer, or
 * layers.{i}.* and optionally a final norm; anywhere in the file, whose other tensors are
 * ignored.  Linears are [out, in], as in torch, or [in, out] if they are bare parameters (W_Q)
 * or kernels of Keras and Flax. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "base/arena.h"
#include "base/err.h"
#include "model/config.h"
#include "model/family.h"
#include "weights/weights.h"

/* The order of queries, keys and values in one fused matrix. */
enum layer_fused {
    LAYER_FUSED_AUTO,           /* by its name */
    LAYER_FUSED_PARTS,          /* all queries, all keys, all values */
    LAYER_FUSED_HEADS           /* for each head its query, key, value */
};

/* The storage order of a matrix. */
enum layer_order {
    LAYER_ORDER_AUTO,           /* by its form and shape */
    LAYER_ORDER_OUT_IN,         /* y = W x */
    LAYER_ORDER_IN_OUT          /* y = x W */
};

/* Options for what the file of a layer does not tell; all zero: none given. */
struct layer_asked {
    int heads;                  /* 0: from the file, or an error */
    bool norm_first;            /* x + f(norm(x)), as torch's norm_first=True */
    const char *activation;     /* of the mlp: relu, gelu, gelu_tanh; NULL: that of the layout */
    const char *relative;       /* form of rel_pos_encoding: "shaw", or NULL for the default */
    bool unmasked;              /* a causal layer sees all keys */
    bool zero_key;              /* a key and a value of zeros after all others */
    bool memory;                /* keys and values come from another input */
    const char *names;          /* of its projections, "q,k,v,o", "qkv,o"; NULL: known layouts */
    const char *prefix;         /* only tensors with this prefix; NULL: all */
    enum layer_fused fused;
    enum layer_order order;
    /* options of all models */
    enum weights_held held;
    const char *const *adapter; /* [n_adapters] folders, merged in this order */
    int n_adapters;
    enum tower tower;           /* of a model of texts and pictures; TOWER_NONE: that of texts */
};

/* True if any tensor has a name that only bare layers have. */
bool layer_is(const struct weights *weights, struct arena *scratch);

/*
 * Fills *config and *family; name: the file name, for messages.  Fused tensors (in_proj_weight),
 * split ones (q_linears.0), and linears in other forms are replaced in weights by one linear each.
 * *note: assumptions where the file is ambiguous, for the user; NULL if none.
 *
 * Errors (ERR_INPUT): no known layout (with the tensors found, and the nearest layouts); two at
 * once; one of the four projections is missing, or widths do not fit; heads that do not divide the
 * width.  ERR_USAGE: the number of heads is unknown and not given, or not that of the file; two
 * attentions, or two layouts, match, with the option that decides.
 */
int layer_describe(struct config *config, const struct family **family, struct arena *a,
                   struct weights *weights, const char *name, const struct layer_asked *asked,
                   const char **note, struct err *e);

#endif
