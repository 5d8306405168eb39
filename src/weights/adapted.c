/* SPDX-License-Identifier: MIT
 * A matrix and two low-rank factors -> the merged matrix, a piece of a row at a time. */
#include "weights/adapted.h"

#include <math.h>

#include "weights/weights_priv.h"

enum { PIECE = 256 };           /* elements of a row that are summed at a time: 1 KiB */

struct adapted {
    struct maker maker;         /* its first part is W, as it was */
    int64_t columns;            /* of W */
    int r;
    float scale;
    const float *left, *right;  /* [rows, r], [r, columns] */
    const float *factor;        /* [out] of DoRA; NULL: LoRA */
    bool in_out;
};

/* n <= PIECE elements from column j of row i on, before DoRA's factor. */
static void add_piece(const struct adapted *d, float *out, int64_t i, int64_t j, int64_t n)
{
    float sum[PIECE] = { 0 };

    for (int k = 0; k < d->r; k++) {
        float left = d->left[i * d->r + k];
        const float *right = d->right + k * d->columns + j;

        for (int64_t c = 0; c < n; c++)
            sum[c] += left * right[c];
    }
    for (int64_t c = 0; c < n; c++)
        out[c] += d->scale * sum[c];
}

static void scale_piece(const struct adapted *d, float *out, int64_t i, int64_t j, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        out[c] *= d->factor[d->in_out ? j + c : i];
}

static void read_adapted(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct adapted *d = maker;

    while (n > 0) {
        int64_t i = first / d->columns, j = first % d->columns, count = d->columns - j;

        count = count < PIECE ? count : PIECE;
        count = count < n ? count : n;
        tensor_read(out, &d->maker.part[0], first, count);
        add_piece(d, out, i, j, count);
        if (d->factor != NULL)
            scale_piece(d, out, i, j, count);
        out += count;
        first += count;
        n -= count;
    }
}

/* ---- opening ---- */

static float *floats_of(struct arena *a, const struct tensor *t, bool turned)
{
    float *x = arena_alloc(a, (uint64_t)t->n_elements, sizeof *x), *y;

    tensor_read(x, t, 0, t->n_elements);
    if (!turned)
        return x;
    y = arena_alloc(a, (uint64_t)t->n_elements, sizeof *y);
    for (int64_t i = 0; i < t->shape[0]; i++)
        for (int64_t j = 0; j < t->shape[1]; j++)
            y[j * t->shape[0] + i] = x[i * t->shape[1] + j];
    return y;
}

static int check_float(struct weights *w, const struct tensor *t, struct err *e)
{
    const struct dtype_row *dtype = &dtype_table[t->dtype];

    return dtype->is_float ? 0 :
           err_set(e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16, BF16 or F64", t->file,
                   str_shown(w->a, t->name), dtype->name);
}

/* What says which way W lies is its shape; where that fits both, what unpacked it, or who asks. */
static int adapted_check(struct weights *w, const struct tensor *t, const struct low_rank *c,
                         bool *in_out, struct err *e)
{
    int64_t r = c->a->n_dims == 2 ? c->a->shape[0] : 0, in = r > 0 ? c->a->shape[1] : 0;
    int64_t out = c->b->n_dims == 2 ? c->b->shape[0] : 0;
    bool matrix = t->n_dims == 2 && t->n_elements > 0;
    bool straight = matrix && t->shape[0] == out && t->shape[1] == in;
    bool turned = matrix && t->shape[0] == in && t->shape[1] == out;

    if (check_float(w, c->a, e) != 0 || check_float(w, c->b, e) != 0 ||
        check_float(w, t, e) != 0)
        return -1;
    if (r < 1 || c->b->n_dims != 2 || c->b->shape[1] != r)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s, which %s of shape %s does not fit",
                       c->a->file, str_shown(w->a, c->a->name), tensor_shape(w->a, c->a),
                       str_shown(w->a, c->b->name), tensor_shape(w->a, c->b));
    if (!straight && !turned)
        return err_set(e, ERR_INPUT, "%s: %s: changes a matrix of shape [%lld,%lld], but %s "
                       "has shape %s", c->a->file, str_shown(w->a, c->a->name),
                       (long long)out, (long long)in, str_shown(w->a, t->name),
                       tensor_shape(w->a, t));
    *in_out = straight && turned ? c->in_out && !(t->maker != NULL && t->maker->out_in) : turned;
    return 0;
}

/* Squares of the elements by output; in double, rows first. */
static void add_squares(const struct adapted *d, const struct tensor *t, double *sum)
{
    float piece[PIECE];

    for (int64_t first = 0, n; first < t->n_elements; first += n) {
        int64_t i = first / d->columns, j = first % d->columns;

        n = d->columns - j < PIECE ? d->columns - j : PIECE;
        read_adapted(d, piece, first, n);
        for (int64_t c = 0; c < n; c++)
            sum[d->in_out ? j + c : i] += (double)piece[c] * (double)piece[c];
    }
}

/* m over the lengths of what is merged; 0 where that is 0. */
static int open_magnitude(struct weights *w, struct adapted *d, const struct tensor *t,
                          const struct low_rank *c, struct err *e)
{
    const struct tensor *m = c->magnitude;
    int64_t n_out = c->b->shape[0];
    float *factor;
    double *sum;

    if (m == NULL)
        return 0;
    if (check_float(w, m, e) != 0)
        return -1;
    if (m->n_elements != n_out)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s, expected [%lld]", m->file,
                       str_shown(w->a, m->name), tensor_shape(w->a, m), (long long)n_out);
    factor = floats_of(w->a, m, false);
    sum = arena_alloc(w->a, (uint64_t)n_out, sizeof *sum);
    add_squares(d, t, sum);
    for (int64_t o = 0; o < n_out; o++)
        factor[o] = sum[o] > 0 ? (float)((double)factor[o] / sqrt(sum[o])) : 0;
    d->factor = factor;
    return 0;
}

void weights_put(struct weights *w, int i, const struct tensor *t)
{
    const char *name = w->tensor[i].name;

    w->tensor[i] = *t;
    w->tensor[i].name = name;
}

int weights_adapt(struct weights *w, int i, const struct low_rank *c, struct err *e)
{
    struct adapted *d = arena_alloc(w->a, 1, sizeof *d);
    struct tensor *part = arena_alloc(w->a, 4, sizeof *part), *t = &w->tensor[i];

    if (adapted_check(w, t, c, &d->in_out, e) != 0)
        return -1;
    part[0] = *t;
    part[1] = *c->a;
    part[2] = *c->b;
    if (c->magnitude != NULL)
        part[3] = *c->magnitude;
    d->maker = (struct maker){
        .read = read_adapted, .part = part, .n_parts = c->magnitude != NULL ? 4 : 3,
        .out_in = t->maker != NULL && t->maker->out_in,
        .how = arena_printf(w->a, "%s of rank %d, scale %.9g",
                            c->magnitude != NULL ? "DoRA" : "LoRA", (int)c->a->shape[0],
                            c->scale),
    };
    d->columns = t->shape[1];
    d->r = (int)c->a->shape[0];
    d->scale = (float)c->scale;
    d->left = floats_of(w->a, d->in_out ? c->a : c->b, d->in_out);
    d->right = floats_of(w->a, d->in_out ? c->b : c->a, d->in_out);
    if (open_magnitude(w, d, t, c, e) != 0)
        return -1;
    *t = (struct tensor){ .name = t->name, .dtype = DTYPE_F32, .n_dims = 2,
                          .shape = { t->shape[0], t->shape[1] }, .n_elements = t->n_elements,
                          .maker = &d->maker, .file = t->file };
    return 0;
}
