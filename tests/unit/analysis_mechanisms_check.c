/* SPDX-License-Identifier: MIT
 * Queries, keys, values and outputs of which one number is not finite: it is named. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "analysis/mechanisms_check.h"

/* Three rows of two heads of queries, and of one head of keys and values. */
enum { T = 3, H = 2, D = 2, Q_STRIDE = 5, KV_STRIDE = 7 };

static const int q_at[] = { 0, D }, k_at[] = { 1 }, v_at[] = { 4 };
static const struct attend at[] = { { .d = D, .d_v = D }, { .d = D, .d_v = D } };
static const struct model model = { .name = "m", .config = { .d_model = 4 }, .d_hidden = 4 };

static float q[T * Q_STRIDE], kv[T * KV_STRIDE];
static const struct qkv_view view = {
    .layer = 6, .T = T, .S = T, .H = H, .G = 1, .q = q, .kv = kv, .q_stride = Q_STRIDE,
    .kv_stride = KV_STRIDE, .q_at = q_at, .k_at = k_at, .v_at = v_at, .at = at,
};

/* One number of x is NaN, or infinite, for a moment: what is said of it, "" if nothing is. */
static const char *said_of(float *x, float bad)
{
    static struct err e;
    float before = *x;
    int rc;

    e = (struct err){ ERR_NONE, "" };
    *x = bad;
    rc = mechanisms_check_view(&model, &view, &e);
    *x = before;
    assert_int_equal(rc, e.msg[0] == '\0' ? 0 : -1);
    return e.msg;
}

static void check_said(const char *said, const char *what, int head, int row)
{
    char want[80];

    snprintf(want, sizeof want, "m: layer 6, head %d: the %s of row %d is not finite: ", head,
             what, row);
    if (strncmp(said, want, strlen(want)) != 0)
        fail_msg("\"%s\", expected \"%s\"", said, want);
}

static void queries_keys_and_values(void **state)
{
    (void)state;
    for (int i = 0; i < T; i++) {
        for (int c = 0; c < Q_STRIDE; c++) {
            const char *said = said_of(&q[i * Q_STRIDE + c], NAN);

            if (c < H * D)
                check_said(said, "query", c / D, i);
            else
                assert_string_equal(said, "");
        }
        for (int c = 0; c < KV_STRIDE; c++) {
            const char *said = said_of(&kv[i * KV_STRIDE + c], -INFINITY);

            if (c == 1 || c == 2)
                check_said(said, "key", 0, i);
            else if (c == 4 || c == 5)
                check_said(said, "value", 0, i);
            else
                assert_string_equal(said, "");
        }
    }
}

/* Where the heads' outputs are finite and what is projected from them is not */
static void outputs(void **state)
{
    float z[T * H * D] = { 0 }, out[T * 4] = { 0 };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_int_equal(mechanisms_check_output(&model, &view, z, out, 4, &e), 0);
    for (int i = 0; i < T * 4; i++) {
        char want[40];

        out[i] = INFINITY;
        snprintf(want, sizeof want, "the output of row %d after", i / 4);
        assert_int_equal(mechanisms_check_output(&model, &view, z, out, 4, &e), -1);
        assert_non_null(strstr(e.msg, want));
        z[i] = NAN;             /* found before */
        assert_int_equal(mechanisms_check_output(&model, &view, z, out, 4, &e), 0);
        z[i] = out[i] = 0;
    }
}

static void hidden_states(void **state)
{
    float x[T * 4] = { 0 };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_int_equal(mechanisms_check_hidden(&model, x, T, &e), 0);
    for (int i = 0; i < T * 4; i++) {
        char want[60];

        x[i] = NAN;
        snprintf(want, sizeof want, "m: the last hidden state of token %d is not", i / 4);
        assert_int_equal(mechanisms_check_hidden(&model, x, T, &e), -1);
        assert_memory_equal(e.msg, want, strlen(want));
        x[i] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_keys_and_values), cmocka_unit_test(outputs),
        cmocka_unit_test(hidden_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
