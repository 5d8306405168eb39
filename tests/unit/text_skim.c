/* SPDX-License-Identifier: MIT
 * A vocabulary is the same read without a tree, and by jansson; what is wrong is
 * refused with jansson's words. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "text/tok_priv.h"

#define MODEL "\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\""

static struct span bytes(const char *s)
{
    return (struct span){ (const unsigned char *)s, strlen(s) };
}

static struct arena *room(void **state)
{
    return *state;
}

static int set_up(void **state)
{
    static struct arena a;

    arena_init(&a, NULL, NULL);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    arena_finish(*state);
    return 0;
}

/* Wraps a vocabulary; reads it both ways: skim_vocab takes it or leaves it. */
static bool skimmed(struct arena *a, const char *vocab, struct vocab *v)
{
    const char *all = arena_printf(a, "{\"x\": [{\"model\": 1}, \"}\"], \"model\": {%s, "
                                   "\"vocab\": %s, \"y\": {\"vocab\": 2}}, \"z\": null}",
                                   MODEL, vocab);
    struct tok t = { .a = a };
    struct span rest;

    rest = skim_vocab(&t, bytes(all));
    *v = t.vocab;
    if (rest.data == bytes(all).data) {
        assert_int_equal(v->n, 0);
        return false;
    }
    assert_string_equal(arena_strndup(a, (const char *)rest.data, rest.size),
                        arena_printf(a, "{\"x\": [{\"model\": 1}, \"}\"], \"model\": {%s, "
                                     "\"vocab\": null, \"y\": {\"vocab\": 2}}, "
                                     "\"z\": null}", MODEL));
    return true;
}

static void takes_what_is_plain(void **state)
{
    static const char *const plain[] = {
        "{\"a\":0}", "{\"[UNK]\": 0, \"a\": 1, \"##b\": 2}",
        "{\t\"a\" : 7 ,\n\"b\":16777215 }", "{\"\": 3, \"ä\": 4, \"😀\": 5}",
        "{\"\\\"\": 0, \"\\\\\": 1, \"\\u00e4\": 2, \"\\ud83d\\ude00\": 3, \"}\": 4}",
    };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        struct arena *a = room(state);
        struct vocab skim, tree = { 0 };
        struct err e;
        json_t *j = json_read(a, bytes(plain[i]), JSON_ALLOW_NUL, &e);

        assert_true(skimmed(a, plain[i], &skim));
        assert_int_equal(vocab_read(&tree, a, j, &e), 0);
        assert_int_equal(skim.n, tree.n);
        assert_int_equal(skim.n_model, tree.n_model);
        assert_int_equal(skim.longest, tree.longest);
        for (size_t k = 0; k < tree.n; k++) {
            assert_int_equal(skim.v[k].id, tree.v[k].id);
            assert_int_equal(skim.v[k].n, tree.v[k].n);
            assert_string_equal(skim.v[k].s, tree.v[k].s);
            assert_int_equal(vocab_find(&skim, tree.v[k].s, tree.v[k].n),
                             tree.v[k].id);
        }
    }
}

static void leaves_the_rest(void **state)
{
    static const char *const other[] = {
        "{}", "[]", "1", "true", "null", "{\"a\"}", "{\"a\":}", "{\"a\":-1}", "{\"a\":1.0}",
        "{\"a\":1e3}", "{\"a\":01}", "{\"a\":\"1\"}", "{\"a\":[1]}", "{\"a\":{}}",
        "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"b\":1}",
        "{\"a\":16777216}", "{\"a\":12345678901234567890}", "{\"\\u0000\":1}",
        "{\"\\x\":1}", "{\"\\ud83d\":1}", "{\"\x01\":1}", "{\"\xff\":1}", "{\"\xc3\":1}",
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct vocab v;

        if (skimmed(room(state), other[i], &v))
            fail_msg("%s was taken", other[i]);
    }
}

static void survives_any_cut(void **state)
{
    static const char all[] = "{\"model\": {" MODEL ", \"vocab\": {\"a\\\\\": 1, \"b\": 2}}}";

    for (size_t n = 0; n < sizeof all - 1; n++) {
        struct arena *a = room(state);
        struct tok t = { .a = a };
        /* A block of its own, so that reading past its end is seen. */
        char *cut = test_malloc(n + 1);
        struct err e;

        memcpy(cut, all, n);
        skim_vocab(&t, (struct span){ (unsigned char *)cut, n });
        test_free(cut);
        assert_null(tok_open_memory(a, (struct span){ (const unsigned char *)all, n },
                                    "t", &e));
        assert_non_null(strstr(e.msg, "t: not JSON: column"));
    }
}

#define UNIGRAM(list) "{\"model\": {\"type\": \"Unigram\", \"vocab\": " list "}}"

/* A Unigram's list is taken where it is plain, with exact scores. */
static void reads_scores(void **state)
{
    static const char *const other[] = {
        UNIGRAM("[[\"a\", 01]]"), UNIGRAM("[[\"a\", +1]]"), UNIGRAM("[[\"a\", .5]]"),
        UNIGRAM("[[\"a\", 1.]]"), UNIGRAM("[[\"a\", 0x1]]"), UNIGRAM("[[\"a\", 1e999]]"),
        UNIGRAM("[[\"a\", nan]]"), UNIGRAM("[[\"a\", 1e]]"), UNIGRAM("[[\"a\", -]]"),
        UNIGRAM("[[\"a\"]]"), UNIGRAM("[[\"a\", 1, 2]]"), UNIGRAM("[\"a\", 1]"),
        UNIGRAM("[[\"a\", 1], [\"a\", 2]]"), UNIGRAM("[]"),
        "{\"model\": {\"type\": \"BPE\", \"vocab\": [[\"a\", 1]]}}",
    };
    struct arena *a = room(state);
    struct tok t = { .a = a };
    const char *all = UNIGRAM("[ [\"a\", -1.25e-1] ,[\"\\u00e9\",0]\n, [\"b\",-7]]");

    assert_ptr_not_equal(skim_vocab(&t, bytes(all)).data, bytes(all).data);
    assert_int_equal(t.n_scored, 3);
    assert_true(t.scored[0].score == -0.125 && t.scored[2].score == -7);
    assert_string_equal(t.scored[1].s.s, "é");
    assert_int_equal(vocab_find(&t.vocab, "b", 1), 2);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        t = (struct tok){ .a = a };
        if (skim_vocab(&t, bytes(other[i])).data != bytes(other[i]).data)
            fail_msg("%s was taken", other[i]);
        assert_null(t.scored);
    }
    for (size_t n = 0; n < strlen(all); n++) {
        char *cut = test_malloc(n + 1);

        t = (struct tok){ .a = a };
        memcpy(cut, all, n);
        skim_vocab(&t, (struct span){ (unsigned char *)cut, n });
        test_free(cut);
    }
}

#define BPE(merges) "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1}, \"x\": " \
                    "[{\"merges\": 1}], \"merges\": " merges ", \"y\": 2}, \"z\": 3}"
#define BPE_REST "{\"model\": {\"type\": \"BPE\", \"vocab\": null, \"x\": [{\"merges\": 1}], " \
                 "\"merges\": %s, \"y\": 2}, \"z\": 3}"

static void rest_is(struct arena *a, struct span rest, const char *merges)
{
    assert_string_equal(arena_strndup(a, (const char *)rest.data, rest.size),
                        arena_printf(a, BPE_REST, merges));
}

/* Both ways to write merges, also mixed, with escapes in either half. */
static void takes_merges(void **state)
{
    static const char *const plain[] = {
        BPE("[\"a b\",\"\\\" \\u00e9\",\"\xc3\xa9 \\\\\"]"),
        BPE("[ [\"a\",\"b\"] , [ \"\\\"\", \"\\u00e9\" ],\n[\"\xc3\xa9\",\"\\\\\"]]"),
        BPE("[\"a b\",[\"\\\"\",\"\xc3\xa9\"],\"\xc3\xa9\\u0020\\\\\"]"),
    };
    static const char *const want[] = { "a", "b", "\"", "\xc3\xa9", "\xc3\xa9", "\\" };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        struct arena *a = room(state);
        struct tok t = { .a = a };

        rest_is(a, skim_vocab(&t, bytes(plain[i])), "null");
        assert_int_equal(t.n_merges, 3);
        for (int k = 0; k < 6; k++) {
            struct text s = k % 2 == 0 ? t.merges[k / 2].left : t.merges[k / 2].right;

            assert_string_equal(arena_strndup(a, s.s, s.n), want[k]);
        }
    }
}

/* What is not plain stays, for jansson and the words of the model. */
static void leaves_other_merges(void **state)
{
    static const char *const other[] = {
        "[]", "{}", "5", "null", "null", "[5]", "[\"ab\"]", "[\"a b c\"]", "[[\"a\"]]",
        "[[\"a\", \"b\", \"c\"]]", "[[\"a\", 1]]", "[[\"a\" \"b\"]]", "[\"a b\" \"a b\"]",
        "[\"a b\",]", "[\"a \xff\"]", "[\"a \xc3\"]", "[\"a \\x\"]", "[\"a \\ud83d\"]",
        "[\"a \x01\"]", "[\"a b\"", "[\"a b",
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct arena *a = room(state);
        const char *all = arena_printf(a, "{\"model\": {\"vocab\": {\"a\": 0, \"b\": 1}, "
                                       "\"merges\": %s}}", other[i]);
        struct tok t = { .a = a };
        struct span rest = skim_vocab(&t, bytes(all));

        assert_int_equal(t.n_merges, 0);
        assert_string_equal(arena_strndup(a, (const char *)rest.data, rest.size),
                            arena_printf(a, "{\"model\": {\"vocab\": null, "
                                         "\"merges\": %s}}", other[i]));
    }
}

static void merges_survive_any_cut(void **state)
{
    static const char all[] = BPE("[\"a b\", [\"b\", \"\\\"\"]]");

    for (size_t n = 0; n < sizeof all - 1; n++) {
        struct tok t = { .a = room(state) };
        char *cut = test_malloc(n + 1);

        memcpy(cut, all, n);
        skim_vocab(&t, (struct span){ (unsigned char *)cut, n });
        test_free(cut);
    }
}

/* A character map before the vocabulary, alone or in a sequence. */
static void takes_maps(void **state)
{
#define MAP(s) "{\"type\": \"Precompiled\", \"precompiled_charsmap\": " s "}"
#define FILE_OF(n) "{\"normalizer\": " n ", \"model\": {\"vocab\": %s}}"
    static const struct { const char *file; size_t size; bool taken; } row[] = {
        { FILE_OF(MAP("%s")), 4, true },
        { FILE_OF("{\"normalizers\": [{\"type\": \"NFC\"}, " MAP("%s") "]}"), 4, true },
        { FILE_OF("{\"normalizers\": [1, [], " MAP("%s") "]}"), 4, true },
        { "{\"normalizers\": [" MAP("%s") "], \"model\": {\"vocab\": %s}}", 0, false },
    };
    static const char *const wrong[] = { "\"AAE\"", "\"AA*=\"", "\"A===\"", "1", "\"AAE\\/\"" };
    struct arena *a = room(state);

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *all = arena_printf(a, row[i].file, "\"AAEC/w==\"", "{\"a\": 0}");
        struct tok t = { .a = a };
        struct span rest = skim_vocab(&t, bytes(all));

        assert_int_equal(t.map.size, row[i].size);
        if (row[i].taken)
            assert_memory_equal(t.map.data, "\0\1\2\xff", 4);
        assert_string_equal(arena_strndup(a, (const char *)rest.data, rest.size),
                            arena_printf(a, row[i].file, row[i].taken ? "null" :
                                         "\"AAEC/w==\"", "null"));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *all = arena_printf(a, row[0].file, wrong[i], "{\"a\": 0}");
        struct tok t = { .a = a };
        struct span rest = skim_vocab(&t, bytes(all));

        assert_int_equal(t.map.size, 0);
        assert_string_equal(arena_strndup(a, (const char *)rest.data, rest.size),
                            arena_printf(a, row[0].file, wrong[i], "null"));
    }
}

/* As jansson has it, the last of two keys counts. */
static void the_last_key_counts(void **state)
{
    static const char all[] = "{\"model\": {" MODEL ", \"vocab\": {\"a\": 1}, "
                              "\"vocab\": {\"b\": 2}}, \"added_tokens\": []}";
    struct err e;
    struct tok *t = tok_open_memory(room(state), bytes(all), "t", &e);

    assert_non_null(t);
    assert_int_equal(tok_id(t, "a", 1), -1);
    assert_int_equal(tok_id(t, "b", 1), 2);
    tok_close(t);
}

static void errors_name_the_line(void **state)
{
    struct err e;

    assert_null(tok_open_memory(room(state), bytes("{\"model\": {\"vocab\": {\"a\":\n1,"
                                                   "\n\"b\": 2}}}\n?"), "t", &e));
    assert_non_null(strstr(e.msg, "line 4"));
    assert_null(tok_open_memory(room(state), bytes("{\"model\": {" MODEL ", \"vocab\": "
                                                   "{\"a\": 1, \"b\": 1}}}"), "t", &e));
    assert_non_null(strstr(e.msg, "share id 1"));
    assert_null(tok_open_memory(room(state), bytes("{\"model\": {" MODEL ", \"vocab\": "
                                                   "true}}"), "t", &e));
    assert_non_null(strstr(e.msg, "\"vocab\" is missing or not an object"));
}

/* ---- the longest piece ---- */

static void longest_is_of_the_model(void **state)
{
    struct arena *a = room(state);
    struct vocab v;
    const struct text inside = { "##", 2 }, word = { "##", 0 };
    size_t n = 0, seen = 0;
    struct err e;

    assert_true(skimmed(a, "{\"a\":0,\"abc\":1,\"##b\":2,\"##bcd\":3,\"##\":4}", &v));
    assert_int_equal(vocab_add(&v, a, (struct text){ "abcd", 4 }, 5, &e), 0);
    assert_int_equal(vocab_longest(&v, word, "abcdef", 6, &n, &seen), 1);
    assert_int_equal(n, 3);
    assert_int_equal(vocab_longest(&v, word, "ab", 2, &n, &seen), 0);
    assert_int_equal(n, 1);
    assert_int_equal(vocab_longest(&v, inside, "bcde", 4, &n, &seen), 3);
    assert_int_equal(n, 3);
    assert_int_equal(vocab_longest(&v, inside, "bc", 2, &n, &seen), 2);
    assert_int_equal(n, 1);
    assert_int_equal(vocab_longest(&v, inside, "x", 1, &n, &seen), -1);
    assert_int_equal(vocab_longest(&v, word, "##b", 3, &n, &seen), 2);
    assert_int_equal(vocab_longest(&v, word, "", 0, &n, &seen), -1);
    assert_int_equal(seen, 6 + 3 + 4 + 3 + 2 + 4 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_what_is_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_any_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_scores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_merges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_other_merges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merges_survive_any_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_maps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_key_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_the_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(longest_is_of_the_model, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
