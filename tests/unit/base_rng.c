/* SPDX-License-Identifier: MIT
 * Seeded numbers, against the C++ standard's check of MT19937 and numbers that
 * torch.manual_seed(seed); torch.randn(n) of PyTorch 2.13 prints. */
#include "check.h"

#include "base/rng.h"

/* PyTorch's logarithm and cosine are approximations in float; see rng.h. */
static const double TOLERANCE = 2e-6;

static void check(float got, double want, int i)
{
    check_near("number", i, (double)got, want, TOLERANCE);
}

static void bits(void **state)
{
    struct rng r;
    uint32_t last = 0;

    (void)state;
    rng_seed(&r, 5489);
    assert_int_equal(rng_bits(&r), 3499211612u);
    for (int i = 1; i < 10000; i++)
        last = rng_bits(&r);
    assert_int_equal(last, 4123659995u);
}

/* manual_seed takes 64 bits, and MT19937 the lower 32 of them. */
static void wide_seeds(void **state)
{
    struct rng a, b;

    (void)state;
    rng_seed(&a, (UINT64_C(1) << 40) + 7);
    rng_seed(&b, 7);
    for (int i = 0; i < 700; i++)
        assert_int_equal(rng_bits(&a), rng_bits(&b));
}

/* Short tensors are drawn in twos, and what is left over goes to the next short one. */
static void short_fills(void **state)
{
    static const float want[22] = {
        -0.486780763f, -0.603821576f, -0.55809623f,             /* randn(3) */
        0.667524278f, -0.197415099f,                            /* randn(2) */
        -0.187292814f, -0.105701633f, 1.53291309f, 0.287361175f, 2.77986312f, 1.22202528f,
        -0.336449355f, -0.965060174f, -0.339495271f, 1.46374917f, 0.400936484f,
        -1.28422165f, -0.437398404f, 0.779233754f, -0.0583394617f, -2.03049517f,
        1.94278347f,                                            /* randn(16), randn(1) */
    };
    float x[22];
    struct rng r;

    (void)state;
    rng_seed(&r, 5);
    rng_normal_fill(&r, x, 3);
    rng_normal_fill(&r, x + 3, 2);
    rng_normal_fill(&r, x + 5, 16);
    rng_normal_fill(&r, x + 21, 1);
    for (int i = 0; i < 22; i++)
        check(x[i], want[i], i);
    assert_true(rng_uniform(&r) == 0.11104541344679197);
    assert_true(rng_uniform(&r) == 0.3290806790136098);
}

/* 17 numbers: the last 16 are drawn again. */
static void uneven(void **state)
{
    static const float want[17] = {
        -1.12583983f, -1.6959312f, 0.566650629f, 0.793508351f, 0.598839462f, -1.55509508f,
        -0.34136039f, 1.85300612f, 0.468096405f, -0.585497558f, -0.173396751f,
        0.183477938f, 1.38936615f, 1.58633423f, 0.946298361f, -0.843676746f, 0.931826591f,
    };
    float x[17];
    struct rng r;

    (void)state;
    rng_seed(&r, 0);
    rng_normal_fill(&r, x, 17);
    for (int i = 0; i < 17; i++)
        check(x[i], want[i], i);
}

static void long_fill(void **state)
{
    static const struct { int i; float x; } want[] = {
        { 0, -0.820134521f }, { 1, 0.395631164f }, { 623, 0.45135349f },
        { 624, -1.05169916f }, { 640, 1.53563237f }, { 983, 0.238553479f },
        { 984, 2.13946128f }, { 999, -0.848775506f },
    };
    float x[1000];
    struct rng r;
    double sum = 0, squares = 0;

    (void)state;
    rng_seed(&r, 7);
    rng_normal_fill(&r, x, 1000);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        check(x[want[i].i], want[i].x, want[i].i);
    for (int i = 0; i < 1000; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    check_close(sum, 4.843490088824183, 1e-4);
    check_close(squares, 972.5033093368882, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits), cmocka_unit_test(wide_seeds),
        cmocka_unit_test(short_fills), cmocka_unit_test(uneven),
        cmocka_unit_test(long_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
