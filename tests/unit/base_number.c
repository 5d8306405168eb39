/* SPDX-License-Identifier: MIT
 * Numbers read back exactly and are short. */
#include "check.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void check_double(double v)
{
    char text[NUMBER_SIZE];
    double back;
    int n = number_double(text, v);

    assert_int_equal(n, strlen(text));
    assert_in_range(strlen(text), 1, NUMBER_SIZE - 1);
    back = strtod(text, NULL);
    assert_memory_equal(&back, &v, sizeof v);
}

static void test_double_random_bits(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next(&seed);
        double v;

        memcpy(&v, &bits, sizeof v);
        if (isfinite(v))
            check_double(v);
    }
}

/* What the contract says, tried out. */
static void check_first(double v)
{
    char want[NUMBER_SIZE], text[NUMBER_SIZE];

    for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(want, sizeof want, "%.*g", digits, v);
        if (strtod(want, NULL) == v)
            break;
    }
    assert_int_equal(number_double(text, v), strlen(want));
    assert_string_equal(text, want);
    for (int digits = FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(want, sizeof want, "%.*g", digits, (double)(float)v);
        if (strtof(want, NULL) == (float)v)
            break;
    }
    assert_int_equal(number_float(text, (float)v), strlen(want));
    assert_string_equal(text, want);
}

/* Weights, sums, whole numbers, short ones and those next to short ones. */
static void test_first_that_reads_back(void **state)
{
    static const double scale[] = { 1, 10, 1000, 1e6, 1e9, 1e15, 0x1p44 };
    uint64_t seed = 362436069362436069u;

    (void)state;
    for (int i = 0; i < 50000; i++) {
        double unit = (double)(next(&seed) >> 11) * 0x1p-53;
        double by = scale[next(&seed) % 7];
        double sign = next(&seed) % 2 == 0 ? 1 : -1;
        double whole = (double)(next(&seed) % 1000000);

        check_first(sign * unit);
        check_first(sign * unit * unit * unit * by);
        check_first(sign * whole / by);
        check_first(sign * nextafter(whole / by, unit < 0.5 ? 0 : 1e300));
        check_first(sign * ldexp(1, (int)(next(&seed) % 80) - 30));
    }
}

/* Where the place of the first digit is all but that of another power. */
static void test_next_to_powers_of_ten(void **state)
{
    (void)state;
    for (int k = -6; k <= 17; k++) {
        double ten = k < 0 ? 1 / pow(10, -k) : pow(10, k);

        check_first(ten);
        for (int up = 0; up < 2; up++) {
            double v = ten;
            float f = (float)ten;

            for (int i = 0; i < 3; i++) {
                v = nextafter(v, up ? 1e300 : 0);
                f = nextafterf(f, up ? 1e30f : 0);
                check_first(v);
                check_first(-(double)f);
            }
        }
    }
}

static void test_double_edges(void **state)
{
    static const double edge[] = {
        0.0, -0.0, 1.0, -1.0, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
        DBL_MIN - DBL_TRUE_MIN, DBL_EPSILON, 9007199254740993.0, 0x1p-44,
    };

    (void)state;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        check_double(edge[i]);
}

static void test_float_random_bits(void **state)
{
    uint64_t seed = 2463534242u;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)next(&seed);
        char text[NUMBER_SIZE];
        float v, back;
        int n;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        n = number_float(text, v);
        assert_int_equal(n, strlen(text));
        back = strtof(text, NULL);
        assert_memory_equal(&back, &v, sizeof v);
    }
}

static void test_short(void **state)
{
    char text[NUMBER_SIZE];

    (void)state;
    number_double(text, 0.1);
    assert_string_equal(text, "0.1");
    number_double(text, 1.0 / 3);
    assert_string_equal(text, "0.3333333333333333");
    number_double(text, 0.1 + 0.2);
    assert_string_equal(text, "0.30000000000000004");
    number_double(text, 5e-324);
    assert_string_equal(text, "5e-324");
    number_double(text, 123456);
    assert_string_equal(text, "123456");
    number_float(text, 0.1f);
    assert_string_equal(text, "0.1");
    number_float(text, 1.0f / 3);
    assert_string_equal(text, "0.33333334");
    number_float(text, FLT_TRUE_MIN);
    assert_string_equal(text, "1e-45");
}

static void whole_numbers(void **state)
{
    static const int64_t all[] = { 0, 7, -7, 10, 2147483648, -2147483649, INT64_MAX, INT64_MIN };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char got[NUMBER_SIZE], want[NUMBER_SIZE];
        int n = snprintf(want, sizeof want, "%lld", (long long)all[i]);

        assert_int_equal(number_int(got, all[i]), n);
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_random_bits),
        cmocka_unit_test(test_first_that_reads_back),
        cmocka_unit_test(test_next_to_powers_of_ten),
        cmocka_unit_test(test_double_edges),
        cmocka_unit_test(test_float_random_bits),
        cmocka_unit_test(test_short),
        cmocka_unit_test(whole_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
