/* SPDX-License-Identifier: MIT
 * Weights -> what is left of them in 8, 5 or 4 bits. */
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

/* 1.5 * 2^23 leaves no bit below 1: its sum rounds, ties to even. */
static float to_int8(float x, float inverse)
{
    float q = x * inverse + 0x1.8p23f - 0x1.8p23f;

    q = q < -127 ? -127 : q > 127 ? 127 : q;
    return q + (x - x);                 /* NaN where x is not finite */
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
static void find_first(float first[PANEL], const float *block)
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

/* The nearest whole number, ties away from zero. */
static float round_away(float x)
{
    float size = fabsf(x) < 128 ? fabsf(x) : 128, whole = (float)(int)size;

    return copysignf(size - whole >= 0.5f ? whole + 1 : whole, x);
}

static void block_q8(float *block)
{
    float d[PANEL], inverse[PANEL];

    find_first(d, block);
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

    find_first(d, block);
    for (int i = 0; i < PANEL; i++) {
        d[i] /= (float)-middle;
        inverse[i] = inverse_of(d[i]);
        d[i] = half_round(d[i]);
    }
    for (int k = 0; k < QUANTISE_BLOCK; k++, block += PANEL)
        for (int i = 0; i < PANEL; i++) {
            float x = block[i], q = x * inverse[i] + ((float)middle + 0.5f);

            q = q < most ? (float)(int)q : most;
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
