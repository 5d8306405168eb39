/* SPDX-License-Identifier: MIT
 * AVX2: products in tiles of up to 6 rows x 16 columns, one fused multiply-add an
 * element and k. */
#include "nn/kernels.h"
#include "nn/tile.h"
#include "nn/unroll.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* 12 sums, 2 of the panel, 1 of x: 15 of 16 registers */
enum { WIDTH = 8, TILE_ROWS = 6, TILE_VECS = 2, TILE_COLUMNS = TILE_VECS * WIDTH };

/* All bits of the first n elements; n may be negative or beyond WIDTH. */
static inline __m256i nn_avx2_first_of(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Masked only where a column is missing: before Zen 4 masked stores are slow. */
static inline __attribute__((always_inline)) __m256 avx2_load(const float *p, int n,
                                                              const bool whole)
{
    return whole ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, nn_avx2_first_of(n));
}

static inline __attribute__((always_inline)) void avx2_store(float *p, __m256 v, int n,
                                                             const bool whole)
{
    if (whole)
        _mm256_storeu_ps(p, v);
    else
        _mm256_maskstore_ps(p, nn_avx2_first_of(n), v);
}

/* rows and whole are constants wherever it is inlined; columns from column on. */
static inline __attribute__((always_inline)) void avx2_tile(const struct product *product, int m,
                                                            int column, const int rows,
                                                            const bool whole)
{
    const float *x = product->x + m * product->x_stride, *panel = product->panel + column;
    float *y = product->y + m * product->y_stride + column;
    int left = product->n - column;
    __m256 sum[TILE_ROWS][TILE_VECS];

    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++)
            sum[r][j] = _mm256_setzero_ps();
    if (product->resume)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int j = 0; j < TILE_VECS; j++)
                sum[r][j] = avx2_load(y + r * product->y_stride + j * WIDTH, left - j * WIDTH,
                                      whole);
    for (int k = 0; k < product->K; k++, panel += product->width) {
        __m256 w[TILE_VECS] = { _mm256_load_ps(panel), _mm256_load_ps(panel + WIDTH) };

        UNROLL
        for (int r = 0; r < rows; r++) {
            __m256 x_rk = _mm256_set1_ps(x[r * product->x_stride + k]);

            UNROLL
            for (int j = 0; j < TILE_VECS; j++)
                sum[r][j] = _mm256_fmadd_ps(x_rk, w[j], sum[r][j]);
        }
    }
    if (product->bias != NULL)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++) {
            __m256 bias = avx2_load(product->bias + column + j * WIDTH, left - j * WIDTH, whole);

            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r][j] = _mm256_add_ps(sum[r][j], bias);
        }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int j = 0; j < TILE_VECS; j++)
            avx2_store(y + r * product->y_stride + j * WIDTH, sum[r][j], left - j * WIDTH, whole);
}

#define TILE(rows) \
    case rows: \
        if (p->n - column >= TILE_COLUMNS) \
            avx2_tile(p, m, column, rows, true); \
        else \
            avx2_tile(p, m, column, rows, false); \
        break

static void avx2_tile_of(const struct product *p, int m, int column, int rows)
{
    switch (rows) {
    TILE(1); TILE(2); TILE(3); TILE(4); TILE(5); TILE(6);
    }
}

/* Tiles of about equal height: 8 rows are 4 + 4, not 6 + 2. */
void tile_avx2_rows(const struct product *product)
{
    int n_tiles = (product->M + TILE_ROWS - 1) / TILE_ROWS;

    for (int column = 0; column < product->n; column += TILE_COLUMNS)
        for (int i = 0; i < n_tiles; i++) {
            int m = (int)((int64_t)product->M * i / n_tiles);

            avx2_tile_of(product, m, column, (int)((int64_t)product->M * (i + 1) / n_tiles) - m);
        }
}

#endif
