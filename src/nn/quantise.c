/* SPDX-License-Identifier: MIT
 * Weights -> weights rounded to 8, 5 or 4 bits. */
#include "nn/quantise.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/half.h"

int quantise_block(enum precision to)
{
    return to >= PRECISION_Q8_0 ? QUANTISE_BLOCK : 1;
}

/* ---- int8 ---- */

static float scale_of(float largest)
{
    float scale = largest / 127;

    return scale > FLT_EPSILON ? scale : FLT_EPSILON;
}

/*
 * Without branches, so that compilers use vectors.  To the nearest whole number, ties to
 * even, |x| < 2^22: the sum has no bit below 1.
 */
static float round_even(float x)
{
    return x + 0x1.8p23f - 0x1.8p23f;
}

/* |x| <= 127 / inverse, but for its rounding; NaN where x is not finite. */
static float to_int8(float x, float inverse)
{
    return round_even(x * inverse) + (x - x);
}

float quantise_row(float *q, const float *x, int n)
{
    float largest = 0, scale, inverse;

    for (int i = 0; i < n; i++)
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    scale = scale_of(largest);
    inverse = 1 / scale;
    for (int i = 0; i < n; i++)
        q[i] = to_int8(x[i], inverse);
    return scale;
}

void quantise_columns(float *panel, int K, float scale[PANEL])
{
    float inverse[PANEL];

    for (int i = 0; i < PANEL; i++)
        scale[i] = 0;
    for (int k = 0; k < K; k++)
        for (int i = 0; i < PANEL; i++) {
            float size = fabsf(panel[k * PANEL + i]);

            scale[i] = size > scale[i] ? size : scale[i];
        }
    for (int i = 0; i < PANEL; i++) {
        scale[i] = scale_of(scale[i]);
        inverse[i] = 1 / scale[i];
    }
    for (int k = 0; k < K; k++)
        for (int i = 0; i < PANEL; i++)
            panel[k * PANEL + i] = to_int8(panel[k * PANEL + i], inverse[i]);
}

/* ---- blocks of 32 ---- */

/* first[i]: the first of column i that has its largest magnitude. */
static void quantise_find_first(float first[PANEL], const float *block)
{
    for (int i = 0; i < PANEL; i++)
        first[i] = 0;
    for (int k = 0; k < QUANTISE_BLOCK; k++, block += PANEL)
        for (int i = 0; i < PANEL; i++)
            first[i] = fabsf(block[i]) > fabsf(first[i]) ? block[i] : first[i];
}

/* 1 / d; 0 where d is 0 or too small for it, when all weights become 0. */
static float inverse_of(float d)
{
    float inverse = 1 / d;

    return d != 0 && fabsf(inverse) <= FLT_MAX ? inverse : 0;
}

/* The same, ties away from zero. */
static float round_away(float x)
{
    float even = round_even(x), left = x - even;

    return even + (float)((left == 0.5f) & (x > 0)) - (float)((left == -0.5f) & (x < 0));
}

/* The whole number below. */
static float round_down(float x)
{
    float even = round_even(x);

    return even - (float)(even > x);
}

static void block_q8(float *block)
{
    float d[PANEL], inverse[PANEL];

    quantise_find_first(d, block);
    for (int i = 0; i < PANEL; i++) {
        d[i] = fabsf(d[i]) / 127;
        inverse[i] = inverse_of(d[i]);
        d[i] = half_round(d[i]);
    }
    for (int k = 0; k < QUANTISE_BLOCK; k++, block += PANEL)
        for (int i = 0; i < PANEL; i++)
            block[i] = d[i] * round_away(block[i] * inverse[i]) + (block[i] - block[i]);
}

/* Whole numbers 0 .. 2 middle - 1. */
static void block_q(float *block, int middle)
{
    float d[PANEL], inverse[PANEL], most = (float)(2 * middle - 1);

    quantise_find_first(d, block);
    for (int i = 0; i < PANEL; i++) {
        d[i] /= (float)-middle;
        inverse[i] = inverse_of(d[i]);
        d[i] = half_round(d[i]);
    }
    for (int k = 0; k < QUANTISE_BLOCK; k++, block += PANEL)
        for (int i = 0; i < PANEL; i++) {
            float x = block[i], q = round_down(x * inverse[i] + ((float)middle + 0.5f));

            q -= (float)(q > most);             /* at most 1 above */
            block[i] = d[i] * (q - (float)middle) + (x - x);
        }
}

void quantise_blocks(enum precision to, float *panel, int K)
{
    assert(K % QUANTISE_BLOCK == 0);
    for (int k = 0; k < K; k += QUANTISE_BLOCK, panel += QUANTISE_BLOCK * PANEL)
        if (to == PRECISION_Q8_0)
            block_q8(panel);
        else
            block_q(panel, to == PRECISION_Q5_0 ? 16 : 8);
}
