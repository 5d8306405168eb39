/* SPDX-License-Identifier: MIT
 * What the stages of one pass share. */
#ifndef RUN_RUN_PRIV_H
#define RUN_RUN_PRIV_H

#include "run/run.h"

enum {
    ROW_CHUNK = 64,         /* rows that one task norms, rotates or activates */
    MLP_ROWS = 1024         /* rows that go through the mlp at a time */
};

struct pass {
    const struct model *m;
    const struct batch *b;
    const struct wanted *want;
    const struct sink *sinks;
    int n_sinks;
    struct par *par;
    struct arena *call;
    int N;                  /* tokens in the batch */
    int last;               /* the last layer to run */
    int qkv_width;          /* (H + 2 G) d: a row holds q, then k, then v */
    float *x;               /* [N, D] the residual stream */
    float *a;               /* [N, D] what a stage reads: normed x, or x itself */
    float *qkv;             /* [N, qkv_width] */
    float *z;               /* [N, H d] heads' outputs, side by side */
    float *up, *gate;       /* [MLP_ROWS, F] */
    float *cos, *sin;       /* [longest text, d/2] */
};

/* y[n_rows, out] = x w^T + bias, panels shared out over the threads. */
void pass_linear(struct pass *p, float *y, int64_t y_stride, const float *x,
                 int64_t x_stride, int n_rows, const struct matrix *w,
                 const float *bias);

/* y = norm(x) over n_rows rows of D; an empty slot copies.  y may be x. */
void pass_norm(struct pass *p, float *y, const float *x, int n_rows,
               const struct param *norm);

/* x[N, D] = the embeddings of the batch. */
void pass_embed(struct pass *p);

/* q, k, v of layer l from p->a, rotated. */
void pass_project(struct pass *p, const struct layer_plan *plan);

/* Attention of layer l from p->qkv to p->z and the sinks. */
int pass_attend(struct pass *p, int l, struct err *e);

/* x = mlp(x), with its norm and residual. */
void pass_mlp(struct pass *p, const struct layer_plan *plan);

/* Final norm, hidden, logits. */
void pass_head(struct pass *p);

#endif
