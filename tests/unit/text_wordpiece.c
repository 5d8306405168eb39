/* SPDX-License-Identifier: MIT
 * WordPiece: longest first, whole words unknown, words that are too long. */
#include "text_help.h"

#define MODEL(extra) \
    "{'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':'WordPiece'," extra \
    "'vocab':{'[UNK]':0,'un':1,'##able':2,'##a':3,'unable':4,'##b':5,'able':6," \
    "'##':7,'é':8,'##é':9}}}"

static void test_longest_first(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL(""));

    assert_string_equal(help_encode(h, t, "unable unab able"),
                        "unable[0,6] un[7,9] ##a[9,10] ##b[10,11] able[12,16]");
    assert_string_equal(help_encode(h, t, "éééa"),
                        "é[0,1] ##é[1,2] ##é[2,3] ##a[3,4]");
    /* As the library: text may begin with a piece that has the prefix. */
    assert_string_equal(help_encode(h, t, "##ablea"), "##able[0,6] ##a[6,7]");
    tok_close(t);
}

static void test_unknown(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'max_input_chars_per_word':5,"));

    assert_string_equal(help_encode(h, t, "unx un"), "[UNK][0,3] un[4,6]");
    assert_string_equal(help_encode(h, t, "unable unaaa ééééé"),
                        "[UNK][0,6] un[7,9] ##a[9,10] ##a[10,11] ##a[11,12] "
                        "é[13,14] ##é[14,15] ##é[15,16] ##é[16,17] ##é[17,18]");
    tok_close(t);
    t = help_open(h, MODEL("'unk_token':'none',"));
    {
        struct tok_input in = { .text = "xyz", .text_size = 3 };
        struct tokens out;

        assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
        assert_non_null(strstr(h->err.msg, "the unknown token \"none\""));
    }
    tok_close(t);
}

static void test_labels(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL(""));
    const int ids[] = { 1, 2, 7, 0, 70, -1 };
    const char *const want[] = { "un", "able", "##", "[UNK]", "<id 70>", "<id -1>" };
    struct tokens out;

    tok_describe(t, &h->arena, ids, NULL, 6, &out);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(out.label[i], want[i]);
        assert_int_equal(out.label_size[i], strlen(want[i]));
    }
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, "{'model':{'type':'WordPiece'}}", "\"vocab\" is missing");
    help_refused(h, MODEL("'unk_token':5,"), "unk_token: found 5");
    help_refused(h, MODEL("'max_input_chars_per_word':-1,"),
                 "max_input_chars_per_word: found -1, expected a whole number from 0");
    help_refused(h, MODEL("'max_input_chars_per_word':1099511627776,"),
                 "expected a whole number from 0 to");
    help_refused(h, MODEL("'continuing_subword_prefix':null,"),
                 "found null, expected a string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_longest_first), TEST(test_unknown), TEST(test_labels),
        TEST(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
