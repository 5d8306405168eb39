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
static void add_piece(const struct adapted *adapted, float *out, int64_t i, int64_t j, int64_t n)
{
    float sum[PIECE] = { 0 };

    for (int k = 0; k < adapted->r; k++) {
        float left = adapted->left[i * adapted->r + k];
        const float *right = adapted->right + k * adapted->columns + j;

        for (int64_t c = 0; c < n; c++)
            sum[c] += left * right[c];
    }
    for (int64_t c = 0; c < n; c++)
        out[c] += adapted->scale * sum[c];
}

static void scale_piece(const struct adapted *adapted, float *out, int64_t i, int64_t j, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        out[c] *= adapted->factor[adapted->in_out ? j + c : i];
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

static float *floats_of(struct arena *a, const struct tensor *tensor, bool turned)
{
    float *x = arena_alloc(a, (uint64_t)tensor->n_elements, sizeof *x), *y;

    tensor_read(x, tensor, 0, tensor->n_elements);
    if (!turned)
        return x;
    y = arena_alloc(a, (uint64_t)tensor->n_elements, sizeof *y);
    for (int64_t i = 0; i < tensor->shape[0]; i++)
        for (int64_t j = 0; j < tensor->shape[1]; j++)
            y[j * tensor->shape[0] + i] = x[i * tensor->shape[1] + j];
    return y;
}

static int check_float(struct weights *weights, const struct tensor *tensor, struct err *e)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];

    return dtype->is_float ? 0 :
           err_set(e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16, BF16 or F64", tensor->file,
                   str_shown(weights->a, tensor->name), dtype->name);
}

/* What says which way W lies is its shape; where that fits both, what unpacked it, or who asks. */
static int adapted_check(struct weights *weights, const struct tensor *tensor,
                         const struct low_rank *rank, bool *in_out, struct err *e)
{
    int64_t r = rank->a->n_dims == 2 ? rank->a->shape[0] : 0, in = r > 0 ? rank->a->shape[1] : 0;
    int64_t out = rank->b->n_dims == 2 ? rank->b->shape[0] : 0;
    bool matrix = tensor->n_dims == 2 && tensor->n_elements > 0;
    bool straight = matrix && tensor->shape[0] == out && tensor->shape[1] == in;
    bool turned = matrix && tensor->shape[0] == in && tensor->shape[1] == out;

    if (check_float(weights, rank->a, e) != 0 || check_float(weights, rank->b, e) != 0 ||
        check_float(weights, tensor, e) != 0)
        return -1;
    if (r < 1 || rank->b->n_dims != 2 || rank->b->shape[1] != r)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s, which %s of shape %s does not fit",
                       rank->a->file, str_shown(weights->a, rank->a->name),
                       tensor_shape(weights->a, rank->a), str_shown(weights->a, rank->b->name),
                       tensor_shape(weights->a, rank->b));
    if (!straight && !turned)
        return err_set(e, ERR_INPUT, "%s: %s: changes a matrix of shape [%lld,%lld], but %s "
                       "has shape %s", rank->a->file, str_shown(weights->a, rank->a->name),
                       (long long)out, (long long)in, str_shown(weights->a, tensor->name),
                       tensor_shape(weights->a, tensor));
    *in_out = straight && turned ? rank->in_out &&
              !(tensor->maker != NULL && tensor->maker->out_in) : turned;
    return 0;
}

/* Squares of the elements by output; in double, rows first. */
static void add_squares(const struct adapted *adapted, const struct tensor *tensor, double *sum)
{
    float piece[PIECE];

    for (int64_t first = 0, n; first < tensor->n_elements; first += n) {
        int64_t i = first / adapted->columns, j = first % adapted->columns;

        n = adapted->columns - j < PIECE ? adapted->columns - j : PIECE;
        read_adapted(adapted, piece, first, n);
        for (int64_t c = 0; c < n; c++)
            sum[adapted->in_out ? j + c : i] += (double)piece[c] * (double)piece[c];
    }
}

/* m over the lengths of what is merged; 0 where that is 0. */
static int open_magnitude(struct weights *weights, struct adapted *adapted,
                          const struct tensor *tensor, const struct low_rank *rank, struct err *e)
{
    const struct tensor *m = rank->magnitude;
    int64_t n_out = rank->b->shape[0];
    float *factor;
    double *sum;

    if (m == NULL)
        return 0;
    if (check_float(weights, m, e) != 0)
        return -1;
    if (m->n_elements != n_out)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s, expected [%lld]", m->file,
                       str_shown(weights->a, m->name), tensor_shape(weights->a, m),
                       (long long)n_out);
    factor = floats_of(weights->a, m, false);
    sum = arena_alloc(weights->a, (uint64_t)n_out, sizeof *sum);
    add_squares(adapted, tensor, sum);
    for (int64_t o = 0; o < n_out; o++)
        factor[o] = sum[o] > 0 ? (float)((double)factor[o] / sqrt(sum[o])) : 0;
    adapted->factor = factor;
    return 0;
}

void weights_put(struct weights *weights, int i, const struct tensor *tensor)
{
    const char *name = weights->tensor[i].name;

    weights->tensor[i] = *tensor;
    weights->tensor[i].name = name;
}

int weights_adapt(struct weights *weights, int i, const struct low_rank *rank, struct err *e)
{
    struct adapted *d = arena_alloc(weights->a, 1, sizeof *d);
    struct tensor *part = arena_alloc(weights->a, 4, sizeof *part), *t = &weights->tensor[i];

    if (adapted_check(weights, t, rank, &d->in_out, e) != 0)
        return -1;
    part[0] = *t;
    part[1] = *rank->a;
    part[2] = *rank->b;
    if (rank->magnitude != NULL)
        part[3] = *rank->magnitude;
    d->maker = (struct maker){
        .read = read_adapted, .part = part, .n_parts = rank->magnitude != NULL ? 4 : 3,
        .out_in = t->maker != NULL && t->maker->out_in,
        .how = arena_printf(weights->a, "%s of rank %d, scale %.9g",
                            rank->magnitude != NULL ? "DoRA" : "LoRA", (int)rank->a->shape[0],
                            rank->scale),
    };
    d->columns = t->shape[1];
    d->r = (int)rank->a->shape[0];
    d->scale = (float)rank->scale;
    d->left = floats_of(weights->a, d->in_out ? rank->a : rank->b, d->in_out);
    d->right = floats_of(weights->a, d->in_out ? rank->b : rank->a, d->in_out);
    if (open_magnitude(weights, d, t, rank, e) != 0)
        return -1;
    *t = (struct tensor){ .name = t->name, .dtype = DTYPE_F32, .n_dims = 2,
                          .shape = { t->shape[0], t->shape[1] }, .n_elements = t->n_elements,
                          .maker = &d->maker, .file = t->file };
    return 0;
}
