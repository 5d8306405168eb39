/* SPDX-License-Identifier: MIT
 * Queries, keys and embeddings of distances or segments -> terms of scores. */
#include "nn/relative.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "nn/attend.h"
#include "nn/product.h"

int relative_log_bucket(int distance, int n_buckets, int max_distance)
{
    int mid = n_buckets / 2, size = abs(distance);
    float far;

    if (size <= mid)
        return distance;
    far = ceilf(elementary_logf((float)size / (float)mid) /
                elementary_logf((float)(max_distance - 1) / (float)mid) * (float)(mid - 1));
    return (distance < 0 ? -1 : 1) * ((int)fminf(far, 2 * (float)n_buckets) + mid);
}

static int n_panels(int n_rows)
{
    return (n_rows + PANEL - 1) / PANEL;
}

size_t relative_begins(int n_rows)
{
    return (size_t)n_panels(n_rows) + 1;
}

void relative_find_begins(int *begin, const int *row, int reach, int n_rows)
{
    int distance = -reach;

    for (int i = 0; i < n_panels(n_rows); i++) {
        while (distance <= reach && row[reach + distance] < i * PANEL)
            distance++;
        begin[i] = distance;
    }
    begin[n_panels(n_rows)] = reach + 1;
}

size_t relative_packed(int n_rows, int d)
{
    return (size_t)n_panels(n_rows) * PANEL * (size_t)d;
}

void relative_pack(float *packed, const float *rows, int64_t stride, int n_rows, int d)
{
    for (int r = 0; r < n_rows; r += PANEL, packed += (int64_t)d * PANEL)
        nn_kernels()->transpose(packed, PANEL, rows + r * stride, stride,
                                n_rows - r < PANEL ? n_rows - r : PANEL, d);
}

/* Rows and keys of a block of scores. */
struct tile {
    float *score;
    size_t stride;
    int row0, n_rows, key0, n_keys;
};

/*
 * Adds from[..][c], the products of a panel's rows, to the scores at their distances:
 * of each query the keys lie in one run.
 */
static void spread(const struct relative_positions *positions, const struct tile *tile,
                   const float *from, int panel, bool by_key)
{
    const struct distances *at = positions->at;

    for (int t = 0; t < tile->n_rows; t++) {
        int i = tile->row0 + t, first = i - at->begin[panel + 1] + 1;
        int end = i - at->begin[panel] + 1;
        float *score = tile->score + (size_t)t * tile->stride;

        first = first > tile->key0 ? first : tile->key0;
        end = end < tile->key0 + tile->n_keys ? end : tile->key0 + tile->n_keys;
        for (int j = first; j < end; j++) {
            int c = at->row[at->reach + i - j] - panel * PANEL;

            score[j - tile->key0] += positions->scale *
                                     from[(by_key ? j - tile->key0 : t) * PANEL + c];
        }
    }
}

/* Queries times the positions that the tile's distances read, or keys times theirs. */
static void add_side(const struct relative_positions *positions, const struct tile *tile,
                     bool by_key)
{
    const int *row = positions->at->row + positions->at->reach;
    int least = tile->row0 - (tile->key0 + tile->n_keys - 1);
    int most = tile->row0 + tile->n_rows - 1 - tile->key0;
    const float *x = by_key ? positions->k + tile->key0 * positions->k_stride :
                     positions->q + tile->row0 * positions->q_stride;
    _Alignas(64) float room[ATTEND_ROWS * PANEL];

    for (int i = row[least] / PANEL; i <= row[most] / PANEL; i++) {
        struct product product = {
            .y = room,
            .y_stride = PANEL,
            .x = x,
            .x_stride = by_key ? positions->k_stride : positions->q_stride,
            .panel = (by_key ? positions->by_key : positions->by_query) +
                     (int64_t)i * PANEL * positions->d,
            .M = by_key ? tile->n_keys : tile->n_rows,
            .K = positions->d,
            .n = PANEL,
            .width = PANEL,
            .bias = by_key || positions->add == NULL ? NULL : positions->add + i * PANEL,
        };

        product_run(&product);
        spread(positions, tile, room, i, by_key);
    }
}

void relative_positions(const void *self, float *score, size_t stride, int row0, int n_rows,
                        int key0, int n_keys)
{
    const struct relative_positions *positions = self;

    assert(row0 + n_rows - 1 <= positions->at->reach &&
           key0 + n_keys - 1 <= positions->at->reach);
    for (int t = 0; positions->by_query != NULL && t < n_rows; t += ATTEND_ROWS) {
        int count = n_rows - t < ATTEND_ROWS ? n_rows - t : ATTEND_ROWS;
        struct tile rows = {
            score + (size_t)t * stride, stride, row0 + t, count, key0, n_keys
        };

        add_side(positions, &rows, false);
    }
    for (int j = 0; positions->by_key != NULL && j < n_keys; j += PANEL) {
        int n = n_keys - j < PANEL ? n_keys - j : PANEL;
        struct tile keys = { score + j, stride, row0, n_rows, key0 + j, n };

        add_side(positions, &keys, true);
    }
}

/* At most ATTEND_ROWS rows. */
static void add_segments(const struct relative_segments *segments, const struct tile *tile)
{
    _Alignas(64) float e[ATTEND_ROWS * PANEL];
    const struct product product = {
        .y = e, .y_stride = PANEL, .x = segments->q + tile->row0 * segments->q_stride,
        .x_stride = segments->q_stride, .panel = segments->by_query, .width = PANEL,
        .M = tile->n_rows, .K = segments->d, .n = PANEL, .bias = segments->add,
    };

    product_run(&product);
    for (int t = 0; t < tile->n_rows; t++)
        for (int j = 0; j < tile->n_keys; j++) {
            bool other = segments->type[tile->row0 + t] != segments->type[tile->key0 + j];

            tile->score[(size_t)t * tile->stride + (size_t)j] += segments->scale *
                                                                 e[t * PANEL + other];
        }
}

void relative_segments(const void *self, float *score, size_t stride, int row0, int n_rows,
                       int key0, int n_keys)
{
    for (int t = 0; t < n_rows; t += ATTEND_ROWS) {
        int count = n_rows - t < ATTEND_ROWS ? n_rows - t : ATTEND_ROWS;
        struct tile rows = {
            score + (size_t)t * stride, stride, row0 + t, count, key0, n_keys
        };

        add_segments(self, &rows);
    }
}
