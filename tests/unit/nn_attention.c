/* SPDX-License-Identifier: MIT
 * Blocks of attention against the reference in double, and the same bytes. */
#include "nn_check.h"

#include <limits.h>

#include "nn/attention.h"
#include "nn/score.h"

/*
 * Weights and outputs of inputs in [-1, 1]: scores up to about d / 3 are off by a
 * few units of 2^-24 of the sum of their magnitudes.
 */
#define TOLERANCE 3e-6

/* One head of one text, as the pass holds it: q, k and v side by side in a row. */
struct head {
    struct attend at;
    int T, stride;
    float *qkv;                 /* row t: q [d], k [d], v [d_v]; T and S rows */
    double *taken;              /* [T] with a sink */
    float *packed;
};

/* Everything that attention_block gives, with each key at its own number. */
struct result {
    float *w;                   /* [T, S] */
    float *out;                 /* [T, d_v] */
    double *entropy;            /* [T] */
};

static struct head head_new(struct attend at, int T, int extra)
{
    int rows = T > at.S ? T : at.S;
    struct head h = { .at = at, .T = T, .stride = 2 * at.d + at.d_v + extra };

    h.qkv = random_floats((size_t)rows * (size_t)h.stride);
    return h;
}

static void head_pack(struct head *h)
{
    const struct attend *at = &h->at;

    h->packed = nan_floats((size_t)attention_packed(at->S, at->d, at->d_v));
    attention_pack(h->packed, h->qkv + at->d, h->stride, h->qkv + 2 * at->d, h->stride, at->S,
                   at->d, at->d_v);
}

static void head_free(struct head *h)
{
    free(h->qkv);
    free(h->packed);
}

static struct result result_new(const struct head *h)
{
    size_t T = (size_t)h->T;

    return (struct result){ nan_floats(T * (size_t)h->at.S), nan_floats(T * (size_t)h->at.d_v),
                            malloc(T * sizeof(double)) };
}

static void result_free(struct result *r)
{
    free(r->w);
    free(r->out);
    free(r->entropy);
}

static bool sees(const struct attend *at, int t, int s)
{
    int64_t own = (int64_t)t + at->offset;

    return (at->lo == INT_MAX || s >= own - at->lo) && (at->hi == INT_MAX || s <= own + at->hi);
}

/* A block of one row, in which keys and values are not packed, is that block to the bit. */
static void check_row(const struct head *h, const float *w, const float *out, double entropy,
                      int row)
{
    const struct attend *at = &h->at;
    struct attention_rows rows = { h->qkv + at->d, h->qkv + 2 * at->d, h->stride, h->stride };
    float *own_w = nan_floats(attention_stride(at->S)), *own = nan_floats((size_t)at->d_v);
    float *room = nan_floats(attention_row_room(at->d));
    double own_entropy;
    int key0, n_keys;

    attention_row(own_w, &key0, &n_keys, &own_entropy, own, h->qkv + (int64_t)row * h->stride,
                  &rows, at, row, room);
    for (int s = 0; s < n_keys; s++)
        kernel_same("w of one row", s, own_w[s], w[s]);
    for (int c = 0; c < at->d_v; c++)
        kernel_same("out of one row", c, own[c], out[c]);
    assert_memory_equal(&own_entropy, &entropy, sizeof entropy);
    free(own_w);
    free(own);
    free(room);
}

/* One block; checks what it says about keys. */
static void block(const struct head *h, struct result *r, int row0, int n)
{
    struct attend own = h->at, *at = &own;
    size_t stride = attention_stride(at->S);
    float *w = nan_floats((size_t)n * stride);
    int key0, n_keys, out_stride = at->d_v + 3;
    float *out = nan_floats((size_t)n * (size_t)out_stride);

    own.sink_weight = h->taken != NULL ? h->taken + row0 : NULL;

    attention_block(w, stride, &key0, &n_keys, r->entropy + row0, out, out_stride,
                    h->qkv + (int64_t)row0 * h->stride, h->stride, h->packed, at, row0, n);
    assert_true(key0 >= 0 && key0 % 32 == 0 && n_keys >= 0 && key0 + n_keys <= at->S);
    for (int t = 0; t < n; t++) {
        for (int s = 0; s < at->S; s++) {
            bool inside = s >= key0 && s < key0 + n_keys;

            assert_true(inside || !sees(at, row0 + t, s));
            r->w[(row0 + t) * at->S + s] = inside ? w[(size_t)t * stride + (size_t)(s - key0)] : 0;
        }
        memcpy(r->out + (row0 + t) * at->d_v, out + t * out_stride,
               (size_t)at->d_v * sizeof *out);
        for (int c = at->d_v; c < out_stride; c++)
            assert_true(isnan(out[t * out_stride + c]));
    }
    if (n == 1)
        check_row(h, w, out, r->entropy[row0], row0);
    free(w);
    free(out);
}

static struct result blocks(const struct head *h, int rows)
{
    struct result r = result_new(h);

    for (int row0 = 0; row0 < h->T; row0 += rows)
        block(h, &r, row0, h->T - row0 < rows ? h->T - row0 : rows);
    return r;
}

/* Columns [from, from + n) of the first rows of qkv, dense. */
static float *dense(const struct head *h, int from, int n, int rows)
{
    float *v = floats((size_t)(rows * n));

    for (int t = 0; t < rows; t++)
        memcpy(v + t * n, h->qkv + t * h->stride + from, (size_t)n * sizeof *v);
    return v;
}

static void check_entropy(const struct head *h, const struct result *r, int t)
{
    const float *w = r->w + t * h->at.S;
    double entropy = 0;
    int n = 0;

    for (int s = 0; s < h->at.S; s++) {
        entropy -= w[s] > 0 ? w[s] * log(w[s]) : 0;
        n += sees(&h->at, t, s);
    }
    kernel_near("entropy", t, r->entropy[t], entropy, 1e-6);
    if (n <= 1 && h->at.sink == NULL)
        assert_true(r->entropy[t] == 0 && !signbit(r->entropy[t]));
}

static void check_head(const struct head *h, const struct result *r)
{
    const struct attend *at = &h->at;
    float *q = dense(h, 0, at->d, h->T), *k = dense(h, at->d, at->d, at->S);
    float *v = dense(h, 2 * at->d, at->d_v, at->S);
    double *w = malloc((size_t)(h->T * at->S) * sizeof *w);
    double *out = malloc((size_t)(h->T * at->d_v) * sizeof *out);

    attention_reference(w, out, q, k, v, at, h->T);
    for (int t = 0; t < h->T; t++) {
        double sum = 0;
        bool any = false;

        for (int s = 0; s < at->S; s++) {
            kernel_near("w", t * at->S + s, r->w[t * at->S + s], w[t * at->S + s], TOLERANCE);
            sum += r->w[t * at->S + s];
            any = any || sees(at, t, s);
            if (!sees(at, t, s))
                kernel_same("hidden", s, r->w[t * at->S + s], 0);
        }
        if (at->sink == NULL)
            kernel_near("sum", t, sum, any ? 1 : 0, 5e-7);
        else
            kernel_near("sum", t, sum + h->taken[t], 1, 5e-7);
        for (int c = 0; c < at->d_v; c++)
            kernel_near("out", c, r->out[t * at->d_v + c], out[t * at->d_v + c], TOLERANCE);
        check_entropy(h, r, t);
    }
    free(q);
    free(k);
    free(v);
    free(w);
    free(out);
}

static const struct mask {
    int lo, hi, offset;
} masks[] = {
    { INT_MAX, INT_MAX, 0 },    /* encoder, cross */
    { INT_MAX, 0, 0 },          /* causal */
    { 5, 3, 0 }, { 0, 0, 0 }, { 40, 0, 0 }, { 17, 70, 0 },   /* windows */
    { INT_MAX, 0, 9 },          /* later rows of a causal text */
    { 2, 2, -50 }, { 3, 0, 60 } /* rows that see nothing */
};

enum { N_MASKS = sizeof masks / sizeof *masks };

static struct attend attend_of(int S, int d, int d_v, struct mask m)
{
    return (struct attend){ .S = S, .d = d, .d_v = d_v, .scale = 1 / sqrtf((float)d),
                            .lo = m.lo, .hi = m.hi, .offset = m.offset };
}

static void near_reference(void)
{
    static const int size[][2] = { { 1, 1 }, { 2, 2 }, { 7, 7 }, { 16, 16 }, { 20, 33 },
                                   { 33, 20 }, { 65, 65 }, { 100, 100 }, { 70, 131 } };
    static const int width[][2] = { { 6, 6 }, { 12, 12 }, { 14, 14 }, { 32, 32 }, { 64, 64 },
                                    { 1, 33 }, { 80, 50 } };

    for (int i = 0; i < 9; i++)             /* T, S */
        for (int j = 0; j < 7; j++)         /* d, d_v */
            for (int m = 0; m < N_MASKS; m++) {
                struct attend at = attend_of(size[i][1], width[j][0], width[j][1], masks[m]);
                struct head h = head_new(at, size[i][0], i + j);
                struct result r;

                if (m % 2 == 1)
                    h.at.scale = 2;         /* sharper rows */
                head_pack(&h);
                r = blocks(&h, ATTEND_ROWS);
                check_head(&h, &r);
                result_free(&r);
                head_free(&h);
            }
}

/* A score of no key: far below the others, among them, above them; a row that sees nothing is
 * all its own. */
static void sinks(void)
{
    static const float score[] = { -INFINITY, -60, -1, 0, 2, 60, 1e5f };

    for (size_t i = 0; i < sizeof score / sizeof *score; i++)
        for (int m = 0; m < N_MASKS; m++) {
            struct head h = head_new(attend_of(50, 12, 14, masks[m]), 50, 1);
            struct result r, one;

            h.at.sink = &score[i];
            h.taken = malloc((size_t)h.T * sizeof *h.taken);
            head_pack(&h);
            r = blocks(&h, ATTEND_ROWS);
            check_head(&h, &r);
            for (int t = 0; t < h.T; t++)
                if (i == 0 && r.entropy[t] > 0)
                    assert_true(h.taken[t] == 0);
            one = blocks(&h, 1);        /* and of rows by themselves, to the bit */
            for (int n = 0; n < h.T * h.at.S; n++)
                kernel_same("w", n, one.w[n], r.w[n]);
            assert_memory_equal(one.entropy, r.entropy, (size_t)h.T * sizeof(double));
            result_free(&r);
            result_free(&one);
            free(h.taken);
            head_free(&h);
        }
}

/* Longer than a block of the sums over keys. */
static void long_text(void)
{
    for (int m = 0; m < 5; m++) {
        struct head h = head_new(attend_of(1100, 8, 8, masks[m]), 1100, 0);
        struct result r;

        head_pack(&h);
        r = blocks(&h, ATTEND_ROWS);
        check_head(&h, &r);
        result_free(&r);
        head_free(&h);
    }
}

/* Any height of the block, and the text elsewhere in a wider matrix. */
static void same_bytes(void)
{
    static const int size[] = { 1, 17, 48, 131 };
    static const int height[] = { 1, 5, 14, 31 };

    for (int i = 0; i < 4; i++)
        for (int m = 0; m < N_MASKS; m++) {
            int S = size[i], d = i % 2 == 1 ? 32 : 10 + 6 * i;
            struct head h = head_new(attend_of(S, d, d, masks[m]), S, 0);
            struct head wide = head_new(h.at, S + 3, 41);
            struct result want, got;

            for (int t = 0; t < S; t++)
                memcpy(wide.qkv + (t + 3) * wide.stride + 7, h.qkv + t * h.stride,
                       (size_t)h.stride * sizeof(float));
            head_pack(&h);
            want = blocks(&h, ATTEND_ROWS);
            for (int j = 0; j < 5; j++) {
                struct head moved = j < 4 ? h : wide;

                if (j == 4) {
                    moved.T = S;
                    moved.qkv += 3 * wide.stride + 7;
                    head_pack(&moved);
                }
                got = blocks(&moved, j < 4 ? height[j] : ATTEND_ROWS);
                for (int n = 0; n < S * S; n++)
                    kernel_same("w", n, got.w[n], want.w[n]);
                for (int n = 0; n < S * d; n++)
                    kernel_same("out", n, got.out[n], want.out[n]);
                assert_memory_equal(got.entropy, want.entropy, (size_t)S * sizeof(double));
                result_free(&got);
                if (j == 4)
                    free(moved.packed);
            }
            result_free(&want);
            head_free(&h);
            free(wide.qkv);
        }
}

/* A causal row is the row of the text that ends there. */
static void prefix_is_the_same(void)
{
    enum { S = 75, D = 16 };
    struct head h = head_new(attend_of(S, D, D, masks[1]), S, 0);
    struct result want;

    head_pack(&h);
    want = blocks(&h, ATTEND_ROWS);
    for (int n = 1; n < S; n++) {
        struct head part = h;
        struct result got;

        part.at.S = part.T = n;
        head_pack(&part);
        got = blocks(&part, ATTEND_ROWS);
        for (int s = 0; s < n; s++)
            kernel_same("w", s, got.w[(n - 1) * n + s], want.w[(n - 1) * S + s]);
        for (int c = 0; c < D; c++)
            kernel_same("out", c, got.out[(n - 1) * D + c], want.out[(n - 1) * D + c]);
        assert_true(got.entropy[n - 1] == want.entropy[n - 1]);
        result_free(&got);
        free(part.packed);
    }
    result_free(&want);
    head_free(&h);
}

/* Products that vanish must not leave a -0 in one block and a +0 in another. */
static void signs_of_zero(void)
{
    struct head h = head_new(attend_of(40, 1, 2, masks[1]), 40, 0);
    struct result a, b;

    for (int s = 0; s < 40; s++) {
        h.qkv[s * h.stride + 2] = s % 2 == 0 ? -0x1p-149f : 0x1p-149f;
        h.qkv[s * h.stride + 3] = s < 20 ? -0.0f : 0.0f;
    }
    head_pack(&h);
    a = blocks(&h, ATTEND_ROWS);
    b = blocks(&h, 1);
    for (int i = 0; i < 80; i++)
        kernel_same("out", i, a.out[i], b.out[i]);
    result_free(&a);
    result_free(&b);
    head_free(&h);
}

/* Rows from nearly uniform to one key that takes all. */
static void sharp_rows(void)
{
    for (float scale = 1e-3f; scale < 1e4f; scale *= 3) {
        struct head h = head_new(attend_of(50, 8, 8, masks[0]), 50, 0);
        struct result r;

        /* Scores are small whole numbers times the scale, so they are exact. */
        for (int i = 0; i < 50 * h.stride; i++)
            h.qkv[i] = rintf(h.qkv[i] * 4);
        h.at.scale = scale;
        head_pack(&h);
        r = blocks(&h, ATTEND_ROWS);
        for (int t = 0; t < 50; t++)
            check_entropy(&h, &r, t);
        result_free(&r);
        head_free(&h);
    }
}

static void check_nan_row(const struct head *h, const struct result *r, int t, bool is_nan)
{
    const struct attend *at = &h->at;

    for (int s = 0; s < at->S; s++)
        if (sees(at, t, s))
            assert_int_equal(isnan(r->w[t * at->S + s]) != 0, is_nan);
        else
            kernel_same("hidden", s, r->w[t * at->S + s], 0);
    assert_int_equal(isnan(r->entropy[t]) != 0, is_nan);
    for (int c = 0; c < at->d_v; c++)
        assert_int_equal(isnan(r->out[t * at->d_v + c]) != 0, is_nan);
}

/* Bad numbers reach every row that sees them, no other, and never end in weights. */
static void bad_numbers(void)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, 3e38f };
    enum { T = 70, D = 12, ROW = 41, KEY = 23 };

    for (int b = 0; b < 4; b++)
        for (int in_key = 0; in_key < 2; in_key++) {
            struct head h = head_new(attend_of(T, D, D, masks[1]), T, 0);
            struct result r;

            h.at.scale = 8;
            for (int c = 0; c < D && b == 3; c++)   /* q.k overflows */
                for (int t = 0; t < T; t++)
                    h.qkv[t * h.stride + (in_key ? 0 : D) + c] = 4;
            for (int c = 0; c < (b == 3 ? D : 1); c++)
                h.qkv[(in_key ? KEY : ROW) * h.stride + (in_key ? D : 0) + c] = bad[b];
            head_pack(&h);
            r = blocks(&h, ATTEND_ROWS);
            for (int t = 0; t < T; t++)
                check_nan_row(&h, &r, t, in_key ? t >= KEY : t == ROW);
            result_free(&r);
            head_free(&h);
        }
}

static void nan_value_spoils_out_only(void)
{
    enum { T = 40, D = 8 };
    struct head h = head_new(attend_of(T, D, D, masks[0]), T, 0);
    struct result r;

    h.qkv[20 * h.stride + 2 * D + 3] = NAN;
    head_pack(&h);
    r = blocks(&h, ATTEND_ROWS);
    for (int t = 0; t < T; t++) {
        assert_true(isfinite(r.entropy[t]));
        for (int c = 0; c < D; c++)
            assert_int_equal(isnan(r.out[t * D + c]) != 0, c == 3);
    }
    result_free(&r);
    head_free(&h);
}

/* By hand: two keys, scores 0 and ln 3 give weights 1/4 and 3/4. */
static void by_hand(void)
{
    struct head h = head_new(attend_of(2, 1, 1, masks[0]), 1, 0);
    struct result r;

    h.at.scale = 1;
    memcpy(h.qkv, (float[]){ 1, 0, 8, 0, 1.09861229f, 4 }, 6 * sizeof(float));
    head_pack(&h);
    r = blocks(&h, ATTEND_ROWS);
    kernel_near("w", 0, r.w[0], 0.25, 1e-7);
    kernel_near("w", 1, r.w[1], 0.75, 1e-7);
    kernel_near("out", 0, r.out[0], 5, 1e-6);
    kernel_near("entropy", 0, r.entropy[0], 0.5623351446188083, 2e-7);
    result_free(&r);
    head_free(&h);
}

/* Only weights: nothing is written for what is not wanted. */
static void parts_are_optional(void)
{
    enum { T = 10, D = 4 };
    struct head h = head_new(attend_of(T, D, D, masks[0]), T, 0);
    struct result r;
    float *w = nan_floats(T * attention_stride(T));
    int key0, n_keys;

    head_pack(&h);
    r = blocks(&h, ATTEND_ROWS);
    attention_block(w, attention_stride(T), &key0, &n_keys, NULL, NULL, 0, h.qkv, h.stride,
                    h.packed, &h.at, 0, T);
    for (int i = 0; i < T * T; i++)
        kernel_same("w", i, w[(size_t)(i / T) * attention_stride(T) + (size_t)(i % T)], r.w[i]);
    result_free(&r);
    head_free(&h);
    free(w);
}

KERNEL_TEST(near_reference)
KERNEL_TEST(sinks)
KERNEL_TEST(long_text)
KERNEL_TEST(same_bytes)
KERNEL_TEST(prefix_is_the_same)
KERNEL_TEST(signs_of_zero)
KERNEL_TEST(sharp_rows)
KERNEL_TEST(bad_numbers)
KERNEL_TEST(nan_value_spoils_out_only)
KERNEL_TEST(by_hand)
KERNEL_TEST(parts_are_optional)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_reference), cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_prefix_is_the_same),
        cmocka_unit_test(test_signs_of_zero), cmocka_unit_test(test_sharp_rows),
        cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_nan_value_spoils_out_only),
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_parts_are_optional),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
