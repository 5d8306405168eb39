/* SPDX-License-Identifier: MIT
 * Added tokens: where they are found in a text, with every option. */
#include "text_help.h"

#define TOKEN(id, content, options) \
    "{'id':" id ",'content':'" content "'" options ",'special':false}"
#define WITH(tokens) \
    "{'added_tokens':[" tokens "],'normalizer':{'type':'Lowercase'}," \
    "'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':'WordPiece'," \
    "'vocab':{'[UNK]':0,'a':1,'b':2,'##a':3,'##b':4}}}"
#define PLAIN ",'normalized':false"

/*
 * Blanks that one token has taken are not another's: where the two begin in them the library
 * stops with an error of its own, and here what is left of the second is found.
 */
static void test_shared_blanks(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("5", "<r>", PLAIN ",'rstrip':true") ","
                                      TOKEN("6", " y", PLAIN ",'lstrip':true") ","
                                      TOKEN("7", "\\t", PLAIN ",'lstrip':true") ","
                                      TOKEN("8", "\u3000", PLAIN ",'rstrip':true")));

    assert_string_equal(help_encode(h, t, "<r>  y"), "<r>[0,5]  y[5,6]");
    assert_string_equal(help_encode(h, t, "<r>  \tb"), "<r>[0,6] b[6,7]");
    assert_string_equal(help_encode(h, t, "a\u3000\u3000\u3000b"),
                        "a[0,1] \u3000[1,4] \u3000[2,4] \u3000[3,4] b[4,5]");
    tok_close(t);
}

static void test_longest(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("5", "<x>", PLAIN) ","
                                      TOKEN("6", "<x>y", PLAIN) ","
                                      TOKEN("7", "x>y<", PLAIN)));

    assert_string_equal(help_encode(h, t, "a<x>y<b"), "a[0,1] <x>y[1,5] [UNK][5,7]");
    assert_string_equal(help_encode(h, t, "<x><x>"), "<x>[0,3] <x>[3,6]");
    assert_string_equal(help_encode(h, t, "x>y<x>y"), "x>y<[0,4] [UNK][4,7]");
    assert_string_equal(help_encode(h, t, "<X>"), "[UNK][0,3]");
    tok_close(t);
}

static void test_normalized(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("5", "Ab", "")));

    assert_string_equal(help_encode(h, t, "b aB b"), "b[0,1] Ab[2,4] b[5,6]");
    tok_close(t);
}

static void test_single_word(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("5", "ba", PLAIN ",'single_word':true")));

    assert_string_equal(help_encode(h, t, "ba,ba ba"),
                        "ba[0,2] [UNK][2,3] ba[3,5] ba[6,8]");
    assert_string_equal(help_encode(h, t, "aba baa"),
                        "a[0,1] ##b[1,2] ##a[2,3] b[4,5] ##a[5,6] ##a[6,7]");
    assert_string_equal(help_encode(h, t, "éba baé"), "[UNK][0,3] [UNK][4,7]");
    tok_close(t);
}

static void test_strips(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("5", "<m>", PLAIN ",'lstrip':true") ","
                                      TOKEN("6", "<r>", PLAIN ",'rstrip':true")));

    assert_string_equal(help_encode(h, t, "a \u3000<m> b"), "a[0,1] <m>[1,6] b[7,8]");
    assert_string_equal(help_encode(h, t, "a <r> \t b"), "a[0,1] <r>[2,8] b[8,9]");
    assert_string_equal(help_encode(h, t, "<r> <m>"), "<r>[0,4] <m>[4,7]");
    assert_string_equal(help_encode(h, t, "<m>  <m>"), "<m>[0,3] <m>[3,8]");
    tok_close(t);
}

/* The model never makes a token that was only added. */
static void test_not_the_models(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'added_tokens':[{'id':2,'content':'我',"
                                 "'single_word':true,'normalized':false}],'model':"
                                 "{'type':'BPE','vocab':{'a':0,'?':1},'merges':[],"
                                 "'unk_token':'?','ignore_merges':true}}");

    assert_string_equal(help_encode(h, t, "a我"), "a[0,1] ?[1,2]");
    assert_string_equal(help_encode(h, t, "我"), "我[0,1]");
    tok_close(t);
}

/* A piece of the vocabulary may be added as well, and said twice. */
static void test_in_vocabulary(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("2", "b", PLAIN) "," TOKEN("5", "c", PLAIN)
                                      "," TOKEN("2", "b", PLAIN) ","
                                      "{'id':9,'content':''}"));

    assert_string_equal(help_encode(h, t, "ab"), "a[0,1] b[1,2]");
    assert_int_equal(tok_vocab_size(t), 6);
    assert_int_equal(tok_id(t, "c", 1), 5);
    tok_close(t);
}

/* Numbered as the tokenizers package numbers them (0.23), whatever the file says. */
static void test_numbered(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TOKEN("9", "<x>", PLAIN) "," TOKEN("9", "<y>", PLAIN)
                                      "," TOKEN("1", "<z>", PLAIN) "," TOKEN("4", "b", PLAIN)));

    assert_string_equal(help_encode(h, t, "<x> b <y><z>"),
                        "<x>[0,3] b[4,5] <y>[6,9] <z>[9,12]");
    assert_int_equal(tok_id(t, "<x>", 3), 5);
    assert_int_equal(tok_id(t, "<y>", 3), 6);
    assert_int_equal(tok_id(t, "<z>", 3), 7);
    assert_int_equal(tok_id(t, "b", 1), 2);
    assert_int_equal(tok_vocab_size(t), 8);
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, WITH(TOKEN("-1", "c", "")), "has id -1, expected 0 to 4294967295");
    help_refused(h, WITH(TOKEN("4294967296", "c", "")), "has id 4294967296, expected 0 to");
    help_refused(h, WITH(TOKEN("'5'", "c", "")), "is not a whole number");
    help_refused(h, WITH(TOKEN("5", "c", ",'lstrip':3")),
                 "lstrip: found 3, expected true or false");
    help_refused(h, WITH("{'id':5}"), "added_tokens[0]: content: found nothing");
    help_refused(h, WITH("7"), "added_tokens[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_longest), TEST(test_shared_blanks), TEST(test_normalized), TEST(test_single_word),
        TEST(test_strips), TEST(test_not_the_models), TEST(test_in_vocabulary),
        TEST(test_numbered), TEST(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
