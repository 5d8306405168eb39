/* SPDX-License-Identifier: MIT
 * Positions of query and key -> biases of scores. */
#include "nn/bias.h"

#include <stdlib.h>

#include "base/elementary.h"
#include "base/half.h"

void bias_alibi(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys)
{
    const struct bias_alibi *alibi = self;

    (void)row0;
    for (int j = 0; j < n_keys; j++) {
        float add = alibi->slope * (float)(key0 + j);

        if (alibi->rounded)
            add = bf16_round(bf16_round(alibi->slope) * (float)(key0 + j)) *
                  alibi->factor;
        for (int t = 0; t < n_rows; t++)
            score[(size_t)t * stride + (size_t)j] += add;
    }
}

/* The first H of powers 2, 4, .., p, 1, 3, ..; all in order where H is p. */
static void slopes_above(float *slope, int H)
{
    int p = 1;

    while (p < H)
        p *= 2;
    for (int h = 0; h < H; h++) {
        int power = p == H ? h + 1 : h < p / 2 ? 2 * (h + 1) : 2 * (h - p / 2) + 1;

        slope[h] = (float)elementary_pow(2, -8.0 * power / p);
    }
}

void bias_alibi_slopes(float *slope, int H, bool above)
{
    int p = 1;

    if (above) {
        slopes_above(slope, H);
        return;
    }
    while (2 * p <= H)
        p *= 2;
    for (int h = 0; h < H; h++)
        slope[h] = h < p ? (float)elementary_pow(2, -8.0 * (h + 1) / p)
                         : (float)elementary_pow(2, -4.0 * (2 * (h - p) + 1) / p);
}

int bias_bucket(int distance, bool both_ways, int n_buckets, int max_distance)
{
    int base = 0, exact, far;

    if (both_ways) {
        n_buckets /= 2;
        base = distance > 0 ? n_buckets : 0;
        distance = abs(distance);
    } else {
        distance = distance < 0 ? -distance : 0;
    }
    exact = n_buckets / 2;
    if (distance < exact)
        return base + distance;
    far = exact + (int)(elementary_logf((float)distance / (float)exact) /
                        elementary_logf((float)max_distance / (float)exact) *
                        (float)(n_buckets - exact));
    return base + (far < n_buckets - 1 ? far : n_buckets - 1);
}

void bias_buckets(const void *self, float *score, size_t stride, int row0, int n_rows,
                  int key0, int n_keys)
{
    const struct bias_buckets *buckets = self;

    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] +=
                buckets->value[bias_bucket(key0 + j - row0 - t, buckets->both_ways,
                                           buckets->n_buckets, buckets->max_distance)];
}

int bias_bucket_of_sum(int back, int n_buckets, int max_distance)
{
    int exact = n_buckets / 2;
    float far;

    if (back < exact)
        return back;
    far = elementary_logf((float)back / (float)exact) /
          (float)elementary_log((double)max_distance / exact) * (float)(n_buckets - exact);
    far += (float)exact;
    return far < (float)(n_buckets - 1) ? (int)far : n_buckets - 1;
}

void bias_rows(const void *self, float *score, size_t stride, int row0, int n_rows,
               int key0, int n_keys)
{
    const struct bias_rows *rows = self;

    for (int t = 0; t < n_rows; t++) {
        const float *value = rows->value + (row0 + t - rows->first) * rows->stride;

        for (int j = 0; j < n_keys; j++) {
            int back = row0 + t - key0 - j;

            score[(size_t)t * stride + (size_t)j] +=
                value[rows->bucket[back > 0 ? back : 0] * rows->step];
        }
    }
}

static float grid_value(const struct bias_grid *grid, int row, int key)
{
    int others = (2 * grid->rows - 1) * (2 * grid->columns - 1), down, right;

    if (row == 0 || key == 0)
        return grid->value[others + (row != 0 ? 1 : key != 0 ? 0 : 2)];
    down = (row - 1) / grid->columns - (key - 1) / grid->columns;
    right = (row - 1) % grid->columns - (key - 1) % grid->columns;
    return grid
        ->value[(down + grid->rows - 1) * (2 * grid->columns - 1) + right + grid->columns - 1];
}

void bias_grid(const void *self, float *score, size_t stride, int row0, int n_rows,
               int key0, int n_keys)
{
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] += grid_value(self, row0 + t, key0 + j);
}

void bias_copies(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys)
{
    const struct bias_copies *copies = self;
    float add = (float)elementary_log(copies->copies);

    for (int t = 0; t < n_rows; t++) {
        if (row0 + t < copies->first || row0 + t >= copies->end)
            continue;
        for (int j = 0; j < n_keys && key0 + j < copies->n_keys; j++)
            score[(size_t)t * stride + (size_t)j] += add;
    }
}
