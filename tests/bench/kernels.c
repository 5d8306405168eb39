/* SPDX-License-Identifier: MIT
 * Speed of the kernels, one TSV line each: linears (packing included) beside
 * OpenBLAS, whole heads of attention, activations.  One thread, the best of many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "nn/act.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/nn.h"
#include "nn/norm.h"

#if __has_include(<cblas.h>)
#include <cblas.h>
#define HAS_BLAS 1
#endif

static double now_s(void)
{
    struct timespec t;

    /* A virtual machine's processor time lags behind within a call this short. */
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call: the best of many, for at least 0.15 s in all. */
static double best_s(void (*fn)(void *self), void *self)
{
    double best = HUGE_VAL, end = now_s() + 0.15;

    fn(self);
    for (double t = now_s(), t0 = t; t < end || best == HUGE_VAL; t0 = t) {
        fn(self);
        t = now_s();
        best = t - t0 < best ? t - t0 : best;
    }
    return best;
}

static float *random_floats(struct arena *a, size_t n)
{
    float *v = arena_alloc_raw(a, n, sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    return v;
}

/* ---- linears ---- */

struct linear_run {
    int M;
    struct matrix w;
    float *x, *y, *scratch;
};

static void linear_run(void *self)
{
    struct linear_run *r = self;

    for (int n0 = 0; n0 < r->w.N; n0 += PANEL)
        linear_panel(r->y, r->w.N, r->x, r->w.K, r->M, &r->w, NULL, n0, r->scratch);
}

#ifdef HAS_BLAS
static void blas_run(void *self)
{
    struct linear_run *r = self;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, r->M, r->w.N, r->w.K, 1, r->x,
                r->w.K, (const float *)(const void *)r->w.data, r->w.K, 0, r->y, r->w.N);
}
#endif

static void bench_linear(struct arena *a, int M, int K, int N)
{
    struct arena_mark mark = arena_mark(a);
    struct linear_run r = {
        .M = M, .x = random_floats(a, (size_t)M * (size_t)K),
        .y = random_floats(a, (size_t)M * (size_t)N),
        .scratch = random_floats(a, linear_scratch(K)),
        .w = { .data = (unsigned char *)random_floats(a, (size_t)N * (size_t)K),
               .size_bytes = 4, .N = N, .K = K, .stride = K },
    };
    double flops = 2.0 * M * N * K;

    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            printf("linear\t%s\tM=%d K=%d N=%d\t%.1f\tGFLOP/s\n",
                   nn_kernel_name((enum kernel)k), M, K, N,
                   flops / best_s(linear_run, &r) * 1e-9);
#ifdef HAS_BLAS
    printf("linear\topenblas\tM=%d K=%d N=%d\t%.1f\tGFLOP/s\n", M, K, N,
           flops / best_s(blas_run, &r) * 1e-9);
#endif
    arena_reset(a, mark);
}

/* ---- attention ---- */

struct attend_run {
    struct attend at;
    float *qkv, *packed, *w, *out;
};

static void attend_run(void *self)
{
    struct attend_run *r = self;
    int d = r->at.d, S = r->at.S, stride = 3 * d;
    double entropy[ATTEND_ROWS];

    attention_pack(r->packed, r->qkv + d, stride, r->qkv + 2 * d, stride, S, d, d);
    for (int row0 = 0; row0 < S; row0 += ATTEND_ROWS) {
        int key0, n_keys;

        attention_block(r->w, attention_stride(S), &key0, &n_keys, entropy,
                        r->out + row0 * d, d, r->qkv + row0 * stride, stride, r->packed,
                        &r->at, row0, S - row0 < ATTEND_ROWS ? S - row0 : ATTEND_ROWS);
    }
}

static void bench_attend(struct arena *a, int T, int d)
{
    struct arena_mark mark = arena_mark(a);
    size_t n = (size_t)T * (size_t)d;
    struct attend_run r = {
        .at = { .S = T, .d = d, .d_v = d, .scale = 0.125f, .lo = T, .hi = T },
        .qkv = random_floats(a, 3 * n), .out = random_floats(a, n),
        .packed = random_floats(a, attention_packed(T, d, d)),
        .w = random_floats(a, ATTEND_ROWS * attention_stride(T)),
    };

    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            printf("attend\t%s\tT=%d d=%d\t%.3f\tns a weight\n",
                   nn_kernel_name((enum kernel)k), T, d,
                   best_s(attend_run, &r) / T / T * 1e9);
    arena_reset(a, mark);
}

/* ---- element by element ---- */

struct row_run {
    float *x, *y;
    int n;
};

static void gelu_run(void *self)
{
    struct row_run *r = self;

    act_gated(ACT_GELU, r->y, r->x, r->n);
}

static void norm_run(void *self)
{
    struct row_run *r = self;

    norm_layer(r->y, r->x, r->x, r->x, 1e-5f, 8, r->n / 8);
}

static void bench_rows(struct arena *a, const char *what, void (*fn)(void *self))
{
    enum { N = 8 * 768 };
    struct row_run r = { random_floats(a, N), random_floats(a, N), N };

    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            printf("%s\t%s\tn=%d\t%.3f\tns an element\n", what,
                   nn_kernel_name((enum kernel)k), N, best_s(fn, &r) / N * 1e9);
}

int main(void)
{
    static const int shape[][3] = {     /* M, K, N */
        { 8, 384, 1536 }, { 24, 384, 384 }, { 24, 768, 3072 }, { 32, 384, 1536 },
        { 128, 384, 384 }, { 128, 384, 1536 }, { 128, 1536, 384 }, { 128, 3072, 768 },
        { 512, 384, 1536 }, { 512, 768, 768 }, { 512, 3072, 768 },
    };
    struct arena a;

#ifdef HAS_BLAS
    openblas_set_num_threads(1);
#endif
    arena_init(&a, NULL, NULL);
    printf("what\tkernel\tshape\tvalue\tunit\n");
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        bench_linear(&a, shape[i][0], shape[i][1], shape[i][2]);
    for (int d = 32; d <= 64; d += 32)
        for (int T = 16; T <= 2048; T = T == 16 ? 32 : T * 4)
            bench_attend(&a, T, d);
    bench_rows(&a, "gelu", gelu_run);
    bench_rows(&a, "norm", norm_run);
    arena_finish(&a);
    return 0;
}
