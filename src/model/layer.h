/* SPDX-License-Identifier: MIT
 *
 * A file with one attention, or layers around it, and no config.json: the names and
 * shapes of its tensors -> a family and a config, as if somebody had written them.
 *
 *     q_linear k_linear v_linear output_linear        and the other names of layer/names.c,
 *                                                     one row each
 *     q_linears.{i} k_linears.{i} v_linears.{i} output_linear     one matrix per head
 *     c_attn c_proj, qkv proj, ..                     one for q, k and v
 *     in_proj_weight in_proj_bias out_proj            torch.nn.MultiheadAttention, or
 *     q_proj_weight k_proj_weight v_proj_weight       with keys and values of own widths
 *     bias_k bias_v                                   a key and value after the others
 *     rel_pos_encoding [2 max_len - 1, d_k]           with any of these
 *
 * alone; or in a layer, with norms and an mlp as a row of layer/names.c has them; one layer,
 * or layers.{i}.* and perhaps a final norm; anywhere in the file, whose other tensors are not
 * used.  Linears are [out, in], as torch has them, or [in, out] where they are parameters
 * of their own (W_Q) or kernels of Keras and Flax. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "base/arena.h"
#include "base/err.h"
#include "model/config.h"
#include "model/family.h"
#include "weights/weights.h"

/* How one matrix for queries, keys and values holds them. */
enum layer_fused {
    LAYER_FUSED_AUTO,           /* as its name says */
    LAYER_FUSED_PARTS,          /* all queries, all keys, all values */
    LAYER_FUSED_HEADS           /* head after head, of each its query, key, value */
};

/* How a matrix lies. */
enum layer_order {
    LAYER_ORDER_AUTO,           /* as its form and shape say */
    LAYER_ORDER_OUT_IN,         /* y = W x */
    LAYER_ORDER_IN_OUT          /* y = x W */
};

/* What a file of a layer cannot say; all zero: nothing asked for. */
struct layer_asked {
    int heads;                  /* 0: the file says it, or an error */
    bool norm_first;            /* x + f(norm(x)), as torch's norm_first=True */
    const char *activation;     /* of the mlp: relu, gelu, gelu_tanh; NULL: its writer's */
    const char *relative;       /* "shaw", or NULL for the documents' form */
    bool unmasked;              /* a causal layer sees all keys */
    bool zero_key;              /* a key and a value of zeros after all others */
    bool memory;                /* keys and values come from another input */
    const char *names;          /* of its projections, "q,k,v,o", "qkv,o"; NULL: known ones */
    const char *prefix;         /* of the tensors that are looked at; NULL: all */
    enum layer_fused fused;
    enum layer_order order;
    /* of any model */
    enum weights_held held;
    const char *const *adapter; /* [n_adapters] folders, merged in this order */
    int n_adapters;
    enum tower tower;           /* of a model of texts and pictures; TOWER_NONE: that of texts */
};

/* True where any tensor has a name that only these layers have. */
bool layer_is(const struct weights *w, struct arena *scratch);

/*
 * Fills *c and *family; name is the file for messages.  Tensors that hold several parts
 * (in_proj_weight), a part of one (q_linears.0), or a linear in another form, are replaced
 * in w by whole linears.  *note: what was decided where the file leaves it open; NULL:
 * nothing.
 *
 * Errors (ERR_INPUT): no known layout (the tensors that were found, the nearest layouts); two
 * at once; projections that lack one of the four, or whose widths do not fit; heads that do
 * not divide the width.  ERR_USAGE: the number of heads is not known and not asked for, or
 * not the one that the file says; two attentions, or two layouts, that fit, with the option
 * that decides.
 */
int layer_describe(struct config *c, const struct family **family, struct arena *a,
                   struct weights *w, const char *name, const struct layer_asked *asked,
                   const char **note, struct err *e);

#endif
