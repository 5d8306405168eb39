/* SPDX-License-Identifier: MIT
 * All values of each float of 16 bits, and of 8, against the definition in double. */
#include "check.h"

#include "base/half.h"

/* sign, exponent bits, fraction bits of a small float -> its value */
static double value_of(unsigned bits, int n_exponent, int n_fraction)
{
    int bias = (1 << (n_exponent - 1)) - 1;
    int exponent = (int)(bits >> n_fraction) & ((1 << n_exponent) - 1);
    double fraction = (double)(bits & ((1u << n_fraction) - 1)) / (double)(1u << n_fraction);
    double v;

    if (exponent == (1 << n_exponent) - 1)
        v = fraction > 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        v = ldexp(fraction, 1 - bias);
    else
        v = ldexp(1 + fraction, exponent - bias);
    return bits >> 15 ? -v : v;
}

static void check(float got, double want, unsigned bits)
{
    if (isnan(want) ? isnan(got)
                    : (double)got == want && !signbit(got) == !signbit(want))
        return;
    fail_msg("%04x: %g, expected %g", bits, (double)got, want);
}

static void halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 1u << 16; bits++)
        check(half_to_float((uint16_t)bits), value_of(bits, 5, 10), bits);
}

/* Without infinities: what would be one is a number, and all ones alone are NaN. */
static void floats_of_8_bits(void **state)
{
    (void)state;
    for (unsigned size = 0; size < 0x80; size++) {
        double want = size == 0x7f ? (double)NAN :
                      size >= 0x78 ? 256 * (1 + (size & 7u) / 8.0) : value_of(size, 4, 3);

        check(f8_e4m3_to_float((uint8_t)size), want, size);
        check(f8_e4m3_to_float((uint8_t)(0x80 | size)), -want, 0x80 | size);
    }
}

static void brain_floats(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 1u << 16; bits++)
        check(bf16_to_float((uint16_t)bits), value_of(bits, 8, 7), bits);
}

/* Bits of each half, and of floats on both sides of each and between two. */
static void bits_of_halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        float here = half_to_float((uint16_t)bits), next = half_to_float((uint16_t)(bits + 1));
        const float near[] = { here, nextafterf(here, 1e9f), here + (next - here) / 2,
                               nextafterf(here + (next - here) / 2, 0), 1.5f * here };

        if (half_bits(here) != bits || half_bits(-here) != (bits | 0x8000u))
            fail_msg("%04x: %04x %04x", bits, half_bits(here), half_bits(-here));
        for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
            check(half_to_float(half_bits(near[i])), (double)half_round(near[i]), bits);
    }
    assert_int_equal(half_bits(65520), 0x7c00);
    assert_int_equal(half_bits(-INFINITY), 0xfc00);
    assert_int_equal(half_bits(NAN), 0x7e00);
}

/* Rounds to what a 16-bit float can hold, and stays there. */
static void rounding(void **state)
{
    (void)state;
    check(half_round(1 + 0x1p-11f), 1, 0);                  /* ties to even */
    check(half_round(1 + 0x3p-11f), 1 + 0x1p-9, 0);
    check(half_round(-0x1.8p-25f), -0x1p-24, 0);
    check(half_round(-0x1p-26f), -0.0, 0);
    check(half_round(65519.996f), 65504, 0);
    check(half_round(65520), (double)INFINITY, 0);
    check(half_round(-1e30f), -(double)INFINITY, 0);
    check(half_round(NAN), (double)NAN, 0);
    check(bf16_round(1 + 0x1p-8f), 1, 0);
    check(bf16_round(1 + 0x3p-8f), 1 + 0x1p-6, 0);
    check(bf16_round(-INFINITY), -(double)INFINITY, 0);
    check(bf16_round(NAN), (double)NAN, 0);
    for (unsigned bits = 0; bits < 1u << 16; bits++) {
        check(half_round(half_to_float((uint16_t)bits)), value_of(bits, 5, 10), bits);
        check(bf16_round(bf16_to_float((uint16_t)bits)), value_of(bits, 8, 7), bits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves), cmocka_unit_test(brain_floats),
        cmocka_unit_test(floats_of_8_bits),
        cmocka_unit_test(bits_of_halves), cmocka_unit_test(rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
