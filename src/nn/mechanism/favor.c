/* SPDX-License-Identifier: MIT
 * Random features of the softmax kernel, positive and orthogonal: FAVOR+. */
#include <math.h>

#include "base/rng.h"
#include "nn/linear.h"
#include "nn/mechanism/features.h"

static int favor_count(const struct attention *a)
{
    return a->params->n_features;
}

/* |y|^2 / 2, y = sqrt(scale) x. */
static double half_square(const struct attention *a, const float *x)
{
    double square = 0;

    for (int c = 0; c < a->at.d; c++)
        square += (double)a->at.scale * x[c] * x[c];
    return square / 2;
}

/*
 * With y = sqrt(scale) x: f_m(x) = exp(w_m.y - |y|^2 / 2), so that the mean over m of
 * the products estimates exp(scale q.k).
 */
static void plain_map(double *ln, const struct attention *a, const float *x, int64_t stride,
                      int n, float *spare)
{
    int m = a->params->n_features, d = a->at.d;
    double root = sqrt((double)a->at.scale);

    (void)spare;
    for (int t = 0; t < n; t++, x += stride, ln += m) {
        double half = half_square(a, x);

        for (int i = 0; i < m; i++) {
            double dot = 0;

            for (int c = 0; c < d; c++)
                dot += (double)a->weights[(int64_t)i * d + c] * x[c];
            ln[i] = root * dot - half;
        }
    }
}

/* The same, all rows' products with the directions at once. */
static void favor_map(double *ln, const struct attention *a, const float *x, int64_t stride, int n,
                      float *spare)
{
    int m = a->params->n_features, d = a->at.d;
    double root = sqrt((double)a->at.scale);
    const struct matrix matrix = { .data = (const unsigned char *)a->weights,
                                   .N = m,
                                   .K = d,
                                   .stride = d,
                                   .size_bytes = sizeof(float) };
    float *scratch = features_scratch(spare, m);

    for (int n0 = 0; n0 < m; n0 += PANEL)
        linear_panel(spare, m, x, stride, n, &matrix, NULL, n0, scratch);
    for (int t = 0; t < n; t++, x += stride, ln += m) {
        double half = half_square(a, x);

        for (int i = 0; i < m; i++)
            ln[i] = root * (double)spare[(int64_t)t * m + i] - half;
    }
}

static const struct feature_map features = { favor_count, favor_map }, plain = {
    favor_count, plain_map,
};

static uint64_t favor_room(const struct attention *a)
{
    return features_room(a, &features);
}

static int64_t favor_run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    return features_run(out, out_stride, a, &features, r);
}

static uint64_t favor_reference_room(const struct attention *a)
{
    return features_reference_room(a, &plain);
}

static void favor_reference(double *w, double *out, const struct attention *a, void *r)
{
    features_reference(w, out, a, &plain, r);
}

/* ---- directions: the same for all heads ---- */

/* Whole blocks of d, then the numbers for m lengths. */
static uint64_t favor_n_weights(const struct mechanism_params *params, int T, int H, int d)
{
    uint64_t m = (uint64_t)params->n_features, D = (uint64_t)d, blocks = (m + D - 1) / D;

    (void)T;
    (void)H;
    return blocks * D * D + m * D;
}

static double norm_of(const float *x, int d)
{
    double sum = 0;

    for (int c = 0; c < d; c++)
        sum += (double)x[c] * x[c];
    return sqrt(sum);
}

/* Gram-Schmidt, twice: once leaves what rounding lost. */
static void make_orthogonal(float *rows, int i, int d)
{
    float *x = rows + (int64_t)i * d;
    double norm;

    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < i; j++) {
            const float *y = rows + (int64_t)j * d;
            double dot = 0;

            for (int c = 0; c < d; c++)
                dot += (double)x[c] * y[c];
            for (int c = 0; c < d; c++)
                x[c] = (float)(x[c] - dot * y[c]);
        }
    norm = norm_of(x, d);
    for (int c = 0; c < d; c++)
        x[c] = (float)(x[c] / norm);
}

/* Orthogonal directions, d at a time, each as long as a normal vector of its own. */
static void favor_draw(float *weights, const struct mechanism_params *params, int T, int H, int d)
{
    int64_t m = params->n_features, blocks = (m + d - 1) / d;
    float *length = weights + blocks * d * d;
    struct rng rng;

    (void)T;
    (void)H;
    rng_seed(&rng, params->seed);
    rng_normal_fill(&rng, weights, blocks * d * d);
    rng_normal_fill(&rng, length, m * d);
    for (int64_t i = 0; i < m; i++)
        make_orthogonal(weights + i / d * d * d, (int)(i % d), d);
    for (int64_t i = 0; i < m; i++) {
        double norm = norm_of(length + i * d, d);

        for (int c = 0; c < d; c++)
            weights[i * d + c] = (float)(weights[i * d + c] * norm);
    }
}

const struct mechanism mechanism_favor = {
    .name = "favor",
    .formula = "f(q_i).f(k_j) / sum, f_m(x) = exp(w_m.x - |x|^2 / 2), w random",
    .no_budget = "it keeps sums, no keys",
    .cost = "N m d", .growth = "N",
    .source = "Choromanski et al. 2021, lemma 1 and section 2.4",
    .refuse = features_refuse, .n_weights = favor_n_weights, .draw = favor_draw, .room = favor_room,
    .run = favor_run, .reference_room = favor_reference_room, .reference = favor_reference,
};
