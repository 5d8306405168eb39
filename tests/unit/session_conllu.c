/* SPDX-License-Identifier: MIT
 * CoNLL-U: what is read of it, and what is refused. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "gold/conllu.h"

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

/* A file of this text. */
static struct conllu *read(const char *text, struct err *e)
{
    struct span bytes = { (const unsigned char *)text, strlen(text) };

    return conllu_read(&arena, bytes, "f", e);
}

#define WORD(id, form, head, relation) \
    id "\t" form "\t_\tX\t_\t_\t" head "\t" relation "\t_\t_\n"
#define TIGHT(id, form, head, relation) \
    id "\t" form "\t_\tX\t_\t_\t" head "\t" relation "\t_\tA=b|SpaceAfter=No\n"
#define RANGE(id, form) id "\t" form "\t_\t_\t_\t_\t_\t_\t_\t_\n"

static void expect_word(const struct conllu_word *w, const char *form, int head,
                        const char *relation, int start, int end)
{
    assert_string_equal(w->form, form);
    assert_string_equal(w->relation, relation);
    assert_int_equal(w->head, head);
    assert_int_equal(w->start, start);
    assert_int_equal(w->end, end);
}

static void words(void **state)
{
    struct err e;
    const struct conllu *all = read(
        "# sent_id = 1\n# text = I  don't.\r\n" WORD("1", "I", "2", "nsubj:pass")
        RANGE("2-3", "don't") WORD("2", "do", "0", "root") WORD("3", "n't", "2", "advmod")
        "3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n" TIGHT("4", ".", "2", "punct") "\n\n"
        RANGE("1-2", "au") WORD("1", "à", "2", "case") WORD("2", "le", "0", "root")
        TIGHT("3", "b", "2", "dep") WORD("4", ",", "2", "punct"), &e);

    (void)state;
    assert_non_null(all);
    assert_int_equal(all->n, 2);
    assert_int_equal(all->sentence[0].n, 4);
    assert_int_equal(all->sentence[0].line, 3);
    expect_word(&all->sentence[0].word[0], "I", 1, "nsubj", 0, 1);
    expect_word(&all->sentence[0].word[1], "do", -1, "root", 3, 5);
    expect_word(&all->sentence[0].word[2], "n't", 1, "advmod", 5, 8);
    expect_word(&all->sentence[0].word[3], ".", 1, "punct", 8, 9);
    /* Words that do not make up their range: the first has all of it. */
    assert_int_equal(all->sentence[1].size, 5);
    assert_memory_equal(all->sentence[1].text, "au b,", 5);
    expect_word(&all->sentence[1].word[0], "à", 1, "case", 0, 2);
    expect_word(&all->sentence[1].word[1], "le", -1, "root", 2, 2);
    expect_word(&all->sentence[1].word[2], "b", 1, "dep", 3, 4);
    expect_word(&all->sentence[1].word[3], ",", 1, "punct", 4, 5);
}

static void refused(const char *text, const char *why)
{
    struct err e = { 0 };

    if (read(text, &e) != NULL)
        fail_msg("was read: %s", text);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strcmp(e.msg, why) != 0)
        fail_msg("expected: %s\nfound:    %s", why, e.msg);
}

static void wrong(void **state)
{
    (void)state;
    refused("", "f: holds no sentence");
    refused("# text = a\n\n\n", "f: holds no sentence");
    refused("1\ta\n", "f: line 1: has 2 columns, expected 10 with tabs between");
    refused("1\ta\tb\tc\td\te\t0\tg\th\ti\tj\n",
            "f: line 1: has 11 columns, expected 10 with tabs between");
    refused(WORD("2", "a", "0", "root"), "f: line 1: word 2, expected 1");
    refused(WORD("x", "a", "0", "root"), "f: line 1: 'x' is not the number of a word");
    refused(WORD("1.", "a", "0", "root"), "f: line 1: '1.' is not the number of a word");
    refused(WORD("99999999999", "a", "0", "root"),
            "f: line 1: '99999999999' is not the number of a word");
    refused(WORD("1", "a", "_", "root"), "f: line 1: word 1: head '_' is not a number");
    refused(WORD("1", "a", "-1", "root"), "f: line 1: word 1: head '-1' is not a number");
    refused(WORD("1", "a", "1", "root"), "f: line 1: word 1 is its own head");
    refused(WORD("1", "a", "2", "dep"),
            "f: line 1: word 1: head 2 is not in the sentence, which has 1 word");
    refused("# c\n" WORD("1", "a", "3", "dep") WORD("2", "b", "1", "dep")
            WORD("3", "c", "2", "dep"),
            "f: line 2: the heads of word 1 go round in a circle");
    refused(WORD("1", "a", "0", "root") WORD("2", "b", "3", "dep") WORD("3", "c", "2", "dep"),
            "f: line 1: the heads of word 2 go round in a circle");
    refused(WORD("1", "", "0", "root"), "f: line 1: word 1 has no form or no relation");
    refused(WORD("1", "a", "0", ""), "f: line 1: word 1 has no form or no relation");
    refused(RANGE("1-1", "a") WORD("1", "a", "0", "root"),
            "f: line 1: range 1-1: expected one that begins at word 1, and ends after it");
    refused(RANGE("2-3", "a") WORD("1", "a", "0", "root"),
            "f: line 1: range 2-3: expected one that begins at word 1, and ends after it");
    refused(RANGE("1-3", "a") WORD("1", "a", "0", "root") RANGE("2-3", "b"),
            "f: line 3: range 2-3: expected one that begins at word 2, and ends after it");
    refused(RANGE("1-3", "a") WORD("1", "a", "0", "root"),
            "f: line 2: the range ends at word 3, but the last word is 1");
    refused(RANGE("1-2", "a"), "f: line 1: the range ends at word 2, but the last word is 0");
    refused(WORD("1", "a", "0", "root") "# text = a\n",
            "f: line 2: a comment stands among the words of a sentence");
    refused("# text = a cat\n" WORD("1", "a", "0", "root") WORD("2", "dog", "1", "dep"),
            "f: line 3: 'dog' is not what the text says there: 'cat'");
    refused("# text = a\n" WORD("1", "a", "0", "root") WORD("2", "dog", "1", "dep"),
            "f: line 3: 'dog' is not what the text says there: ''");
    refused("# text = a cat\n" WORD("1", "a", "0", "root"),
            "f: line 2: the text has more than its words: 'cat'");
    refused(WORD("1", "\xff", "0", "root"), "f: line 1: is not UTF-8 text");
    refused("# text = \xc3\n" WORD("1", "a", "0", "root"), "f: line 1: is not UTF-8 text");
}

/* The first word is all of the range, and there is one more. */
static void all_of_a_range(void **state)
{
    struct err e;
    const struct conllu *all = read(WORD("1", "x", "0", "root") RANGE("2-3", "au")
                                    WORD("2", "au", "1", "a") WORD("3", "le", "1", "b"), &e);

    (void)state;
    expect_word(&all->sentence[0].word[1], "au", 0, "a", 2, 4);
    expect_word(&all->sentence[0].word[2], "le", 0, "b", 4, 4);
}

/* More words than there is room for at first. */
static void many(void **state)
{
    static char text[200 * 40];
    size_t n = 0;
    struct err e;
    const struct conllu *all;

    (void)state;
    for (int i = 1; i <= 200; i++)
        n += (size_t)sprintf(text + n, WORD("%d", "w", "%d", "x"), i, i - 1);
    all = read(text, &e);
    assert_non_null(all);
    assert_int_equal(all->sentence[0].n, 200);
    expect_word(&all->sentence[0].word[199], "w", 198, "x", 398, 399);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(all_of_a_range, setup, teardown),
        cmocka_unit_test_setup_teardown(many, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
