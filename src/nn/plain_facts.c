/* SPDX-License-Identifier: MIT
 * Statistics of rows (facts.h) in plain C, one row after the other: the reference of vector
 * kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/sort.h"
#include "nn/facts.h"

static const float *plain_facts_row_of(const struct facts_rows *rows, int t)
{
    return rows->w + (size_t)t * rows->stride;
}

/* ---- sums ---- */

/* What cannot be seen is 0, and taken out again. */
static void entries(struct facts_shape *out, const struct facts_rows *rows, int t)
{
    const float *row = plain_facts_row_of(rows, t);
    int n_hidden = rows->n - rows->n_visible[t], n_low = 0, n_small = 0;
    double even = 1.0 / rows->n_visible[t], mass = 0, squares = 0, uneven = 0;
    double low = 0.01 / rows->n_visible[t], small = 0.01 * (double)rows->largest[t];

    for (int j = 0; j < rows->n; j++) {
        double w = (double)row[j];

        mass += w;
        squares += w * w;
        uneven += fabs(w - even);
        n_low += w < low;
        n_small += w < small;
    }
    out->mass[t] = mass;
    out->squares[t] = squares;
    out->uneven[t] = uneven - n_hidden * even;
    out->low[t] = n_low - n_hidden;
    out->small[t] = n_small - (small > 0 ? n_hidden : 0);
}

static void distances(struct facts_shape *out, const struct facts_rows *rows, int t)
{
    const float *row = plain_facts_row_of(rows, t);
    int first = rows->key0 - rows->query - t;
    double sum = 0, sum_abs = 0, back = 0, back_mass = 0, spread = 0;

    for (int j = 0; j < rows->n; j++) {
        double w = (double)row[j], is_back = first + j <= 0 && rows->key0 + j > 0 ? w : 0;

        sum += w * (first + j);
        sum_abs += w * abs(first + j);
        back_mass += is_back;
        back += is_back * abs(first + j);
    }
    for (int j = 0; j < rows->n; j++) {
        double away = first + j - sum;

        spread += (double)row[j] * away * away;
    }
    out->distance[t] = sum;
    out->distance_abs[t] = sum_abs;
    out->back[t] = back;
    out->back_mass[t] = back_mass;
    out->spread[t] = spread;
}

static void shape(struct facts_shape *out, const struct facts_rows *rows)
{
    for (int t = 0; t < rows->n_rows; t++) {
        entries(out, rows, t);
        distances(out, rows, t);
    }
}

static void mixed_entropy(double *out, const struct facts_rows *rows, double mix)
{
    for (int t = 0; t < rows->n_rows; t++) {
        const float *row = plain_facts_row_of(rows, t);
        double rest = mix / rows->n_visible[t], sum = 0;

        for (int j = 0; j < rows->n; j++) {
            double x = (1 - mix) * (double)row[j] + rest;

            sum -= x * elementary_log_plain(x);
        }
        out[t] = sum + (rows->n - rows->n_visible[t]) * (rest * elementary_log_plain(rest));
    }
}

static void plain_facts_columns(double *out, const struct facts_rows *rows)
{
    int t = 0;

    for (; t + 4 <= rows->n_rows; t += 4) {
        const float *a = plain_facts_row_of(rows, t), *b = plain_facts_row_of(rows, t + 1);
        const float *c = plain_facts_row_of(rows, t + 2), *d = plain_facts_row_of(rows, t + 3);

        for (int j = 0; j < rows->n; j++)
            out[j] += ((double)a[j] + (double)b[j]) + ((double)c[j] + (double)d[j]);
    }
    for (; t < rows->n_rows; t++)
        for (int j = 0; j < rows->n; j++)
            out[j] += (double)plain_facts_row_of(rows, t)[j];
}

/* ---- the largest ---- */

static void top(struct facts_top *out, const struct facts_rows *rows, double share)
{
    for (int t = 0; t < rows->n_rows; t++) {
        float sorted[FACTS_MOST], room[FACTS_MOST];
        double sum = 0;
        int size = 0;

        memcpy(sorted, plain_facts_row_of(rows, t), (size_t)rows->n * sizeof *sorted);
        sort_down(sorted, room, rows->n);
        out->enough[t] = 0;
        for (int k = 0; k < rows->n && (size < FACTS_TOPS || out->enough[t] == 0); k++) {
            sum += (double)sorted[k];
            if (size < FACTS_TOPS && k + 1 == 1 << size)
                out->mass[size++][t] = sum;
            if (out->enough[t] == 0 && sum >= share)
                out->enough[t] = k + 1;
        }
        for (; size < FACTS_TOPS; size++)
            out->mass[size][t] = sum;
    }
}

const struct facts_kernels facts_c = { shape, mixed_entropy, plain_facts_columns, top };
