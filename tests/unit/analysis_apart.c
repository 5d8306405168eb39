/* SPDX-License-Identifier: MIT
 * Means of distances between heads, and what goes by them.  tests/cli/summary.bats compares those
 * of texts with NumPy's. */
#include "check.h"

#include <math.h>

#include "analysis/apart.h"

enum { HEADS = 3 };

static struct arena arena;

/* A text: js[n, n] of those of the heads that are said something of, one after the other. */
static void add(struct apart *s, const bool seen[HEADS], double *js, int n)
{
    struct stats_list list[HEADS];
    const struct stats_list *all[HEADS];
    int at = 0;

    for (int x = 0; x < HEADS; x++) {
        list[x] = seen[x] ? (struct stats_list){ js + n * at++, n } :
                            (struct stats_list){ NULL, -1 };
        all[x] = &list[x];
    }
    apart_add(s, all);
}

static double js_of(const struct apart_mean *m, int x, int y)
{
    return m->js[m->index[x] * m->n + m->index[y]];
}

/* Of two texts: both say something of heads 0 and 2, which are 1/4 and 3/4 apart in them. */
static void means(void **state)
{
    static const bool every[HEADS] = { true, true, true }, some[HEADS] = { true, false, true };
    double first[] = { 0, 0.5, 0.25, 0.5, 0, 0.125, 0.25, 0.125, 0 };
    double second[] = { 0, 0.75, 0.75, 0 };
    struct apart *s = apart_new(&arena, HEADS);
    struct apart_mean m;

    (void)state;
    add(s, every, first, 3);
    add(s, some, second, 2);
    m = apart_mean(s, 2, &arena, NULL);
    assert_int_equal(m.n, 3);
    check_close(js_of(&m, 0, 2), 0.5, 0);
    check_close(js_of(&m, 2, 0), 0.5, 0);
    check_close(js_of(&m, 0, 1), 0.5, 0);
    check_close(js_of(&m, 1, 2), 0.125, 0);
    check_close(js_of(&m, 1, 1), 0, 0);
    check_close(apart_cluster(&m, 0), 0, 0);
    check_close(apart_cluster(&m, 1), 1, 0);
    check_close(apart_cluster(&m, 2), 1, 0);
}

/* The mean of places is not the place by the mean: of two texts that put head 1 now beside head
 * 0, now beside head 2, the mean has it as far from both. */
static void places(void **state)
{
    static const bool every[HEADS] = { true, true, true };
    double near_0[] = { 0, 0.0625, 0.5625, 0.0625, 0, 0.5625, 0.5625, 0.5625, 0 };
    double near_2[] = { 0, 0.5625, 0.5625, 0.5625, 0, 0.0625, 0.5625, 0.0625, 0 };
    struct apart *s = apart_new(&arena, HEADS);
    struct apart_mean m;

    (void)state;
    add(s, every, near_0, 3);
    add(s, every, near_2, 3);
    m = apart_mean(s, 0, &arena, NULL);
    assert_null(m.cluster);
    for (int i = 0; i < HEADS; i++)
        for (int k = 0; k < HEADS; k++)
            check_near("squared", HEADS * i + k,
                       pow(m.place[2 * i] - m.place[2 * k], 2) +
                           pow(m.place[2 * i + 1] - m.place[2 * k + 1], 2),
                       i == k ? 0 : i + k == 2 ? 0.5625 : 0.3125, 1e-12);
}

/* Heads that no text sees have no place; two that no text sees together leave all without. */
static void undefined(void **state)
{
    static const bool first[HEADS] = { true, false, true }, second[HEADS] = { true, true, false };
    double js[] = { 0, 0.5, 0.5, 0 }, apart[] = { 0, NAN, NAN, 0 };
    struct apart *s = apart_new(&arena, HEADS);
    struct apart_mean m = apart_mean(s, 2, &arena, NULL);

    (void)state;
    assert_int_equal(m.n, 0);
    assert_null(m.place);
    add(s, first, js, 2);
    m = apart_mean(s, 2, &arena, NULL);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.index[1], -1);
    assert_int_equal(m.index[2], 1);
    assert_true(isnan(apart_cluster(&m, 1)));
    check_close(apart_cluster(&m, 2), 1, 0);
    add(s, second, apart, 2);
    m = apart_mean(s, 2, &arena, NULL);
    assert_int_equal(m.n, 3);
    assert_true(isnan(js_of(&m, 1, 2)));
    assert_true(isnan(js_of(&m, 0, 1)));
    check_close(js_of(&m, 0, 2), 0.5, 0);
    assert_null(m.place);
    assert_true(isnan(apart_cluster(&m, 0)));
}

/* Sums of two parts are those of the whole; sums that no divergence adds up to are refused. */
static void words(void **state)
{
    static const bool every[HEADS] = { true, true, true };
    double js[] = { 0, 0.3, 0.2, 0.3, 0, 0.1, 0.2, 0.1, 0 };
    uint64_t *word = arena_alloc(&arena, apart_n_words(HEADS), sizeof *word);
    struct apart *s = apart_new(&arena, HEADS), *whole = apart_new(&arena, HEADS);
    struct words put = { .to = word }, take = { .from = word }, again = { .from = word };

    (void)state;
    add(s, every, js, 3);
    add(whole, every, js, 3);
    apart_words(&put, s);
    assert_int_equal(put.n, apart_n_words(HEADS));
    apart_words(&take, whole);
    assert_false(take.impossible);
    check_close(apart_mean(whole, 0, &arena, NULL).js[1], 0.3, 1e-18);
    word[0] = 5;                /* of head 0 and itself, in a text */
    apart_words(&again, apart_new(&arena, HEADS));
    assert_true(again.impossible);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means), cmocka_unit_test(places), cmocka_unit_test(undefined),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
