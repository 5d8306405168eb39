/* SPDX-License-Identifier: MIT
 * Queries -> buckets -> an order of the tokens. */
#include "nn/lsh.h"

#include <stdlib.h>

#include "nn/linear.h"

/* room[n_rounds, width] = x R, in double. */
static void lsh_rotate(double *room, const float *x, const struct lsh *lsh)
{
    int count = lsh->n_rounds * lsh->width;

    for (int i = 0; i < count; i++)
        room[i] = 0;
    for (int c = 0; c < lsh->d; c++) {
        const float *row = lsh->rotation + (int64_t)c * count;

        for (int i = 0; i < count; i++)
            room[i] += (double)x[c] * row[i];
    }
}

/* argmax of [y; -y]. */
static int furthest(const double *y, int half)
{
    double best = y[0];
    int at = 0;

    for (int i = 1; i < 2 * half; i++) {
        double value = i < half ? y[i] : -y[i - half];

        if (value > best) {
            best = value;
            at = i;
        }
    }
    return at;
}

static int bucket_of(const double *y, const struct lsh *lsh)
{
    int bucket = 0, product = 1;

    for (int i = 0; i < lsh->n_factors; i++) {
        int half = lsh->factor[i] / 2;

        bucket += product * furthest(y, half);
        product *= lsh->factor[i];
        y += half;
    }
    return bucket;
}

void lsh_buckets(int *bucket, double *room, const float *x, int64_t x_stride,
                 const struct lsh *lsh, int T)
{
    for (int t = 0; t < T; t++) {
        lsh_rotate(room, x + t * x_stride, lsh);
        for (int r = 0; r < lsh->n_rounds; r++)
            bucket[(int64_t)r * T + t] = bucket_of(room + (int64_t)r * lsh->width, lsh);
    }
}

void lsh_round(int *bucket, float *product, float *scratch, double *room, const float *x,
               int64_t x_stride, const struct lsh *lsh, int round, int T)
{
    const float *rotation = lsh->rotation + (int64_t)round * lsh->width;
    const struct matrix matrix = { .data = (const unsigned char *)rotation, .N = lsh->width,
                                   .K = lsh->d, .stride = (int64_t)lsh->n_rounds * lsh->width,
                                   .order_in_out = true, .size_bytes = sizeof(float) };

    for (int t0 = 0; t0 < T; t0 += LSH_ROWS) {
        int count = T - t0 < LSH_ROWS ? T - t0 : LSH_ROWS;

        for (int n0 = 0; n0 < lsh->width; n0 += PANEL)
            linear_panel(product, lsh->width, x + t0 * x_stride, x_stride, count, &matrix,
                         NULL, n0, scratch);
        for (int t = 0; t < count; t++) {
            for (int i = 0; i < lsh->width; i++)
                room[i] = (double)product[(int64_t)t * lsh->width + i];
            bucket[t0 + t] = bucket_of(room, lsh);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void lsh_order(int *order, uint64_t *room, const int *bucket, int T)
{
    for (int t = 0; t < T; t++)
        room[t] = (uint64_t)(uint32_t)bucket[t] << 32 | (uint32_t)t;
    qsort(room, (size_t)T, sizeof *room, by_value);
    for (int i = 0; i < T; i++)
        order[i] = (int)(room[i] & 0xffffffffu);
}
