/* SPDX-License-Identifier: MIT
 * NEON: products in tiles of up to 4 rows x 16 columns, one fused multiply-add an
 * element and k. */
#include "nn/kernels.h"
#include "nn/tile.h"
#include "nn/unroll.h"

#if defined(__AARCH64EL__)

#include <arm_neon.h>
#include <string.h>

/* 16 sums, 4 of x for four k, 4 of the panel: 24 of 32 registers, for with more rows gcc 12
   loads ahead until it has none left. */
enum { WIDTH = 4, TILE_ROWS = 4, TILE_VECS = 4, TILE_COLUMNS = TILE_VECS * WIDTH };

/* The first n; n may be negative or beyond WIDTH. */
static inline __attribute__((always_inline)) float32x4_t neon_load(const float *p, int n,
                                                                   const bool whole)
{
    float few[WIDTH] = { 0 };

    if (whole || n >= WIDTH)
        return vld1q_f32(p);
    if (n > 0)
        memcpy(few, p, (size_t)n * sizeof *p);
    return vld1q_f32(few);
}

static inline __attribute__((always_inline)) void neon_store(float *p, float32x4_t v, int n,
                                                             const bool whole)
{
    float few[WIDTH];

    if (whole || n >= WIDTH) {
        vst1q_f32(p, v);
        return;
    }
    vst1q_f32(few, v);
    if (n > 0)
        memcpy(p, few, (size_t)n * sizeof *p);
}

/* sum + w x[lane]; the instruction names its lane. */
static inline __attribute__((always_inline)) float32x4_t add_product(float32x4_t sum,
    float32x4_t w, float32x4_t x, const int lane)
{
    switch (lane) {
    case 0: return vfmaq_laneq_f32(sum, w, x, 0);
    case 1: return vfmaq_laneq_f32(sum, w, x, 1);
    case 2: return vfmaq_laneq_f32(sum, w, x, 2);
    default: return vfmaq_laneq_f32(sum, w, x, 3);
    }
}

/* rows and whole are constants wherever it is inlined; columns from column on. */
static inline __attribute__((always_inline)) void neon_tile(const struct product *product, int m,
                                                            int column, const int rows,
                                                            const bool whole)
{
    const float *x = product->x + m * product->x_stride, *panel = product->panel + column;
    float *y = product->y + m * product->y_stride + column;
    int left = product->n - column, k = 0;
    float32x4_t sum[TILE_ROWS][TILE_VECS], x_k[TILE_ROWS];

    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++)
            sum[r][j] = vdupq_n_f32(0);
    if (product->resume)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int j = 0; j < TILE_VECS; j++)
                sum[r][j] = neon_load(y + r * product->y_stride + j * WIDTH, left - j * WIDTH,
                                      whole);
    for (; k + WIDTH <= product->K; k += WIDTH) {
        UNROLL
        for (int r = 0; r < rows; r++)
            x_k[r] = vld1q_f32(x + r * product->x_stride + k);
        UNROLL
        for (int i = 0; i < WIDTH; i++, panel += product->width)
            UNROLL
            for (int j = 0; j < TILE_VECS; j++) {
                float32x4_t w = vld1q_f32(panel + j * WIDTH);

                UNROLL
                for (int r = 0; r < rows; r++)
                    sum[r][j] = add_product(sum[r][j], w, x_k[r], i);
            }
    }
    for (; k < product->K; k++, panel += product->width)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++)
            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r][j] = vfmaq_n_f32(sum[r][j], vld1q_f32(panel + j * WIDTH),
                                        x[r * product->x_stride + k]);
    if (product->bias != NULL)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++) {
            float32x4_t bias = neon_load(product->bias + column + j * WIDTH, left - j * WIDTH,
                                         whole);

            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r][j] = vaddq_f32(sum[r][j], bias);
        }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++)
            neon_store(y + r * product->y_stride + j * WIDTH, sum[r][j], left - j * WIDTH, whole);
}

#define TILE(rows) \
    case rows: \
        if (p->n - column >= TILE_COLUMNS) \
            neon_tile(p, m, column, rows, true); \
        else \
            neon_tile(p, m, column, rows, false); \
        break

static void neon_tile_of(const struct product *p, int m, int column, int rows)
{
    switch (rows) {
    TILE(1); TILE(2); TILE(3); TILE(4);
    }
}

/* Tiles of about equal height: 6 rows are 3 + 3, not 4 + 2. */
void tile_neon_rows(const struct product *product)
{
    int n_tiles = (product->M + TILE_ROWS - 1) / TILE_ROWS;

    for (int column = 0; column < product->n; column += TILE_COLUMNS)
        for (int i = 0; i < n_tiles; i++) {
            int m = (int)((int64_t)product->M * i / n_tiles);

            neon_tile_of(product, m, column, (int)((int64_t)product->M * (i + 1) / n_tiles) - m);
        }
}

#endif
