/* SPDX-License-Identifier: MIT
 *
 * Numbers with 64 binary places: sums of them do not round, so their order does not matter. */
#ifndef ANALYSIS_FIXED_H
#define ANALYSIS_FIXED_H

#include <assert.h>
#include <math.h>
#include <stdint.h>

/* whole + part 2^-64 */
struct fixed {
    int64_t whole;
    uint64_t part;
};

static inline struct fixed fixed_negative(struct fixed x)
{
    return (struct fixed){ (int64_t)(~(uint64_t)x.whole + (x.part == 0)), ~x.part + 1 };
}

/* |x| < 2^62 (asserted); digits below 2^-64 are cut off. */
static inline struct fixed fixed_of(double x)
{
    double size = fabs(x);
    int64_t whole = (int64_t)size;
    struct fixed fixed = { whole, (uint64_t)((size - (double)whole) * 0x1p64) };

    assert(size < 0x1p62);
    return x < 0 ? fixed_negative(fixed) : fixed;
}

/* A sum that grows beyond 2^63 wraps around. */
static inline void fixed_add(struct fixed *sum, struct fixed x)
{
    sum->part += x.part;
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)x.whole + (sum->part < x.part));
}

static inline double fixed_real(struct fixed x)
{
    if (x.whole < 0)
        return -fixed_real(fixed_negative(x));
    return (double)x.whole + (double)x.part * 0x1p-64;
}

#endif
