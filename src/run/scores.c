/* SPDX-License-Identifier: MIT
 * Queries and keys of a head -> its scores before the softmax. */
#include "run/scores.h"

#include <math.h>

#include "nn/linear.h"
#include "nn/score.h"
#include "nn/visible.h"

void scores_products(float *score, const struct qkv_view *view, int h, int row0, int n_rows,
                     struct arena *scratch)
{
    const struct attend *at = &view->at[h];
    const float *q = view->q + view->q_at[h] + row0 * view->q_stride;
    struct arena_mark mark = arena_mark(scratch);
    const struct matrix keys = {
        .data = (const unsigned char *)(view->kv + view->k_at[h / (view->H / view->G)]),
        .size_bytes = sizeof(float), .N = view->S, .K = at->d, .stride = view->kv_stride,
    };
    float *room = arena_alloc_raw(scratch, linear_scratch(at->d), sizeof *room);

    for (int n0 = 0; n0 < view->S; n0 += PANEL)
        linear_panel(score, view->S, q, view->q_stride, n_rows, &keys, NULL, n0, room);
    arena_reset(scratch, mark);
}

void scores_of_head(float *score, const struct qkv_view *view, int h,
                    struct arena *scratch)
{
    const struct attend *at = &view->at[h];
    int64_t count = (int64_t)view->T * view->S;

    scores_products(score, view, h, 0, view->T, scratch);
    for (int64_t i = 0; i < count; i++)
        score[i] *= at->scale;
    score_terms(at, score, (size_t)view->S, 0, view->T, 0, view->S);
    for (int64_t i = 0; i < count; i++)
        if (!visible(at, (int)(i / view->S), (int)(i % view->S)))
            score[i] = -INFINITY;
}
