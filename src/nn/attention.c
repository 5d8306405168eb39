/* SPDX-License-Identifier: MIT
 * Exact softmax attention with its weights kept: a block of query rows at a time
 * while it is in cache, and the plain reference in double.
 *
 * Packed, for one head: ceil(S / 32) panels [d][32] of keys, keys past S are 0;
 * then ceil(d_v / 32) panels [S][32] of values, columns past d_v are 0. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "nn/nn_priv.h"

static int64_t round_up(int64_t n)
{
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* Rows 64 bytes apart in the cache's sets, also where S is a power of two. */
size_t attend_stride(int S)
{
    return (size_t)round_up(S) + LANES;
}

size_t attend_packed(int S, int d, int d_v)
{
    return (size_t)round_up(S) * (size_t)d + (size_t)S * (size_t)round_up(d_v);
}

void attend_pack(float *packed, const float *k, int64_t k_stride, const float *v,
                 int64_t v_stride, int S, int d, int d_v)
{
    for (int s = 0; s < S; s += PANEL, packed += (int64_t)d * PANEL)
        nn_kernels()->transpose(packed, k + s * k_stride, k_stride,
                                S - s < PANEL ? S - s : PANEL, d);
    for (int c = 0; c < d_v; c += PANEL, packed += (int64_t)S * PANEL)
        copy_rows(packed, v + c, v_stride, d_v - c < PANEL ? d_v - c : PANEL, S);
}

static struct range visible(const struct attend *at, int64_t i)
{
    int64_t own = i + at->offset;
    struct range r = {
        at->lo == INT_MAX ? 0 : own - at->lo, at->hi == INT_MAX ? at->S : own + at->hi + 1,
    };

    if (r.first < 0)
        r.first = 0;
    if (r.end > at->S)
        r.end = at->S;
    return r;
}

/* The keys that any of the rows sees; both ends only grow with i. */
static struct range block_range(const struct attend *at, int row0, int n_rows)
{
    struct range all = { visible(at, row0).first, visible(at, row0 + n_rows - 1).end };

    if (all.end <= all.first)
        return (struct range){ 0, 0 };
    all.first -= all.first % PANEL;
    return all;
}

void attend_keys(const struct attend *at, int row0, int n_rows, int *key0, int *n_keys)
{
    struct range keys = block_range(at, row0, n_rows);

    *key0 = (int)keys.first;
    *n_keys = (int)(keys.end - keys.first);
}

static void scores(float *w, size_t w_stride, const float *q, int64_t q_stride,
                   const float *packed, struct range keys, int d, int n_rows)
{
    for (int64_t s = keys.first; s < keys.end; s += PANEL) {
        int64_t left = (keys.end - s + LANES - 1) / LANES * LANES;
        struct product p = {
            .y = w + (s - keys.first), .y_stride = (int64_t)w_stride,
            .x = q, .x_stride = q_stride, .panel = packed + s * d,
            .M = n_rows, .K = d, .n = left < PANEL ? (int)left : PANEL,
        };

        product_run(&p);
    }
}

/*
 * The score of a key that is hidden by itself: far below any other, so its weight
 * is 0, and finite, so the row's sums are.
 */
static const float LEAST = -1e38f;

static bool is_hidden(const struct attend *at, int t, int64_t j)
{
    return at->hidden != NULL && at->hidden[(size_t)t * at->hidden_stride + (size_t)j] != 0;
}

static void hide(float *row, const struct attend *at, int t, int n, float score)
{
    for (int s = 0; s < n; s++)
        if (is_hidden(at, t, s))
            row[s] = score;
}

static bool sees_none(const struct attend *at, int t, struct range own)
{
    for (int64_t s = own.first; s < own.end; s++)
        if (!is_hidden(at, t, s))
            return false;
    return true;
}

/* Scale, cap, terms and hidden keys of a block, where there is more than a scale. */
static void adjust(float *w, size_t w_stride, const struct attend *at, struct range keys,
                   int row0, int n_rows)
{
    int n = (int)(keys.end - keys.first);

    for (int t = 0; t < n_rows; t++)
        for (int s = 0; s < n; s++)
            w[(size_t)t * w_stride + (size_t)s] *= at->scale;
    for (int t = 0; at->cap > 0 && t < n_rows; t++)
        for (int s = 0; s < n; s++) {
            float *x = &w[(size_t)t * w_stride + (size_t)s];

            *x = at->cap * tanhf(*x / at->cap);
        }
    for (int i = 0; i < SCORE_TERMS; i++)
        if (at->term[i].add != NULL)
            at->term[i].add(at->term[i].self, w, w_stride, row0 + at->offset, n_rows,
                            (int)keys.first, n);
    for (int t = 0; at->hidden != NULL && t < n_rows; t++)
        hide(w + (size_t)t * w_stride, at, t, n, LEAST);
}

/* Scores become weights; returns the entropy in nats. */
static double weigh(float *row, int n, struct range r, float scale)
{
    struct row_sums s;

    if (r.end <= r.first) {
        memset(row, 0, (size_t)n * sizeof *row);
        return 0;
    }
    s = nn_kernels()->softmax(row, n, (int)r.first, (int)r.end, scale);
    return log(s.e) - s.ex / s.e;
}

static void values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                   const float *packed, struct range keys, const struct attend *at,
                   int n_rows)
{
    /* Adding 0 turns a -0, which a sum of vanishing products may leave, into the
       +0 that it is where the row stands in a block with more hidden keys. */
    static const float zero[PANEL];

    packed += round_up(at->S) * at->d + keys.first * PANEL;
    for (int c = 0; c < at->d_v; c += PANEL, packed += (int64_t)at->S * PANEL) {
        struct product p = {
            .y = out + c, .y_stride = out_stride, .x = w, .x_stride = (int64_t)w_stride,
            .panel = packed, .M = n_rows, .K = (int)(keys.end - keys.first),
            .n = at->d_v - c < PANEL ? at->d_v - c : PANEL, .bias = zero,
        };

        product_run(&p);
    }
}

static bool is_adjusted(const struct attend *at)
{
    for (int i = 0; i < SCORE_TERMS; i++)
        if (at->term[i].add != NULL)
            return true;
    return at->cap > 0 || at->hidden != NULL;
}

void attend_block(float *w, size_t w_stride, int *key0, int *n_keys, double *entropy,
                  float *out, int64_t out_stride, const float *q, int64_t q_stride,
                  const float *packed, const struct attend *at, int row0, int n_rows)
{
    struct range keys = block_range(at, row0, n_rows);
    int n = (int)round_up(keys.end - keys.first);
    bool adjusted = is_adjusted(at);

    assert(n_rows > 0 && n_rows <= ATTEND_ROWS && at->S > 0 && at->d > 0);
    assert(w_stride >= attend_stride(at->S) && w_stride % LANES == 0);
    *key0 = (int)keys.first;
    *n_keys = (int)(keys.end - keys.first);
    scores(w, w_stride, q, q_stride, packed, keys, at->d, n_rows);
    if (adjusted)
        adjust(w, w_stride, at, keys, row0, n_rows);
    for (int t = 0; t < n_rows; t++) {
        struct range r = visible(at, row0 + t);
        struct range own = { r.first - keys.first, r.end - keys.first };
        float *row = w + (size_t)t * w_stride;
        double h;

        if (at->hidden != NULL && sees_none(at, t, own))
            own.end = own.first;
        h = weigh(row, n, own, adjusted ? 1 : at->scale);
        if (at->hidden != NULL)
            hide(row, at, t, *n_keys, 0);       /* where the others are NaN */
        if (entropy != NULL)
            entropy[t] = h;
    }
    if (out == NULL)
        return;
    if (at->precision != PRECISION_F32) {
        precision_round(at->precision, at->round_room, w, (int64_t)n_rows * (int64_t)w_stride);
        w = at->round_room;
    }
    if (*n_keys > 0) {
        values(out, out_stride, w, w_stride, packed, keys, at, n_rows);
        return;
    }
    for (int t = 0; t < n_rows; t++)
        memset(out + t * out_stride, 0, (size_t)at->d_v * sizeof *out);
}

/* ---- the steps by themselves ---- */

struct range attend_range(const struct attend *at, int64_t row)
{
    return visible(at, row);
}

void attend_products(float *w, size_t w_stride, const float *q, int64_t q_stride,
                     const float *packed, const struct attend *at, int row0, int n_rows)
{
    scores(w, w_stride, q, q_stride, packed, block_range(at, row0, n_rows), at->d, n_rows);
}

void attend_adjust(float *w, size_t w_stride, const struct attend *at, int row0, int n_rows)
{
    adjust(w, w_stride, at, block_range(at, row0, n_rows), row0, n_rows);
}

bool attend_sees_any(const struct attend *at, int row0, int n_rows, int t)
{
    int64_t key0 = block_range(at, row0, n_rows).first;
    struct range r = visible(at, row0 + t);

    r = (struct range){ r.first - key0, r.end - key0 };
    return r.end > r.first && (at->hidden == NULL || !sees_none(at, t, r));
}

void attend_values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                   const float *packed, const struct attend *at, int row0, int n_rows)
{
    values(out, out_stride, w, w_stride, packed, block_range(at, row0, n_rows), at, n_rows);
}

struct row_sums softmax_c(float *row, int n, int first, int end, float scale)
{
    double e_lane[LANES] = { 0 }, ex_lane[LANES] = { 0 };
    float max = scale * row[first], factor;
    struct row_sums sums;

    for (int s = first; s < end; s++) {
        row[s] *= scale;
        max = row[s] > max ? row[s] : max;
    }
    for (int s = first; s < end; s++) {
        float x = row[s] - max;

        row[s] = expf(x);
        e_lane[s % LANES] += row[s];
        ex_lane[s % LANES] += (double)row[s] * x;
    }
    sums = (struct row_sums){ add_lanes(e_lane), add_lanes(ex_lane) };
    factor = softmax_factor(sums);
    memset(row, 0, (size_t)first * sizeof *row);
    for (int s = first; s < end; s++)
        row[s] *= factor;
    memset(row + end, 0, (size_t)(n - end) * sizeof *row);
    return sums;
}

/* One row of the reference: w [S], returns nothing visible as all 0. */
static void reference_row(double *w, const float *q, const float *k,
                          const struct attend *at, struct range r, int t)
{
    double max = -HUGE_VAL, sum = 0;

    for (int s = 0; s < at->S; s++)
        w[s] = 0;
    for (int64_t s = r.first; s < r.end; s++) {
        double dot = 0;

        if (is_hidden(at, t, s))
            continue;

        for (int c = 0; c < at->d; c++)
            dot += (double)q[c] * k[s * at->d + c];
        w[s] = at->scale * dot;
        if (at->cap > 0)
            w[s] = at->cap * tanh(w[s] / at->cap);
        for (int i = 0; i < SCORE_TERMS; i++)
            if (at->term[i].add != NULL) {
                float score = (float)w[s];

                at->term[i].add(at->term[i].self, &score, 1, t + at->offset, 1, (int)s, 1);
                w[s] = score;
            }
        max = w[s] > max ? w[s] : max;
    }
    for (int64_t s = r.first; s < r.end; s++)
        if (!is_hidden(at, t, s))
            sum += w[s] = exp(w[s] - max);
    for (int64_t s = r.first; s < r.end; s++)
        if (!is_hidden(at, t, s))
            w[s] /= sum;
}

void attention_reference(double *w, double *out, const float *q, const float *k,
                         const float *v, const struct attend *at, int T)
{
    for (int t = 0; t < T; t++, q += at->d, w += at->S, out += at->d_v) {
        reference_row(w, q, k, at, visible(at, t), t);
        for (int c = 0; c < at->d_v; c++)
            out[c] = 0;
        for (int s = 0; s < at->S; s++)
            for (int c = 0; c < at->d_v; c++)
                out[c] += w[s] * v[(int64_t)s * at->d_v + c];
    }
}
