/* SPDX-License-Identifier: MIT
 * Masks that fit a text, or do not: what is said, and of how many texts it is. */
#include "check.h"

#include <string.h>

#include "run/mask.h"

enum { T = 3, S = 4, H = 2 };

/* An array of zeros of this shape, checked for text number `text`. */
static int check(int64_t n_batch, int64_t n_heads, int64_t t, int64_t s, int64_t text,
                 struct err *e)
{
    static const float zeros[4 * 4 * 8 * 8];
    struct mask_values values = { .x = zeros };
    const struct mask_array array = { .name = "a.npy", .shape = "[..]", .values = &values,
                                      .n_batch = n_batch, .n_heads = n_heads, .T = t, .S = s };
    const struct mask m = { .name = "mask", .n_arrays = 1, .array = &array,
                            .hidden_score = -INFINITY };

    *e = (struct err){ ERR_NONE, "", ERR_OF_ONE };
    return mask_check(&m, text, T, S, false, H, e);
}

static void fits(int64_t n_batch, int64_t n_heads, int64_t t, int64_t text)
{
    struct err e;

    if (check(n_batch, n_heads, t, S, text, &e) != 0)
        fail_msg("[%lld,%lld,%lld]: %s", (long long)n_batch, (long long)n_heads, (long long)t,
                 e.msg);
}

static void refused(int64_t n_batch, int64_t n_heads, int64_t t, int64_t s, int64_t text,
                    enum err_reach reach, const char *want)
{
    struct err e;

    assert_int_equal(check(n_batch, n_heads, t, s, text, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_int_equal(e.reach, reach);
    if (strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

/* Another length may fit another text; another number of heads fits none. */
static void shapes(void **state)
{
    static const char shape[] = "a.npy: the mask has the shape [..], expected [3,4], [2,3,4]";

    (void)state;
    fits(1, 1, T, 7);
    fits(1, H, T, 7);
    fits(1, 1, 1, 7);
    fits(2, H, T, 1);
    refused(1, 1, T + 1, S, 0, ERR_OF_MANY, shape);
    refused(1, 1, T, S + 1, 0, ERR_OF_MANY, shape);
    refused(1, H, T, S - 1, 0, ERR_OF_MANY, shape);
    refused(1, H + 1, T, S, 0, ERR_OF_ALL, shape);
    refused(1, H + 1, T, S + 1, 0, ERR_OF_ALL, shape);
    refused(2, 1, T, S, 2, ERR_OF_ALL, "for 2 texts, and this is number 3");
}

/* hidden[T, S] of one head as text, 1: hidden. */
static void check_hidden(const struct mask *m, int head, const char *want)
{
    const struct mask_view view = { m, 0, head, S };
    unsigned char hidden[T * 6];
    char got[T * S + 1];

    memset(hidden, 0, sizeof hidden);
    mask_hide(&view, hidden, 6, 0, T, 0, S);
    for (int i = 0; i < T * S; i++)
        got[i] = (char)('0' + hidden[i / S * 6 + i % S]);
    got[T * S] = '\0';
    assert_string_equal(got, want);
}

/* Each part hides what it hides, together all of it; by head where the array has heads. */
static void parts(void **state)
{
    static const struct mask_block block[] = { { 0, 1, 2, 2 }, { 2, 2, 0, 1 } };
    float x[H * T * S] = { 0 };
    struct mask_values values = { .x = x };
    const struct mask_array array = { .name = "a", .shape = "", .values = &values,
                                      .n_batch = 1, .n_heads = H, .T = T, .S = S };
    struct mask m = { .name = "mask", .hidden_score = -INFINITY };
    struct err e = { ERR_NONE, "" };

    (void)state;
    check_hidden(&m, 0, "000000000000");
    assert_false(mask_adds(&m) || mask_is_causal(&m) || mask_is_by_head(&m));
    m.causal = true;
    check_hidden(&m, 1, "011100110001");
    assert_true(mask_hides(&m) && mask_is_causal(&m));
    m.n_padding = 1;
    check_hidden(&m, 0, "011100110001");
    assert_false(mask_is_causal(&m));
    m.causal = false;
    check_hidden(&m, 0, "000100010001");
    m.n_padding = 0;
    m.n_blocks = 2;
    m.block = block;
    check_hidden(&m, 0, "001000101100");
    m.n_arrays = 1;
    m.array = &array;
    x[T * S + 1] = -INFINITY;
    check_hidden(&m, 0, "001000101100");
    check_hidden(&m, 1, "011000101100");
    assert_true(mask_is_by_head(&m));
    assert_int_equal(mask_check(&m, 0, T, S, false, H, &e), 0);
    m.hidden_score = -3;        /* the scores of hidden keys become this instead */
    assert_true(mask_adds(&m) && !mask_hides(&m));
}

/* What would leave nothing, or lies beyond the text */
static void beyond(void **state)
{
    static const struct mask_block all = { 0, T - 1, 0, S - 1 }, far = { 0, T, 0, 0 };
    static const struct mask_block wide = { 0, 0, 0, S };
    struct mask m = { .name = "mask", .n_padding = S, .hidden_score = -INFINITY };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_int_equal(mask_check(&m, 0, T, S, false, H, &e), -1);
    assert_string_equal(e.msg, "mask: hides 4 keys, the text has 4");
    assert_int_equal(mask_check(&m, 0, T, S, true, H, &e), 0);
    m.n_padding = S + 1;
    assert_int_equal(mask_check(&m, 0, T, S, true, H, &e), -1);
    m.n_padding = 0;
    m.n_blocks = 1;
    m.block = &all;
    assert_int_equal(mask_check(&m, 0, T, S, false, H, &e), -1);
    assert_string_equal(e.msg, "mask: hides all keys from all queries");
    assert_int_equal(mask_check(&m, 0, T, S, true, H, &e), 0);
    m.block = &far;
    assert_int_equal(mask_check(&m, 0, T, S, false, H, &e), -1);
    assert_string_equal(e.msg, "mask: queries 0-3, keys 0-0: the text has queries 0 to 2, "
                        "keys 0 to 3");
    m.block = &wide;
    assert_int_equal(mask_check(&m, 0, T, S, false, H, &e), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes), cmocka_unit_test(parts), cmocka_unit_test(beyond),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
