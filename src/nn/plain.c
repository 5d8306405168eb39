/* SPDX-License-Identifier: MIT
 * The plain C kernel: readable, on every machine, the reference of the others. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/elementary.h"
#include "base/half.h"
#include "nn/facts.h"
#include "nn/kernels.h"
#include "nn/scan.h"
#include "nn/softmax.h"

static bool always(void)
{
    return true;
}

/* ---- linears ---- */

static void rows(const struct product *product)
{
    assert(product->width == PANEL);
    for (int m = 0; m < product->M; m++) {
        float *y = product->y + m * product->y_stride, sum[PANEL] = { 0 };
        const float *x = product->x + m * product->x_stride, *panel = product->panel;

        if (product->resume)
            memcpy(sum, y, (size_t)product->n * sizeof *y);
        for (int k = 0; k < product->K; k++, panel += PANEL)
            for (int i = 0; i < PANEL; i++)
                sum[i] += x[k] * panel[i];
        for (int i = 0; i < product->n; i++)
            y[i] = product->bias != NULL ? sum[i] + product->bias[i] : sum[i];
    }
}

static void plain_transpose(float *panel, int width, const float *w, int64_t stride, int n, int K)
{
    for (int k = 0; k < K; k++, panel += width) {
        for (int i = 0; i < n; i++)
            panel[i] = w[i * stride + k];
        for (int i = n; i < width; i++)
            panel[i] = 0;
    }
}

static void plain_columns(float *y, const float *x, const float *w, int64_t stride, int n, int K)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < K; k++, w += stride)
        for (int c = 0; c < n; c++)
            y[c] += x[k] * w[c];
}

static void plain_decode_f16(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = half_to_float((uint16_t)bytes_get(data + 2 * i, 2));
}

static void plain_decode_bf16(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = bf16_to_float((uint16_t)bytes_get(data + 2 * i, 2));
}

/* ---- softmax ---- */

static struct softmax_sums plain_softmax(float *row, int n, int first, int end, float scale)
{
    double e_lane[LANES] = { 0 }, ex_lane[LANES] = { 0 };
    float max = scale * row[first], factor;
    struct softmax_sums sums;

    for (int s = first; s < end; s++) {
        row[s] *= scale;
        max = row[s] > max ? row[s] : max;
    }
    for (int s = first; s < end; s++) {
        float x = row[s] - max;

        row[s] = elementary_expf(x);
        e_lane[s % LANES] += row[s];
        ex_lane[s % LANES] += (double)row[s] * x;
    }
    sums = (struct softmax_sums){ kernels_add_lanes(e_lane), kernels_add_lanes(ex_lane) };
    factor = kernels_softmax_factor(sums.e, sums.ex);
    memset(row, 0, (size_t)first * sizeof *row);
    for (int s = first; s < end; s++)
        row[s] *= factor;
    memset(row + end, 0, (size_t)(n - end) * sizeof *row);
    return sums;
}

/* ---- what a row tells ---- */

static int plain_strongest(const float *w, int n)
{
    float max = -INFINITY;
    int best = 0;

    for (int j = 0; j < n; j++)
        if (w[j] > max) {
            max = w[j];
            best = j;
        }
    return best;
}

static struct scan scan(const float *w, int n, int key0, int query)
{
    double sum[4] = { 0 }, sum_abs[4] = { 0 };

    for (int j = 0; j < n; j++) {
        double term = (double)w[j] * (key0 + j - query);

        sum[(key0 + j) & 3] += term;
        sum_abs[(key0 + j) & 3] += fabs(term);
    }
    return (struct scan){ plain_strongest(w, n), (sum[0] + sum[1]) + (sum[2] + sum[3]),
                          (sum_abs[0] + sum_abs[1]) + (sum_abs[2] + sum_abs[3]) };
}

static struct scan_sums scan_block(float *largest, const float *w, size_t stride, int n_rows,
                                  int n, int key0, int query)
{
    double sum[LANES] = { 0 }, sum_abs[LANES] = { 0 };

    for (int t = 0; t < n_rows; t++, w += stride) {
        for (int j = 0; j < n; j++) {
            int lane = (t & 1) * LANES / 2 + ((key0 + j) & (LANES / 2 - 1));
            double term = (double)w[j] * (key0 + j - query - t);

            sum[lane] += term;
            sum_abs[lane] += fabs(term);
        }
        largest[t] = w[plain_strongest(w, n)];
    }
    return (struct scan_sums){ kernels_add_lanes(sum), kernels_add_lanes(sum_abs) };
}

/* ---- activations ---- */

/*
 * GELU: Hendrycks and Gimpel 2016, section 2; SiLU: ibid., section 4.  Written
 * with erfc and exp, since 1 + erf and 1 + tanh lose what is left near -1.
 */
static float act_one(enum act act, float x)
{
    switch (act) {
    case ACT_GELU:
        return 0.5f * x * elementary_erfcf(x * -0.70710678f);
    case ACT_GELU_TANH:
        return x / (1 + elementary_expf(-1.5957691f * (x + 0.044715f * x * x * x)));
    case ACT_QUICK_GELU:
        return x / (1 + elementary_expf(-1.702f * x));
    case ACT_SILU:
        return x / (1 + elementary_expf(-x));
    case ACT_RELU:
        return x < 0 ? 0 : x;
    case ACT_TANH:
        return elementary_tanhf(x);
    case ACT_RELU2:
        return x < 0 ? 0 : x * x;
    case N_ACT:
        break;
    }
    assert(act < N_ACT);
    return x;
}

static void act(enum act act, float *y, const float *gate, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = gate == NULL ? act_one(act, y[i]) : act_one(act, gate[i]) * y[i];
}

static void plain_add(float *y, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

/* ---- norms ---- */

/* Sum of (x - from) or of its square. */
static double row_sum(const float *x, int D, double from, bool square)
{
    double lane[LANES] = { 0 };

    for (int i = 0; i < D; i++) {
        double value = x[i] - from;

        lane[i % LANES] += square ? value * value : value;
    }
    return kernels_add_lanes(lane);
}

/* All of a row in double, rounded once. */
static void plain_norm(const struct norm_args *args)
{
    for (int t = 0; t < args->T; t++) {
        const float *x = args->x + (int64_t)t * args->D;
        float *y = args->y + (int64_t)t * args->D;
        double mean = args->centre ? row_sum(x, args->D, 0, false) / args->D : 0;
        double scale = 1 / sqrt(row_sum(x, args->D, mean, true) / args->D + args->eps);

        for (int i = 0; i < args->D; i++) {
            double value = (x[i] - mean) * scale;

            if (args->weight != NULL)
                value *= args->weight[i];
            if (args->bias != NULL)
                value += args->bias[i];
            y[i] = (float)value;
        }
    }
}

/* ---- rows by their number ---- */

/* In LANES sums, lane = column mod LANES. */
static void plain_gather(float *y, const float *x, const float *m, int64_t stride, const int *index,
                         int n, int d)
{
    for (int j = 0; j < n; j++) {
        const float *row = m + index[j] * stride;
        float lane[LANES] = { 0 };
        int c = 0;

        for (; c + LANES <= d; c += LANES)
            for (int i = 0; i < LANES; i++)
                lane[i] += x[c + i] * row[c + i];
        for (int i = 0; c < d; c++, i++)
            lane[i] += x[c] * row[c];
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                lane[i] += lane[i + half];
        y[j] = lane[0];
    }
}

static void blend(float *y, const float *w, const float *m, int64_t stride, const int *index,
                  int n, int d)
{
    memset(y, 0, (size_t)d * sizeof *y);
    for (int j = 0; j < n; j++) {
        const float *row = m + index[j] * stride;

        for (int c = 0; c < d; c++)
            y[c] += w[j] * row[c];
    }
}

/* ---- sums of outer products ---- */

static void outer(double *sum, const double *x, const double *y, int m, int n)
{
    for (int i = 0; i < m; i++, sum += n)
        for (int c = 0; c < n; c++)
            sum[c] += x[i] * y[c];
}

static void plain_inner(double *y, const double *x, const double *sum, int m, int n)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++, sum += n)
        for (int c = 0; c < n; c++)
            y[c] += x[i] * sum[c];
}

static const struct stored_kernels stored = { .columns = plain_columns };

const struct kernels kernels_c = {
    .name = "c", .supported = always,
    .width = PANEL, .rows = rows, .transpose = plain_transpose, .stored = &stored,
    .decode_f16 = plain_decode_f16, .decode_bf16 = plain_decode_bf16,
    .softmax = plain_softmax, .scan = scan, .scan_block = scan_block, .facts = &facts_c,
    .strongest = plain_strongest,
    .act = act, .norm = plain_norm, .add = plain_add,
    .gather = plain_gather, .blend = blend, .outer = outer, .inner = plain_inner,
};
