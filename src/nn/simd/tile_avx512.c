/* SPDX-License-Identifier: MIT
 * AVX-512: products in tiles of up to 14 rows x 32 columns, one fused multiply-add an
 * element and k. */
#include "nn/kernels.h"
#include "nn/tile.h"

#if defined(__x86_64__)

#include <immintrin.h>

static inline __m512 step(__m512 x, __m512 w, __m512 sum)
{
    return _mm512_fmadd_ps(x, w, sum);
}

#include "nn/simd/simd_tile_512.h"

void tile_avx512_rows(const struct product *product)
{
    tile_rows(product);
}

#endif
