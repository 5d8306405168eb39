/* SPDX-License-Identifier: MIT
 * Linears: PANEL outputs at a time are packed as panel[k][output], decoded on
 * the way, and multiplied with all rows. */
#include <assert.h>
#include <string.h>

#include "base/half.h"
#include "nn/nn_priv.h"

enum {
    DECODE_COLS = 64,       /* of PANEL stored rows, decoded at a time: 8 KiB */
    LARGEST_BLOCK = 256,    /* or as many, where they are stored together: 32 KiB */
    BLOCK_K = 512           /* of a panel: 64 KiB, stays in L2 beside the rows */
};

size_t linear_scratch(int K)
{
    return (size_t)K * PANEL + PANEL * LARGEST_BLOCK;
}

/* ---- packing ---- */

static void decode(float *out, const struct matrix *w, int64_t at, int n)
{
    const unsigned char *data = w->data + (w->block > 1 ? at / w->block : at) *
                                w->size_bytes;

    switch (w->element) {
    case ELEMENT_F16:
        nn_kernels()->decode_f16(out, data, n);
        return;
    case ELEMENT_BF16:
        nn_kernels()->decode_bf16(out, data, n);
        return;
    case ELEMENT_OTHER:
        w->to_f32(out, data, n);
    }
}

static bool is_plain(const struct matrix *w)
{
    return w->to_f32 == NULL && w->element == ELEMENT_OTHER;
}

static const float *plain(const struct matrix *w)
{
    return (const float *)(const void *)w->data;
}

void copy_rows(float *panel, const float *w, int64_t stride, int n, int K)
{
    if (n == PANEL) {       /* of a constant size: no call */
        for (int64_t k = 0; k < K; k++)
            memcpy(panel + k * PANEL, w + k * stride, PANEL * sizeof *panel);
        return;
    }
    for (int k = 0; k < K; k++, panel += PANEL) {
        memcpy(panel, w + k * stride, (size_t)n * sizeof *panel);
        memset(panel + n, 0, (size_t)(PANEL - n) * sizeof *panel);
    }
}

/* w[k][n]: stored as a panel wants it. */
static void pack_in_out(float *panel, const struct matrix *w, int n0, int n)
{
    if (is_plain(w)) {
        copy_rows(panel, plain(w) + n0, w->stride, n, w->K);
        return;
    }
    for (int k = 0; k < w->K; k++, panel += PANEL) {
        decode(panel, w, k * w->stride + n0, n);
        memset(panel + n, 0, (size_t)(PANEL - n) * sizeof *panel);
    }
}

/* w[n][k]: decoded a block at a time into room, which stays in L1. */
static void pack_decoded(float *panel, const struct matrix *w, int n0, int n, float *room)
{
    int most = w->block > DECODE_COLS ? w->block : DECODE_COLS;

    for (int k = 0; k < w->K; k += most) {
        int cols = w->K - k < most ? w->K - k : most;

        for (int i = 0; i < n; i++)
            decode(room + i * most, w, (n0 + i) * w->stride + k, cols);
        nn_kernels()->transpose(panel + (int64_t)k * PANEL, room, most, n, cols);
    }
}

void transpose_c(float *panel, const float *w, int64_t stride, int n, int K)
{
    for (int k = 0; k < K; k++, panel += PANEL) {
        for (int i = 0; i < n; i++)
            panel[i] = w[i * stride + k];
        for (int i = n; i < PANEL; i++)
            panel[i] = 0;
    }
}

void decode_f16_c(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t h;

        memcpy(&h, data + 2 * i, sizeof h);
        out[i] = half_to_float(h);
    }
}

void decode_bf16_c(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t h;

        memcpy(&h, data + 2 * i, sizeof h);
        out[i] = bf16_to_float(h);
    }
}

/* ---- products ---- */

void product_rows_c(const struct product *p)
{
    for (int m = 0; m < p->M; m++) {
        float *y = p->y + m * p->y_stride, sum[PANEL] = { 0 };
        const float *x = p->x + m * p->x_stride, *panel = p->panel;

        if (p->resume)
            memcpy(sum, y, (size_t)p->n * sizeof *y);
        for (int k = 0; k < p->K; k++, panel += PANEL)
            for (int i = 0; i < PANEL; i++)
                sum[i] += x[k] * panel[i];
        for (int i = 0; i < p->n; i++)
            y[i] = p->bias != NULL ? sum[i] + p->bias[i] : sum[i];
    }
}

void product_run(const struct product *p)
{
    struct product part = *p;

    for (int k = 0; k < p->K; k += BLOCK_K) {
        bool last = p->K - k <= BLOCK_K;

        part.x = p->x + k;
        part.panel = p->panel + (int64_t)k * PANEL;
        part.K = last ? p->K - k : BLOCK_K;
        part.resume = k > 0 || p->resume;
        part.bias = last ? p->bias : NULL;
        nn_kernels()->rows(&part);
    }
}

void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *w, const float *bias, int n0,
                  float *scratch)
{
    int n = w->N - n0 < PANEL ? w->N - n0 : PANEL;
    float *panel = scratch, *room = scratch + (size_t)w->K * PANEL;
    struct product p = {
        .y = y + n0, .x = x, .y_stride = y_stride, .x_stride = x_stride,
        .panel = panel, .M = M, .K = w->K, .n = n,
        .bias = bias == NULL ? NULL : bias + n0,
    };

    assert(M > 0 && w->K > 0 && n0 % PANEL == 0 && n > 0);
    assert(w->block <= 1 || (!w->order_in_out && w->K % w->block == 0 &&
                             w->stride % w->block == 0 && w->block <= LARGEST_BLOCK));
    if (w->order_in_out)
        pack_in_out(panel, w, n0, n);
    else if (is_plain(w))
        nn_kernels()->transpose(panel, plain(w) + n0 * w->stride, w->stride, n, w->K);
    else
        pack_decoded(panel, w, n0, n, room);
    if (w->precision != PRECISION_F32)
        precision_round(w->precision, panel, panel, (int64_t)w->K * PANEL);
    product_run(&p);
}
