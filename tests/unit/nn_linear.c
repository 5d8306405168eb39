/* SPDX-License-Identifier: MIT
 * Linears against sums in double, and the promise of the same bytes. */
#include "nn_check.h"
#include "base/bytes.h"
#include "nn/linear.h"

/* Of the sum of magnitudes: float rounding of a running sum stays below. */
#define TOLERANCE 1e-6

/* The test's own matrix: dense [N][K] floats, and how it is stored. */
struct stored {
    float *dense;
    unsigned char *bytes;
    struct matrix w;
};

static void halves_to_f32(float *out, const unsigned char *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = 0.5f * (float)data[i];     /* a format that only to_f32 knows */
}

static float half_value(uint16_t h)
{
    float f = (h >> 10 & 31) == 0 ? ldexpf((float)(h & 1023), -24)
                                  : ldexpf((float)(h & 1023) + 1024, (h >> 10 & 31) - 25);

    return h & 0x8000 ? -f : f;
}

static float bf16_value(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* One element at p; returns what it stands for. */
static float store_one(unsigned char *p, enum element element, bool bytes)
{
    if (bytes) {
        *p = (unsigned char)(random_float() * 100 + 100);
        return 0.5f * (float)*p;
    }
    if (element == ELEMENT_OTHER) {
        float f = random_float();

        memcpy(p, &f, sizeof f);
        return f;
    }
    /* Ordinary numbers of either sign: up to 2, and from a half to 2. */
    unsigned bits = (unsigned)((random_float() + 1) * 16384), sign = (bits & 1) << 15;
    uint16_t h = (uint16_t)(element == ELEMENT_F16 ? bits % 0x4000 | sign
                                                   : (0x3f00 + bits % 0x0100) | sign);

    bytes_put(p, h, sizeof h);
    return element == ELEMENT_F16 ? half_value(h) : bf16_value(h);
}

static void must_not_be_called(float *out, const unsigned char *data, int64_t n)
{
    (void)out, (void)data, (void)n;
    fail_msg("to_f32 of a known element");
}

static struct stored store(int N, int K, bool in_out, int extra, enum element element,
                           bool bytes)
{
    int size = bytes ? 1 : element == ELEMENT_OTHER ? 4 : 2;
    int rows = in_out ? K : N, stride = (in_out ? N : K) + extra;
    size_t n_bytes = ((size_t)rows * (size_t)stride - (size_t)extra) * (size_t)size;
    int shift = size == 2;              /* halves may lie at odd addresses */
    struct stored s = {
        .dense = floats((size_t)N * (size_t)K), .bytes = malloc(n_bytes + (size_t)shift),
        .w = { .size_bytes = size, .element = element, .N = N, .K = K, .stride = stride,
               .order_in_out = in_out,
               .to_f32 = bytes ? halves_to_f32 : element != ELEMENT_OTHER
                         ? must_not_be_called : NULL },
    };

    memset(s.bytes, 0xff, n_bytes + (size_t)shift);     /* NaN between the rows */
    s.w.data = s.bytes + shift;
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) {
            size_t at = in_out ? (size_t)k * (size_t)stride + (size_t)n
                               : (size_t)n * (size_t)stride + (size_t)k;

            s.dense[(size_t)n * (size_t)K + (size_t)k] =
                store_one(s.bytes + shift + at * (size_t)size, element, bytes);
        }
    return s;
}

static void stored_free(struct stored *s)
{
    free(s->dense);
    free(s->bytes);
}

/* y[M][N], panels from the last to the first, into scratch full of NaN. */
static void product(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                    const struct matrix *w, const float *bias)
{
    for (int n0 = (w->N - 1) / PANEL * PANEL; n0 >= 0; n0 -= PANEL) {
        float *scratch = nan_floats(linear_scratch(w->K));

        linear_panel(y, y_stride, x, x_stride, M, w, bias, n0, scratch);
        free(scratch);
    }
}

static void check_product(const struct stored *s, int M, bool with_bias)
{
    int N = s->w.N, K = s->w.K, x_stride = K + 3, y_stride = N + 5;
    float *x = random_floats((size_t)M * (size_t)x_stride);
    float *y = nan_floats((size_t)M * (size_t)y_stride), *bias = random_floats((size_t)N);

    product(y, y_stride, x, x_stride, M, &s->w, with_bias ? bias : NULL);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            double sum = with_bias ? bias[n] : 0, size = fabs(sum);

            for (int k = 0; k < K; k++) {
                double term = (double)x[m * x_stride + k] * s->dense[n * K + k];

                sum += term;
                size += fabs(term);
            }
            kernel_near("y", m * N + n, y[m * y_stride + n], sum, TOLERANCE * size);
        }
        for (int n = N; n < y_stride; n++)
            assert_true(isnan(y[m * y_stride + n]));
    }
    free(x);
    free(y);
    free(bias);
}

static void shapes(void)
{
    static const int K[] = { 1, 2, 3, 7, 16, 31, 64, 65, 130 };
    static const int N[] = { 1, 5, 8, 15, 16, 17, 24, 31, 32, 33, 70 };

    for (int M = 1; M <= 40; M++)
        for (int i = 0; i < 2; i++) {
            int k = K[(M * 2 + i) % 9], n = N[(M * 3 + i * 5) % 11];

            for (int in_out = 0; in_out < 2; in_out++) {
                struct stored s = store(n, k, in_out, i, ELEMENT_OTHER, false);

                check_product(&s, M, (M + i) % 2);
                stored_free(&s);
            }
        }
}

static void every_width(void)
{
    for (int N = 1; N <= PANEL; N++)
        for (int K = 1; K <= 37; K += 4) {
            struct stored s = store(N, K, false, 0, ELEMENT_OTHER, false);

            check_product(&s, 3, true);
            stored_free(&s);
        }
}

/* Longer than a block of k, with a ragged end. */
static void long_sums(void)
{
    static const int K[] = { 511, 512, 513, 1024, 1537 };

    for (int i = 0; i < 5; i++) {
        struct stored s = store(45, K[i], i % 2, 0, ELEMENT_OTHER, false);

        check_product(&s, 17, true);
        stored_free(&s);
    }
}

static void formats(void)
{
    static const int K[] = { 1, 9, 64, 100, 129 };

    for (int i = 0; i < 5; i++)
        for (int in_out = 0; in_out < 2; in_out++)
            for (int f = 0; f < 3; f++) {
                enum element e = f == 0 ? ELEMENT_OTHER : f == 1 ? ELEMENT_F16 : ELEMENT_BF16;
                struct stored s = store(39, K[i], in_out, i % 3, e, f == 0);

                check_product(&s, 5, false);
                stored_free(&s);
            }
}

/* A stored 16-bit number gives the bits of the same number stored as float. */
static void decoding_is_exact(void)
{
    enum { N = 16, K = 4096 };
    unsigned char *bytes = malloc(2 * N * K);
    float *y = nan_floats((size_t)N * K);

    for (int i = 0; i < N * K; i++) {
        uint16_t h = (uint16_t)i;

        bytes_put(bytes + 2 * i, h, 2);
    }
    /* w[k][n] with one input of 1: the row comes out as it was decoded. */
    for (int f = 0; f < 2; f++) {
        struct matrix w = { .data = bytes, .size_bytes = 2, .N = K, .K = 1, .stride = K,
                            .element = f == 0 ? ELEMENT_F16 : ELEMENT_BF16,
                            .order_in_out = true };
        float one = 1;

        for (int r = 0; r < N; r++) {
            w.data = bytes + 2 * r * K;
            product(y, K, &one, 1, 1, &w, NULL);
            for (int i = 0; i < K; i++) {
                uint16_t h = (uint16_t)(r * K + i);
                float want = f == 0 ? half_value(h) : bf16_value(h);

                if (f == 0 && (h >> 10 & 31) == 31)
                    want = (h & 1023) != 0 ? NAN : h & 0x8000 ? -INFINITY : INFINITY;
                /* the sum starts at +0, so -0 is +0 */
                kernel_same("decoded", h, y[i], want + 0.0f);
            }
        }
    }
    free(bytes);
    free(y);
}

/* Every row alone, at another place, or in a part of the block: the same bytes. */
static void same_bytes(void)
{
    enum { M = 37, MAX_K = 1100 };
    static const int K[] = { 5, 64, 700, MAX_K };

    for (int i = 0; i < 4; i++) {
        int N = 50 + i, k = K[i];
        struct stored s = store(N, k, false, 0, ELEMENT_OTHER, false);
        float *x = random_floats((size_t)M * (size_t)k), *bias = random_floats((size_t)N);
        float *y = nan_floats((size_t)M * (size_t)N), *part = nan_floats((size_t)M * (size_t)N);

        product(y, N, x, k, M, &s.w, bias);
        for (int rows = 1; rows < M; rows++)
            for (int m = 0; m < M; m += rows) {
                int n_rows = M - m < rows ? M - m : rows;

                product(part, N, x + (size_t)m * (size_t)k, k, n_rows, &s.w, bias);
                for (int j = 0; j < n_rows * N; j++)
                    kernel_same("part", j, part[j], y[m * N + j]);
            }
        free(x);
        free(y);
        free(part);
        free(bias);
        stored_free(&s);
    }
}

/* w^T stored the other way, or in 16 bits, is the same sum. */
static void same_bytes_in_any_order(void)
{
    enum { N = 40, K = 77, M = 9 };
    struct stored s = store(N, K, false, 2, ELEMENT_F16, false);
    struct stored t = { .dense = floats(N * K) };
    float *x = random_floats(M * K), *y = nan_floats(M * N), *z = nan_floats(M * N);

    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            t.dense[k * N + n] = s.dense[n * K + k];
    t.w = (struct matrix){ .data = (unsigned char *)t.dense, .size_bytes = 4, .N = N, .K = K,
                           .stride = N, .order_in_out = true };
    product(y, N, x, K, M, &s.w, NULL);
    product(z, N, x, K, M, &t.w, NULL);
    for (int i = 0; i < M * N; i++)
        kernel_same("order", i, z[i], y[i]);
    free(x);
    free(y);
    free(z);
    free(t.dense);
    stored_free(&s);
}

static void nan_stays_in_its_row(void)
{
    enum { N = 35, K = 20, M = 15 };
    struct stored s = store(N, K, false, 0, ELEMENT_OTHER, false);
    float *x = random_floats(M * K), *y = nan_floats(M * N);

    x[4 * K + 7] = NAN;
    x[9 * K + 2] = INFINITY;
    product(y, N, x, K, M, &s.w, NULL);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            if (m == 4)
                assert_true(isnan(y[m * N + n]));
            else
                assert_int_equal(isfinite(y[m * N + n]) != 0, m != 9);
        }
    free(x);
    free(y);
    stored_free(&s);
}

KERNEL_TEST(shapes)
KERNEL_TEST(every_width)
KERNEL_TEST(long_sums)
KERNEL_TEST(formats)
KERNEL_TEST(decoding_is_exact)
KERNEL_TEST(same_bytes)
KERNEL_TEST(same_bytes_in_any_order)
KERNEL_TEST(nan_stays_in_its_row)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_long_sums), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_decoding_is_exact), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_same_bytes_in_any_order),
        cmocka_unit_test(test_nan_stays_in_its_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
