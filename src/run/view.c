/* SPDX-License-Identifier: MIT
 * The output projection of a head -> W_O W_O^T, which gives the norm of each projected value. */
#include "run/view.h"

#include <string.h>

/* gram[n, n] += x x^T of x[n] */
static void add_outer(double *gram, const float *x, int n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            gram[i * n + j] += (double)x[i] * (double)x[j];
}

static void view_add_rows(double *gram, const struct matrix *w, const float *by, int first, int n,
                          struct arena *a)
{
    float *row = arena_alloc_raw(a, (uint64_t)n, (uint64_t)w->N * sizeof *row);

    for (int64_t i = 0; i < n; i++)
        linear_row(row + i * w->N, w, first + (int)i);
    for (int64_t i = 0; by != NULL && i < (int64_t)n * w->N; i++)
        row[i] *= by[i % w->N];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int k = 0; k < w->N; k++)
                gram[i * n + j] += (double)row[i * w->N + k] * (double)row[j * w->N + k];
}

static void multiply_out(double *gram, const struct qkv_view *v, int head)
{
    const struct matrix *w = &v->out->matrix;
    int n = v->at[head].d_v, first = head * n;
    struct arena_mark mark = arena_mark(v->room);
    float *row;

    if (w->order_in_out) {
        view_add_rows(gram, w, v->by, first, n, v->room);
    } else {
        row = arena_alloc_raw(v->room, (uint64_t)w->K, sizeof *row);
        for (int i = 0; i < w->N; i++) {
            linear_row(row, w, i);
            for (int k = 0; v->by != NULL && k < n; k++)
                row[first + k] *= v->by[i];
            add_outer(gram, row + first, n);
        }
    }
    for (int64_t i = 0; v->branch > 0 && i < (int64_t)n * n; i++)
        gram[i] *= v->branch * v->branch;
    arena_reset(v->room, mark);
}

const double *view_written(const struct qkv_view *v, int head)
{
    uint64_t n = (uint64_t)v->at[head].d_v;
    double *gram = v->grams != NULL ? v->grams->gram + (uint64_t)head * n * n :
                                        arena_alloc(v->room, n, n * sizeof *gram);

    if (v->grams != NULL && v->grams->known[head])
        return gram;
    if (v->grams != NULL) {
        memset(gram, 0, (size_t)(n * n) * sizeof *gram);
        v->grams->known[head] = true;
    }
    multiply_out(gram, v, head);
    return gram;
}
