/* SPDX-License-Identifier: MIT
 * WordLevel: whole words, or the unknown piece. */
#include "text_help.h"

#define MODEL(type, unk) \
    "{'pre_tokenizer':{'type':'Whitespace'},'model':{" type "'unk_token':'" unk "'," \
    "'vocab':{'<unk>':0,'the':1,'cat':2,'我':3}}}"

static void test_words(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'type':'WordLevel',", "<unk>"));

    assert_string_equal(help_encode(h, t, "the cat, 我  cats"),
                        "the[0,3] cat[4,7] <unk>[7,8] 我[9,10] <unk>[12,16]");
    assert_string_equal(help_encode(h, t, ""), "");
    tok_close(t);
    /* Old files do not say the type. */
    t = help_open(h, MODEL("", "<unk>"));
    assert_string_equal(help_encode(h, t, "cat"), "cat[0,3]");
    tok_close(t);
}

static void test_without_unknown(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'type':'WordLevel',", "none"));
    struct tok_input in = { .text = "the dog", .text_size = 7 };
    struct tokens out;

    assert_string_equal(help_encode(h, t, "the cat"), "the[0,3] cat[4,7]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "\"dog\" is not in the vocabulary, and neither is "
                           "the unknown token \"none\""));
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, "{'model':{'type':'WordLevel','vocab':{}}}", "unk_token: found nothing");
    help_refused(h, "{'model':{'type':'WordLevel','unk_token':'a'}}", "\"vocab\" is missing");
    help_refused(h, "{'model':{'type':'WordLevel','unk_token':'a','vocab':{'a':-1}}}",
                 "has id -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_words), TEST(test_without_unknown), TEST(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
