/* SPDX-License-Identifier: MIT
 *
 * Tiles of rows x 32 columns in 512 bits, whose sums stay in registers, for a file that has
 * either the step of a sum, from an element of x in all lanes and 16 elements of the panel,
 *     static inline __m512 step(__m512 x, __m512 w, __m512 sum);
 * or all steps of a tile, OWN_STEPS and the height of a tile, TILE_ROWS; then it needs
 * simd_512.h before. */
#ifndef NN_SIMD_TILE_512_H
#define NN_SIMD_TILE_512_H

#include "nn/kernels.h"
#include "nn/simd/simd_512.h"

#ifndef OWN_STEPS
/* 28 sums, 2 of the panel, 1 of x: 31 of 32 registers */
#define TILE_ROWS 14

/* rows and vecs are constants wherever it is inlined. */
static INLINE void steps(const struct product *product, const float *x, __m512 sum[TILE_ROWS][2],
                         const int rows, const int vecs)
{
    const float *panel = product->panel;

    for (int k = 0; k < product->K; k++, panel += product->width) {
        __m512 w[2] = { _mm512_load_ps(panel),
                        vecs > 1 ? _mm512_load_ps(panel + WIDTH) : _mm512_setzero_ps() };

        UNROLL
        for (int r = 0; r < rows; r++) {
            __m512 x_rk = _mm512_set1_ps(x[r * product->x_stride + k]);

            UNROLL
            for (int j = 0; j < vecs; j++)
                sum[r][j] = step(x_rk, w[j], sum[r][j]);
        }
    }
}
#endif

/* whole is a constant, too. */
static INLINE void tile(const struct product *product, int m, const int rows, const int vecs,
                        const bool whole)
{
    float *y = product->y + m * product->y_stride;
    __m512 sum[TILE_ROWS][2];

    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < vecs; j++)
            sum[r][j] = _mm512_setzero_ps();
    if (product->resume)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int j = 0; j < vecs; j++)
                sum[r][j] = load(y + r * product->y_stride + j * WIDTH, product->n - j * WIDTH,
                                 whole);
    steps(product, product->x + m * product->x_stride, sum, rows, vecs);
    if (product->bias != NULL)
        UNROLL
        for (int j = 0; j < vecs; j++) {
            __m512 bias = load(product->bias + j * WIDTH, product->n - j * WIDTH, whole);

            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r][j] = _mm512_add_ps(sum[r][j], bias);
        }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < vecs; j++)
            store(y + r * product->y_stride + j * WIDTH, sum[r][j], product->n - j * WIDTH, whole);
}

#define TILE(rows) \
    case rows: \
        if (p->n == 2 * WIDTH) \
            tile(p, m, rows, 2, true); \
        else if (p->n > WIDTH) \
            tile(p, m, rows, 2, false); \
        else if (p->n == WIDTH) \
            tile(p, m, rows, 1, true); \
        else \
            tile(p, m, rows, 1, false); \
        break

static void tile_of(const struct product *p, int m, int rows)
{
    switch (rows) {
    TILE(1); TILE(2); TILE(3); TILE(4); TILE(5); TILE(6); TILE(7);
#if TILE_ROWS > 7
    TILE(8); TILE(9); TILE(10); TILE(11); TILE(12); TILE(13); TILE(14);
#endif
    }
}

/* Tiles of about equal height: 32 rows are 11 + 11 + 10, not 14 + 14 + 4. */
static void tile_rows(const struct product *product)
{
    int n_tiles = (product->M + TILE_ROWS - 1) / TILE_ROWS;

    for (int i = 0; i < n_tiles; i++) {
        int m = (int)((int64_t)product->M * i / n_tiles);

        tile_of(product, m, (int)((int64_t)product->M * (i + 1) / n_tiles) - m);
    }
}

#endif
