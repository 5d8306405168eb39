/* SPDX-License-Identifier: MIT
 * The links of a head that are worth a line. */
#include "check.h"

#include "analysis/strong.h"
#include "model/model.h"

enum { N = 4, HEADS = 2 };

static const int places[N] = { 0, 1, 2, 3 };

/* Two heads of a layer see the same rows of weights [n_rows, N]. */
static struct strong_links found_beside(struct arena *a, struct strong_rule rule,
                                        const float *weight, const unsigned char *hidden,
                                        int n_rows, const double *taken)
{
    struct model m = { .config = { .n_layers = 2, .n_heads = HEADS } };
    bool layer[] = { false, true };
    struct wanted want = { .layer = layer };
    struct rows rows = { .layer = 1, .n_rows = n_rows, .n_keys = N, .stride = N,
                         .weight = weight, .hidden = hidden, .null_mass = taken };
    struct strong *strong;
    struct sink sink;

    rule.row = rule.row != NULL ? rule.row : places;
    rule.col = rule.col != NULL ? rule.col : places;
    rule.n_keys = N;
    strong = strong_new(a, &m, &want, &rule);
    sink = strong_sink(strong);
    for (rows.head = HEADS - 1; rows.head >= 0; rows.head--)
        sink.take(sink.self, &rows, 1);
    rows.layer = 0;                     /* which nobody asked for */
    rows.head = 0;
    sink.take(sink.self, &rows, 1);
    return strong_end(strong);
}

static struct strong_links found(struct arena *a, struct strong_rule rule, const float *weight,
                                 const unsigned char *hidden, int n_rows)
{
    return found_beside(a, rule, weight, hidden, n_rows, NULL);
}

static void check_link(const struct strong_link *link, int query, int key, int head, float weight)
{
    assert_int_equal(link->query, query);
    assert_int_equal(link->key, key);
    assert_int_equal(link->head, head);
    assert_float_equal(link->weight, weight, 0);
}

static void test_share(void **state)
{
    static const float weight[] = { 0.5f, 0.125f, 0.25f, 0.125f };
    static const struct { double share; int n; } want[] = {
        { 0.01, 1 }, { 0.5, 1 }, { 0.51, 2 }, { 0.75, 2 }, { 0.76, 3 }, { 0.9, 4 }, { 1.0, 4 },
    };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int i = 0; i < 7; i++) {
        struct strong_rule rule = { .share = want[i].share, .most = 100 };
        struct strong_links links = found(&a, rule, weight, NULL, 1);

        assert_int_equal(links.n, 2 * want[i].n);
        assert_int_equal(links.n_all, 2 * want[i].n);
        check_link(&links.link[links.n - 1], 0, 0, 0, 0.5f);    /* the strongest is last */
        check_link(&links.link[links.n - 2], 0, 0, 1, 0.5f);
    }
    arena_finish(&a);
}

/* Of equal weights the first key; what weighs nothing is no link. */
static void test_ties(void **state)
{
    static const float weight[] = { 0.25f, 0.25f, 0.25f, 0.25f, 0, 0.5f, 0, 0.5f };
    struct strong_rule rule = { .share = 0.5, .most = 100 };
    struct strong_links links;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    links = found(&a, rule, weight, NULL, 2);
    assert_int_equal(links.n, 6);
    check_link(&links.link[5], 1, 1, 0, 0.5f);
    check_link(&links.link[3], 0, 0, 0, 0.25f);
    check_link(&links.link[1], 0, 1, 0, 0.25f);
    rule.share = 1.0;
    assert_int_equal(found(&a, rule, weight, NULL, 2).n, 12);
    arena_finish(&a);
}

/* The share is that of what is shown: tokens that are left out do not count. */
static void test_left_out(void **state)
{
    static const float weight[] = { 0.5f, 0.25f, 0.125f, 0.125f, 1, 0, 0, 0 };
    static const unsigned char hidden[] = { 0, 0, 0, 1, 0, 0, 0, 0 };
    static const int row[] = { 1, -1, 0, 2 }, col[] = { -1, 0, 1, 2 };
    struct strong_rule rule = { .share = 0.6, .most = 100, .row = row, .col = col };
    struct strong_links links;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    links = found(&a, rule, weight, hidden, 2);
    assert_int_equal(links.n, 2);       /* 0.25 of 0.375 */
    check_link(&links.link[1], 1, 0, 0, 0.25f);
    rule.least = 0.25f;
    rule.share = 1.0;
    assert_int_equal(found(&a, rule, weight, hidden, 2).n, 2);
    rule.least = 0.26f;
    assert_int_equal(found(&a, rule, weight, hidden, 2).n, 0);
    arena_finish(&a);
}

/* What a sink takes is a link as those to keys, or where it has no place, no part of the row. */
static void test_sink(void **state)
{
    static const float weight[] = { 0.25f, 0.125f, 0.125f, 0, 0.5f, 0.25f, 0, 0.25f };
    static const double taken[] = { 0.5, 0.0 };
    struct strong_rule rule = { .share = 0.7, .most = 100, .sink = N };
    struct strong_links links;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    links = found_beside(&a, rule, weight, NULL, 2, taken);
    assert_int_equal(links.n, 2 * (2 + 2));
    assert_true(links.sink_share == 0.25);
    check_link(&links.link[links.n - 1], 0, N, 0, 0.5f);
    check_link(&links.link[links.n - 3], 1, 0, 0, 0.5f);
    for (int i = 0; i < links.n - 4; i++)
        assert_true(links.link[i].weight == 0.25f);
    rule.sink = -1;
    links = found_beside(&a, rule, weight, NULL, 2, taken);
    assert_int_equal(links.n, 2 * (2 + 2));             /* 0.375 of 0.5 */
    assert_true(links.sink_share == 0.25);
    for (int i = 0; i < links.n; i++)
        assert_true(links.link[i].key < N);
    assert_true(found(&a, rule, weight, NULL, 2).sink_share == 0.0);
    arena_finish(&a);
}

/* No more than the most, those that are the strongest of all rows. */
static void test_most(void **state)
{
    enum { ROWS = 50 };
    static float weight[ROWS * N];
    static int row[ROWS];
    struct strong_rule rule = { .share = 1.0, .most = 7, .row = row };
    struct strong_links links;
    struct arena a;

    (void)state;
    for (int i = 0; i < ROWS; i++)
        row[i] = i;
    for (int i = 0; i < ROWS * N; i++)
        weight[i] = (float)(1 + i * 37 % (ROWS * N)) / 256.0f;
    arena_init(&a, NULL, NULL);
    links = found(&a, rule, weight, NULL, ROWS);
    assert_int_equal(links.n, 7);
    assert_int_equal(links.n_all, 2 * ROWS * N);
    for (int i = 0; i < 7; i++)
        assert_float_equal(links.link[i].weight, (float)(ROWS * N - (6 - i) / 2) / 256.0f, 0);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_left_out), cmocka_unit_test(test_sink),
        cmocka_unit_test(test_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
