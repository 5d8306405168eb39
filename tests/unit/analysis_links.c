/* SPDX-License-Identifier: MIT
 * The strongest link of each row, and the strongest between two words. */
#include "unit/analysis_rows.h"

#include "analysis/links.h"

static struct arena arena;

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

static const struct wanted all = { 0 };

static struct links *start(const int *length, int n_texts, const unsigned char *special)
{
    const struct attended texts = rows_texts(&arena, length, n_texts, special);

    return links_new(&arena, &rows_model, &texts, &all);
}

/* Ties: the smaller key. */
static void of_equal_keys_the_first(void **state)
{
    static const int length[] = { 4 };
    struct links *links = start(length, 1, NULL);
    const struct head_links *head;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            a[i * STRIDE + j] = 1.0f / (float)(i + 1);
    rows_give(links_sink(links), 0, 1, 0, 4, a, true);
    head = links_head(links, 0, 1, 0);
    assert_int_equal(head->n_rows, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(head->row[i].query, i);
        assert_int_equal(head->row[i].key, 0);
        assert_true(head->row[i].weight == a[i * STRIDE]);
    }
}

static void a_row_that_sees_nothing(void **state)
{
    static const int length[] = { 2 };
    struct links *links = start(length, 1, NULL);

    (void)state;
    rows_give_blind(links_sink(links));
    assert_int_equal(links_head(links, 0, 0, 0)->row[0].key, -1);
    assert_int_equal(links_head(links, 0, 0, 0)->row[1].key, 0);
}

/* For tables: the strongest link that says something about the text. */
static void the_link_between_two_words(void **state)
{
    static const int length[] = { 4, 4 };
    static const unsigned char special[] = { 1, 0, 0, 0, 1, 0, 0, 1 };
    float a[4 * STRIDE] = { 0 };
    struct links *links = start(length, 2, NULL);
    struct link w;

    (void)state;
    a[0] = 1;                           /* itself */
    a[STRIDE + 0] = 0.9f;               /* 1 -> 0 */
    a[2 * STRIDE + 1] = 0.4f;           /* 2 -> 1 */
    a[3 * STRIDE + 1] = 0.4f;           /* 3 -> 1: a tie, later */
    a[3 * STRIDE + 3] = 0.6f;           /* itself */
    rows_give(links_sink(links), 0, 0, 0, 4, a, true);
    w = links_head(links, 0, 0, 0)->words;
    assert_true(w.query == 1 && w.key == 0 && w.weight == 0.9f);
    links = start(length, 2, special);
    rows_give(links_sink(links), 0, 0, 0, 4, a, true);
    rows_give(links_sink(links), 1, 0, 0, 4, a, true);
    w = links_head(links, 0, 0, 0)->words;
    assert_true(w.query == 2 && w.key == 1 && w.weight == 0.4f);
    w = links_head(links, 1, 0, 0)->words;
    assert_true(w.query == 2 && w.key == 1);
}

/* One word between special tokens: no link of the kind. */
static void no_link_between_words(void **state)
{
    static const int length[] = { 3 };
    static const unsigned char special[] = { 1, 0, 1 };
    const float a[3 * STRIDE] = { [0] = 1, [STRIDE + 1] = 1, [2 * STRIDE] = 1 };
    struct links *links = start(length, 1, special);

    (void)state;
    rows_give(links_sink(links), 0, 0, 0, 3, a, false);
    assert_int_equal(links_head(links, 0, 0, 0)->words.key, -1);
}

/* Key 1 is another token than query 1 where keys are of another text. */
static void words_of_two_texts(void **state)
{
    static const int length[] = { 2 };
    const float a[2 * STRIDE] = { [0] = 0.1f, [1] = 0.2f, [STRIDE] = 0.3f,
                                  [STRIDE + 1] = 0.7f };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct links *links;

    (void)state;
    texts.two_axes = true;
    links = links_new(&arena, &rows_model, &texts, &all);
    rows_give(links_sink(links), 0, 0, 0, 2, a, false);
    assert_int_equal(links_head(links, 0, 0, 0)->words.query, 1);
    assert_int_equal(links_head(links, 0, 0, 0)->words.key, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(of_equal_keys_the_first), TEST(a_row_that_sees_nothing),
        TEST(the_link_between_two_words), TEST(no_link_between_words),
        TEST(words_of_two_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
