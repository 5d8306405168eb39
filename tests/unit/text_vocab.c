/* SPDX-License-Identifier: MIT
 * The vocabulary and the trie, against a plain search. */
#include "text_help.h"

static struct text text_of(const char *s)
{
    return (struct text){ s, strlen(s) };
}

static void test_find(void **state)
{
    struct help *h = *state;
    struct vocab v;

    vocab_init(&v, &h->arena, 0);
    for (int i = 0; i < 5000; i++) {
        const char *s = arena_printf(&h->arena, "piece %d of many", i * 7);

        assert_int_equal(vocab_add(&v, &h->arena, text_of(s), 2 * i, &h->err), 0);
    }
    for (int i = 0; i < 5000; i++) {
        const char *s = arena_printf(&h->arena, "piece %d of many", i);
        int want = i % 7 == 0 ? 2 * (i / 7) : -1;

        assert_int_equal(vocab_find(&v, s, strlen(s)), want);
    }
    assert_int_equal(v.n_ids, 9999);
    assert_null(vocab_piece(&v, 1));
    assert_null(vocab_piece(&v, -1));
    assert_null(vocab_piece(&v, 9999));
    assert_string_equal(vocab_piece(&v, 2)->s, "piece 7 of many");
}

static void test_refused(void **state)
{
    struct help *h = *state;
    struct vocab v;
    const struct { const char *s; json_int_t id; const char *why; } rows[] = {
        { "b", -1, "has id -1" }, { "b", 1LL << 40, "has id 1099511627776" },
        { "b", 1 << 24, "expected 0 to 16777215" }, { "b", 3, "share id 3" },
        { "a", 4, "\"a\" appears twice" },
    };

    vocab_init(&v, &h->arena, 0);
    assert_int_equal(vocab_add(&v, &h->arena, text_of("a"), 3, &h->err), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(vocab_add(&v, &h->arena, text_of(rows[i].s), rows[i].id,
                                   &h->err), -1);
        assert_non_null(strstr(h->err.msg, rows[i].why));
    }
}

static void test_trie(void **state)
{
    struct help *h = *state;
    struct trie t;
    size_t n = 99, seen = 0;

    trie_init(&t, &h->arena);
    assert_int_equal(trie_longest(&t, "abc", 3, &n, &seen), -1);
    assert_int_equal(trie_skip(&t, "abc", 3), 3);
    trie_add(&t, &h->arena, "", 0, 7);
    trie_add(&t, &h->arena, "ab", 2, 1);
    trie_add(&t, &h->arena, "abcd", 4, 2);
    trie_add(&t, &h->arena, "ab", 2, 3);
    assert_int_equal(trie_longest(&t, "abcx", 4, &n, &seen), 1);
    assert_int_equal(n, 2);
    assert_int_equal(trie_longest(&t, "abcde", 5, &n, &seen), 2);
    assert_int_equal(n, 4);
    assert_int_equal(seen, 3 + 4);
    assert_int_equal(trie_skip(&t, "b\xff" "da", 4), 3);
    assert_int_equal(trie_skip(&t, "ab", 2), 0);
    assert_int_equal(trie_skip(&t, "bd", 2), 2);
    assert_int_equal(trie_longest(&t, "b", 1, &n, &seen), -1);
    assert_int_equal(trie_longest(&t, "", 0, &n, &seen), -1);
}

static void test_big_trie(void **state)
{
    struct help *h = *state;
    struct trie t;

    trie_init(&t, &h->arena);
    for (int i = 0; i < 20000; i++) {
        const char *s = arena_printf(&h->arena, "%d.", i);

        trie_add(&t, &h->arena, s, strlen(s), i);
    }
    for (int i = 0; i < 20000; i++) {
        const char *s = arena_printf(&h->arena, "%d.5", i);
        size_t n = 0, seen = 0;

        assert_int_equal(trie_longest(&t, s, strlen(s), &n, &seen), i);
        assert_int_equal(n, strlen(s) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_find), TEST(test_refused), TEST(test_trie), TEST(test_big_trie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
