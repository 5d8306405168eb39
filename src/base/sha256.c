/* SPDX-License-Identifier: MIT
 * Bytes -> their SHA-256, as FIPS 180-4 has it. */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t sha256_turn(uint32_t v, int n)
{
    return v >> n | v << (32 - n);
}

static void schedule(uint32_t w[ROUNDS], const unsigned char *block)
{
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];

        w[i] = w[i - 16] + (sha256_turn(x, 7) ^ sha256_turn(x, 18) ^ x >> 3) + w[i - 7] +
               (sha256_turn(y, 17) ^ sha256_turn(y, 19) ^ y >> 10);
    }
}

static void sha256_add_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[ROUNDS], v[8];

    schedule(w, block);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t sum1 = sha256_turn(v[4], 6) ^ sha256_turn(v[4], 11) ^ sha256_turn(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + sum1 + choice + constants[i] + w[i];
        uint32_t sum0 = sha256_turn(v[0], 2) ^ sha256_turn(v[0], 13) ^ sha256_turn(v[0], 22);
        uint32_t most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + sum0 + most;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

/* What is left, a bit, zeros, and the length in bits: one block or two. */
static void add_end(uint32_t state[8], const unsigned char *rest, size_t n_rest, uint64_t n)
{
    unsigned char end[2 * BLOCK] = { 0 };
    size_t size = n_rest + 9 > BLOCK ? 2 * BLOCK : BLOCK;

    if (n_rest > 0)
        memcpy(end, rest, n_rest);
    end[n_rest] = 0x80;
    for (int i = 0; i < 8; i++)
        end[size - 1 - (size_t)i] = (unsigned char)(n * 8 >> 8 * i);
    for (size_t at = 0; at < size; at += BLOCK)
        sha256_add_block(state, end + at);
}

void sha256_of(unsigned char digest[SHA256_SIZE], const void *data, size_t n)
{
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *p = data;
    size_t left = n;

    for (; left >= BLOCK; left -= BLOCK, p += BLOCK)
        sha256_add_block(state, p);
    add_end(state, p, left, n);
    for (int i = 0; i < SHA256_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
