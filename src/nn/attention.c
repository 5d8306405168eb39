/* SPDX-License-Identifier: MIT
 * Queries, packed keys and values -> weights and outputs.
 *
 * Packed, for one head: panels [d][width] of keys up to the next multiple of PANEL, keys
 * past S are 0; then panels [S][width] of values, columns past d_v are 0. */
#include "nn/attention.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "nn/linear.h"
#include "nn/product.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

static int64_t round_up(int64_t n)
{
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* Rows 64 bytes apart in the cache's sets, also where S is a power of two. */
size_t attention_stride(int S)
{
    return (size_t)round_up(S) + LANES;
}

uint64_t attention_packed(int S, int d, int d_v)
{
    return (uint64_t)round_up(S) * (uint64_t)d + (uint64_t)S * (uint64_t)round_up(d_v);
}

void attention_pack(float *packed, const float *k, int64_t k_stride, const float *v,
                    int64_t v_stride, int S, int d, int d_v)
{
    int width = product_width();
    int64_t all = round_up(S);

    for (int s = 0; s < all; s += width, packed += (int64_t)d * width) {
        int left = s < S ? S - s : 0;

        nn_kernels()->transpose(packed, width, left > 0 ? k + s * k_stride : k, k_stride,
                                left < width ? left : width, d);
    }
    for (int c = 0; c < d_v; c += width, packed += (int64_t)S * width)
        product_copy_rows(packed, width, v + c, v_stride, d_v - c < width ? d_v - c : width, S);
}

/* ---- products ---- */

static void attention_multiply(float *w, size_t w_stride, const float *q, int64_t q_stride,
                               const float *packed, struct key_range keys, int d, int n_rows)
{
    int width = product_width();

    for (int64_t s = keys.first; s < keys.end; s += width) {
        int64_t left = (keys.end - s + LANES - 1) / LANES * LANES;
        struct product product = {
            .y = w + (s - keys.first), .y_stride = (int64_t)w_stride,
            .x = q, .x_stride = q_stride, .panel = packed + s * d,
            .width = width, .M = n_rows, .K = d, .n = left < width ? (int)left : width,
        };

        product_run(&product);
    }
}

static void values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                   const float *packed, struct key_range keys, const struct attend *attend,
                   int n_rows)
{
    /* Adding 0 turns a -0, which a sum of vanishing products may leave, into the
       +0 that it is where the row stands in a block with more hidden keys. */
    static const float zero[PANEL];
    int width = product_width();

    packed += round_up(attend->S) * attend->d + keys.first * width;
    for (int c = 0; c < attend->d_v; c += width, packed += (int64_t)attend->S * width) {
        struct product product = {
            .y = out + c, .y_stride = out_stride, .x = w, .x_stride = (int64_t)w_stride,
            .panel = packed, .width = width, .M = n_rows, .K = (int)(keys.end - keys.first),
            .n = attend->d_v - c < width ? attend->d_v - c : width, .bias = zero,
        };

        product_run(&product);
    }
}

void attention_products(float *w, size_t w_stride, const float *q, int64_t q_stride,
                        const float *packed, const struct attend *attend, int row0,
                        int n_rows)
{
    attention_multiply(w, w_stride, q, q_stride, packed, visible_keys(attend, row0, n_rows),
                       attend->d, n_rows);
}

void attention_values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                      const float *packed, const struct attend *attend, int row0, int n_rows)
{
    values(out, out_stride, w, w_stride, packed, visible_keys(attend, row0, n_rows), attend,
           n_rows);
}

/* ---- a block ---- */

/* The largest score of a row; of NaN any, since its weights are NaN. */
static int64_t row_most(const float *row, struct key_range r)
{
    int64_t most = r.first;

    for (int64_t j = r.first + 1; j < r.end; j++)
        most = row[j] > row[most] ? j : most;
    return most;
}

/* Scores become weights; returns the entropy in nats. */
static double attention_weigh(float *row, int n, struct key_range r, float scale)
{
    if (r.end > r.first)
        return softmax_sums_entropy(softmax_row(row, n, (int)r.first, (int)r.end, scale));
    memset(row, 0, (size_t)n * sizeof *row);
    return 0;
}

/* The same, where a score of no key takes its share *taken. */
static double weigh_beside(float *row, int n, struct key_range r, float scale, float sink,
                           double *taken)
{
    double most, other, keys, h;
    struct softmax_sums sums;

    if (r.end <= r.first) {
        *taken = 1;
        return attention_weigh(row, n, r, scale);
    }
    most = (double)(scale * row[row_most(row, r)]);
    sums = softmax_row(row, n, (int)r.first, (int)r.end, scale);
    other = elementary_exp((double)sink - most);
    keys = sums.e / (sums.e + other);
    *taken = other < INFINITY ? other / (sums.e + other) : 1;
    for (int64_t j = r.first; j < r.end; j++)
        row[j] = (float)((double)row[j] * keys);
    h = softmax_sums_entropy(sums);
    return keys == 0 ? 0 : keys * (h - elementary_log(keys));
}

/* Weights of the rows of a block from its scores, which scale still multiplies. */
static void weigh_block(float *w, size_t w_stride, double *entropy,
                        const struct attend *attend, struct key_range keys, float scale,
                        int row0, int n_rows)
{
    int n_keys = (int)(keys.end - keys.first);

    for (int t = 0; t < n_rows; t++) {
        struct key_range range = visible_range(attend, row0 + t);
        struct key_range own = { range.first - keys.first, range.end - keys.first };
        float *row = w + (size_t)t * w_stride;
        double h, taken = 0;

        if (attend->hidden != NULL && !visible_any(attend, t, own))
            own.end = own.first;
        h = attend->sink == NULL ? attention_weigh(row, (int)round_up(n_keys), own, scale) :
            weigh_beside(row, (int)round_up(n_keys), own, scale, *attend->sink, &taken);
        if (attend->sink != NULL && attend->sink_weight != NULL)
            attend->sink_weight[t] = taken;
        if (attend->hidden != NULL)
            score_hide(attend, row, t, n_keys, 0);      /* where the others are NaN */
        if (entropy != NULL)
            entropy[t] = h;
    }
}

/* Weights and entropies of a block from the products of its rows. */
static void weigh_products(float *w, size_t w_stride, double *entropy, const struct attend *attend,
                           struct key_range keys, int row0, int n_rows)
{
    bool adjusted = attend->cap > 0 || attend->hidden != NULL || score_has_terms(attend);

    if (adjusted)
        score_block(attend, w, w_stride, row0, n_rows, (int)keys.first,
                    (int)(keys.end - keys.first));
    weigh_block(w, w_stride, entropy, attend, keys, adjusted ? 1 : attend->scale, row0, n_rows);
}

void attention_block(float *w, size_t w_stride, int *key0, int *n_keys, double *entropy,
                     float *out, int64_t out_stride, const float *q, int64_t q_stride,
                     const float *packed, const struct attend *attend, int row0, int n_rows)
{
    struct key_range keys = visible_keys(attend, row0, n_rows);

    assert(n_rows > 0 && n_rows <= ATTEND_ROWS && attend->S > 0 && attend->d > 0);
    assert(w_stride >= attention_stride(attend->S) && w_stride % LANES == 0);
    *key0 = (int)keys.first;
    *n_keys = (int)(keys.end - keys.first);
    attention_multiply(w, w_stride, q, q_stride, packed, keys, attend->d, n_rows);
    weigh_products(w, w_stride, entropy, attend, keys, row0, n_rows);
    if (out == NULL)
        return;
    if (attend->precision != PRECISION_F32) {
        precision_round(attend->precision, attend->round_room, w,
                        (int64_t)n_rows * (int64_t)w_stride);
        w = attend->round_room;
    }
    if (*n_keys > 0) {
        values(out, out_stride, w, w_stride, packed, keys, attend, n_rows);
        return;
    }
    for (int t = 0; t < n_rows; t++)
        memset(out + t * out_stride, 0, (size_t)attend->d_v * sizeof *out);
}

/* ---- one row ---- */

size_t attention_row_room(int d)
{
    return linear_scratch(d);
}

void attention_row(float *w, int *key0, int *n_keys, double *entropy, float *out,
                   const float *q, const struct attention_rows *rows, const struct attend *attend,
                   int row0, float *room)
{
    struct key_range keys = visible_keys(attend, row0, 1);
    const float *k = rows->k + keys.first * rows->k_stride;
    const float *v = rows->v + keys.first * rows->v_stride;
    struct matrix matrix = {
        .data = (const unsigned char *)k, .size_bytes = sizeof *k,
        .N = (int)(keys.end - keys.first), .K = attend->d, .stride = rows->k_stride,
    };

    assert(attend->S > 0 && attend->d > 0 && attend->precision == PRECISION_F32);
    *key0 = (int)keys.first;
    *n_keys = matrix.N;
    if (matrix.N > 0)
        linear_few(w, matrix.N, q, attend->d, 1, &matrix, NULL, 0, matrix.N, room);
    weigh_products(w, attention_stride(attend->S), entropy, attend, keys, row0, 1);
    if (out == NULL)
        return;
    nn_kernels()->stored->columns(out, w, v, rows->v_stride, attend->d_v, matrix.N);
    for (int c = 0; c < attend->d_v; c++)
        out[c] += 0.0f;         /* -0, as in a block */
}

/* ---- the reference ---- */

/* The score of row t and key s. */
static double reference_score(const float *q, const float *k, const struct attend *attend,
                              int t, int s)
{
    struct attend uncapped = *attend;
    double score = 0;
    float with_terms;

    for (int c = 0; c < attend->d; c++)
        score += (double)q[c] * k[c];
    score *= attend->scale;
    if (attend->cap > 0)
        score = attend->cap * elementary_tanh(score / attend->cap);
    if (!score_has_terms(attend))
        return score;
    uncapped.cap = 0;
    with_terms = (float)score;
    score_terms(&uncapped, &with_terms, 1, t, 1, s, 1);
    return with_terms;
}

/* What a score of no key leaves of a row of scores. */
static double share_of_keys(const double *score, int S, float sink)
{
    double most = (double)sink, sum = 0;

    for (int s = 0; s < S; s++)
        most = score[s] > most ? score[s] : most;
    for (int s = 0; s < S; s++)
        sum += elementary_exp(score[s] - most);
    return sum / (sum + elementary_exp((double)sink - most));
}

/* One row of the reference: w [S]; all 0 where nothing is visible. */
static void reference_row(double *w, const float *q, const float *k,
                          const struct attend *attend, int t)
{
    bool any = false;
    double keys = 1;

    for (int s = 0; s < attend->S; s++) {
        w[s] = -INFINITY;
        if (!visible(attend, t, s))
            continue;
        any = true;
        w[s] = reference_score(q, k + (int64_t)s * attend->d, attend, t, s);
    }
    if (any)
        keys = attend->sink != NULL ? share_of_keys(w, attend->S, *attend->sink) : 1;
    if (any)
        softmax_double(w, NULL, attend->S);
    for (int s = 0; s < attend->S; s++)
        w[s] = visible(attend, t, s) ? w[s] * keys : 0;
}

void attention_reference(double *w, double *out, const float *q, const float *k,
                         const float *v, const struct attend *attend, int T)
{
    for (int t = 0; t < T; t++, q += attend->d, w += attend->S, out += attend->d_v) {
        reference_row(w, q, k, attend, t);
        for (int c = 0; c < attend->d_v; c++)
            out[c] = 0;
        for (int s = 0; s < attend->S; s++)
            for (int c = 0; c < attend->d_v; c++)
                out[c] += w[s] * v[(int64_t)s * attend->d_v + c];
    }
}
