/* SPDX-License-Identifier: MIT
 * Products in fewer bits against what fast.h says of them, to the bit. */
#include "nn_check.h"

#include "base/bytes.h"
#include "base/half.h"
#include "nn/fast.h"
#include "nn/linear.h"
#include "nn/product.h"

/* ---- the reference ---- */

static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float rounded(float x)
{
    return bf16_round(flushed(x));
}

static float bf16_sum(const float *x, const float *w, int K)
{
    float sum = 0;

    for (int k = 0; k < K; k += 2) {
        if (k + 1 < K)
            sum = flushed(fmaf(rounded(x[k + 1]), rounded(w[k + 1]), sum));
        sum = flushed(fmaf(rounded(x[k]), rounded(w[k]), sum));
    }
    return sum;
}

enum { BLOCK = 64 };

/* The codes of n <= BLOCK numbers; their scale. */
static float quantised(int code[BLOCK], const float *x, int n)
{
    float largest = 0;

    memset(code, 0, BLOCK * sizeof *code);
    for (int k = 0; k < n; k++) {
        if (!isfinite(x[k]))
            return NAN;
        largest = fmaxf(largest, fabsf(x[k]));
    }
    if (largest < 0x1p-100f)
        return 0;
    for (int k = 0; k < n; k++)
        code[k] = (int)rintf(x[k] * (127 / largest));
    return largest / 127;
}

static float int8_sum(const float *x, const float *w, int K)
{
    float sum = 0;

    for (int k = 0; k < K; k += BLOCK) {
        int n = K - k < BLOCK ? K - k : BLOCK, of_x[BLOCK], of_w[BLOCK], whole = 0;
        float scale = quantised(of_x, x + k, n) * quantised(of_w, w + k, n);

        for (int i = 0; i < n; i++)
            whole += of_x[i] * of_w[i];
        sum = fmaf((float)whole, scale, sum);
    }
    return sum;
}

/* x[K] . w[K] + bias, as fast.h defines it; each sum is exact before its one rounding. */
static float reference(enum fast f, const float *x, const float *w, int K, float bias)
{
    return (f == FAST_BF16 ? bf16_sum(x, w, K) : int8_sum(x, w, K)) + bias;
}

/* ---- a linear ---- */

enum { GAP = 3 };               /* elements between rows, which nothing may read or write */

struct linear {
    enum fast fast;
    int M, N, K;
    float *x, *w, *bias;        /* [M, K + GAP], [N, K], [N] */
    float *stored;              /* w as the matrix has it, NaN between its rows */
    struct matrix matrix;
};

static struct linear linear_of(enum fast f, int M, int N, int K, bool in_out)
{
    int rows = in_out ? K : N, columns = in_out ? N : K;
    struct linear l = {
        .fast = f, .M = M, .N = N, .K = K, .x = random_floats((size_t)M * (size_t)(K + GAP)),
        .w = random_floats((size_t)N * (size_t)K), .bias = random_floats((size_t)N),
        .stored = nan_floats((size_t)rows * (size_t)(columns + GAP)),
    };

    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            l.stored[in_out ? k * (N + GAP) + n : n * (K + GAP) + k] = l.w[n * K + k];
    l.matrix = (struct matrix){ .data = (const unsigned char *)l.stored, .size_bytes = 4,
                                .N = N, .K = K, .stride = columns + GAP,
                                .order_in_out = in_out, .fast = fast_kernel(f) };
    return l;
}

static void linear_free(struct linear *l)
{
    free(l->x);
    free(l->w);
    free(l->bias);
    free(l->stored);
}

/* The words of n rows of x from row m on, and NaN behind them. */
static float *words_of(const struct linear *l, int m, int n)
{
    const struct fast_kernel *fast = l->matrix.fast;
    int words = fast_words(fast, l->K);
    float *out = nan_floats((size_t)n * (size_t)(words + GAP));

    for (int i = 0; i < n; i++)
        fast->inputs(out + i * (words + GAP), l->x + (m + i) * (l->K + GAP), l->K);
    for (int i = 0; i < n; i++)
        for (int g = 0; g < GAP; g++)
            assert_true(isnan(out[i * (words + GAP) + words + g]));
    return out;
}

/* y[n, N + GAP] of rows from m on: each panel packed for itself, or all of them first. */
static float *outputs(const struct linear *l, int m, int n, bool packed, bool with_bias)
{
    const struct matrix *w = &l->matrix;
    int stride = fast_words(w->fast, l->K) + GAP, width = product_width();
    float *x = words_of(l, m, n), *y = nan_floats((size_t)n * (size_t)(l->N + GAP));
    int n_panels = (l->N - 1) / width + 1;
    float *room = nan_floats(linear_scratch(l->K)), *bias = with_bias ? l->bias : NULL;
    float *panels = nan_floats((size_t)n_panels * linear_packed_size(w));

    for (int i = 0; packed && i < n_panels; i++)
        linear_pack(panels + (size_t)i * linear_packed_size(w), w, i * width, room);
    if (packed)
        linear_packed(y, l->N + GAP, x, stride, n, w, bias, 0, n_panels, panels,
                      linear_packed_size(w));
    else if (n <= LINEAR_FEW)
        linear_few(y, l->N + GAP, x, stride, n, w, bias, 0, l->N, room);
    else
        for (int n0 = 0; n0 < l->N; n0 += PANEL)
            linear_panel(y, l->N + GAP, x, stride, n, w, bias, n0, room);
    free(x);
    free(room);
    free(panels);
    return y;
}

static void check_linear(const struct linear *l, bool packed, bool with_bias)
{
    float *y = outputs(l, 0, l->M, packed, with_bias);

    for (int m = 0; m < l->M; m++) {
        for (int n = 0; n < l->N; n++)
            kernel_same("y", m * l->N + n, y[m * (l->N + GAP) + n],
                        reference(l->fast, l->x + m * (l->K + GAP), l->w + n * l->K, l->K,
                                  with_bias ? l->bias[n] : 0.0f));
        for (int g = 0; g < GAP; g++)
            assert_true(isnan(y[m * (l->N + GAP) + l->N + g]));
    }
    free(y);
}

/* ---- tests ---- */

static void must_be_there(enum fast f)
{
    char why[128];

    assert_int_equal(nn_choose_kernel(NULL), 0);
    if (fast_kernel(f) != NULL)
        return;
    fast_why_not(why, sizeof why, f);
    print_message("did not run: %s %s\n", fast_names[f], why);
    skip();
}

#define FAST_TEST(name) \
    static void bf16_##name(void **state) \
    { \
        (void)state; \
        must_be_there(FAST_BF16); \
        name(FAST_BF16); \
    } \
    static void int8_##name(void **state) \
    { \
        (void)state; \
        must_be_there(FAST_INT8); \
        name(FAST_INT8); \
    }

/* All heights of tiles and all their remainders, with panels that are full and not. */
static void shapes(enum fast f)
{
    static const int K[] = { 1, 2, 3, 16, 31, 32, 33, 63, 64, 65, 130 };
    static const int N[] = { 1, 5, 15, 16, 17, 31, 32, 33, 48, 70 };

    for (int M = 1; M <= 45; M++)
        for (int i = 0; i < 110; i += M < 16 ? 1 : 7) {
            struct linear l = linear_of(f, M, N[(i + M) % 10], K[i / 10], i % 2);

            check_linear(&l, i % 3 > 0, i % 5 > 0);
            linear_free(&l);
        }
}

/* Blocks of words that resume a sum, the last one shorter. */
static void long_sums(enum fast f)
{
    static const int K[] = { 767, 768, 769, 1536, 2305 };

    for (int i = 0; i < 5; i++)
        for (int packed = 0; packed < 2; packed++) {
            struct linear l = linear_of(f, 19, 45, K[i], packed != i % 2);

            check_linear(&l, packed, true);
            linear_free(&l);
        }
}

/* Rows alone and together, in panels of either kind. */
static void same_bytes(enum fast f)
{
    enum { M = 37, N = 50 };
    struct linear l = linear_of(f, M, N, 1100, false);
    float *all = outputs(&l, 0, M, true, true);

    for (int rows = 1; rows < M; rows++)
        for (int m = 0; m < M; m += rows) {
            int n = M - m < rows ? M - m : rows;
            float *part = outputs(&l, m, n, (m + rows) % 2, true);

            for (int i = 0; i < n; i++)
                for (int o = 0; o < N; o++)
                    kernel_same("part", i * N + o, part[i * (N + GAP) + o],
                                all[(m + i) * (N + GAP) + o]);
            free(part);
        }
    free(all);
    linear_free(&l);
}

/* Every upper half of a float with lower halves around a tie, as input and as weight. */
static void rounds_to_even(void **state)
{
    static const uint32_t low[] = { 0, 1, 0x7fff, 0x8000, 0x8001, 0xffff };
    enum { K = 32 };
    const struct fast_kernel *fast;
    _Alignas(64) float panel[K * PANEL], words[K / 2];

    (void)state;
    must_be_there(FAST_BF16);
    fast = fast_kernel(FAST_BF16);
    for (uint32_t high = 0; high < 1 << 16; high += K)
        for (int i = 0; i < 6; i++) {
            float x[K];

            for (int k = 0; k < K; k++) {
                x[k] = float_of_bits((high + (uint32_t)k) << 16 | low[i]);
                for (int c = 0; c < PANEL; c++)
                    panel[k * PANEL + c] = x[k];
            }
            fast->inputs(words, x, K);
            fast->weights(panel, PANEL, K);
            for (int k = 0; k < K; k++) {
                const unsigned char *at = (const unsigned char *)words + 2 * k;
                const unsigned char *of = (const unsigned char *)(panel + k / 2 * PANEL + 7);

                kernel_same("input", (int)high + k,
                            bf16_to_float((uint16_t)bytes_get(at, 2)), rounded(x[k]));
                kernel_same("weight", (int)high + k,
                            bf16_to_float((uint16_t)bytes_get(of + k % 2 * 2, 2)), rounded(x[k]));
            }
        }
}

/* A weight of a BF16 file is what it is, but for those below 2^-126. */
static void stored_bf16_is_exact(void **state)
{
    enum { N = 64 };
    unsigned char bytes[2 * N];
    float one, y[N], *room = floats(linear_scratch(1));
    struct matrix w = { .data = bytes, .size_bytes = 2, .N = N, .K = 1, .stride = 1,
                        .element = ELEMENT_BF16 };

    (void)state;
    must_be_there(FAST_BF16);
    w.fast = fast_kernel(FAST_BF16);
    w.fast->inputs(&one, &(float){ 1 }, 1);
    for (uint32_t first = 0; first < 1 << 16; first += N) {
        for (int n = 0; n < N; n++)
            bytes_put(bytes + 2 * n, first + (uint32_t)n, 2);
        for (int n0 = 0; n0 < N; n0 += PANEL)
            linear_panel(y, N, &one, 1, 1, &w, NULL, n0, room);
        for (int n = 0; n < N; n++)     /* the sum starts at +0, so -0 is +0 */
            kernel_same("weight", (int)first + n, y[n],
                        flushed(bf16_to_float((uint16_t)(first + (uint32_t)n))) + 0.0f);
    }
    free(room);
}

/* Products and sums too small for a normal float, and those that are not finite. */
static void extremes(enum fast f)
{
    static const float x[] = { 0x1p-70f, 0x1p-126f, 0x1.8p-127f, 0x1p100f, -0x1p100f, INFINITY,
                               -INFINITY, NAN, 0x1.fffffep127f, -0.0f, 0x1.01p-63f, 3 };
    enum { N = 40, K = 9, M = 20 };

    for (int seed = 0; seed < 50; seed++) {
        struct linear l = linear_of(f, M, N, K, seed % 2);

        for (int m = 0; m < M; m++)
            for (int k = 0; k < K; k++)
                if ((m + seed) % 3 > 0)
                    l.x[m * (K + GAP) + k] *= x[(m * 7 + k * k + seed) % 12];
        for (int i = 0; i < N * K; i++)
            l.w[i] *= 0x1p-60f;
        for (int n = 0; n < N; n++)
            for (int k = 0; k < K; k++)
                l.stored[seed % 2 ? k * (N + GAP) + n : n * (K + GAP) + k] = l.w[n * K + k];
        check_linear(&l, seed % 3 > 0, seed % 4 > 1);
        linear_free(&l);
    }
}

FAST_TEST(shapes)
FAST_TEST(long_sums)
FAST_TEST(same_bytes)
FAST_TEST(extremes)

/* It is there beside one kernel alone, and else it is said why not. */
static void beside_one_kernel(void **state)
{
    static const char *const unit[N_FAST] = { NULL, "avx512_bf16", "avx512_vnni" };
    static const char *const full[N_FAST] = { NULL, "avx512+bf16", "avx512+int8" };

    (void)state;
    assert_null(fast_kernel(FAST_NONE));
    for (int i = 0; i < N_KERNEL * N_FAST; i++) {
        enum kernel k = (enum kernel)(i / N_FAST);
        enum fast f = (enum fast)(i % N_FAST);
        const char *name = nn_kernel_name(k);
        char why[128], want[3][128];

        if (nn_choose_kernel(name) != 0)
            continue;
        assert_string_equal(fast_kernel_name(FAST_NONE), name);
        if (f == FAST_NONE)
            continue;
        if (fast_kernel(f) != NULL) {
            assert_int_equal(k, KERNEL_AVX512);
            assert_string_equal(fast_kernel_name(f), full[f]);
            continue;
        }
        fast_why_not(why, sizeof why, f);
        snprintf(want[0], sizeof want[0], "this program was built by a compiler without %s",
                 unit[f]);
        snprintf(want[1], sizeof want[1], "requires %s, which this processor lacks", unit[f]);
        snprintf(want[2], sizeof want[2], "requires the kernel avx512, found %s", name);
        assert_true(strcmp(why, "this architecture has no kernel for it") == 0 ||
                    strcmp(why, want[0]) == 0 || strcmp(why, want[1]) == 0 ||
                    (k != KERNEL_AVX512 && strcmp(why, want[2]) == 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_shapes), cmocka_unit_test(bf16_long_sums),
        cmocka_unit_test(bf16_same_bytes), cmocka_unit_test(bf16_extremes),
        cmocka_unit_test(rounds_to_even), cmocka_unit_test(stored_bf16_is_exact),
        cmocka_unit_test(int8_shapes), cmocka_unit_test(int8_long_sums),
        cmocka_unit_test(int8_same_bytes), cmocka_unit_test(int8_extremes),
        cmocka_unit_test(beside_one_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
