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

static void view_add_rows(double *gram, const struct matrix *matrix, const float *by, int first,
                          int n, struct arena *a)
{
    float *row = arena_alloc_raw(a, (uint64_t)n, (uint64_t)matrix->N * sizeof *row);

    for (int64_t i = 0; i < n; i++)
        linear_row(row + i * matrix->N, matrix, first + (int)i);
    for (int64_t i = 0; by != NULL && i < (int64_t)n * matrix->N; i++)
        row[i] *= by[i % matrix->N];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int k = 0; k < matrix->N; k++)
                gram[i * n + j] += (double)row[i * matrix->N + k] * (double)row[j * matrix->N + k];
}

static void multiply_out(double *gram, const struct qkv_view *view, int head)
{
    const struct matrix *w = &view->out->matrix;
    int n = view->at[head].d_v, first = head * n;
    struct arena_mark mark = arena_mark(view->room);
    float *row;

    if (w->order_in_out) {
        view_add_rows(gram, w, view->by, first, n, view->room);
    } else {
        row = arena_alloc_raw(view->room, (uint64_t)w->K, sizeof *row);
        for (int i = 0; i < w->N; i++) {
            linear_row(row, w, i);
            for (int k = 0; view->by != NULL && k < n; k++)
                row[first + k] *= view->by[i];
            add_outer(gram, row + first, n);
        }
    }
    for (int64_t i = 0; view->branch > 0 && i < (int64_t)n * n; i++)
        gram[i] *= view->branch * view->branch;
    arena_reset(view->room, mark);
}

const double *view_written(const struct qkv_view *view, int head)
{
    uint64_t n = (uint64_t)view->at[head].d_v;
    double *gram = view->grams != NULL ? view->grams->gram + (uint64_t)head * n * n :
                                        arena_alloc(view->room, n, n * sizeof *gram);

    if (view->grams != NULL && view->grams->known[head])
        return gram;
    if (view->grams != NULL) {
        memset(gram, 0, (size_t)(n * n) * sizeof *gram);
        view->grams->known[head] = true;
    }
    multiply_out(gram, view, head);
    return gram;
}
