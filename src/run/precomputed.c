/* SPDX-License-Identifier: MIT
 * Rows of attention that a file holds -> blocks for the sinks; what is wrong with them. */
#include "run/precomputed.h"

#include <math.h>
#include <string.h>

#include "run/row.h"

/* How far the sum of a row may be from 1: rows of 1,000 keys in f16 are within it. */
static const double SUM_MAX = 1e-3;

/* ---- rows ---- */

/* Element 0 of a row. */
static int64_t row_at(const struct tensor *t, int head, int row)
{
    return (head * t->shape[1] + row) * t->shape[2];
}

/* The first weight that is negative or not finite; n: all are fine. */
static int first_bad(const float *w, int n)
{
    int s = 0;

    while (s < n && w[s] >= 0 && w[s] < INFINITY)
        s++;
    return s;
}

static double sum_of(const float *w, int n)
{
    double sum = 0;

    for (int s = 0; s < n; s++)
        sum += (double)w[s];
    return sum;
}

/* True if w is a row of attention; part: of one copy of each key, which sum to less. */
static bool is_row(const float *w, int n, bool part)
{
    double sum;

    if (first_bad(w, n) < n)
        return false;
    sum = sum_of(w, n);
    return sum == 0 || (sum <= 1 + SUM_MAX && (part || sum >= 1 - SUM_MAX));
}

int precomputed_read(const struct precomputed_layer *y, struct rows *rows, float *weight,
                     float *single, unsigned char *hidden, double *entropy,
                     int *n_visible)
{
    int bad = -1, count = rows->n_keys;

    for (int t = 0; t < rows->n_rows; t++) {
        size_t to = (size_t)t * rows->stride;
        int64_t at = row_at(y->rows, rows->head, rows->row0 + t) + rows->key0;

        tensor_read(weight + to, y->rows, at, count);
        entropy[t] = row_entropy(weight + to, count);
        if (y->single != NULL)
            tensor_read(single + to, y->single, at, count);
        if (bad < 0 && (!is_row(weight + to, count, false) ||
                        (y->single != NULL && !is_row(single + to, count, true))))
            bad = rows->row0 + t;
        if (sum_of(weight + to, count) == 0) {
            memset(hidden + to, 1, (size_t)count);
            n_visible[t] = 0;
            rows->hidden = hidden;
        }
    }
    return bad;
}

/* ---- what is wrong with one ---- */

static int row_error(const struct tensor *t, const float *w, int head, int row,
                     struct err *e)
{
    int count = (int)t->shape[2], s = first_bad(w, count);

    if (s < count)
        return err_set(e, ERR_INPUT, "%s: %s: head %d, row %d: weight %d is %g, expected "
                       "0 to 1", t->file, t->name, head, row, s, (double)w[s]);
    return err_set(e, ERR_INPUT, "%s: %s: head %d, row %d: its weights sum to %.6g, "
                   "expected 1 (within %g), or 0 where it sees no key", t->file,
                   t->name, head, row, sum_of(w, count), SUM_MAX);
}

int precomputed_error(const struct precomputed_layer *y, struct arena *a, int head, int row,
                      struct err *e)
{
    int count = (int)y->rows->shape[2];
    float *w = arena_alloc_raw(a, (size_t)count, sizeof *w);

    tensor_read(w, y->rows, row_at(y->rows, head, row), count);
    if (y->single == NULL || !is_row(w, count, false))
        return row_error(y->rows, w, head, row, e);
    tensor_read(w, y->single, row_at(y->single, head, row), count);
    return row_error(y->single, w, head, row, e);
}

/* ---- what is wanted ---- */

int precomputed_check(const struct pass *p, struct err *e)
{
    const struct wanted *wanted = p->want;
    const struct change *change = wanted->change;

    if (wanted->hidden == NULL && wanted->logits == NULL && wanted->tap == NULL &&
        (change == NULL ||
         (change->mask == NULL && change->memory_mask == NULL && change->noise == NULL &&
          change->intervention == NULL && change->precision == PRECISION_F32)))
        return 0;
    return err_set(e, ERR_USAGE, "%s holds only rows of attention: this requires a model",
                   p->m->name);
}
