/* SPDX-License-Identifier: MIT
 * Keys and values averaged over segments of the text; a segment's weight is shared by its
 * keys alike. */
#include <math.h>

#include "nn/mechanism/pairs.h"
#include "nn/score.h"
#include "nn/softmax.h"

static int linformer_count(const struct attention *a)
{
    int n = a->params->budget > 0 ? a->params->budget : a->params->segments;

    return n < a->at.S ? n : a->at.S;
}

/* The first key of a segment. */
static int linformer_first_of(const struct attention *a, int segment)
{
    return (int)((int64_t)segment * a->at.S / linformer_count(a));
}

static void average(float *y, const struct attention *a, const float *x, int64_t stride, int d)
{
    for (int s = 0; s < linformer_count(a); s++, y += d) {
        int first = linformer_first_of(a, s), end = linformer_first_of(a, s + 1);

        for (int c = 0; c < d; c++) {
            double sum = 0;

            for (int j = first; j < end; j++)
                sum += (double)x[j * stride + c];
            y[c] = (float)(sum / (end - first));
        }
    }
}

static uint64_t linformer_room(const struct attention *a)
{
    struct pairs_copy copy;

    return pairs_copy(&copy, a, linformer_count(a), NULL);
}

static int64_t linformer_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    struct pairs_copy copy;

    pairs_copy(&copy, a, linformer_count(a), base);
    average(copy.k, a, a->k, a->k_stride, a->at.d);
    average(copy.v, a, a->v, a->v_stride, a->at.d_v);
    return pairs_run(out, out_stride, &copy.own, copy.rest);
}

/* ---- the reference: each key has its segment's weight, divided by the keys of it ---- */

static uint64_t linformer_reference_room(const struct attention *a)
{
    return (uint64_t)linformer_count(a) * sizeof(double);
}

/* The score of row i and the mean of a segment's keys. */
static double linformer_score(const struct attention *a, int i, int segment)
{
    int first = linformer_first_of(a, segment), end = linformer_first_of(a, segment + 1);
    double sum = 0;

    for (int j = first; j < end; j++)
        sum += pairs_dot(a, i, j);
    return pairs_with_terms(a, i, segment, a->at.scale * sum / (end - first));
}

static void linformer_reference(double *w, double *out, const struct attention *a, void *base)
{
    double *p = base;
    int n = linformer_count(a);

    for (int i = 0; i < a->T; i++) {
        for (int s = 0; s < n; s++)
            p[s] = linformer_score(a, i, s);
        softmax_double(p, NULL, n);
        for (int s = 0; s < n; s++)
            for (int j = linformer_first_of(a, s); j < linformer_first_of(a, s + 1); j++)
                w[(int64_t)i * a->at.S + j] = p[s] / (linformer_first_of(a, s + 1) -
                                                      linformer_first_of(a, s));
    }
    pairs_values(out, w, a);
}

/* Some row does not see all keys. */
static bool is_cut(const struct attention *a)
{
    return a->at.hidden != NULL || a->at.hi < a->at.S - 1 || a->at.lo < a->T - 1;
}

static const char *linformer_refuse(const struct attention *a)
{
    if (a->at.hi == 0 && !a->cross)
        return "for encoders only: a segment's mean would show rows later tokens";
    if (is_cut(a))
        return "a segment's mean cannot leave out what the model hides here";
    if (score_has_terms(&a->at))
        return "what is added to scores by position or mask belongs to no segment";
    return NULL;
}

const struct mechanism mechanism_linformer = {
    .name = "linformer",
    .formula = "softmax_g scale q_i.mean(k_j) over mean(v_j), j in segment g of n",
    .cost = "N n d", .growth = "N", .source = "Wang et al. 2020, section 4",
    .refuse = linformer_refuse, .room = linformer_room, .run = linformer_run,
    .reference_room = linformer_reference_room, .reference = linformer_reference,
};
