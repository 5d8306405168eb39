/* SPDX-License-Identifier: MIT
 * Low-rank keys, in the r directions of largest norm: K' = K V V^T, V the first right
 * singular vectors of K [S, d].  Queries and keys become r numbers each:
 *
 *     S >= d:  q V, K V        S < d:  q K^T U, U, the first left ones */
#include <math.h>

#include "nn/mechanism/carve.h"
#include "nn/mechanism/pairs.h"
#include "nn/spectrum.h"

/* A rank that no text of these keys exceeds leaves nothing out. */
static bool is_exact(const struct attention *a)
{
    int least = a->at.S < a->at.d ? a->at.S : a->at.d;

    return a->params->rank >= least;
}

struct reduced {
    float *q, *k;               /* [T, r], [S, r] */
    double *v, *base;           /* [min(S, d), r]; [d, r] what queries are multiplied by */
    void *spectrum, *rest;
};

static struct spectrum_matrix matrix_of(const struct attention *a)
{
    if (a->at.S >= a->at.d)
        return (struct spectrum_matrix){ a->k, a->k_stride, 1, a->at.S, a->at.d };
    return (struct spectrum_matrix){ a->k, 1, a->k_stride, a->at.d, a->at.S };
}

static uint64_t low_rank_share_out(struct reduced *reduced, struct attention *own,
                                   const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    struct spectrum_matrix matrix = matrix_of(a);
    uint64_t rank = (uint64_t)a->params->rank;

    *own = *a;
    if (!is_exact(a)) {
        reduced->q = carve_take(&carve, (uint64_t)a->T * rank, sizeof *reduced->q);
        reduced->k = carve_take(&carve, (uint64_t)a->at.S * rank, sizeof *reduced->k);
        reduced->v = carve_take(&carve, (uint64_t)matrix.m * rank, sizeof *reduced->v);
        reduced->base = carve_take(&carve, (uint64_t)a->at.d * rank, sizeof *reduced->base);
        reduced->spectrum = carve_take(&carve, spectrum_room(&matrix, a->params->rank), 1);
        own->q = reduced->q;
        own->k = reduced->k;
        own->q_stride = own->k_stride = own->at.d = a->params->rank;
    }
    reduced->rest = carve_take(&carve, pairs_room(own), 1);
    return carve.used;
}

/* y[n, r] = x[n, d] base[d, r] */
static void low_rank_project(float *y, const float *x, int64_t stride, int n,
                             const struct reduced *reduced, const struct attention *a)
{
    int rank = a->params->rank;

    for (int t = 0; t < n; t++, x += stride, y += rank)
        for (int i = 0; i < rank; i++) {
            double sum = 0;

            for (int c = 0; c < a->at.d; c++)
                sum += (double)x[c] * reduced->base[(int64_t)c * rank + i];
            y[i] = (float)sum;
        }
}

/* base = K^T U, and the keys are the rows of U. */
static void from_left(struct reduced *reduced, const struct attention *a)
{
    int rank = a->params->rank;

    for (int64_t i = 0; i < (int64_t)a->at.d * rank; i++)
        reduced->base[i] = 0;
    for (int j = 0; j < a->at.S; j++)
        for (int i = 0; i < rank; i++) {
            double u = reduced->v[(int64_t)j * rank + i];

            reduced->k[(int64_t)j * rank + i] = (float)u;
            for (int c = 0; c < a->at.d; c++)
                reduced->base[(int64_t)c * rank + i] += u * a->k[j * a->k_stride + c];
        }
}

static void low_rank_make(struct reduced *reduced, const struct attention *a)
{
    struct spectrum_matrix matrix = matrix_of(a);

    spectrum_top(reduced->v, &matrix, a->params->rank, reduced->spectrum);
    if (a->at.S < a->at.d) {
        from_left(reduced, a);
    } else {
        reduced->base = reduced->v;
        low_rank_project(reduced->k, a->k, a->k_stride, a->at.S, reduced, a);
    }
    low_rank_project(reduced->q, a->q, a->q_stride, a->T, reduced, a);
}

static uint64_t low_rank_room(const struct attention *a)
{
    struct reduced reduced;
    struct attention own;

    return low_rank_share_out(&reduced, &own, a, NULL);
}

static int64_t low_rank_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    struct reduced reduced;
    struct attention own;

    low_rank_share_out(&reduced, &own, a, base);
    if (!is_exact(a))
        low_rank_make(&reduced, a);
    return pairs_run(out, out_stride, &own, reduced.rest);
}

static void low_rank_reference(double *w, double *out, const struct attention *a, void *base)
{
    struct reduced reduced;
    struct attention own;

    low_rank_share_out(&reduced, &own, a, base);
    if (!is_exact(a))
        low_rank_make(&reduced, a);
    pairs_reference(w, out, &own, NULL);
}

const struct mechanism mechanism_low_rank = {
    .name = "low-rank",
    .formula = "softmax_j scale q_i.k'_j, K' = K V V^T, V the first r singular vectors",
    .no_budget = "it keeps all keys, in fewer directions",
    .cost = "N^2 r + N d min(N, d)", .growth = "N^2",
    .source = "Singhania et al. 2024 (Loki)",
    .room = low_rank_room, .run = low_rank_run, .reference_room = low_rank_room,
    .reference = low_rank_reference,
};
