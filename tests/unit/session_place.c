/* SPDX-License-Identifier: MIT
 * Names of tokens, found in texts whose tokens are written out. */
#include "check.h"

#include <string.h>

#include "session/shown/place.h"

enum { MOST = 16 };

struct text {
    struct tokens t;
    int type[MOST];
    unsigned char special[MOST];
    struct range bytes[MOST];
    const char *piece[MOST], *label[MOST];
    size_t label_size[MOST];
    const char *text;           /* NULL: not known */
};

/* Pieces (NULL ends): the label of "##s" is "s", of "Ġcat" " cat", else the piece. */
static void set(struct text *x, const char *text, const char *const *pieces)
{
    size_t at = 0;

    *x = (struct text){ .text = text };
    x->t = (struct tokens){ .type = x->type, .special = x->special, .bytes = x->bytes,
                            .piece = x->piece, .label = x->label,
                            .label_size = x->label_size };
    for (int i = 0; pieces[i] != NULL; i++) {
        static const char *const blank = " cat";
        const char *piece = pieces[i], *label = piece;

        if (strncmp(piece, "##", 2) == 0)
            label = piece + 2;
        if (strcmp(piece, "Ġcat") == 0)
            label = blank;
        x->piece[i] = piece;
        x->label[i] = label;
        x->label_size[i] = strlen(label);
        x->special[i] = piece[0] == '[';
        x->t.n++;
        if (text == NULL || x->special[i])
            continue;
        at += strspn(text + at, " ");
        label += strspn(label, " ");
        x->bytes[i] = (struct range){ (int)at, (int)(at + strlen(label)) };
        at += strlen(label);
    }
}

static int find(const struct text *x, const char *name, struct err *e)
{
    struct place place;

    *e = (struct err){ ERR_NONE, "" };
    assert_int_equal(place_parse(&place, "--at", name, e), 0);
    return place_find(&place, "--at", &x->t, x->text, e);
}

static void at(const struct text *x, const char *name, int want)
{
    struct err e;
    int found = find(x, name, &e);

    if (found != want)
        fail_msg("%s: %d, expected %d (%s)", name, found, want, e.msg);
}

static void lacks(const struct text *x, const char *name, const char *why)
{
    struct err e;

    assert_int_equal(find(x, name, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", name, e.msg, why);
}

static const char *const words[] = { "[CLS]", "the", "bank", "##s", "of", "the", "em",
                                     "##bank", "##ment", ",", "bank", "5", "[SEP]", NULL };
static const char words_text[] = "the banks of the embankment, bank 5";

static void check_words(const struct text *x)
{
    at(x, "the", 1);
    at(x, "the#2", 5);
    at(x, "banks", 3);                  /* the last of its pieces */
    at(x, "embankment", 8);
    at(x, "bank", 10);                  /* not parts of words, where there is a whole one */
    at(x, "##bank", 7);
    at(x, "ment", 8);
    at(x, "[SEP]", 12);
    at(x, "5", 5);
    at(x, "=5", 11);
    at(x, "=the#2", 5);
    at(x, ",", 9);
    lacks(x, "bank#2", "'bank#2': the text has 'bank' only 1 time");
    lacks(x, "the#3", "only 2 times");
    lacks(x, "river", "the text has no token or word 'river'");
    lacks(x, "13", "13 is out of range: the text has tokens 0 to 12 (=13 is the word)");
    lacks(x, "99999999999999999999", "out of range");
    at(x, "-1", 12);
    at(x, "-13", 0);
    lacks(x, "-14", "-14 is out of range: the text has tokens 0 to 12 (=-14 is the word)");
    lacks(x, "-99999999999999999999", "out of range");
    lacks(x, "=-1", "the text has no token or word '-1'");
    lacks(x, "-0", "the text has no token or word '-0'");
}

static void with_and_without_text(void **state)
{
    struct text x;

    (void)state;
    set(&x, words_text, words);
    check_words(&x);
    set(&x, NULL, words);               /* ids: there are no spans */
    check_words(&x);
}

/* Blanks belong to labels; words are written without them. */
static void blanks(void **state)
{
    static const char *const cats[] = { "cat", "Ġcat", "er", "Ġcat", NULL };
    struct text x;

    (void)state;
    set(&x, NULL, cats);
    at(&x, "cat", 0);
    at(&x, "cat#2", 3);
    at(&x, "cater", 2);
    at(&x, "Ġcat", 1);
    at(&x, "er", 2);
    set(&x, "cat cater cat", cats);
    at(&x, "cat#2", 3);
}

/* What the text has in another spelling than the vocabulary. */
static void spelling(void **state)
{
    static const char *const lower[] = { "[CLS]", "the", "bank", "[SEP]", NULL };
    static const char *const chinese[] = { "他", "去", "银", "行", "银", "行", NULL };
    struct text x;

    (void)state;
    set(&x, "The Bank", lower);
    at(&x, "Bank", 2);
    at(&x, "bank", 2);
    lacks(&x, "BANK", "no token or word 'BANK'");
    set(&x, "他去银行银行", chinese);
    at(&x, "银行", 3);
    at(&x, "银行#2", 5);
    at(&x, "行", 3);
}

static void names(void **state)
{
    struct place place;
    struct err e;

    (void)state;
    assert_int_equal(place_parse(&place, "--at", "", &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_int_equal(place_parse(&place, "--at", "=", &e), -1);
    assert_int_equal(place_parse(&place, "--at", "bank#0", &e), -1);
    assert_non_null(strstr(e.msg, "--at: 'bank#0': occurrences are counted from 1"));
    assert_int_equal(place_parse(&place, "--at", "#2", &e), 0);    /* a word */
    assert_int_equal(place.word_size, 2);
    assert_int_equal(place_parse(&place, "--at", "C#2#1", &e), 0);
    assert_int_equal(place.word_size, 3);
    assert_int_equal(place.occurrence, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_and_without_text), cmocka_unit_test(blanks),
        cmocka_unit_test(spelling), cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
