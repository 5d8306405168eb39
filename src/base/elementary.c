/* SPDX-License-Identifier: MIT
 * Elementary functions: the argument is brought near 0 by a table, there a polynomial is
 * enough.  What would be lost to rounding is kept in a second double: Dekker 1971; tables:
 * Tang 1989 and 1990; large angles: Payne and Hanek 1983. */
#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary_tables.h"

_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "doubles must be computed as doubles: on i386 with -msse2 -mfpmath=sse");

/* Added and taken away it rounds to a whole number. */
static const double ROUND = 0x1.8p52;

/* high + low, where high is the sum rounded. */
struct sum {
    double high, low;
};

static inline uint64_t elementary_bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x without its last n bits. */
static inline double elementary_cut(double x, int n)
{
    return of_bits(elementary_bits_of(x) >> n << n);
}

/* 2^k, a normal number. */
static inline double power_of_two(int k)
{
    return of_bits((uint64_t)(k + 1023) << 52);
}

/* a + b, exactly. */
static inline struct sum elementary_add(double a, double b)
{
    double sum = a + b, of_b = sum - a;

    return (struct sum){ sum, (a - (sum - of_b)) + (b - of_b) };
}

/* The same, where |a| >= |b| or a = 0. */
static inline struct sum add_small(double a, double b)
{
    double sum = a + b;

    return (struct sum){ sum, b - (sum - a) };
}

/* a b, but for 2^-106 of it. */
static inline struct sum times(double a, double b)
{
    double product = a * b, a_high = elementary_cut(a, 27), b_high = elementary_cut(b, 27);
    double a_low = a - a_high, b_low = b - b_high;

    return (struct sum){ product, a_high * b_high - product + a_high * b_low + a_low * b_high +
                                  a_low * b_low };
}

/* ---- exp ---- */

/* n = k EXP_PARTS + i, 0 <= i < EXP_PARTS, n below 2^29 in size. */
struct steps {
    double n;
    int k, i;
};

/* x / STEP rounded to a whole number: ROUND leaves it in the last bits. */
static inline struct steps steps_in(double x)
{
    double shifted = x * PER_STEP + ROUND;
    uint32_t n = (uint32_t)elementary_bits_of(shifted);

    return (struct steps){ shifted - ROUND, (int)((n + (1u << 29)) / EXP_PARTS) -
                           (1 << 29) / EXP_PARTS, (int)(n % EXP_PARTS) };
}

struct power {          /* 2^k m, m.high about 1 to 2 */
    struct sum m;
    int k;
};

/*
 * e^(x + more) = 2^k 2^(i / EXP_PARTS) e^r, |r| <= STEP / 2; |x| < 800, and more is below
 * x's last bits.
 */
static inline struct power exp_parts(double x, double more)
{
    struct steps s = steps_in(x);
    const double *row = EXP_TABLE[s.i], *c = EXP_REST;
    double r_high = x - s.n * STEP_HIGH, r_low = more - s.n * STEP_LOW, r = r_high + r_low;
    double rest = r * r * ((c[0] + r * c[1]) + r * r * (c[2] + r * c[3]));

    return (struct power){ add_small(row[0], row[1] + row[0] * (r_high + (r_low + rest))), s.k };
}

static inline double of_power(struct power p)
{
    if (p.k < -1022 || p.k > 1023)
        return ldexp(p.m.high, p.k);
    return p.m.high * power_of_two(p.k);
}

double elementary_exp(double x)
{
    if (!(fabs(x) < 746))
        return isnan(x) ? x : x > 0 ? INFINITY : 0;
    return of_power(exp_parts(x, 0));
}

/* Within 2^-39 of e^x, |x| < 700. */
static inline double exp_short(double x)
{
    struct steps s = steps_in(x);
    double r = x - s.n * STEP, rest = r + r * r * (EXP_SHORT[0] + r * EXP_SHORT[1]);
    double scale = of_bits(elementary_bits_of(EXP_TABLE[s.i][0]) + ((uint64_t)s.k << 52));

    return scale + scale * rest;
}

float elementary_expf(float x)
{
    if (!(fabsf(x) < 110))
        return isnan(x) ? x : x > 0 ? INFINITY : 0;
    return (float)exp_short((double)x);
}

/* ---- log ---- */

/* ln x = base + ln(1 + r): x = 2^k z, base = k ln 2 - ln c, r = c z - 1. */
struct near_1 {
    struct sum base, r;
};

/* 0 < x < INFINITY */
static inline struct near_1 to_near_1(double x)
{
    int below = x < DBL_MIN ? 52 : 0, k;
    uint64_t from = elementary_bits_of(below == 0 ? x : x * 0x1p52) - LOG_BEGIN;
    const double *row = LOG_TABLE[from >> 45 & (LOG_PARTS - 1)];
    double z = of_bits((from & ((UINT64_C(1) << 52) - 1)) + LOG_BEGIN),
           z_high = elementary_cut(z, 32);

    k = (int)((from + (UINT64_C(1024) << 52)) >> 52) - 1024 - below;
    return (struct near_1){ { k * LN2_HIGH + row[1], k * LN2_LOW + row[2] },
                            add_small(z_high * row[0] - 1, (z - z_high) * row[0]) };
}

/* (ln(1 + r) - r + r^2 / 2) / r^3 */
static inline double log_rest(double r, double square)
{
    const double *c = LOG_REST;

    return (c[0] + r * c[1]) + square * ((c[2] + r * c[3]) + square * (c[4] + r * c[5]));
}

/* ln(x + more), more below x's last bits; given is more / x. */
static inline double log_of(double x, double more)
{
    struct near_1 n = to_near_1(x);
    struct sum linear = elementary_add(n.base.high, n.r.high);
    double r = n.r.high, square = r * r, low = linear.low + (n.base.low + (n.r.low + more));

    return linear.high + (low + square * (r * log_rest(r, square) - 0.5));
}

/* ln x within 2^-67 of it. */
static inline struct sum log_long(double x)
{
    struct near_1 n = to_near_1(x);
    double r = n.r.high;
    struct sum linear = elementary_add(n.base.high, r), square = times(r, r);
    struct sum both = add_small(linear.high, -0.5 * square.high);
    double low = linear.low + both.low + n.base.low + (n.r.low - n.r.low * r) -
                 0.5 * square.low;

    return add_small(both.high, low + r * square.high * log_rest(r, square.high));
}

static inline bool has_log(double x)
{
    return x > 0 && x <= DBL_MAX;
}

/* The logarithm of 0, infinity, NaN and what is negative. */
static double log_at_the_end(double x)
{
    if (x == 0)
        return -INFINITY;
    return x < 0 ? NAN : x;
}

double elementary_log(double x)
{
    return has_log(x) ? log_of(x, 0) : log_at_the_end(x);
}

float elementary_logf(float x)
{
    return (float)elementary_log((double)x);
}

double elementary_log1p(double x)
{
    struct sum sum = elementary_add(1, x);

    if (!has_log(sum.high))
        return log_at_the_end(sum.high);
    if (fabs(x) < 0x1p-30)
        return x - 0.5 * x * x;
    return log_of(sum.high, sum.low / sum.high);
}

/* ---- pow ---- */

double elementary_pow(double x, double y)
{
    struct sum log_x, product;

    if (y == 0 || x == 1)
        return 1;
    if (!has_log(x))
        return elementary_exp(y * log_at_the_end(x));
    log_x = log_long(x);
    if (!(fabs(y * log_x.high) < 750))
        return elementary_exp(y * log_x.high);
    product = times(y, log_x.high);
    return of_power(exp_parts(product.high, product.low + y * log_x.low));
}

/* ---- tanh ---- */

static inline double tanh_near_0(double x)
{
    const double *c = TANH_REST;
    double z = x * x;

    return x + x * z * ((c[0] + z * c[1]) + z * z * ((c[2] + z * c[3]) + z * z *
                        (c[4] + z * c[5])));
}

/* With e = e^(2 |x|): (e - 1) / (e + 1). */
static double tanh_far(double x)
{
    struct power e = exp_parts(2 * x, 0);
    double scale = power_of_two(e.k), quotient;
    struct sum above = elementary_add(e.m.high * scale, -1),
               below = elementary_add(e.m.high * scale, 1), back;

    above.low += e.m.low * scale;
    below.low += e.m.low * scale;
    quotient = above.high / below.high;
    back = times(quotient, below.high);
    return quotient + (above.high - back.high - back.low + above.low -
                       quotient * below.low) / below.high;
}

double elementary_tanh(double x)
{
    double size = fabs(x);

    if (!(size >= 0x1p-4))
        return size > 0x1p-28 ? tanh_near_0(x) : x;
    return copysign(size < 20 ? tanh_far(size) : 1, x);
}

float elementary_tanhf(float x)
{
    double size = fabs((double)x);

    if (!(size >= 0x1p-4))
        return size > 0x1p-28 ? (float)tanh_near_0((double)x) : x;
    return copysignf(size < 10 ? (float)(1 - 2 / (exp_short(2 * size) + 1)) : 1, x);
}

/* ---- erfc ---- */

/* e^(-x^2) times what a table's polynomials give: Cody 1969 has the form. */
float elementary_erfcf(float x)
{
    double size = fabs((double)x), t, result;
    const double *c;
    int i;

    if (!(size < (double)ERFC_END / ERFC_PARTS))
        return isnan(x) ? x : x < 0 ? 2 : 0;
    i = (int)(size * ERFC_PARTS);
    c = ERFC_TABLE[i];
    t = size - (i + 0.5) / ERFC_PARTS;
    result = ((c[0] + t * c[1]) + t * t * (c[2] + t * c[3])) + t * t * (t * t) *
             ((c[4] + t * c[5]) + t * t * (c[6] + t * c[7]));
    result *= exp_short(-size * size);
    return (float)(x < 0 ? 2 - result : result);
}

/* ---- sin and cos ---- */

static inline double sin_near_0(struct sum x)
{
    const double *c = SIN_REST;
    double z = x.high * x.high;
    double rest = (c[0] + z * c[1]) + z * z * ((c[2] + z * c[3]) + z * z *
                  ((c[4] + z * c[5]) + z * z * c[6]));

    return x.high + (x.high * z * rest + x.low * (1 - 0.5 * z));
}

static inline double cos_near_0(struct sum x)
{
    const double *c = COS_REST;
    double z = x.high * x.high, most = 1 - 0.5 * z;
    double rest = (c[0] + z * c[1]) + z * z * ((c[2] + z * c[3]) + z * z *
                  ((c[4] + z * c[5]) + z * z * c[6]));

    return most + (1 - most - 0.5 * z + (z * z * rest - x.high * x.low));
}

/* x - n pi / 2 -> sum, |sum| <= about pi / 4, n rounded to whole; |x| < 2^19.  Returns n. */
static int quarter_turns(struct sum *sum, double x)
{
    double n = x * PER_HALF_PI + ROUND - ROUND;
    struct sum second = elementary_add(x - n * HALF_PI[0], -n * HALF_PI[1]);
    struct sum third = elementary_add(second.high, -n * HALF_PI[2]);

    *sum = add_small(third.high, second.low + third.low - n * HALF_PI[3]);
    return (int)n;
}

enum {
    FAR_WORDS = 7,              /* of 2 / pi: over 136 bits behind the point of the product */
    PRODUCT_WORDS = FAR_WORDS + 3
};

/* product = size times FAR_WORDS words, both with the lowest part first. */
static void elementary_multiply(uint32_t product[PRODUCT_WORDS], uint64_t size,
                                const uint32_t *word)
{
    memset(product, 0, PRODUCT_WORDS * sizeof *product);
    for (int half = 0; half < 2; half++) {
        uint64_t factor = size >> 32 * half & 0xffffffffu, carry = 0;

        for (int i = 0; i < FAR_WORDS; i++) {
            carry += factor * word[FAR_WORDS - 1 - i] + product[i + half];
            product[i + half] = (uint32_t)carry;
            carry >>= 32;
        }
        product[FAR_WORDS + half] = (uint32_t)carry;
    }
}

/* 32 bits of a number whose lowest word is first, from bit `at` on. */
static uint32_t word_at(const uint32_t *word, int at)
{
    uint64_t two = (uint64_t)word[at / 32 + 1] << 32 | word[at / 32];

    return (uint32_t)(two >> at % 32);
}

/* As quarter_turns, 2^19 <= x.  The words of 2 / pi that only give whole turns are left out. */
static int many_quarter_turns(struct sum *sum, double x)
{
    uint64_t size = (elementary_bits_of(x) & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int exponent = (int)(elementary_bits_of(x) >> 52) - 1075,
        first = exponent < 34 ? 0 : (exponent - 2) / 32;
    int point = 32 * (first + FAR_WORDS) - exponent;
    uint32_t product[PRODUCT_WORDS];
    struct sum part = { 0, 0 }, quarter;
    double scale = 1;
    int n;
    bool above;

    elementary_multiply(product, size, TWO_OVER_PI + first);
    n = (int)(word_at(product, point - 1) >> 1 & 3);
    above = (word_at(product, point - 32) >> 31) != 0;
    for (int i = 1; i <= 5; i++) {
        uint32_t word = word_at(product, point - 32 * i);

        quarter = elementary_add(part.high, (above ? ~word : word) * (scale *= 0x1p-32));
        part = (struct sum){ quarter.high, part.low + quarter.low };
    }
    quarter = times(part.high, HALF_PI_LONG[0]);
    quarter.low += part.high * HALF_PI_LONG[1] + part.low * HALF_PI_LONG[0];
    *sum = above ? (struct sum){ -quarter.high, -quarter.low } : quarter;
    return n + above;
}

/* sin(x + n pi / 2) */
static double sin_from(double x, int n)
{
    struct sum r;

    if (!(fabs(x) <= DBL_MAX))
        return x - x;
    if (fabs(x) < 0x1p19) {
        n += quarter_turns(&r, x);
    } else {
        int turns = many_quarter_turns(&r, fabs(x));

        n += x < 0 ? -turns : turns;
        r.high = copysign(1, x) * r.high;
        r.low = copysign(1, x) * r.low;
    }
    return ((n & 2) != 0 ? -1 : 1) * ((n & 1) != 0 ? cos_near_0(r) : sin_near_0(r));
}

double elementary_sin(double x)
{
    return fabs(x) < 0x1p-27 ? x : sin_from(x, 0);
}

double elementary_cos(double x)
{
    return sin_from(x, 1);
}
