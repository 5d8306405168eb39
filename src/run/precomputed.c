/* SPDX-License-Identifier: MIT
 * Attention rows of a file -> checked blocks for the sinks. */
#include "run/precomputed.h"

#include <math.h>
#include <string.h>

#include "run/row.h"

/* How far the sum of a row may be from 1: rows of 1,000 keys in f16 are within it. */
static const double SUM_MAX = 1e-3;

/* ---- rows ---- */

/* Element 0 of a row. */
static int64_t run_precomputed_row_at(const struct tensor *tensor, int head, int row)
{
    return (head * tensor->shape[1] + row) * tensor->shape[2];
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

/* What a sink took of a row; 0: there is none. */
static float taken_of(const struct precomputed_layer *y, int head, int row)
{
    float taken = 0;

    if (y->sinks != NULL)
        tensor_read(&taken, y->sinks, head * y->sinks->shape[1] + row, 1);
    return taken;
}

/* True if w is a row of attention of which a sink took some; part: of one copy of each key,
 * which sum to less. */
static bool is_row(const float *w, int n, float taken, bool part)
{
    double sum;

    if (first_bad(w, n) < n || !(taken >= 0 && taken < INFINITY))
        return false;
    sum = sum_of(w, n);
    if (sum == 0 && taken == 0)
        return true;
    sum += (double)taken;
    return sum <= 1 + SUM_MAX && (part || sum >= 1 - SUM_MAX);
}

int precomputed_read(const struct precomputed_layer *y, struct rows *rows, float *weight,
                     float *single, unsigned char *hidden, double *entropy,
                     double *null_mass, int *n_visible)
{
    int bad = -1, count = rows->n_keys;

    for (int t = 0; t < rows->n_rows; t++) {
        size_t to = (size_t)t * rows->stride;
        int64_t at = run_precomputed_row_at(y->rows, rows->head, rows->row0 + t) + rows->key0;

        float taken = taken_of(y, rows->head, rows->row0 + t);

        tensor_read(weight + to, y->rows, at, count);
        null_mass[t] = (double)taken;
        entropy[t] = row_entropy(weight + to, count);
        if (y->single != NULL)
            tensor_read(single + to, y->single, at, count);
        if (bad < 0 && (!is_row(weight + to, count, taken, false) ||
                        (y->single != NULL && !is_row(single + to, count, 0, true))))
            bad = rows->row0 + t;
        if (sum_of(weight + to, count) == 0) {
            memset(hidden + to, 1, (size_t)count);
            n_visible[t] = 0;
            rows->hidden = hidden;
        }
    }
    if (y->sinks != NULL)
        rows->null_mass = null_mass;
    return bad;
}

/* ---- what is wrong with one ---- */

static int row_error(const struct tensor *tensor, const float *w, float taken, int head, int row,
                     struct err *e)
{
    int count = (int)tensor->shape[2], s = first_bad(w, count);

    if (s < count)
        return err_set(e, ERR_INPUT, "%s: %s: head %d, row %d: weight %d is %g, expected "
                       "0 to 1", tensor->file, tensor->name, head, row, s, (double)w[s]);
    if (taken != 0)
        return err_set(e, ERR_INPUT,
                       "%s: %s: head %d, row %d: its weights sum to %.6g, what a "
                       "sink takes is %g: expected 1 together (within %g)",
                       tensor->file, tensor->name, head, row, sum_of(w, count), (double)taken,
                       SUM_MAX);
    return err_set(e, ERR_INPUT, "%s: %s: head %d, row %d: its weights sum to %.6g, "
                   "expected 1 (within %g), or 0 where it sees no key", tensor->file,
                   tensor->name, head, row, sum_of(w, count), SUM_MAX);
}

int precomputed_error(const struct precomputed_layer *y, struct arena *a, int head, int row,
                      struct err *e)
{
    int count = (int)y->rows->shape[2];
    float *w = arena_alloc_raw(a, (size_t)count, sizeof *w), taken = taken_of(y, head, row);

    tensor_read(w, y->rows, run_precomputed_row_at(y->rows, head, row), count);
    if (y->single == NULL || !is_row(w, count, taken, false))
        return row_error(y->rows, w, taken, head, row, e);
    tensor_read(w, y->single, run_precomputed_row_at(y->single, head, row), count);
    return row_error(y->single, w, 0, head, row, e);
}

/* ---- what is wanted ---- */

int precomputed_check(const struct pass *pass, struct err *e)
{
    const struct wanted *wanted = pass->want;
    const struct change *change = wanted->change;

    if (wanted->hidden == NULL && wanted->logits == NULL && wanted->tap == NULL &&
        (change == NULL ||
         (change->mask == NULL && change->memory_mask == NULL && change->noise == NULL &&
          change->intervention == NULL && change->precision == PRECISION_F32)))
        return 0;
    return err_set(e, ERR_USAGE, "%s holds only rows of attention: this requires a model",
                   pass->m->name);
}
