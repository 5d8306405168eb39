/* SPDX-License-Identifier: MIT
 *
 * What one attention of a model reads, and who looks at it or takes its place. */
#ifndef RUN_VIEW_H
#define RUN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/par.h"
#include "model/model.h"
#include "nn/attend.h"

struct view_grams;

/*
 * What one attention of one text reads: queries, keys and values, normed and rotated.
 * Valid only during the call, but for q and kv, which last until the layer's rows have been
 * handed out.
 */
struct qkv_view {
    int text, layer;
    enum stack_id stack;
    int T, S;                   /* queries, keys */
    int H, G;                   /* heads; heads of keys and values: h has h / (H / G) */
    const float *q, *kv;        /* rows of T queries, of S keys and values */
    int64_t q_stride, kv_stride;        /* floats from row to row */
    const int *q_at, *k_at, *v_at;      /* [H], [G], [G] where a head begins in a row */
    const struct attend *at;    /* [H] widths, scale, what is hidden and added; hidden
                                   has T rows, row0 is 0 */
    const struct rope_plan *rope;       /* how q and k are rotated; NULL: they are not */
    const int *gate_at;         /* [H] where the gate of its output begins in a row of q; NULL:
                                   there are none */
    const struct param *out;    /* the projection of the heads' outputs; NULL: there is none, or
                                   gates stand before it, which differ from row to row */
    double branch;              /* factor on what it gives; 0: 1 */
    const float *by;            /* [outputs] another, column by column; NULL: 1 */
    struct arena *room;         /* for what is computed of it, as long as the call */
    struct view_grams *grams;   /* what view_written keeps; NULL: it computes anew */
    bool alike;                 /* what is hidden and added is the same for all heads */
};

/* W_O W_O^T of the heads of a layer, as far as they were asked for. */
struct view_grams {
    double *gram;               /* [H, d_v, d_v] */
    bool *known;                /* [H] */
};

/*
 * W_O W_O^T [d_v, d_v] of a head: what it writes of a value x is the root of x^T of this x
 * long.  It lasts until the layer's rows have been handed out; without v->grams it is of
 * v->room.  v->out is not NULL.
 */
const double *view_written(const struct qkv_view *v, int head);

enum stream_step_kind {
    STREAM_BEGIN,               /* the embeddings, as the first layer reads them */
    STREAM_ATTENTION,           /* what an attention adds has been added */
    STREAM_MIXER,               /* the same of what a layer has instead */
    STREAM_MLP,                 /* the same of an mlp, or its experts */
    STREAM_NORM                 /* the stream itself has been normed */
};

/*
 * The residual stream after a step, some rows of all texts.  Each step adds to what the one
 * before it left, or norms it.  A convolution is no step, and layers with bottlenecks have none:
 * no model that has them ends in a linear head.
 */
struct stream_step {
    enum stream_step_kind kind;
    int layer;
    enum stack_id stack;        /* whose attention; else the model's own */
    const struct param *norm;   /* of STREAM_NORM; NULL: none */
    int second;                 /* 1: of PLACE_REVERSIBLE, the stream that mlps add to */
    const float *x;             /* [n_rows, D] from row row0 on */
    int row0, n_rows, D;
};

/*
 * Looks at the attentions of the wanted layers and stacks, or takes their place.
 * Called by the thread that runs the pass, text by text, before the model's own.
 */
struct tap {
    /* NULL: does not look.  An error ends the pass. */
    int (*take)(void *self, const struct qkv_view *v, struct err *e);
    /*
     * Writes z[T, H d_v], the heads' outputs side by side; no row goes to a sink.
     * NULL: the model's own attention runs.  An error ends the pass.
     */
    int (*attend)(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e);
    /*
     * What an attention adds to the residual stream, out[n_rows, D] of all texts, after
     * its output projection and norm; the last layer's only where hidden or logits are
     * wanted.  NULL: not wanted.
     */
    void (*given)(void *self, int layer, enum stack_id stack, const float *out, int n_rows,
                  int D);
    /*
     * The heads' outputs of an attention, z[n_rows, H d_v] of all texts, where something
     * after it is wanted.  NULL: not wanted.
     */
    void (*made)(void *self, int layer, enum stack_id stack, const float *z, int n_rows,
                 int width);
    /*
     * The residual stream x[n_rows, D] of all texts as a layer, of any stack, begins; x2: of
     * PLACE_REVERSIBLE the one that attention adds to, else x itself.  NULL: not wanted.
     */
    void (*enter)(void *self, int layer, enum stack_id stack, const float *x, const float *x2,
                  int n_rows, int D);
    /* Each step of the residual stream, of every layer and stack; NULL: not wanted. */
    void (*step)(void *self, const struct stream_step *s);
    bool skips_global;          /* a text that has global tokens, which have queries and keys of
                                   their own, is passed over; else it is an ERR_INPUT */
    void *self;
};

#endif
