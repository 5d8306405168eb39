/* SPDX-License-Identifier: MIT
 * Queries -> buckets -> an order of the tokens. */
#include "nn/lsh.h"

#include <stdlib.h>

#include "nn/linear.h"

/* room[n_rounds, width] = x R, in double. */
static void lsh_rotate(double *room, const float *x, const struct lsh *l)
{
    int count = l->n_rounds * l->width;

    for (int i = 0; i < count; i++)
        room[i] = 0;
    for (int c = 0; c < l->d; c++) {
        const float *row = l->rotation + (int64_t)c * count;

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

static int bucket_of(const double *y, const struct lsh *l)
{
    int bucket = 0, product = 1;

    for (int i = 0; i < l->n_factors; i++) {
        int half = l->factor[i] / 2;

        bucket += product * furthest(y, half);
        product *= l->factor[i];
        y += half;
    }
    return bucket;
}

void lsh_buckets(int *bucket, double *room, const float *x, int64_t x_stride,
                 const struct lsh *l, int T)
{
    for (int t = 0; t < T; t++) {
        lsh_rotate(room, x + t * x_stride, l);
        for (int r = 0; r < l->n_rounds; r++)
            bucket[(int64_t)r * T + t] = bucket_of(room + (int64_t)r * l->width, l);
    }
}

void lsh_round(int *bucket, float *product, float *scratch, double *room, const float *x,
               int64_t x_stride, const struct lsh *l, int round, int T)
{
    const float *rotation = l->rotation + (int64_t)round * l->width;
    const struct matrix matrix = { .data = (const unsigned char *)rotation, .N = l->width,
                                   .K = l->d, .stride = (int64_t)l->n_rounds * l->width,
                                   .order_in_out = true, .size_bytes = sizeof(float) };

    for (int t0 = 0; t0 < T; t0 += LSH_ROWS) {
        int count = T - t0 < LSH_ROWS ? T - t0 : LSH_ROWS;

        for (int n0 = 0; n0 < l->width; n0 += PANEL)
            linear_panel(product, l->width, x + t0 * x_stride, x_stride, count, &matrix,
                         NULL, n0, scratch);
        for (int t = 0; t < count; t++) {
            for (int i = 0; i < l->width; i++)
                room[i] = (double)product[(int64_t)t * l->width + i];
            bucket[t0 + t] = bucket_of(room, l);
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
