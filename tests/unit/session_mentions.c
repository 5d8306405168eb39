/* SPDX-License-Identifier: MIT
 * Mentions of Entity=, and how often links lead to earlier ones: by hand. */
#include "check.h"

#include <string.h>

#include "gold/coreference.h"
#include "gold/mentions.h"

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

/* Words with these entities (NULL: none), each the head of the one before it. */
static struct conllu_sentence sentence(const char *const *entity, int n, int64_t line)
{
    struct conllu_word *word = arena_alloc(&arena, (uint64_t)n, sizeof *word);

    for (int i = 0; i < n; i++)
        word[i] = (struct conllu_word){ .form = "w", .head = i + 1 < n ? i + 1 : -1,
                                        .entity = entity[i] };
    return (struct conllu_sentence){ .word = word, .n = n, .line = line };
}

static void expect(const struct mentions *all, int i, const char *chain, int start, int end,
                   int head)
{
    const struct mention *m = &all->mention[i];

    assert_true(i < all->n);
    assert_string_equal(m->chain, chain);
    assert_int_equal(m->start, start);
    assert_int_equal(m->end, end);
    assert_int_equal(m->head, head);
}

static void nested(void **state)
{
    static const char *const first[] = { "(e1-person-1(e2-place)", NULL, "(e3[1/2]-x",
                                         "e3[1/2])e1)" };
    static const char *const second[] = { "(e1)(e1", "e1)" };
    const struct conllu_sentence both[] = { sentence(first, 4, 5), sentence(second, 2, 11) };
    struct mentions all;
    struct err e;

    (void)state;
    assert_int_equal(mentions_read(&arena, both, 2, "f", &all, &e), 0);
    assert_int_equal(all.n, 5);
    /* the head is the last word of each: the one that the others lead to */
    expect(&all, 0, "e1", 0, 3, 3);
    expect(&all, 1, "e2", 0, 0, 0);
    expect(&all, 2, "e3", 2, 3, 3);
    expect(&all, 3, "e1", 4, 5, 5);
    expect(&all, 4, "e1", 4, 4, 4);
}

/* One that goes on in the next sentence keeps its first word as its head. */
static void over_two(void **state)
{
    static const char *const first[] = { NULL, "(a", NULL }, *const second[] = { "a)" };
    const struct conllu_sentence both[] = { sentence(first, 3, 1), sentence(second, 1, 5) };
    struct mentions all;
    struct err e;

    (void)state;
    assert_int_equal(mentions_read(&arena, both, 2, "f", &all, &e), 0);
    assert_int_equal(all.n, 1);
    expect(&all, 0, "a", 1, 3, 1);
}

static void refused(const char *entity, const char *why)
{
    const char *const list[] = { NULL, entity };
    const struct conllu_sentence one = sentence(list, 2, 7);
    struct mentions all;
    struct err e = { 0 };

    assert_int_equal(mentions_read(&arena, &one, 1, "f", &all, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strcmp(e.msg, why) != 0)
        fail_msg("expected: %s\nfound:    %s", why, e.msg);
}

static void wrong(void **state)
{
    (void)state;
    refused("e1)", "f: line 7: Entity: 'e1' is closed, but not open");
    refused("(e1)e1)", "f: line 7: Entity: 'e1' is closed, but not open");
    refused("(e1(e2)", "f: line 7: Entity: 'e1' is left open");
    refused("e1", "f: line 7: Entity: 'e1' is not a list of mentions, such as (e1-person(e2)");
    refused("()", "f: line 7: Entity: ')' is not a list of mentions, such as (e1-person(e2)");
    refused(")", "f: line 7: Entity: ')' is not a list of mentions, such as (e1-person(e2)");
    refused("(e1)x(e2)",
            "f: line 7: Entity: 'x(e2)' is not a list of mentions, such as (e1-person(e2)");
    refused("(-x)", "f: line 7: Entity: '-x)' is not a list of mentions, such as (e1-person(e2)");
}

/*
 * man (word 2, chain 0), door (7, 1), he (9, 0), it (11, 1), man (15, 0): three have an earlier
 * one; the nearest mention is right for none, that with the same word for the last.
 */
static void counts(void **state)
{
    static const struct coreference_mention m[] = {
        { 2, 0, "man" }, { 7, 1, "door" }, { 9, 0, "he" }, { 11, 1, "it" }, { 15, 0, "man" },
    };
    int any[16] = { [9] = 2, [11] = 2, [15] = 9 }, heads[16] = { [9] = 2, [11] = 7, [15] = 2 };
    struct coreference_rules rules = { 0 };
    struct coreference_hits hits = { 0 };
    double share;

    (void)state;
    coreference_add_text(&rules, m, 5);
    assert_int_equal(rules.n, 3);
    assert_int_equal(rules.nearest, 0);
    assert_int_equal(rules.head_match, 1);
    coreference_add_head(&hits, m, 5, any, heads);
    assert_int_equal(hits.any_word, 2);
    assert_int_equal(hits.mentions, 3);
    /* Wilson of 3 of 3: from 3 / (3 + z^2) = .44, above 1 / 3 */
    assert_true(coreference_holds(&rules, &hits, 3, &share));
    check_near("share", 0, share, 1, 0);
    assert_false(coreference_holds(&rules, &hits, 4, &share));
    hits.mentions = 2;
    assert_false(coreference_holds(&rules, &hits, 3, &share));
    rules.n = 0;
    assert_false(coreference_holds(&rules, &hits, 0, &share));
    assert_true(isnan(share));
    /* a mention inside of another with the same head word is no antecedent, nor the nearest */
    rules = (struct coreference_rules){ 0 };
    coreference_add_text(&rules, (const struct coreference_mention[]){
        { 1, 0, "a" }, { 3, 0, "b" }, { 3, 0, "b" } }, 3);
    assert_int_equal(rules.n, 2);
    assert_int_equal(rules.nearest, 2);
    assert_int_equal(rules.head_match, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nested, setup, teardown),
        cmocka_unit_test_setup_teardown(over_two, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong, setup, teardown),
        cmocka_unit_test(counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
