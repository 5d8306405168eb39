/* SPDX-License-Identifier: MIT
 * What a kernel is: the functions that differ between plain C, AVX2 and AVX-512. */
#ifndef NN_NN_PRIV_H
#define NN_NN_PRIV_H

#include "nn/nn.h"

enum { LANES = 16 };            /* of a sum over a row: lane = index mod 16 */

/*
 * y[m][n] = sum over k upwards of x[m][k] * panel[k][n], then + bias[n].
 * One accumulator an element; resume: it starts from y[m][n], not from 0, so a
 * sum may be cut anywhere in k and the bytes stay the same.
 */
struct product {
    float *y;
    const float *x;
    int64_t y_stride, x_stride;
    const float *panel;         /* [K, PANEL], aligned to 64 bytes */
    int M, K, n;                /* the first n <= PANEL columns are written */
    bool resume;
    const float *bias;          /* [n]; NULL: nothing is added */
};

/* Sums of one row of softmax, from which its entropy follows. */
struct row_sums {
    double e, ex;               /* sum of e, of e * x, where e = exp(x) */
};

struct norm_args {
    float *y;
    const float *x;             /* [T, D] */
    const float *weight, *bias; /* [D] or NULL */
    double eps;
    bool centre;                /* the mean is subtracted */
    int T, D;
};

/* ---- the steps of attend_block, for what changes some of them ---- */

/* Row i sees keys [first, end); end <= first: none. */
struct range {
    int64_t first, end;
};
struct range attend_range(const struct attend *at, int64_t row);

/* w = q.k of the block's keys, which attend_keys says. */
void attend_products(float *w, size_t w_stride, const float *q, int64_t q_stride,
                     const float *packed, const struct attend *at, int row0, int n_rows);

/* Scale, terms, cap; keys hidden by themselves become -1e38. */
void attend_adjust(float *w, size_t w_stride, const struct attend *at, int row0,
                   int n_rows);

/* Row t of the block sees a key. */
bool attend_sees_any(const struct attend *at, int row0, int n_rows, int t);

/* out = w v; the block has a key. */
void attend_values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                   const float *packed, const struct attend *at, int row0, int n_rows);

struct kernels {
    const char *name;
    bool (*supported)(void);

    void (*rows)(const struct product *p);

    /* panel[k][i] = w[i * stride + k], i < n; 0 for n <= i < PANEL. */
    void (*transpose)(float *panel, const float *w, int64_t stride, int n, int K);

    /* n elements of 16 bits, any alignment. */
    void (*decode_f16)(float *out, const unsigned char *data, int64_t n);
    void (*decode_bf16)(float *out, const unsigned char *data, int64_t n);

    /*
     * row[0 .. n) of scores q.k becomes weights; columns [first, end), not
     * empty, are visible, the others become 0.  n is a multiple of PANEL, row
     * is aligned to 64 bytes, column 0 a key whose number is a multiple of 16.
     * x = scale * score - maximum, e = exp(x), weight = e * (float)(1 / sum e).
     */
    struct row_sums (*softmax)(float *row, int n, int first, int end, float scale);

    /* y[i] = act(y[i]), or act(gate[i]) * y[i] where gate is not NULL. */
    void (*act)(enum act act, float *y, const float *gate, int64_t n);

    void (*norm)(const struct norm_args *a);
    void (*add)(float *y, const float *x, int64_t n);

    /* ---- rows by their number ---- */

    /* y[j] = x . m[index[j]], j < n, rows of d at stride; one fixed order of the sum. */
    void (*gather)(float *y, const float *x, const float *m, int64_t stride,
                   const int *index, int n, int d);

    /* y[c] = sum over j upwards of w[j] m[index[j]][c], c < d. */
    void (*blend)(float *y, const float *w, const float *m, int64_t stride,
                  const int *index, int n, int d);

    /* ---- sums of outer products, in double; n a multiple of 8, aligned to 64 ---- */

    /* sum[i][c] += x[i] y[c], [m, n] */
    void (*outer)(double *sum, const double *x, const double *y, int m, int n);

    /* y[c] = sum over i upwards of x[i] sum[i][c] */
    void (*inner)(double *y, const double *x, const double *sum, int m, int n);
};

extern const struct kernels kernels_c, kernels_avx2, kernels_avx512;

/* The kernel that nn_choose_kernel chose. */
const struct kernels *nn_kernels(void);

/* panel[k][i] = w[k * stride + i], i < n; 0 for n <= i < PANEL. */
void copy_rows(float *panel, const float *w, int64_t stride, int n, int K);

/* p->K in blocks that stay in cache. */
void product_run(const struct product *p);

/* The plain C parts that kernels_c names. */
void product_rows_c(const struct product *p);
void transpose_c(float *panel, const float *w, int64_t stride, int n, int K);
void decode_f16_c(float *out, const unsigned char *data, int64_t n);
void decode_bf16_c(float *out, const unsigned char *data, int64_t n);
struct row_sums softmax_c(float *row, int n, int first, int end, float scale);
void act_c(enum act act, float *y, const float *gate, int64_t n);
void norm_c(const struct norm_args *a);
void add_c(float *y, const float *x, int64_t n);
void gather_c(float *y, const float *x, const float *m, int64_t stride, const int *index,
              int n, int d);
void blend_c(float *y, const float *w, const float *m, int64_t stride, const int *index,
             int n, int d);
void outer_c(double *sum, const double *x, const double *y, int m, int n);
void inner_c(double *y, const double *x, const double *sum, int m, int n);

/*
 * The factor of a softmax row: 1 / sum e, or NaN where a score was not finite
 * (e * x is NaN for each of NaN, inf - inf and exp(-inf) * -inf).
 */
static inline float softmax_factor(struct row_sums s)
{
    return s.ex - s.ex == 0 ? (float)(1 / s.e) : (float)(s.ex - s.ex);
}

/* lane[0], the lanes added in the one fixed tree: i and i + 8, then 4, 2, 1. */
static inline double add_lanes(double lane[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

#endif
