/* SPDX-License-Identifier: MIT
 * Biases by position: values worked out by hand, and the block against the reference. */
#include "check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "nn/attention.h"
#include "nn/bias.h"
#include "nn/nn.h"
#include "nn/visible.h"

static void slopes(void **state)
{
    float s[8];

    (void)state;
    bias_alibi_slopes(s, 8, false);
    for (int h = 0; h < 8; h++)
        assert_true(s[h] == ldexpf(1, -(h + 1)));
    /* 6 heads: four of 2^-2, 2^-4, .., then 2^-1 and 2^-3 of the finer series */
    bias_alibi_slopes(s, 6, false);
    for (int h = 0; h < 4; h++)
        assert_true(s[h] == ldexpf(1, -2 * (h + 1)));
    assert_true(s[4] == 0.5f && s[5] == 0.125f);
    /* of 8 powers the even ones, then the odd ones */
    bias_alibi_slopes(s, 6, true);
    for (int h = 0; h < 4; h++)
        assert_true(s[h] == ldexpf(1, -2 * (h + 1)));
    assert_true(s[4] == 0.5f && s[5] == 0.125f);
    bias_alibi_slopes(s, 5, true);
    assert_true(s[3] == ldexpf(1, -8) && s[4] == 0.5f);
    bias_alibi_slopes(s, 8, true);
    for (int h = 0; h < 8; h++)
        assert_true(s[h] == ldexpf(1, -(h + 1)));
}

/* T5's table for 32 buckets up to 128: 16 exact, then by logarithm. */
static void buckets(void **state)
{
    (void)state;
    assert_int_equal(bias_bucket(0, false, 32, 128), 0);
    assert_int_equal(bias_bucket(-15, false, 32, 128), 15);
    assert_int_equal(bias_bucket(-16, false, 32, 128), 16);
    /* 16 + floor(ln(32 / 16) / ln(128 / 16) * 16) = 16 + 5 */
    assert_int_equal(bias_bucket(-32, false, 32, 128), 21);
    assert_int_equal(bias_bucket(-1000, false, 32, 128), 31);
    assert_int_equal(bias_bucket(5, false, 32, 128), 0);
    assert_int_equal(bias_bucket(5, true, 32, 128), 16 + 5);
    assert_int_equal(bias_bucket(-5, true, 32, 128), 5);
    assert_int_equal(bias_bucket(-8, true, 32, 128), 8);
    assert_int_equal(bias_bucket(1000, true, 32, 128), 31);
}

static float noise(void)
{
    return (float)rand() / (float)RAND_MAX * 2 - 1;
}

/* Within 2e-6: scores here stay below 8, and a score's error is 1e-7 of that. */
/* hidden [T, T], or NULL. */
static void check_block(struct attend at, int T, const unsigned char *hidden)
{
    enum { D = 12 };
    float *q = calloc((size_t)T * D, 4), *k = calloc((size_t)T * D, 4);
    float *v = calloc((size_t)T * D, 4), *out = calloc((size_t)T * D, 4);
    size_t stride = attention_stride(T);
    float *w = aligned_alloc(64, ATTEND_ROWS * stride * 4);
    float *packed = aligned_alloc(64, ((size_t)attention_packed(T, D, D) * 4 + 63) / 64 * 64);
    double *want = calloc((size_t)T * (size_t)T, 8), *want_out = calloc((size_t)T * D, 8);

    at.S = T;
    at.d = at.d_v = D;
    for (int i = 0; i < T * D; i++) {
        q[i] = 3 * noise();
        k[i] = noise();
        v[i] = noise();
    }
    at.hidden = hidden;
    at.hidden_stride = (size_t)T;
    attention_reference(want, want_out, q, k, v, &at, T);
    attention_pack(packed, k, D, v, D, T, D, D);
    for (int row0 = 0; row0 < T; row0 += ATTEND_ROWS) {
        int n = T - row0 < ATTEND_ROWS ? T - row0 : ATTEND_ROWS, key0, n_keys;

        key0 = (int)visible_keys(&at, row0, n).first;
        if (hidden != NULL)
            at.hidden = hidden + row0 * T + key0;
        attention_block(w, stride, &key0, &n_keys, NULL, out + row0 * D, D, q + row0 * D, D,
                        packed, &at, row0, n);
        for (int t = 0; t < n; t++)
            check_doubles("a row's weights", w + (size_t)t * stride,
                          want + (row0 + t) * T + key0, n_keys, 2e-6);
    }
    check_doubles("out", out, want_out, T * D, 1e-5);
    free(q), free(k), free(v), free(out), free(w), free(packed), free(want), free(want_out);
}

/* Keys hidden one by one; row 3 sees none, row 40 only the last. */
static void hidden(void **state)
{
    enum { T = 90 };
    unsigned char *hide = calloc(T, T);
    struct attend at = { .scale = 0.3f, .lo = INT_MAX, .hi = INT_MAX };

    (void)state;
    for (int i = 0; i < T * T; i++)
        hide[i] = i / T == 3 || rand() % 3 == 0 ? 1 : 0;
    memset(hide + 40 * T, 1, T - 1);
    hide[40 * T + T - 1] = 0;
    for (int k = 0; k < N_KERNEL; k++) {
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) != 0)
            continue;
        at.lo = at.hi = INT_MAX;
        check_block(at, T, hide);
        at.hi = 0;
        check_block(at, T, hide);
        at.lo = 7;
        check_block(at, T, hide);
    }
    free(hide);
}

static void blocks(void **state)
{
    static const float values[32] = { 0.5f, -1, 2, 0.25f, [31] = -0.75f, [17] = 1.5f };
    const struct bias_alibi alibi = { 0.125f, false, 1 };
    const struct bias_buckets both = { values, 32, 128, true };
    const struct attend plain = { .scale = 0.3f, .lo = INT_MAX, .hi = INT_MAX };
    struct attend at = plain;

    (void)state;
    for (int k = 0; k < N_KERNEL; k++) {
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) != 0)
            continue;
        at = plain;
        at.cap = 2;
        check_block(at, 45, NULL);
        at.term[0] = (struct score_term){ bias_alibi, &alibi };
        at.cap = 0;
        at.hi = 0;
        check_block(at, 70, NULL);
        at.term[0] = (struct score_term){ bias_buckets, &both };
        at.hi = INT_MAX;
        at.cap = 3;
        check_block(at, 70, NULL);
        at.lo = at.hi = 9;
        check_block(at, 200, NULL);
    }
}

/* Two keys that stand four times: rows 1 and 2 give each of them four shares. */
static void copies(void **state)
{
    const struct bias_copies b = { .first = 1, .end = 3, .n_keys = 2, .copies = 4 };
    float score[4][3] = { { 0 } };
    struct attend at = { .scale = 0.3f, .lo = INT_MAX, .hi = INT_MAX,
                         .term = { { bias_copies, &b } } };

    (void)state;
    bias_copies(&b, score[0], 3, 0, 4, 0, 3);
    for (int t = 0; t < 4; t++)
        for (int j = 0; j < 3; j++)
            assert_true(score[t][j] == ((t == 1 || t == 2) && j < 2 ? logf(4) : 0));
    memset(score, 0, sizeof score);
    bias_copies(&b, score[0], 3, 2, 4, 1, 3);       /* rows 2 to 5, keys 1 to 3 */
    for (int t = 0; t < 4; t++)
        for (int j = 0; j < 3; j++)
            assert_true(score[t][j] == (t == 0 && j == 0 ? logf(4) : 0));
    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            check_block(at, 40, NULL);
}

/* Six places in two rows of three after a first position: rows 1 to 4 of keys 0 to 5. */
static void grid(void **state)
{
    float value[3 * 5 + 3], score[4][6] = { { 0 } }, all[7][7] = { { 0 } };
    const struct bias_grid b = { value, 2, 3 };
    struct attend at = { .scale = 0.3f, .lo = INT_MAX, .hi = INT_MAX };

    (void)state;
    for (int i = 0; i < 18; i++)
        value[i] = (float)i;
    bias_grid(&b, all[0], 7, 0, 7, 0, 7);
    assert_true(all[0][0] == 17 && all[0][1] == 15 && all[0][6] == 15);
    assert_true(all[1][0] == 16 && all[6][0] == 16);
    /* Places (0,0) and (1,2): down and right by -1, -2; the other way by 1, 2. */
    assert_true(all[1][1] == 7 && all[1][6] == 0 && all[6][1] == 14);
    assert_true(all[2][1] == 8 && all[1][2] == 6 && all[4][1] == 12 && all[3][4] == 4);
    bias_grid(&b, score[0], 6, 1, 4, 0, 6);
    for (int t = 0; t < 4; t++)
        for (int j = 0; j < 6; j++)
            assert_true(score[t][j] == all[1 + t][j]);
    at.term[0] = (struct score_term){ bias_grid, &b };
    for (int i = 0; i < 18; i++)
        value[i] = noise();
    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            check_block(at, 7, NULL);
}

/* Values of compute_relative_buckets of transformers' modeling_prophetnet.py; and each row's own
 * values by bucket, of every second head. */
static void buckets_of_rows(void **state)
{
    static const int back[] = { 0, 1, 15, 16, 17, 19, 20, 31, 32, 64, 100, 113, 120, 511 };
    static const int want[] = { 0, 1, 15, 16, 16, 17, 17, 21, 21, 26, 30, 31, 31, 31 };
    static const int small[] = { 0, 1, 2, 3, 4, 5, 5 };
    float value[9 * 12], all[9][9] = { { 0 } }, part[2][4] = { { 0 } };
    int bucket[9];
    const struct bias_rows b = { value + 1, 12, 2, 0, bucket };
    struct attend at = { .scale = 0.3f, .lo = INT_MAX, .hi = 0 };

    (void)state;
    for (int i = 0; i < (int)(sizeof back / sizeof *back); i++)
        assert_int_equal(bias_bucket_of_sum(back[i], 32, 128), want[i]);
    for (int i = 0; i < 7; i++)
        assert_int_equal(bias_bucket_of_sum(i, 6, 5), small[i]);
    for (int i = 0; i < 9; i++)
        bucket[i] = bias_bucket_of_sum(i, 6, 5);
    for (int i = 0; i < 9 * 12; i++)
        value[i] = noise();
    bias_rows(&b, all[0], 9, 0, 9, 0, 9);
    for (int t = 0; t < 9; t++)
        for (int j = 0; j < 9; j++)
            assert_true(all[t][j] == value[t * 12 + 2 * bucket[t > j ? t - j : 0] + 1]);
    bias_rows(&(struct bias_rows){ value + 12 * 4 + 1, 12, 2, 4, bucket }, part[0], 4, 5, 2, 2, 4);
    for (int t = 0; t < 2; t++)
        for (int j = 0; j < 4; j++)
            assert_true(part[t][j] == all[5 + t][2 + j]);
    at.term[0] = (struct score_term){ bias_rows, &b };
    for (int k = 0; k < N_KERNEL; k++)
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) == 0)
            check_block(at, 9, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes), cmocka_unit_test(buckets), cmocka_unit_test(blocks),
        cmocka_unit_test(copies), cmocka_unit_test(grid), cmocka_unit_test(buckets_of_rows),
        cmocka_unit_test(hidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
