/* SPDX-License-Identifier: MIT
 * Queries meet a row of a table for each distance: relative positions. */
#include <string.h>

#include "nn/nn.h"

enum { CHUNK = 256 };       /* keys at a time */

/* sum[j] = q . the table's column first + j, j < n <= CHUNK. */
static void columns(float sum[CHUNK], const struct bias_distance *b, const float *q,
                    int first, int n)
{
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int k = 0; k < b->d; k++) {
        const float *row = b->table + (int64_t)k * b->n + first;

        for (int j = 0; j < n; j++)
            sum[j] += q[k] * row[j];
    }
}

/* score[j] += factor * q . column first + j for j < n, columns beyond the ends being
 * those at the ends. */
static void add_row(const struct bias_distance *b, const float *q, float *score,
                    int64_t first, int n)
{
    float sum[CHUNK];
    int j = 0;

    while (j < n) {
        int64_t at = first + j, left;
        int here;

        if (at >= 0 && at < b->n) {
            left = b->n - at < n - j ? b->n - at : n - j;
            here = left < CHUNK ? (int)left : CHUNK;
            columns(sum, b, q, (int)at, here);
            for (int i = 0; i < here; i++)
                score[j + i] += b->factor * sum[i];
        } else {
            left = at < 0 && -at < n - j ? -at : n - j;
            here = (int)left;
            columns(sum, b, q, at < 0 ? 0 : b->n - 1, 1);
            for (int i = 0; i < here; i++)
                score[j + i] += b->factor * sum[0];
        }
        j += here;
    }
}

void bias_distance(const void *self, float *score, size_t stride, int row0, int n_rows,
                   int key0, int n_keys)
{
    const struct bias_distance *b = self;

    for (int t = 0; t < n_rows; t++)
        add_row(b, b->q + (row0 + t) * b->q_stride, score + (size_t)t * stride,
                (int64_t)key0 - row0 - t + b->centre, n_keys);
}
