/* SPDX-License-Identifier: MIT
 * Kernels: the functions that have versions in plain C, AVX2, AVX-512 and NEON. */
#ifndef NN_KERNELS_H
#define NN_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/packed_codes.h"
#include "nn/act.h"
#include "nn/element.h"
#include "nn/nn.h"

struct softmax_sums;            /* softmax.h */
struct scan;                    /* scan.h */
struct scan_sums;               /* scan.h */
struct facts_kernels;           /* facts.h */
struct fast_kernel;             /* fast.h */

enum { LANES = 16 };            /* of a sum over a row: lane = index mod 16 */

/*
 * y[m][n] = sum over k upwards of x[m][k] * panel[k][n], then + bias[n].
 * One accumulator per element.  resume: it starts from y[m][n] instead of 0, so that a sum
 * may be divided anywhere in k with the same bytes.
 */
struct product {
    float *y;
    const float *x;
    int64_t y_stride, x_stride;
    const float *panel;         /* [K, width], aligned to 64 bytes */
    int width;                  /* the kernel's, or PANEL */
    int M, K, n;                /* the first n <= width columns are written */
    bool resume;
    const float *bias;          /* [n]; NULL: nothing is added */
    const struct fast_kernel *fast;     /* x and panel are its words; NULL: floats */
};

struct norm_args {
    float *y;
    const float *x;             /* [T, D] */
    const float *weight, *bias; /* [D] or NULL */
    double eps;
    bool centre;                /* the mean is subtracted */
    int T, D;
};

/*
 * panel[k * width + i] = element k of stored row i, i < width, row i at data + i * stride
 * bytes; with the same bits as decoding in plain C.
 * K        a multiple of the elements of a stored block, and of 8
 * width    16 or PANEL
 */
typedef void pack_stored(float *panel, int width, const unsigned char *data, int64_t stride,
                         int K);

/*
 * y[i] = sum over k upwards of x[k] * (element k of stored row i), i < PANEL; rows as above.
 * y    aligned to 64 bytes
 * K    a multiple of the elements of a stored block, and of 16
 */
typedef void dot_stored(float *y, const float *x, const unsigned char *data, int64_t stride,
                        int K);

/*
 * TURNED rows (turned.h) of K elements -> a panel of `row` bytes each, aligned to 64; and
 * y[i] = sum over k upwards of x[k] * (element k of row i of the panel), as in dot_stored.
 */
typedef void turn_stored(unsigned char *to, int64_t row, const unsigned char *data, int64_t stride,
                         int K);
typedef void dot_turned(float *y, const float *x, const unsigned char *panel, int64_t row, int K);

/* Inputs [k, k + n) of outputs from o on, with one zero and scale per output. */
struct packed_part {
    const struct packed_codes *codes;
    int64_t o, k;               /* o a multiple of 8 of ACROSS */
    int n;                      /* k and n multiples of the fields of a word */
    const float *zero, *scale;  /* [width], aligned to 64 bytes */
};

/*
 * panel[i * width + j] = W[o + j][k + i], width 16 or PANEL, as defined in base/packed_codes.h, to
 * the bit.
 */
typedef void unpack_codes(float *panel, int width, const struct packed_part *p);

/*
 * panel[k * width + j] = (panel[k * width + j] - zero[j]) * scale[j], j < width, for the n inputs k
 * listed; panel, zero and scale aligned to 64 bytes.
 */
typedef void scale_codes(float *panel, int width, const int *input, int n, const float *zero,
                         const float *scale);

/* Functions on stored rows, by element type; NULL: none in vectors. */
struct stored_kernels {
    pack_stored *pack[N_ELEMENT];
    dot_stored *dot[N_ELEMENT];
    turn_stored *turn[N_ELEMENT];
    dot_turned *turned[N_ELEMENT];

    unpack_codes *codes[N_PACKED];
    scale_codes *scale;             /* not NULL where codes has any */

    /* y[c] = sum over k upwards of x[k] * w[k * stride + c], c < n; any alignment. */
    void (*columns)(float *y, const float *x, const float *w, int64_t stride, int n, int K);
};

extern const struct stored_kernels stored_avx2, stored_avx512, stored_neon;

struct kernels {
    const char *name;
    bool (*supported)(void);    /* whether this processor supports it */

    int width;                  /* best width of panels: 16 or PANEL */
    void (*rows)(const struct product *p);

    /* panel[k * width + i] = w[i * stride + k], i < n; 0 for n <= i < width. */
    void (*transpose)(float *panel, int width, const float *w, int64_t stride, int n, int K);

    const struct stored_kernels *stored;

    /* n elements of 16 bits, any alignment. */
    void (*decode_f16)(float *out, const unsigned char *data, int64_t n);
    void (*decode_bf16)(float *out, const unsigned char *data, int64_t n);

    /* softmax_row, with weight = e * (float)(1 / sum e). */
    struct softmax_sums (*softmax)(float *row, int n, int first, int end, float scale);

    struct scan (*scan)(const float *w, int n, int key0, int query);    /* scan_row */
    struct scan_sums (*scan_block)(float *largest, const float *w, size_t stride, int n_rows,
                                  int n, int key0, int query);
    const struct facts_kernels *facts;                                  /* facts.h */
    int (*strongest)(const float *w, int n);                            /* scan_strongest */

    /* y[i] = act(y[i]), or act(gate[i]) * y[i] where gate is not NULL. */
    void (*act)(enum act act, float *y, const float *gate, int64_t n);

    void (*norm)(const struct norm_args *a);
    void (*add)(float *y, const float *x, int64_t n);   /* nn_add */

    /* ---- rows by index ---- */

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

extern const struct kernels kernels_c, kernels_avx2, kernels_avx512, kernels_neon;

/* A kernel; NULL if this processor does not support it. */
const struct kernels *kernels_of(enum kernel k);

/* The kernel that nn_choose_kernel chose. */
const struct kernels *nn_kernels(void);

/*
 * The factor of a softmax row from the sums of e and of e * x: 1 / e, or NaN if a
 * score was not finite (e * x is NaN for each of NaN, inf - inf and exp(-inf) * -inf).
 */
static inline float kernels_softmax_factor(double e, double ex)
{
    return ex - ex == 0 ? (float)(1 / e) : (float)(ex - ex);
}

/* lane[0], the lanes added in the one fixed tree: i and i + 8, then 4, 2, 1. */
static inline double kernels_add_lanes(double lane[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

#endif
