/* SPDX-License-Identifier: MIT
 * Chance, the same for the same seed. */
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;             /* not 0 */
};

static inline struct dice dice_of(unsigned seed)
{
    return (struct dice){ seed * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019 };
}

/* 0 .. n - 1; n > 0. */
static inline size_t dice_roll(struct dice *d, size_t n)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (size_t)(d->state * 0x2545f4914f6cdd1d >> 32) % n;
}

/* A number as files have them: mostly small, sometimes at the edge of a type. */
static inline int64_t dice_number(struct dice *d, int64_t now)
{
    static const int64_t edge[] = { -1, 0, 127, 255, 256, 65535, 65536, INT32_MAX, 1LL << 31,
                                    1LL << 32, 1LL << 42, INT64_MAX, INT64_MIN };

    switch (dice_roll(d, 8)) {
    case 0: return edge[dice_roll(d, sizeof edge / sizeof edge[0])];
    case 1: return now > INT64_MAX / 2 || now < INT64_MIN / 2 ? 1 : now * 2;
    case 2: return now / 2;
    case 3: return now < INT64_MAX ? now + 1 : now;
    case 4: return now > INT64_MIN ? now - 1 : now;
    default: return (int64_t)dice_roll(d, 12);
    }
}

/* libFuzzer's, or that of replay.c: changes size bytes to at most most, and says how many. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
