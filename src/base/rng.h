/* SPDX-License-Identifier: MIT
 *
 * Random numbers from a seed: the Mersenne Twister MT19937, and normal numbers
 * drawn from it as PyTorch's CPU generator draws them, so that one seed gives
 * both libraries the same tensor.
 *
 * Source: Matsumoto and Nishimura 1998; Box and Muller 1958; checked against
 * torch.manual_seed, torch.rand and torch.randn of PyTorch 2.13. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

enum { RNG_WORDS = 624 };

/* A generator; plain data, so a copy continues from the same state. */
struct rng {
    uint32_t word[RNG_WORDS];
    int at;                 /* index of the next word; RNG_WORDS: new ones must be generated */
    bool has_spare;         /* a normal number is left, as short fills draw them in pairs */
    double spare;
};

/* Starts the generator anew.  Only the lower 32 bits count, as in torch.manual_seed. */
void rng_seed(struct rng *rng, uint64_t seed);

/* 32 random bits. */
uint32_t rng_bits(struct rng *rng);

/* Uniform in [0, 1), a multiple of 2^-53; takes 64 bits, as torch.rand in float64. */
double rng_uniform(struct rng *rng);

/*
 * x[n] = normal numbers of mean 0 and deviation 1: what torch.randn(n) in float32
 * holds, within 2e-6 (its logarithm and cosine are approximations in float).
 *
 *     n < 16    sqrt(-2 ln(1 - u2)) (cos, sin)(2 pi u1), u1, u2 from rng_uniform;
 *               a sine left over is the first number of the next fill
 *     n >= 16   n floats u of 24 bits; in each whole 16 of them, i < 8:
 *               sqrt(-2 ln(1 - u[i])) (cos, sin)(2 pi u[i + 8]) at i and i + 8; where
 *               n is not a multiple of 16, the last 16 are drawn again
 *
 * So a tensor is one fill: two fills of n are not one of 2n.
 */
void rng_normal_fill(struct rng *rng, float *x, int64_t n);

#endif
