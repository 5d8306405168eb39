/* SPDX-License-Identifier: MIT
 * Keys and values in few bits: keys channel by channel, values token by token, in groups of
 * GROUP numbers with a zero point and a step each. */
#include <math.h>

#include "nn/mechanism/pairs.h"

enum { GROUP = 32 };            /* as in the experiments of the paper */

/* y = round((x - z) / s) s + z of n numbers stride apart; z their least, s (max - z) over
 * the number of steps. */
static void quantise(float *y, const float *x, int64_t y_stride, int64_t x_stride, int n,
                     int bits)
{
    float least = x[0], most = x[0];
    double step;

    for (int i = 1; i < n; i++) {
        least = x[i * x_stride] < least ? x[i * x_stride] : least;
        most = x[i * x_stride] > most ? x[i * x_stride] : most;
    }
    step = ((double)most - least) / ((1 << bits) - 1);
    for (int i = 0; i < n; i++)
        y[i * y_stride] = step > 0 ? (float)(rint(((double)x[i * x_stride] - least) / step) *
                                             step + least) : x[i * x_stride];
}

static int kivi_group_of(int first, int n)
{
    return n - first < GROUP ? n - first : GROUP;
}

static void quantise_keys(float *y, const struct attention *a)
{
    for (int j = 0; j < a->at.S; j += GROUP)
        for (int c = 0; c < a->at.d; c++)
            quantise(y + (int64_t)j * a->at.d + c, a->k + j * a->k_stride + c, a->at.d,
                     a->k_stride, kivi_group_of(j, a->at.S), a->params->bits);
}

static void quantise_values(float *y, const struct attention *a)
{
    for (int j = 0; j < a->at.S; j++)
        for (int c = 0; c < a->at.d_v; c += GROUP)
            quantise(y + (int64_t)j * a->at.d_v + c, a->v + j * a->v_stride + c, 1, 1,
                     kivi_group_of(c, a->at.d_v), a->params->bits);
}

static void kivi_make(struct pairs_copy *copy, const struct attention *a, void *base)
{
    pairs_copy(copy, a, a->at.S, base);
    quantise_keys(copy->k, a);
    quantise_values(copy->v, a);
}

static uint64_t kivi_room(const struct attention *a)
{
    struct pairs_copy copy;

    return pairs_copy(&copy, a, a->at.S, NULL);
}

static int64_t kivi_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    struct pairs_copy copy;

    kivi_make(&copy, a, base);
    return pairs_run(out, out_stride, &copy.own, copy.rest);
}

static void kivi_reference(double *w, double *out, const struct attention *a, void *base)
{
    struct pairs_copy copy;

    kivi_make(&copy, a, base);
    pairs_reference(w, out, &copy.own, NULL);
}

const struct mechanism mechanism_kivi = {
    .name = "kivi",
    .formula = "softmax_j scale q_i.k'_j over v'_j, k' per channel and v' per token in b bits",
    .no_budget = "it keeps all keys, in fewer bits",
    .cost = "N^2 d", .growth = "N^2", .source = "Liu et al. 2024, section 3",
    .room = kivi_room, .run = kivi_run, .reference_room = kivi_room, .reference = kivi_reference,
};
