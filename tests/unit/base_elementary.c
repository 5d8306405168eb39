/* SPDX-License-Identifier: MIT
 * Elementary functions: their errors in ulp against exact results, special values, and that
 * the bits of many results are those that every other machine finds.
 *
 *     base_elementary libm     prints a number that depends on the bits of the C library's
 *                              functions, for tests that need two unlike ones */
#include "check.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "ref/elementary/references.h"

/* ---- errors ---- */

/* The distance of two numbers of the type where x lies, of so many bits. */
static double last_place(double x, int bits)
{
    int exponent, least = bits == FLT_MANT_DIG ? FLT_MIN_EXP - FLT_MANT_DIG :
                          DBL_MIN_EXP - DBL_MANT_DIG;

    (void)frexp(x, &exponent);
    return ldexp(1, exponent - bits > least && x != 0 ? exponent - bits : least);
}

static bool is_normal(double x, int bits)
{
    return fabs(x) >= (bits == FLT_MANT_DIG ? (double)FLT_MIN : DBL_MIN);
}

static double expf_double(double x, double y)
{
    (void)y;
    return (double)elementary_expf((float)x);
}

static double logf_double(double x, double y)
{
    (void)y;
    return (double)elementary_logf((float)x);
}

static double tanhf_double(double x, double y)
{
    (void)y;
    return (double)elementary_tanhf((float)x);
}

static double erfcf_double(double x, double y)
{
    (void)y;
    return (double)elementary_erfcf((float)x);
}

/* Where it is for other numbers, log. */
static double log_plain_of_one(double x, double y)
{
    (void)y;
    return x >= DBL_MIN && x <= DBL_MAX ? elementary_log_plain(x) : elementary_log(x);
}

#define OF_ONE(name)                                                            \
    static double name##_of_one(double x, double y)                             \
    {                                                                           \
        (void)y;                                                                \
        return elementary_##name(x);                                            \
    }
OF_ONE(exp)
OF_ONE(log)
OF_ONE(log1p)
OF_ONE(tanh)
OF_ONE(sin)
OF_ONE(cos)

#define REFERENCES(name) name##_references, sizeof name##_references / sizeof *name##_references

/* What base/elementary.h states. */
static const struct stated {
    const char *name;
    double (*function)(double x, double y);
    int bits;
    double most;                /* ulp, where the result is normal */
    const struct reference *references;
    size_t n;
} stated[] = {
    { "exp", exp_of_one, DBL_MANT_DIG, 0.51, REFERENCES(exp) },
    { "log", log_of_one, DBL_MANT_DIG, 0.51, REFERENCES(log) },
    { "log1p", log1p_of_one, DBL_MANT_DIG, 0.51, REFERENCES(log1p) },
    { "tanh", tanh_of_one, DBL_MANT_DIG, 0.53, REFERENCES(tanh) },
    { "pow", elementary_pow, DBL_MANT_DIG, 0.51, REFERENCES(pow) },
    { "sin", sin_of_one, DBL_MANT_DIG, 0.85, REFERENCES(sin) },
    { "cos", cos_of_one, DBL_MANT_DIG, 0.85, REFERENCES(cos) },
    { "log_plain", log_plain_of_one, DBL_MANT_DIG, 2, REFERENCES(log) },
    { "expf", expf_double, FLT_MANT_DIG, 0.501, REFERENCES(expf) },
    { "logf", logf_double, FLT_MANT_DIG, 0.501, REFERENCES(logf) },
    { "tanhf", tanhf_double, FLT_MANT_DIG, 0.501, REFERENCES(tanhf) },
    { "erfcf", erfcf_double, FLT_MANT_DIG, 0.501, REFERENCES(erfcf) },
};

static void against_exact_results(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof stated / sizeof *stated; f++)
        for (size_t i = 0; i < stated[f].n; i++) {
            const struct reference *r = &stated[f].references[i];
            double got = stated[f].function(r->x, r->y), off;
            double most = is_normal(r->rounded, stated[f].bits) ? stated[f].most : 1;

            if (got == r->rounded && isinf(got))
                continue;
            off = fabs((got - r->rounded) / last_place(r->rounded, stated[f].bits) - r->rest);
            if (!(off <= most))
                fail_msg("%s(%a, %a): %a, expected %a and %.4f ulp: off by %.4f ulp",
                         stated[f].name, r->x, r->y, got, r->rounded, r->rest, off);
        }
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check_float(const char *name, float x, float got, double exact)
{
    double last, off;

    if (isnan(exact) ? isnan(got) : isinf((float)exact) && got == (float)exact)
        return;
    last = last_place((double)(float)exact, FLT_MANT_DIG);
    off = fabs((double)got - exact) / last;
    if (!(off <= 0.501))
        fail_msg("%s(%a): %a, expected %a: off by %.4f ulp", name, (double)x, (double)got, exact,
                 off);
}

/* A million floats of all sizes, against the C library's doubles: they are off by 2^-29. */
static void floats_of_all_sizes(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4001) {
        float x = float_of((uint32_t)bits);

        check_float("expf", x, elementary_expf(x), exp((double)x));
        check_float("logf", x, elementary_logf(x), log((double)x));
        check_float("tanhf", x, elementary_tanhf(x), tanh((double)x));
        check_float("erfcf", x, elementary_erfcf(x), erfc((double)x));
    }
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

/* Uniform in [low, high). */
static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)next(seed) * 0x1p-53);
}

#if LDBL_MANT_DIG >= 64
static double off_by(double got, long double exact)
{
    double rounded = (double)exact;

    return fabs((double)((got - exact) / last_place(rounded, DBL_MANT_DIG)));
}

/* The C library's long doubles have eleven bits more. */
static void doubles_at_random(void **state)
{
    double worst[8] = { 0 };
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = between(&seed, -5, 5), y = between(&seed, -50, 50), size = exp(x * 4);
        long double far = x * 1000;
        double off[8] = {
            off_by(elementary_exp(y), expl(y)), off_by(elementary_log(size), logl(size)),
            off_by(elementary_log1p(size - 1), log1pl((long double)(size - 1))),
            off_by(elementary_tanh(x), tanhl(x)),
            off_by(elementary_pow(size, x), powl(size, x)),
            off_by(elementary_sin((double)far), sinl((double)far)),
            off_by(elementary_cos((double)far), cosl((double)far)),
            off_by(elementary_log_plain(size), logl(size)),
        };

        for (int f = 0; f < 8; f++)
            worst[f] = fmax(worst[f], off[f]);
    }
    for (int f = 0; f < 8; f++)
        if (!(worst[f] <= stated[f].most))
            fail_msg("%s: off by %.4f ulp", stated[f].name, worst[f]);
}
#else
static void doubles_at_random(void **state)
{
    (void)state;
    print_message("skipped: long double is double\n");
    skip();
}
#endif

/* ---- special values ---- */

static void check_same(const char *what, double got, double want)
{
    if (isnan(want) ? !isnan(got) : got != want || signbit(got) != signbit(want))
        fail_msg("%s: %g, expected %g", what, got, want);
}

#define SAME(call, want) check_same(#call, (double)elementary_##call, want)

static void no_numbers(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof stated / sizeof *stated; f++)
        check_same(stated[f].name, stated[f].function(NAN, 2), NAN);
    SAME(pow(2, NAN), NAN);
    SAME(pow(NAN, 0), 1);
    SAME(pow(1, NAN), 1);
    SAME(log(-1), NAN);
    SAME(log(-INFINITY), NAN);
    SAME(log1p(-1.5), NAN);
    SAME(logf(-1), NAN);
    SAME(pow(-2, 2), NAN);
    SAME(sin(INFINITY), NAN);
    SAME(cos(-INFINITY), NAN);
}

static void infinities(void **state)
{
    (void)state;
    SAME(exp(INFINITY), INFINITY);
    SAME(exp(-INFINITY), 0);
    SAME(expf(INFINITY), INFINITY);
    SAME(expf(-INFINITY), 0);
    SAME(log(INFINITY), INFINITY);
    SAME(log(0), -INFINITY);
    SAME(log(-0.0), -INFINITY);
    SAME(logf(0), -INFINITY);
    SAME(log1p(-1), -INFINITY);
    SAME(log1p(INFINITY), INFINITY);
    SAME(log1p(DBL_MAX), elementary_log(DBL_MAX));
    SAME(tanh(INFINITY), 1);
    SAME(tanh(-INFINITY), -1);
    SAME(tanhf(-INFINITY), -1);
    SAME(erfcf(INFINITY), 0);
    SAME(erfcf(-INFINITY), 2);
    SAME(pow(0, 2), 0);
    SAME(pow(0, -2), INFINITY);
    SAME(pow(INFINITY, 2), INFINITY);
    SAME(pow(INFINITY, -2), 0);
    SAME(pow(2, INFINITY), INFINITY);
    SAME(pow(0.5, INFINITY), 0);
    SAME(pow(2, -INFINITY), 0);
}

static void zeros(void **state)
{
    (void)state;
    SAME(exp(-0.0), 1);
    SAME(log(1), 0);
    SAME(log1p(-0.0), -0.0);
    SAME(log1p(0), 0);
    SAME(tanh(-0.0), -0.0);
    SAME(tanhf(-0.0f), -0.0);
    SAME(sin(-0.0), -0.0);
    SAME(sin(0), 0);
    SAME(cos(-0.0), 1);
    SAME(erfcf(-0.0f), 1);
    SAME(pow(0, 0), 1);
    SAME(pow(2, -0.0), 1);
}

static void whole_powers(void **state)
{
    (void)state;
    for (int k = -1074; k < 1024; k++) {
        assert_true(elementary_pow(2, k) == ldexp(1, k));
        assert_true(fabs(elementary_log(ldexp(1, k)) - k * log(2)) <= fabs(k * 0x1p-52));
    }
    for (int k = 1; k < 1000; k++) {
        assert_true(elementary_pow(k, 1) == k);
        assert_true((float)elementary_pow(k, 2) == (float)(k * k));
    }
}

/* ---- the same bits everywhere ---- */

static uint64_t mix(uint64_t hash, double x)
{
    uint64_t bits = 0;          /* of any NaN: their bits differ */

    if (!isnan(x))
        memcpy(&bits, &x, sizeof bits);
    return (hash ^ bits ^ bits >> 32) * 0x100000001b3u;
}

/* Of n results for numbers around 1 and for numbers of all sizes. */
static uint64_t hash_of(double (*function)(double x, double y), int n)
{
    uint64_t hash = 0xcbf29ce484222325u, seed = 7;

    for (int i = 0; i < n; i++) {
        uint64_t bits = next(&seed) << 11 ^ next(&seed);
        double x = between(&seed, -8, 8), any;

        memcpy(&any, &bits, sizeof any);
        hash = mix(hash, function(x, 1.5));
        hash = mix(hash, function(fabs(x), x));
        hash = mix(hash, function(any, 0.01));
    }
    return hash;
}

/* Found on x86-64; any difference, on any machine, is a fault of that machine's build. */
static void same_bits(void **state)
{
    static const uint64_t want[] = {
        0x0e7d0ffe42bb43bau, 0x3253bc0758e6634fu, 0xe0cf47debda03153u,
        0x5d6acf856d722a58u, 0x0391f28ec666a870u, 0xbfb0e8507e8e936du,
        0xc3df367889133266u, 0xa56f6d2a2e87d911u, 0xa5083cc182c03e4fu,
        0xd323eff30113932bu, 0x8453d62710d546fau, 0x9818c8ed9c5c5277u,
    };

    (void)state;
    for (size_t f = 0; f < sizeof stated / sizeof *stated; f++) {
        uint64_t got = hash_of(stated[f].function, 100000);

        if (got != want[f])
            fail_msg("%s: 0x%016llx, expected 0x%016llx", stated[f].name,
                     (unsigned long long)got, (unsigned long long)want[f]);
    }
}

static double library(double x, double y)
{
    return exp(x) + log(x) + sin(x) + pow(x, y) + (double)expf((float)x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_exact_results),
        cmocka_unit_test(floats_of_all_sizes),
        cmocka_unit_test(doubles_at_random),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(infinities),
        cmocka_unit_test(zeros),
        cmocka_unit_test(whole_powers),
        cmocka_unit_test(same_bits),
    };

    if (argc > 1 && strcmp(argv[1], "libm") == 0) {
        printf("%016llx\n", (unsigned long long)hash_of(library, 100000));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
