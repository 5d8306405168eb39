/* SPDX-License-Identifier: MIT
 *
 * The view: inputs of one attention of a model; and the tap: functions of a caller that read it, or
 * compute attention in the model's place. */
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
 * Inputs of one attention of one text: queries, keys and values, normed and rotated.  Valid only
 * during the call, except q and kv, which last until the sinks have got the layer's rows.
 */
struct qkv_view {
    int text, layer;
    enum stack_id stack;
    int T, S;                   /* queries, keys */
    int H, G;                   /* query heads; key/value heads: head h uses h / (H / G) */
    const float *q, *kv;        /* rows of T queries, of S keys and values */
    int64_t q_stride, kv_stride;        /* floats from row to row */
    const int *q_at, *k_at, *v_at;      /* [H], [G], [G] where a head begins in a row */
    const struct attend *at;    /* [H] widths, scale, masks and score terms; hidden has T rows,
                                   row0 is 0 */
    const struct rope_plan *rope;       /* rotation of q and k; NULL if they are not rotated */
    const int *gate_at;         /* [H] where the gate of the head's output begins in a row of q;
                                   NULL if there are no gates */
    const struct param *out;    /* the output projection; NULL if there is none, or gates, which
                                   differ from row to row, come before it */
    double branch;              /* factor on the projection's output; 0 stands for 1 */
    const float *by;            /* [outputs] another factor for each column; NULL: 1 */
    struct arena *room;         /* scratch memory that lasts as long as the call */
    struct view_grams *grams;   /* cache of view_written; NULL: no cache */
    bool alike;                 /* masks and score terms are the same for all heads */
};

/* Cache of W_O W_O^T of the heads of a layer. */
struct view_grams {
    double *gram;               /* [H, d_v, d_v] */
    bool *known;                /* [H] whether it was computed */
};

/*
 * G = W_O W_O^T [d_v, d_v] of a head: the norm of a value x after the output projection is
 * |x W_O| = sqrt(x G x^T).  It lasts until the sinks have got the layer's rows; without view->grams
 * it is in view->room.  Requires view->out.
 */
const double *view_written(const struct qkv_view *view, int head);

enum stream_step_kind {
    STREAM_BEGIN,               /* the embeddings, as the first layer reads them */
    STREAM_ATTENTION,           /* an attention's output was added */
    STREAM_MIXER,               /* a mixer's output, in a layer without attention */
    STREAM_MLP,                 /* an mlp's output, or its experts' */
    STREAM_NORM                 /* the stream itself was normed */
};

/*
 * The residual stream after a step, some rows of all texts.  Each step adds to the stream, or norms
 * it.  Convolutions and layers with bottlenecks make no steps: no model that has them ends in a
 * linear head.
 */
struct stream_step {
    enum stream_step_kind kind;
    int layer;
    enum stack_id stack;        /* the attention's stack; for other steps the model's own */
    const struct param *norm;   /* the norm of STREAM_NORM; else NULL */
    int second;                 /* 1: the second stream of PLACE_REVERSIBLE, to which mlps add */
    const float *x;             /* [n_rows, D] from row row0 on */
    int row0, n_rows, D;
};

/*
 * A tap: functions that read the attentions of the wanted layers and stacks, or replace them.
 * Called by the thread that runs the pass, text by text, before the model's own attention.
 */
struct tap {
    /* Gets the inputs of an attention; NULL: not wanted.  An error ends the pass. */
    int (*take)(void *self, const struct qkv_view *v, struct err *e);
    /*
     * Computes the attention in the model's place: z[T, H d_v], the heads' outputs side by side;
     * the sinks get no rows.  NULL: the model's own attention runs.  An error ends the pass.
     */
    int (*attend)(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e);
    /*
     * Gets the attention's addition to the residual stream, out[n_rows, D] of all texts, after
     * output projection and norm; for the last layer only if hidden or logits are wanted.  NULL:
     * not wanted.
     */
    void (*given)(void *self, int layer, enum stack_id stack, const float *out, int n_rows,
                  int D);
    /*
     * Gets the heads' outputs of an attention, z[n_rows, H d_v] of all texts, unless the pass stops
     * before they are computed.  NULL: not wanted.
     */
    void (*made)(void *self, int layer, enum stack_id stack, const float *z, int n_rows,
                 int width);
    /*
     * Gets the residual stream x[n_rows, D] of all texts at the beginning of each layer, of any
     * stack; x2: with PLACE_REVERSIBLE the one that attention adds to, else x.  NULL: not wanted.
     */
    void (*enter)(void *self, int layer, enum stack_id stack, const float *x, const float *x2,
                  int n_rows, int D);
    /* Gets each step of the residual stream, of every layer and stack; NULL: not wanted. */
    void (*step)(void *self, const struct stream_step *s);
    bool skips_global;          /* texts with global tokens, which have queries and keys of their
                                   own, are skipped; else they are an ERR_INPUT */
    void *self;
};

#endif
