/* SPDX-License-Identifier: MIT
 * A seed -> bits, uniform and normal numbers, in PyTorch's order. */
#include "base/rng.h"

#include <math.h>

#include "base/elementary.h"

enum {
    SHIFT = 397,            /* how far ahead the word is that a new one is mixed with */
    BLOCK = 16              /* numbers that a long fill makes at a time */
};

static const double TWO_PI = 6.283185307179586476925286766559;

void rng_seed(struct rng *rng, uint64_t seed)
{
    uint32_t w = (uint32_t)(seed & 0xffffffffu);

    rng->word[0] = w;
    for (uint32_t i = 1; i < RNG_WORDS; i++)
        rng->word[i] = w = 1812433253u * (w ^ w >> 30) + i;
    rng->at = RNG_WORDS;
    rng->has_spare = false;
    rng->spare = 0;
}

static void refill(struct rng *rng)
{
    for (int i = 0; i < RNG_WORDS; i++) {
        uint32_t high = rng->word[i] & 0x80000000u;
        uint32_t y = high | (rng->word[(i + 1) % RNG_WORDS] & 0x7fffffffu);

        rng->word[i] = rng->word[(i + SHIFT) % RNG_WORDS] ^ y >> 1 ^
                       ((y & 1) != 0 ? 0x9908b0dfu : 0);
    }
    rng->at = 0;
}

uint32_t rng_bits(struct rng *rng)
{
    uint32_t y;

    if (rng->at == RNG_WORDS)
        refill(rng);
    y = rng->word[rng->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double rng_uniform(struct rng *rng)
{
    uint64_t high = rng_bits(rng), low = rng_bits(rng);

    return (double)((high << 32 | low) & 0x1fffffffffffffu) * 0x1p-53;
}

static float uniform_24(struct rng *rng)
{
    return (float)(rng_bits(rng) & 0xffffffu) * 0x1p-24f;
}

static float one_normal(struct rng *rng)
{
    double u1, u2, radius;

    if (rng->has_spare) {
        rng->has_spare = false;
        return (float)rng->spare;
    }
    u1 = rng_uniform(rng);
    u2 = rng_uniform(rng);
    radius = sqrt(-2 * elementary_log1p(-u2));
    rng->spare = radius * elementary_sin(TWO_PI * u1);
    rng->has_spare = true;
    return (float)(radius * elementary_cos(TWO_PI * u1));
}

/* BLOCK uniform numbers become normal ones, rounded to float where PyTorch's are. */
static void block_normal(float *x)
{
    for (int i = 0; i < BLOCK / 2; i++) {
        float log_u = (float)elementary_log(1 - (double)x[i]);
        float radius = sqrtf(-2 * log_u), angle = (float)TWO_PI * x[i + BLOCK / 2];

        x[i] = radius * (float)elementary_cos((double)angle);
        x[i + BLOCK / 2] = radius * (float)elementary_sin((double)angle);
    }
}

void rng_normal_fill(struct rng *rng, float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = n < BLOCK ? one_normal(rng) : uniform_24(rng);
    if (n < BLOCK)
        return;
    for (int64_t i = 0; i + BLOCK <= n; i += BLOCK)
        block_normal(x + i);
    if (n % BLOCK == 0)
        return;
    for (int64_t i = n - BLOCK; i < n; i++)
        x[i] = uniform_24(rng);
    block_normal(x + n - BLOCK);
}
