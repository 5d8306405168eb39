/* SPDX-License-Identifier: MIT
 * Weights that are products of features: sum_j (f(q_i).f(k_j)) v_j is f(q_i) times
 * sum_j f(k_j) v_j, so a key is added once and no pair is computed. */
#include "nn/mechanism/features.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/pairs.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

struct sums {
    int m, n;                   /* features; d_v + 1 rounded up */
    double *sum;                /* [m, n] of f(k) [v, 1], row c divided by exp(top[c]) */
    double *top;                /* [m] the largest logarithm of each feature so far */
    double *q_ln, *k_ln;        /* [ATTEND_ROWS, m] ln f */
    double *phi;                /* [m] of one row, scaled */
    double *v, *y;              /* [n] what is added, and read */
    float *spare;               /* see features_scratch */
};

/* [ATTEND_ROWS, m], then what linear_panel needs. */
float *features_scratch(float *spare, int m)
{
    return spare + (ATTEND_ROWS * (size_t)m + 15) / 16 * 16;
}

static uint64_t spare_floats(const struct attention *a, int m)
{
    return (ATTEND_ROWS * (uint64_t)m + 15) / 16 * 16 + linear_scratch(a->at.d);
}

static uint64_t features_share_out(struct sums *sums, const struct attention *a,
                        const struct feature_map *map, void *base)
{
    struct carve carve = { base, 0 };
    uint64_t m = (uint64_t)map->count(a), count = (uint64_t)(a->at.d_v + 1 + 7) / 8 * 8;

    *sums = (struct sums){ .m = (int)m, .n = (int)count };
    sums->sum = carve_take(&carve, m * count, sizeof(double));
    sums->top = carve_take(&carve, m, sizeof(double));
    sums->q_ln = carve_take(&carve, ATTEND_ROWS * m, sizeof(double));
    sums->k_ln = carve_take(&carve, ATTEND_ROWS * m, sizeof(double));
    sums->phi = carve_take(&carve, m, sizeof(double));
    sums->v = carve_take(&carve, count, sizeof(double));
    sums->y = carve_take(&carve, count, sizeof(double));
    sums->spare = carve_take(&carve, spare_floats(a, (int)m), sizeof(float));
    return carve.used;
}

uint64_t features_room(const struct attention *a, const struct feature_map *map)
{
    struct sums sums;

    return features_share_out(&sums, a, map, NULL);
}

/* Some row does not see all keys, or all up to its own. */
static bool is_cut(const struct attention *a)
{
    bool causal = a->at.hi == 0 && !a->cross;

    return a->at.hidden != NULL || (!causal && a->at.hi < a->at.S - 1) ||
           a->at.lo < a->T - 1;
}

const char *features_refuse(const struct attention *a)
{
    if (score_has_terms(&a->at))
        return "what is added to scores by position or mask is not a product of features";
    if (a->at.cap > 0)
        return "the model's capped score is not a product of features";
    if (is_cut(a))
        return "its sums over keys cannot leave out what the model hides here";
    return NULL;
}

/* Each feature's sum stays divided by its largest value so far: none overflows, and the
 * key that has it counts 1. */
static void add_key(struct sums *sums, const struct attention *a, int j, const double *ln)
{
    const float *v = a->v + j * a->v_stride;

    for (int i = 0; i < sums->m; i++) {
        bool rises = ln[i] > sums->top[i];
        double ratio = elementary_exp(-fabs(ln[i] - sums->top[i]));   /* 0 at first */

        sums->phi[i] = rises ? 1 : ratio;
        for (int c = 0; rises && c < sums->n; c++)
            sums->sum[(int64_t)i * sums->n + c] *= ratio;
        sums->top[i] = rises ? ln[i] : sums->top[i];
    }
    for (int c = 0; c < a->at.d_v; c++)
        sums->v[c] = v[c];
    sums->v[a->at.d_v] = 1;
    nn_kernels()->outer(sums->sum, sums->phi, sums->v, sums->m, sums->n);
}

/* phi[m] = exp(ln + top), divided by the largest of them. */
static void scale(double *phi, const double *ln, const double *top, int m)
{
    double most = -INFINITY;

    for (int i = 0; i < m; i++)
        most = ln[i] + top[i] > most ? ln[i] + top[i] : most;
    for (int i = 0; i < m; i++)
        phi[i] = elementary_exp(ln[i] + top[i] - most);
}

static void read_row(float *out, struct sums *sums, const struct attention *a, const double *ln)
{
    scale(sums->phi, ln, sums->top, sums->m);
    nn_kernels()->inner(sums->y, sums->phi, sums->sum, sums->m, sums->n);
    for (int c = 0; c < a->at.d_v; c++)
        out[c] = (float)(sums->y[c] / sums->y[a->at.d_v]);
}

static void features_add_block(struct sums *sums, const struct attention *a,
                               const struct feature_map *map, int j0, int n)
{
    map->map(sums->k_ln, a, a->k + j0 * a->k_stride, a->k_stride, n, sums->spare);
    for (int t = 0; t < n; t++)
        add_key(sums, a, j0 + t, sums->k_ln + (int64_t)t * sums->m);
}

static int features_block_of(int i0, int n)
{
    return n - i0 < ATTEND_ROWS ? n - i0 : ATTEND_ROWS;
}

int64_t features_run(float *out, int64_t out_stride, const struct attention *a,
                     const struct feature_map *map, void *room)
{
    bool causal = a->at.hi == 0 && !a->cross;
    struct sums sums;

    features_share_out(&sums, a, map, room);
    memset(sums.sum, 0, (size_t)sums.m * (size_t)sums.n * sizeof *sums.sum);
    memset(sums.v, 0, (size_t)sums.n * sizeof *sums.v);
    for (int i = 0; i < sums.m; i++)
        sums.top[i] = -INFINITY;
    for (int j0 = 0; !causal && j0 < a->at.S; j0 += ATTEND_ROWS)
        features_add_block(&sums, a, map, j0, features_block_of(j0, a->at.S));
    for (int i0 = 0; i0 < a->T; i0 += ATTEND_ROWS) {
        int count = features_block_of(i0, a->T);

        map->map(sums.q_ln, a, a->q + i0 * a->q_stride, a->q_stride, count, sums.spare);
        if (causal)
            map->map(sums.k_ln, a, a->k + i0 * a->k_stride, a->k_stride, count, sums.spare);
        for (int t = 0; t < count; t++) {
            if (causal)
                add_key(&sums, a, i0 + t, sums.k_ln + (int64_t)t * sums.m);
            read_row(out + (i0 + t) * out_stride, &sums, a, sums.q_ln + (int64_t)t * sums.m);
        }
    }
    return 0;
}

/* ---- the reference: the matrix of f(q_i).f(k_j), its rows divided by their sums ---- */

struct all_features {
    double *q, *k;              /* [T, m], [S, m] ln f */
    double *phi, *top;          /* [S, m] f(k) divided by the largest of each, its ln */
    double *row;                /* [m] f(q_i), scaled */
    float *spare;               /* see features_scratch */
};

static uint64_t share_out_all(struct all_features *features, const struct attention *a, int m,
                            void *base)
{
    struct carve carve = { base, 0 };
    uint64_t T = (uint64_t)a->T, S = (uint64_t)a->at.S, count = (uint64_t)m;

    features->q = carve_take(&carve, T * count, sizeof(double));
    features->k = carve_take(&carve, S * count, sizeof(double));
    features->phi = carve_take(&carve, S * count, sizeof(double));
    features->top = carve_take(&carve, count, sizeof(double));
    features->row = carve_take(&carve, count, sizeof(double));
    features->spare = carve_take(&carve, spare_floats(a, m), sizeof(float));
    return carve.used;
}

uint64_t features_reference_room(const struct attention *a, const struct feature_map *map)
{
    struct all_features features;

    return share_out_all(&features, a, map->count(a), NULL);
}

static void map_all(double *ln, struct all_features *features, const struct attention *a,
                    const struct feature_map *map, const float *x, int64_t stride, int n)
{
    int m = map->count(a);

    for (int i0 = 0; i0 < n; i0 += ATTEND_ROWS)
        map->map(ln + (int64_t)i0 * m, a, x + i0 * stride, stride, features_block_of(i0, n),
                 features->spare);
}

/* Each feature of the keys, divided by its largest. */
static void level(struct all_features *features, int n, int m)
{
    for (int c = 0; c < m; c++)
        features->top[c] = -INFINITY;
    for (int64_t j = 0; j < (int64_t)n * m; j++)
        features->top[j % m] = features->k[j] > features->top[j % m] ? features->k[j] :
                                                                       features->top[j % m];
    for (int64_t j = 0; j < (int64_t)n * m; j++)
        features->phi[j] = elementary_exp(features->k[j] - features->top[j % m]);
}

/* ln sum_c exp(q[c] + k[c]) */
static double ln_product(const double *q, const double *k, int m)
{
    double most = -INFINITY, sum = 0;

    for (int c = 0; c < m; c++)
        most = q[c] + k[c] > most ? q[c] + k[c] : most;
    for (int c = 0; c < m; c++)
        sum += elementary_exp(q[c] + k[c] - most);
    return most + elementary_log(sum);
}

/* row[S] of products f(q_i).f(k_j); returns their sum.  Visible keys whose features are
 * far below those of keys that the row does not see vanish: the sum says so. */
static double features_products(double *row, struct all_features *features,
                                const struct attention *a, int i, int m)
{
    double sum = 0;

    scale(features->row, features->q + (int64_t)i * m, features->top, m);
    for (int j = 0; j < a->at.S; j++) {
        row[j] = 0;
        for (int c = 0; visible(&a->at, i, j) && c < m; c++)
            row[j] += features->row[c] * features->phi[(int64_t)j * m + c];
        sum += row[j];
    }
    return sum;
}

/* The same weights from logarithms: slower, and nothing vanishes. */
static void softmax_products(double *row, const struct all_features *features,
                             const struct attention *a, int i, int m)
{
    for (int j = 0; j < a->at.S; j++)
        row[j] = visible(&a->at, i, j) ? ln_product(features->q + (int64_t)i * m,
                                                    features->k + (int64_t)j * m, m) : -INFINITY;
    softmax_double(row, NULL, a->at.S);
}

void features_reference(double *w, double *out, const struct attention *a,
                        const struct feature_map *map, void *room)
{
    static const double VANISHED = 1e-200;
    int S = a->at.S, m = map->count(a);
    struct all_features features;

    share_out_all(&features, a, m, room);
    map_all(features.q, &features, a, map, a->q, a->q_stride, a->T);
    map_all(features.k, &features, a, map, a->k, a->k_stride, S);
    level(&features, S, m);
    for (int i = 0; i < a->T; i++) {
        double *row = w + (int64_t)i * S, sum = features_products(row, &features, a, i, m);

        if (!(sum > VANISHED))
            softmax_products(row, &features, a, i, m);
        for (int j = 0; sum > VANISHED && j < S; j++)
            row[j] /= sum;
    }
    pairs_values(out, w, a);
}
