/* SPDX-License-Identifier: MIT
 * Every type to floats: all 65,536 halves and bfloat16s against their formulas. */
#include "check.h"

#include <string.h>

#include "base/bytes.h"
#include "weights/weights.h"

/* sign * fraction * 2^exponent, by IEEE 754's definition. */
static double formula(unsigned bits, int n_exponent, int n_fraction)
{
    unsigned fraction = bits & ((1u << n_fraction) - 1);
    unsigned exponent = bits >> n_fraction & ((1u << n_exponent) - 1);
    int bias = (1 << (n_exponent - 1)) - 1;
    double sign = bits >> (n_exponent + n_fraction) ? -1 : 1;

    if (exponent == (1u << n_exponent) - 1)
        return fraction != 0 ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - n_fraction);
    return sign * ldexp(fraction + (1u << n_fraction), (int)exponent - bias - n_fraction);
}

static void check_all(enum dtype dtype, int n_exponent, int n_fraction)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        unsigned char data[2] = { (unsigned char)bits, (unsigned char)(bits >> 8) };
        double want = formula(bits, n_exponent, n_fraction);
        float got;

        dtype_table[dtype].to_f32(&got, data, 1);
        if (isnan(want))
            assert_true(isnan(got));
        else
            assert_true((double)got == want && !signbit(got) == !signbit(want));
    }
}

static void test_halves(void **state)
{
    (void)state;
    check_all(DTYPE_F16, 5, 10);
    check_all(DTYPE_BF16, 8, 7);
}

/* n elements of dtype, at an odd address, read as floats. */
static void check(enum dtype dtype, const void *elements, const float *want, int n)
{
    unsigned char bytes[65];
    size_t size = (size_t)dtype_table[dtype].size_bytes;
    float got[8];
    struct tensor t = { .dtype = dtype, .data = bytes + 1 };

    bytes_copy(bytes + 1, elements, (size_t)n, size);
    tensor_read(got, &t, 0, n);
    assert_memory_equal(got, want, (size_t)n * sizeof *want);
    tensor_read(got, &t, n - 1, 1);             /* a range that does not begin at 0 */
    assert_memory_equal(got, want + n - 1, sizeof *want);
    got[0] = 42;
    tensor_read(got, &t, 0, 0);
    assert_true(got[0] == 42);
}

static void test_others(void **state)
{
    static const double f64[] = { 0.1, -0.0, 1e300, 1e-320, INFINITY };
    static const float f64_want[] = { 0.1f, -0.0f, INFINITY, 0, INFINITY };
    static const float f32[] = { 1.5f, -0.0f, 1e-45f, INFINITY };
    static const int64_t i64[] = { 1, -1, INT64_MIN, (1 << 24) + 1 };
    static const float i64_want[] = { 1, -1, -0x1p63f, 0x1p24f };
    static const int32_t i32[] = { INT32_MIN, 7 };
    static const float i32_want[] = { -0x1p31f, 7 };
    static const int16_t i16[] = { -32768, 32767 };
    static const float i16_want[] = { -32768, 32767 };
    static const int8_t i8[] = { -128, 127 };
    static const float i8_want[] = { -128, 127 };
    static const uint8_t u8[] = { 255, 0 };
    static const float u8_want[] = { 255, 0 };
    static const uint8_t boolean[] = { 0, 1, 2 };
    static const float boolean_want[] = { 0, 1, 1 };

    (void)state;
    check(DTYPE_F64, f64, f64_want, 5);
    check(DTYPE_F32, f32, f32, 4);
    check(DTYPE_I64, i64, i64_want, 4);
    check(DTYPE_I32, i32, i32_want, 2);
    check(DTYPE_I16, i16, i16_want, 2);
    check(DTYPE_I8, i8, i8_want, 2);
    check(DTYPE_U8, u8, u8_want, 2);
    check(DTYPE_BOOL, boolean, boolean_want, 3);
}

static void test_shape(void **state)
{
    struct tensor t = { .n_dims = 3, .shape = { 768, 0, INT64_MAX } };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(tensor_shape(&a, &t), "[768,0,9223372036854775807]");
    t.n_dims = 0;
    assert_string_equal(tensor_shape(&a, &t), "[]");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
