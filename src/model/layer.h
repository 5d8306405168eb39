/* SPDX-License-Identifier: MIT
 *
 * A file with one attention, or layers around it, and no config.json: the names and
 * shapes of its tensors -> a family and a config, as if somebody had written them.
 *
 *     q_linear k_linear v_linear output_linear        also as linear_q .. linear_out,
 *                                                     W_Q W_K W_V W_O
 *     q_linears.{i} k_linears.{i} v_linears.{i} output_linear     a matrix a head
 *     in_proj_weight in_proj_bias out_proj            torch.nn.MultiheadAttention, or
 *     q_proj_weight k_proj_weight v_proj_weight       with keys and values of own widths
 *     bias_k bias_v                                   a key and value after the others
 *     rel_pos_encoding [2 max_len - 1, d_k]           with any of these
 *
 * alone, or as self_attn.* (and cross_attn.* or multihead_attn.*) of a layer with
 * norm1, norm2 (and norm3), feed_forward.0 and .3 or linear1 and linear2; one layer, or
 * layers.{i}.* and perhaps a final norm.  Linears are [out, in], as torch has them. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "base/arena.h"
#include "base/err.h"
#include "model/config.h"
#include "model/family.h"
#include "weights/weights.h"

/* What a file of a layer cannot say; all zero: nothing asked for. */
struct layer_asked {
    int heads;                  /* 0: the file says it, or an error */
    bool norm_first;            /* x + f(norm(x)), as torch's norm_first=True */
    const char *activation;     /* of the mlp, "relu" or "gelu"; NULL: relu */
    const char *relative;       /* "shaw", or NULL for the documents' form */
    bool unmasked;              /* a causal layer sees all keys */
    bool memory;                /* keys and values come from another input */
};

/* True where any tensor has a name that only these layers have. */
bool layer_is(const struct weights *w, struct arena *scratch);

/*
 * The same, also where all names begin with one or several parts more, as "attn." of a
 * module within a module, or "module." of a wrapped one: w loses them.  Where it is false,
 * what is left of the names is not said, so it is for files that can be nothing else.
 */
bool layer_within(struct weights *w, struct arena *a);

/*
 * Fills *c and *family; name is the file for messages.  Tensors that hold several parts
 * (in_proj_weight), or a part of one (q_linears.0), are replaced in w by whole parts.
 *
 * Errors (ERR_INPUT): two layouts at once; projections that lack one of the four, or
 * whose widths do not fit; heads that do not divide the width.  ERR_USAGE: the number of
 * heads is not known and not asked for, or not the one that the file says.
 */
int layer_describe(struct config *c, const struct family **family, struct arena *a,
                   struct weights *w, const char *name, const struct layer_asked *asked,
                   struct err *e);

#endif
