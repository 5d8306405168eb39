/* SPDX-License-Identifier: MIT
 * What layers that do not attend sum: a convolution over tokens and the gated delta rule, by
 * hand, and in parts of a text as in the whole. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "nn/delta.h"
#include "nn/lookback.h"

enum { T = 7, C = 3, TAPS = 4, KEYS = 3, VALUES = 2 };

static float number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

static void fill(float *x, int n, unsigned seed)
{
    for (int i = 0; i < n; i++)
        x[i] = number(&seed);
}

/* Two channels, two taps: y[t] = w[0] x[t - 1] + w[1] x[t] + bias. */
static void taps_by_hand(void **state)
{
    const float x[] = { 1, 10, 2, 20, 3, 30 }, w[] = { 2, 1, 1, -1 }, bias[] = { 0.5f, 0 };
    const float before[] = { 4, 5 };
    float y[6] = { 0 };

    (void)state;
    lookback_rows(y, x, NULL, w, bias, 2, 2, 3, 0, 2);
    assert_true(y[0] == 1.5f && y[1] == -10 && y[2] == 4.5f && y[3] == -10 && y[4] == 7.5f &&
                y[5] == -10);
    lookback_rows(y, x, before, w, NULL, 2, 2, 3, 0, 1);
    assert_true(y[0] == 9 && y[1] == -10 && y[2] == 4);         /* the other channel stays */
}

/* One tap sees its token alone, and keeps nothing. */
static void one_tap(void **state)
{
    const float x[] = { 1, 2, 3 }, w[] = { 2 };
    float y[3], kept = 9;

    (void)state;
    lookback_rows(y, x, &kept, w, NULL, 1, 1, 3, 0, 1);
    lookback_keep(&kept, x, 1, 1, 3);
    assert_true(y[0] == 2 && y[1] == 4 && y[2] == 6 && kept == 9);
}

/* Wherever a text is cut, and cut again, also in parts shorter than what is kept. */
static void taps_in_parts(void **state)
{
    float x[T * C], w[TAPS * C], bias[C], whole[T * C], y[T * C];

    (void)state;
    fill(x, T * C, 1);
    fill(w, TAPS * C, 2);
    fill(bias, C, 3);
    lookback_rows(whole, x, NULL, w, bias, TAPS, C, T, 0, C);
    for (int first = 0; first <= T; first++)
        for (int second = first; second <= T; second++) {
            const int end[] = { first, second, T };
            float kept[(TAPS - 1) * C] = { 0 };

            for (int i = 0, at = 0; i < 3; at = end[i++]) {
                lookback_rows(y + at * C, x + at * C, kept, w, bias, TAPS, C, end[i] - at, 0, C);
                lookback_keep(kept, x + at * C, TAPS, C, end[i] - at);
            }
            assert_memory_equal(y, whole, sizeof y);
        }
}

struct rows {
    float q[T * KEYS], k[T * KEYS], v[T * VALUES], rates[T * 2];
};

static struct delta part_of(const struct rows *r, int at)
{
    return (struct delta){ .d_k = KEYS, .d_v = VALUES, .q = r->q + at * KEYS,
                           .k = r->k + at * KEYS, .v = r->v + at * VALUES, .stride = KEYS,
                           .v_stride = VALUES, .keep = r->rates + at * 2,
                           .learn = r->rates + at * 2 + 1, .rate_stride = 2 };
}

static void fill_rows(struct rows *r)
{
    fill(r->q, T * KEYS, 4);
    fill(r->k, T * KEYS, 5);
    fill(r->v, T * VALUES, 6);
    fill(r->rates, T * 2, 7);
    for (int i = 0; i < T * 2; i++)
        r->rates[i] = fabsf(r->rates[i]);
}

/* S = keep (I - learn k k^T) S + learn k v^T, in double. */
static void delta_by_definition(void **state)
{
    struct rows r;
    double S[KEYS][VALUES] = { { 0 } };
    float y[T * VALUES], memory[KEYS * VALUES] = { 0 }, room[VALUES];
    const struct delta all = part_of(&r, 0);

    (void)state;
    fill_rows(&r);
    delta_scan(y, VALUES, memory, room, &all, T);
    for (int t = 0; t < T; t++) {
        const float *k = r.k + t * KEYS, *v = r.v + t * VALUES;
        double keep = (double)r.rates[2 * t], learn = (double)r.rates[2 * t + 1];
        double next[KEYS][VALUES];

        for (int i = 0; i < KEYS; i++)
            for (int j = 0; j < VALUES; j++) {
                next[i][j] = keep * S[i][j] + learn * (double)k[i] * (double)v[j];
                for (int m = 0; m < KEYS; m++)
                    next[i][j] -= keep * learn * (double)k[i] * (double)k[m] * S[m][j];
            }
        memcpy(S, next, sizeof S);
        for (int j = 0; j < VALUES; j++) {
            double want = 0;

            for (int i = 0; i < KEYS; i++)
                want += S[i][j] * (double)r.q[t * KEYS + i];
            assert_true(fabs((double)y[t * VALUES + j] - want) < 1e-6);
        }
    }
}

static void delta_in_parts(void **state)
{
    struct rows r;
    float whole[T * VALUES], y[T * VALUES], room[VALUES];
    float memory[KEYS * VALUES] = { 0 };
    const struct delta all = part_of(&r, 0);

    (void)state;
    fill_rows(&r);
    delta_scan(whole, VALUES, memory, room, &all, T);
    for (int cut = 0; cut <= T; cut++) {
        const struct delta rest = part_of(&r, cut);
        float S[KEYS * VALUES] = { 0 };

        delta_scan(y, VALUES, S, room, &all, cut);
        delta_scan(y + cut * VALUES, VALUES, S, room, &rest, T - cut);
        assert_memory_equal(y, whole, sizeof y);
        assert_memory_equal(S, memory, sizeof S);
    }
}

static void units(void **state)
{
    float x[] = { 3, 4 }, zero[] = { 0, 0 };

    (void)state;
    delta_unit(x, 2, 0.5f);
    assert_true(fabsf(x[0] - 0.3f) < 1e-6f && fabsf(x[1] - 0.4f) < 1e-6f);
    delta_unit(zero, 2, 1);
    assert_true(zero[0] == 0 && zero[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taps_by_hand),     cmocka_unit_test(one_tap),
        cmocka_unit_test(taps_in_parts),    cmocka_unit_test(delta_by_definition),
        cmocka_unit_test(delta_in_parts),   cmocka_unit_test(units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
