/* SPDX-License-Identifier: MIT
 * Linear attention: features elu(x) + 1. */
#include "base/elementary.h"
#include "nn/mechanism/features.h"

static int elu_count(const struct attention *a)
{
    return a->at.d;
}

/* elu(x) + 1 = x + 1 above 0, exp(x) below. */
static void elu_map(double *ln, const struct attention *a, const float *x, int64_t stride, int n,
                    float *spare)
{
    (void)spare;
    for (int t = 0; t < n; t++, x += stride)
        for (int c = 0; c < a->at.d; c++)
            *ln++ = x[c] > 0 ? elementary_log1p((double)x[c]) : (double)x[c];
}

static const struct feature_map features = { elu_count, elu_map };

static uint64_t elu_room(const struct attention *a)
{
    return features_room(a, &features);
}

static int64_t elu_run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    return features_run(out, out_stride, a, &features, r);
}

static uint64_t elu_reference_room(const struct attention *a)
{
    return features_reference_room(a, &features);
}

static void elu_reference(double *w, double *out, const struct attention *a, void *r)
{
    features_reference(w, out, a, &features, r);
}

const struct mechanism mechanism_elu = {
    .name = "elu", .formula = "f(q_i).f(k_j) / sum, f(x) = elu(x) + 1",
    .no_budget = "it keeps sums, no keys",
    .cost = "N d^2", .growth = "N", .source = "Katharopoulos et al. 2020, eq. 7",
    .refuse = features_refuse, .room = elu_room, .run = elu_run,
    .reference_room = elu_reference_room, .reference = elu_reference,
};
