/* SPDX-License-Identifier: MIT
 *
 * Rows, single elements and packing in vectors.  Not a header in the usual sense:
 * simd_avx2.c, simd_avx512.c and simd_neon.c include it after their own vectors (vec:
 * WIDTH floats, dvec: DWIDTH doubles, vmask: what a comparison gives, and those of
 * simd_256.h) and the v_, d_ and f_ functions on them.  An element goes through the same
 * operations at any position,
 * in a tail too.  Only a tail is loaded and stored under a mask: before Zen 4 masked stores
 * are slow. */
#ifndef NN_SIMD_ROWS_H
#define NN_SIMD_ROWS_H

#include "nn/unroll.h"

enum { DPARTS = LANES / DWIDTH };       /* dvecs that hold the LANES of a sum */

/*
 * exp within a relative error of 1.5e-7 in [-87, 88]; exp(-inf) = 0, exp(inf) = inf,
 * exp(NaN) = NaN.  n = round(x / ln 2), r = x - n ln 2, exp(x) = 2^n (1 + r + r^2 q(r)),
 * q of degree 4: minimax for the relative error (3.1e-9) on |r| <= ln(2) / 2.
 */
static inline vec v_exp(vec x)
{
    vec n, r, q;

    x = v_max(v_set(EXP_LOWEST), v_min(v_set(89.0f), x));
    n = v_round(x * v_set(0x1.715476p+0f));
    r = v_fma(n, v_set(-0x1.62e4p-1f), x);      /* ln 2 in two parts: n times */
    r = v_fma(n, v_set(-0x1.7f7d1cp-20f), r);   /* the first is exact */
    q = v_set(0x1.6a2434p-10f);
    q = v_fma(q, r, v_set(0x1.1239e2p-7f));
    q = v_fma(q, r, v_set(0x1.5558f2p-5f));
    q = v_fma(q, r, v_set(0x1.555492p-3f));
    q = v_fma(q, r, v_set(0x1.fffffcp-2f));
    return v_scale(v_fma(q * r, r, r) + v_set(1.0f), n);
}

/* ---- softmax ---- */

struct lanes {
    dvec part[DPARTS];
};

/* As kernels_add_lanes, to the bit. */
static inline double lanes_sum(struct lanes l)
{
    for (int half = DPARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            l.part[i] += l.part[i + half];
    return d_tree(l.part[0]);
}

/* True if all columns s .. s + LANES - 1 lie in [first, end): nothing is masked. */
static inline bool is_whole(int s, int first, int end)
{
    return s >= first && s + LANES <= end;
}

/* The greatest of scale * row[first .. end). */
static float row_max(const float *row, int first, int end, float scale)
{
    vec max = v_set(-INFINITY);

    for (int s = first - first % LANES; s < end; s += LANES) {
        bool whole = is_whole(s, first, end);

        UNROLL
        for (int i = 0; i < LANES; i += WIDTH) {
            vec x = v_load(row + s + i) * v_set(scale);

            max = v_max(whole ? x : v_keep(v_between(s + i, first, end), x, v_set(-INFINITY)),
                        max);
        }
    }
    return v_max_of(max);
}

/*
 * LANES columns from s on: e = exp(x), x = scale * score - max, and the sums over both.  whole is a
 * constant wherever it is inlined, and the sums are registers.
 */
static inline __attribute__((always_inline)) void weigh(float *row, int s, int first, int end,
                                                        vec scale, vec max, struct lanes *e_sum,
                                                        struct lanes *ex_sum, const bool whole)
{
    UNROLL
    for (int i = 0; i < LANES; i += WIDTH) {
        vec x = v_load(row + s + i) * scale - max, e;

        if (!whole)
            x = v_keep(v_between(s + i, first, end), x, v_set(0));
        e = v_exp(x);
        if (!whole)
            e = v_keep(v_between(s + i, first, end), e, v_set(0));
        v_store(row + s + i, e);
        UNROLL
        for (int j = 0; j < WIDTH / DWIDTH; j++) {
            int part = i / DWIDTH + j;
            dvec e_j = d_part(e, j);

            e_sum->part[part] += e_j;
            ex_sum->part[part] = d_fma(e_j, d_part(x, j), ex_sum->part[part]);
        }
    }
}

static struct softmax_sums softmax(float *row, int n, int first, int end, float scale)
{
    vec max = v_set(row_max(row, first, end, scale)), none = v_set(0);
    int start = first - first % LANES, stop = (end + LANES - 1) / LANES * LANES;
    struct lanes e_sum = { 0 }, ex_sum = { 0 };
    struct softmax_sums sums;

    for (int s = start; s < stop; s += LANES)
        if (is_whole(s, first, end))
            weigh(row, s, first, end, v_set(scale), max, &e_sum, &ex_sum, true);
        else
            weigh(row, s, first, end, v_set(scale), max, &e_sum, &ex_sum, false);
    sums = (struct softmax_sums){ lanes_sum(e_sum), lanes_sum(ex_sum) };
    max = v_set(kernels_softmax_factor(sums.e, sums.ex));
    for (int s = 0; s < start; s += WIDTH)
        v_store(row + s, none);
    for (int s = start; s < stop; s += LANES) {
        bool whole = is_whole(s, first, end);

        UNROLL
        for (int i = 0; i < LANES; i += WIDTH) {
            vec v = v_load(row + s + i) * max;

            v_store(row + s + i, whole ? v : v_keep(v_between(s + i, first, end), v, none));
        }
    }
    for (int s = stop; s < n; s += WIDTH)
        v_store(row + s, none);
    return sums;
}

/* ---- what a row tells ---- */

/* The largest of the elements with the same index mod WIDTH, the first among equals. */
struct largest {
    vec max, at;                /* at: the bits of the index of the vector that has it */
};

static inline struct largest largest_of(struct largest l, vec v, int j)
{
    vmask more = v_greater(v, l.max);

    return (struct largest){ v_keep(more, v, l.max), v_keep(more, v_bits(j), l.at) };
}

/* Of all n elements, those from j on not yet in l. */
static inline int largest_index(struct largest l, const float *w, int j, int n)
{
    float lane[WIDTH], max = -INFINITY;
    int at[WIDTH], best = 0;

    v_store_any(lane, l.max);
    memcpy(at, &l.at, sizeof at);
    for (int i = 0; i < WIDTH; i++)
        if (lane[i] > max || (lane[i] == max && at[i] + i < best)) {
            max = lane[i];
            best = at[i] + i;
        }
    for (; j < n; j++)
        if (w[j] > max) {
            max = w[j];
            best = j;
        }
    return best;
}

static int strongest(const float *w, int n)
{
    struct largest l = { v_set(-INFINITY), v_bits(0) };
    int j = 0;

    for (; j + WIDTH <= n; j += WIDTH)
        l = largest_of(l, v_load_any(w + j), j);
    return largest_index(l, w, j, n);
}

enum { FOUR = 4 / FWIDTH };     /* vectors */

/* Sums of a term and of its size, four keys side by side on any processor: a fifth addition
   would wait for the first to end. */
struct distances {
    fvec away[FOUR], sum[FOUR], sum_abs[FOUR];
};

static inline struct distances distances_from(int away)
{
    struct distances d;

    UNROLL
    for (int i = 0; i < FOUR; i++) {
        double at[FWIDTH];

        UNROLL
        for (int j = 0; j < FWIDTH; j++)
            at[j] = i * FWIDTH + j;
        d.away[i] = f_set(away) + f_of(at);
        d.sum[i] = d.sum_abs[i] = f_set(0);
    }
    return d;
}

static inline void distances_add(struct distances *distances, const float *w)
{
    UNROLL
    for (int i = 0; i < FOUR; i++) {
        fvec term = f_load(w + i * FWIDTH) * distances->away[i];

        distances->sum[i] += term;
        distances->sum_abs[i] += f_abs(term);
        distances->away[i] += f_set(4);
    }
}

static inline double four(const double v[4])
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

static struct scan scan(const float *w, int n, int key0, int query)
{
    struct largest l = { v_set(-INFINITY), v_bits(0) };
    struct distances d = distances_from(key0 - query);
    double sum[4], sum_abs[4];
    int j = 0;

    if (key0 % 4 != 0)          /* lanes begin elsewhere: rows that are not of a pass */
        return kernels_c.scan(w, n, key0, query);
    for (; j + WIDTH <= n; j += WIDTH) {
        l = largest_of(l, v_load_any(w + j), j);
        for (int i = 0; i < WIDTH; i += 4)
            distances_add(&d, w + j + i);
    }
    UNROLL
    for (int i = 0; i < FOUR; i++) {
        f_store(sum + i * FWIDTH, d.sum[i]);
        f_store(sum_abs + i * FWIDTH, d.sum_abs[i]);
    }
    for (int i = j; i < n; i++) {
        double term = (double)w[i] * (key0 + i - query);

        sum[i & 3] += term;
        sum_abs[i & 3] += fabs(term);
    }
    return (struct scan){ largest_index(l, w, j, n), four(sum), four(sum_abs) };
}

/* ---- activations ---- */

static inline vec v_sigmoid_of_minus(vec x)
{
    return v_set(1.0f) / (v_set(1.0f) + v_exp(x));
}

/*
 * x/2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x|/2 erfc(|x| / sqrt 2), where ln erfc is
 * a polynomial in u = |x|, minimax for the error of the result (1.0e-8) on u <= 6;
 * beyond, what is left of the second term is below 6e-9.
 */
static inline vec v_gelu(vec x)
{
    vec u = v_abs(x), p = v_set(-0x1.61e898p-20f);

    p = v_fma(p, u, v_set(0x1.4646cap-16f));
    p = v_fma(p, u, v_set(-0x1.7e3a74p-14f));
    p = v_fma(p, u, v_set(-0x1.8b7fa2p-13f));
    p = v_fma(p, u, v_set(0x1.492194p-8f));
    p = v_fma(p, u, v_set(-0x1.2ad556p-5f));
    p = v_fma(p, u, v_set(-0x1.45e7c6p-2f));
    p = v_fma(p, u, v_set(-0x1.9884f4p-1f));
    p = v_keep(v_greater(u, v_set(6.0f)), v_set(0), v_exp(p * u));
    return v_fma(u * v_set(-0.5f), p, v_positive(x));
}

/* With e = exp(-2 |x|): (1 - e) / (1 + e), and the sign. */
static inline vec v_tanh(vec x)
{
    vec e = v_exp(v_set(-2.0f) * v_abs(x));

    return v_sign_of(x, (v_set(1.0f) - e) / (v_set(1.0f) + e));
}

static inline __attribute__((always_inline)) vec v_act(enum act act, vec x)
{
    switch (act) {
    case ACT_GELU:
        return v_gelu(x);
    case ACT_GELU_TANH:     /* (1 + tanh z) / 2 = 1 / (1 + exp(-2 z)) */
        return x * v_sigmoid_of_minus(x * v_fma(x * x, v_set(-0.071354816f),
                                                v_set(-1.5957691f)));
    case ACT_QUICK_GELU:
        return x * v_sigmoid_of_minus(x * v_set(-1.702f));
    case ACT_SILU:
        return x * v_sigmoid_of_minus(-x);
    case ACT_RELU:
        return v_positive(x);
    case ACT_RELU2:
        x = v_positive(x);
        return x * x;
    default:
        return v_tanh(x);
    }
}

static inline __attribute__((always_inline)) void act_all(enum act act, float *y,
                                                          const float *gate, int64_t n)
{
    const float *in = gate == NULL ? y : gate;
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH) {
        vec v = v_act(act, v_load_any(in + i));

        if (gate != NULL)
            v = v * v_load_any(y + i);
        v_store_any(y + i, v);
    }
    if (i < n) {
        int left = (int)(n - i);
        vec v = v_act(act, v_load_first(in + i, left));

        if (gate != NULL)
            v = v * v_load_first(y + i, left);
        v_store_first(y + i, v, left);
    }
}

/* A loop of its own for each activation: nothing is chosen inside it. */
static void act(enum act which, float *y, const float *gate, int64_t n)
{
    assert(which >= 0 && which < N_ACT);
    switch (which) {
    case ACT_GELU:
        act_all(ACT_GELU, y, gate, n);
        return;
    case ACT_GELU_TANH:
        act_all(ACT_GELU_TANH, y, gate, n);
        return;
    case ACT_QUICK_GELU:
        act_all(ACT_QUICK_GELU, y, gate, n);
        return;
    case ACT_SILU:
        act_all(ACT_SILU, y, gate, n);
        return;
    case ACT_RELU:
        act_all(ACT_RELU, y, gate, n);
        return;
    case ACT_RELU2:
        act_all(ACT_RELU2, y, gate, n);
        return;
    default:
        act_all(ACT_TANH, y, gate, n);
    }
}

static void add(float *y, const float *x, int64_t n)
{
    int64_t i = 0;

    for (; i + WIDTH <= n; i += WIDTH)
        v_store_any(y + i, v_load_any(y + i) + v_load_any(x + i));
    if (i < n) {
        int left = (int)(n - i);

        v_store_first(y + i, v_load_first(y + i, left) + v_load_first(x + i, left), left);
    }
}

/* ---- norms ---- */

/* Sum of (x - from) or of its square; as norm_c sums, to the bit. */
static inline __attribute__((always_inline)) double row_sum(const float *x, int D,
                                                            double from, bool square)
{
    double lane[LANES];
    struct lanes sum = { 0 };
    int i = 0;

    for (; i + LANES <= D; i += LANES)
        for (int j = 0; j < DPARTS; j++) {
            dvec v = d_of_floats(x + i + j * DWIDTH) - d_set(from);

            if (square)
                v *= v;
            sum.part[j] += v;
        }
    for (int j = 0; j < DPARTS; j++)
        d_store(lane + j * DWIDTH, sum.part[j]);
    for (int j = 0; i < D; i++, j++) {
        double v = x[i] - from;

        lane[j] += square ? v * v : v;
    }
    return kernels_add_lanes(lane);
}

static inline __attribute__((always_inline)) void norm_row(float *y, const float *x,
    const struct norm_args *args, const float *weight, const float *bias)
{
    double mean = args->centre ? row_sum(x, args->D, 0, false) / args->D : 0;
    double scale = 1 / sqrt(row_sum(x, args->D, mean, true) / args->D + args->eps);
    int i = 0;

    for (; i + DWIDTH <= args->D; i += DWIDTH) {
        dvec v = (d_of_floats(x + i) - d_set(mean)) * d_set(scale);

        if (weight != NULL)
            v = v * d_of_floats(weight + i);
        if (bias != NULL)
            v = v + d_of_floats(bias + i);
        d_to_floats(y + i, v);
    }
    for (; i < args->D; i++) {
        double v = (x[i] - mean) * scale;

        if (weight != NULL)
            v *= weight[i];
        if (bias != NULL)
            v += bias[i];
        y[i] = (float)v;
    }
}

static void norm(const struct norm_args *args)
{
    for (int t = 0; t < args->T; t++)
        norm_row(args->y + (int64_t)t * args->D, args->x + (int64_t)t * args->D, args, args->weight,
                 args->bias);
}

/* ---- rows by their number ---- */

enum { DOT = WIDTH < 8 ? 8 / WIDTH : 1 };       /* vectors of the lanes of a sum */

static inline float dot(const float *x, const float *y, int d)
{
    vec sum[DOT], rest[DOT];
    int c = 0;

    UNROLL
    for (int i = 0; i < DOT; i++)
        sum[i] = rest[i] = v_set(0);
    for (; c + 2 * DOT * WIDTH <= d; c += 2 * DOT * WIDTH)
        UNROLL
        for (int i = 0; i < DOT; i++) {
            int at = c + i * WIDTH, next = at + DOT * WIDTH;

            sum[i] = v_fma(v_load_any(x + at), v_load_any(y + at), sum[i]);
            rest[i] = v_fma(v_load_any(x + next), v_load_any(y + next), rest[i]);
        }
    for (; c < d; c += DOT * WIDTH)
        UNROLL
        for (int i = 0; i < DOT; i++) {
            int at = c + i * WIDTH;

            sum[i] = v_fma(v_load_first(x + at, d - at), v_load_first(y + at, d - at), sum[i]);
        }
    UNROLL
    for (int i = 0; i < DOT; i++)
        sum[i] += rest[i];
    for (int half = DOT / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return v_sum(sum[0]);
}

static void gather(float *y, const float *x, const float *m, int64_t stride,
                   const int *index, int n, int d)
{
    for (int j = 0; j < n; j++)
        y[j] = dot(x, m + index[j] * stride, d);
}

static inline __attribute__((always_inline)) void blend_columns(float *y, const float *w,
    const float *m, int64_t stride, const int *index, int n, int d, const int vecs)
{
    vec sum[4] = { v_set(0), v_set(0), v_set(0), v_set(0) };

    for (int j = 0; j < n; j++) {
        const float *row = m + index[j] * stride;

        UNROLL
        for (int i = 0; i < vecs; i++)
            sum[i] = v_fma(v_set(w[j]), v_load_first(row + i * WIDTH, d - i * WIDTH), sum[i]);
    }
    UNROLL
    for (int i = 0; i < vecs; i++)
        v_store_first(y + i * WIDTH, sum[i], d - i * WIDTH);
}

static void blend(float *y, const float *w, const float *m, int64_t stride,
                  const int *index, int n, int d)
{
    int c = 0;

    for (; c + 4 * WIDTH <= d; c += 4 * WIDTH)
        blend_columns(y + c, w, m + c, stride, index, n, 4 * WIDTH, 4);
    for (; c < d; c += WIDTH)
        blend_columns(y + c, w, m + c, stride, index, n, d - c < WIDTH ? d - c : WIDTH, 1);
}

/* ---- sums of outer products ---- */

static void outer(double *sum, const double *x, const double *y, int m, int n)
{
    for (int i = 0; i < m; i++, sum += n)
        for (int c = 0; c < n; c += DWIDTH)
            d_store(sum + c, d_fma(d_set(x[i]), d_load(y + c), d_load(sum + c)));
}

static void inner(double *y, const double *x, const double *sum, int m, int n)
{
    for (int c = 0; c < n; c += 8) {
        dvec part[8 / DWIDTH] = { d_set(0) };

        for (int i = 0; i < m; i++)
            for (int k = 0; k < 8 / DWIDTH; k++)
                part[k] = d_fma(d_set(x[i]), d_load(sum + (int64_t)i * n + c + k * DWIDTH),
                                part[k]);
        for (int k = 0; k < 8 / DWIDTH; k++)
            d_store(y + c + k * DWIDTH, part[k]);
    }
}

/* ---- packing ---- */

/* panel[0..3][0 .. WIDTH) = four columns of WIDTH rows. */
static inline void four_columns(float *panel, int width, const float *w, int64_t stride)
{
    vec a = v_quarters(w, stride), b = v_quarters(w + stride, stride);
    vec c = v_quarters(w + 2 * stride, stride), d = v_quarters(w + 3 * stride, stride);
    vec ab_low = v_low(a, b), ab_high = v_high(a, b);
    vec cd_low = v_low(c, d), cd_high = v_high(c, d);

    v_store(panel, v_low_pairs(ab_low, cd_low));
    v_store(panel + width, v_high_pairs(ab_low, cd_low));
    v_store(panel + 2 * width, v_low_pairs(ab_high, cd_high));
    v_store(panel + 3 * width, v_high_pairs(ab_high, cd_high));
}

/* n < WIDTH rows: copied to where the others are 0. */
static void few_rows(float *panel, int width, const float *w, int64_t stride, int n, int K)
{
    enum { COLS = 32 };
    float room[WIDTH][COLS] = { 0 };

    for (int64_t k = 0; k < K; k += COLS) {
        int cols = K - k < COLS ? (int)(K - k) : COLS;

        for (int i = 0; i < n; i++)
            memcpy(room[i], w + i * stride + k, (size_t)cols * sizeof *w);
        for (int c = 0; c < cols; c += 4)
            four_columns(panel + (k + c) * width, width, room[0] + c, COLS);
    }
}

static void transpose(float *panel, int width, const float *w, int64_t stride, int n, int K)
{
    int k4 = K / 4 * 4;

    for (int i = 0; i < width; i += WIDTH, w += WIDTH * stride) {
        int left = n - i;

        if (left < WIDTH)
            few_rows(panel + i, width, w, stride, left > 0 ? left : 0, k4);
        for (int64_t k = 0; k < k4 && left >= WIDTH; k += 4)
            four_columns(panel + k * width + i, width, w + k, stride);
        for (int64_t k = k4; k < K; k++)
            for (int j = 0; j < WIDTH; j++)
                panel[k * width + i + j] = j < left ? w[j * stride + k] : 0;
    }
}

#endif
