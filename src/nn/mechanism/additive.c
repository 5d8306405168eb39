/* SPDX-License-Identifier: MIT
 * Additive attention: a small network scores each pair.  Weights: W [a, d], U [a, d],
 * v [a], one after the other, the same for all heads. */
#include <math.h>

#include "base/elementary.h"
#include "base/rng.h"
#include "nn/act.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/pairs.h"

enum { CHUNK = 16 };            /* keys whose hidden layers are computed together */

static int additive_width_of(const struct mechanism_params *params, int d)
{
    return params->additive_width > 0 ? params->additive_width : d;
}

static uint64_t additive_n_weights(const struct mechanism_params *params, int T, int H, int d)
{
    (void)T;
    (void)H;
    return (uint64_t)additive_width_of(params, d) * (2 * (uint64_t)d + 1);
}

static void scale_by(float *x, int64_t n, double factor)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(x[i] * factor);
}

/* Normal numbers of variance 2 / (inputs + outputs): Glorot and Bengio 2010. */
static void additive_draw(float *weights, const struct mechanism_params *params, int T, int H,
                          int d)
{
    int64_t n_a = additive_width_of(params, d), count = n_a * d;
    struct rng rng;

    (void)T;
    (void)H;
    rng_seed(&rng, params->seed);
    rng_normal_fill(&rng, weights, count);
    rng_normal_fill(&rng, weights + count, count);
    rng_normal_fill(&rng, weights + 2 * count, n_a);
    scale_by(weights, 2 * count, sqrt(2 / (double)(n_a + d)));
    scale_by(weights + 2 * count, n_a, sqrt(2 / (double)(n_a + 1)));
}

/* ---- the scores ---- */

struct hidden {
    float *q, *k;               /* [T, a] W q, [S, a] U k */
    float *sum;                 /* [CHUNK, a] */
    float *scratch;
};

static uint64_t additive_share_out(struct hidden *hidden, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    uint64_t count = (uint64_t)additive_width_of(a->params, a->at.d);

    hidden->q = carve_take(&carve, (uint64_t)a->T * count, sizeof(float));
    hidden->k = carve_take(&carve, (uint64_t)a->at.S * count, sizeof(float));
    hidden->sum = carve_take(&carve, CHUNK * count, sizeof(float));
    hidden->scratch = carve_take(&carve, linear_scratch(a->at.d), sizeof(float));
    return carve.used;
}

static uint64_t additive_shared(const struct attention *a)
{
    struct hidden h;

    return additive_share_out(&h, a, NULL);
}

static void additive_project(float *y, const struct attention *a, const float *x, int64_t stride,
                             int n_rows, const float *weights, float *scratch)
{
    int count = additive_width_of(a->params, a->at.d);
    const struct matrix matrix = { .data = (const unsigned char *)weights, .N = count,
                                   .K = a->at.d, .stride = a->at.d,
                                   .size_bytes = sizeof(float) };

    for (int n0 = 0; n0 < count; n0 += PANEL)
        linear_panel(y, count, x, stride, n_rows, &matrix, NULL, n0, scratch);
}

static void additive_prepare(void *room, const struct attention *a)
{
    int64_t count = (int64_t)additive_width_of(a->params, a->at.d) * a->at.d;
    struct hidden h;

    additive_share_out(&h, a, room);
    additive_project(h.q, a, a->q, a->q_stride, a->T, a->weights, h.scratch);
    additive_project(h.k, a, a->k, a->k_stride, a->at.S, a->weights + count, h.scratch);
}

static void score_keys(float *score, const struct attention *a, const void *room, int i,
                       int j0, int n)
{
    static const int in_order[CHUNK] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                         8, 9, 10, 11, 12, 13, 14, 15 };
    int width = additive_width_of(a->params, a->at.d);
    const float *v = a->weights + 2 * (int64_t)width * a->at.d, *q;
    struct hidden h;

    additive_share_out(&h, a, (void *)(uintptr_t)room);
    q = h.q + (int64_t)i * width;
    for (int j = 0; j < n; j += CHUNK) {
        int keys = n - j < CHUNK ? n - j : CHUNK;
        const float *k = h.k + (int64_t)(j0 + j) * width;

        for (int64_t c = 0; c < (int64_t)keys * width; c += width)
            for (int e = 0; e < width; e++)
                h.sum[c + e] = q[e] + k[c + e];
        act_apply(ACT_TANH, h.sum, (int64_t)keys * width);
        nn_kernels()->gather(score + j, v, h.sum, width, in_order, keys, width);
    }
}

/* ---- the reference: both halves of the hidden layer in double, once for each row ---- */

static uint64_t additive_reference_room(const struct attention *a)
{
    return ((uint64_t)a->T + (uint64_t)a->at.S) * (uint64_t)additive_width_of(a->params, a->at.d) *
           sizeof(double);
}

/* y[n, a] = x[n, d] weights[a, d]^T */
static void project_double(double *y, const struct attention *a, const float *x,
                           int64_t stride, int n, const float *weights)
{
    int width = additive_width_of(a->params, a->at.d), d = a->at.d;

    for (int t = 0; t < n; t++, x += stride)
        for (int e = 0; e < width; e++) {
            const float *w = weights + (int64_t)e * d;
            double sum = 0;

            for (int c = 0; c < d; c++)
                sum += (double)w[c] * x[c];
            *y++ = sum;
        }
}

static double additive_score(const struct attention *a, const void *room, int i, int j)
{
    int width = additive_width_of(a->params, a->at.d);
    const double *q = (const double *)room + (int64_t)i * width;
    const double *k = (const double *)room + ((int64_t)a->T + j) * width;
    const float *v = a->weights + 2 * (int64_t)width * a->at.d;
    double sum = 0;

    for (int e = 0; e < width; e++)
        sum += v[e] * elementary_tanh(q[e] + k[e]);
    return sum;
}

static void additive_reference(double *w, double *out, const struct attention *a, void *room)
{
    int64_t width = additive_width_of(a->params, a->at.d);

    project_double(room, a, a->q, a->q_stride, a->T, a->weights);
    project_double((double *)room + a->T * width, a, a->k, a->k_stride, a->at.S,
                   a->weights + width * a->at.d);
    pairs_reference(w, out, a, room);
}

static const struct pair_steps steps = { .score = score_keys, .shared = additive_shared,
                                         .prepare = additive_prepare };
static const struct pair_formula formula = { .score = additive_score };

static int64_t additive_run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    struct attention own = *a;

    own.at.scale = 1;
    return pairs_run(out, out_stride, &own, r);
}

const struct mechanism mechanism_additive = {
    .name = "additive", .formula = "softmax_j v.tanh(W q_i + U k_j)",
    .no_budget = "all keys take part",
    .cost = "N^2 a", .growth = "N^2", .source = "Bahdanau et al. 2015, appendix A.1.2",
    .n_weights = additive_n_weights, .draw = additive_draw, .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = additive_run, .reference_room = additive_reference_room,
    .reference = additive_reference,
};
