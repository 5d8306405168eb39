/* SPDX-License-Identifier: MIT
 * Unigram: the best cut, the unknown, bytes; and what is refused. */
#include "text_help.h"

#define MODEL(rest, pieces) "{'model':{'type':'Unigram'," rest "'vocab':[" pieces "]}}"

static void test_best(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'unk_id':0,", "['?',0],['a',-2],['b',-2],"
        "['ab',-3.5],['abc',-9],['c',-2]"));

    assert_string_equal(help_encode(h, t, "abc"), "ab[0,2] c[2,3]");
    assert_string_equal(help_encode(h, t, ""), "");
    tok_close(t);
    /* Of equal sums the one found first stays: the longest last piece. */
    t = help_open(h, MODEL("'unk_id':0,", "['?',0],['a',-1],['b',-1],['ab',-2]"));
    assert_string_equal(help_encode(h, t, "ab"), "ab[0,2]");
    tok_close(t);
}

/* Neighbours that are unknown are one token; the piece itself counts as one. */
static void test_unknown(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'unk_id':0,", "['?',0],['a',-1]"));

    assert_string_equal(help_encode(h, t, "xéya?z"), "?[0,3] a[3,4] ?[4,6]");
    tok_close(t);
    t = help_open(h, MODEL("", "['a',-1]"));
    assert_string_equal(help_encode(h, t, "aa"), "a[0,1] a[1,2]");
    {
        struct tok_input in = { .text = "ax", .text_size = 2 };
        struct tokens out;

        assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
        assert_non_null(strstr(h->err.msg, "\"x\" is not in the vocabulary"));
    }
    tok_close(t);
}

/* What is trimmed is the blank of the text, not of the unknown piece. */
static void test_unknown_blank(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'post_processor':{'type':'ByteLevel','trim_offsets':true,"
        "'add_prefix_space':false},'model':{'type':'Unigram','unk_id':0,'vocab':[['?',0],"
        "['a',-1]]}}");

    assert_string_equal(help_encode(h, t, "a\u3000"), "a[0,1] ?[2,2]");
    assert_string_equal(help_encode(h, t, "\u3000a xa"), "?[1,1] a[1,2] ?[3,4] a[4,5]");
    tok_close(t);
}

static void test_bytes(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'unk_id':0,'byte_fallback':true,",
        "['?',0],['a',-1],['<0xC3>',0],['<0xA9>',0]"));

    assert_string_equal(help_encode(h, t, "aé"), "a[0,1] <0xC3>[1,2] <0xA9>[1,2]");
    assert_string_equal(help_encode(h, t, "éx"), "?[0,2]");
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, MODEL("'unk_id':1,", "['a',0]"), "\"unk_id\" is 1");
    help_refused(h, MODEL("'unk_id':-1,", "['a',0]"), "unk_id: found -1");
    help_refused(h, MODEL("", "['a',0],['a',0]"), "vocab[1]: token \"a\" appears twice");
    help_refused(h, MODEL("", "['a']"), "vocab[0]: it is not [piece, score]");
    help_refused(h, MODEL("", "[5,0]"), "vocab[0]: it is not [piece, score]");
    help_refused(h, MODEL("", "['a','b']"), "vocab[0]: it is not [piece, score]");
    help_refused(h, MODEL("", "['a',-1e999]"), "not JSON");
    help_refused(h, "{'model':{'type':'Unigram','vocab':true}}", "vocab: found true");
    help_refused(h, "{'model':{'type':'BPE','vocab':{'a':0},'merges':true}}",
                 "merges: found true");
}

/* Parts that are longer and longer, a little and much. */
static void test_longer_parts(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':"
                                 "'Unigram','unk_id':0,'vocab':[['?',0],['aaa',-1],['a',-2]]}}");
    char text[3000];
    int want = 0, count = 0;
    struct tok_input in = { .text = text };
    struct tokens out;

    for (int n = 60; n <= 600; n += n / 2) {
        memset(text + in.text_size, 'a', (size_t)n);
        text[in.text_size + (size_t)n] = ' ';
        in.text_size += (size_t)n + 1;
        want += n / 3 + n % 3;
    }
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    for (int i = 0; i < out.n; i++)
        count += out.bytes[i].end - out.bytes[i].start == (out.id[i] == 1 ? 3 : 1);
    assert_int_equal(count, out.n);
    assert_int_equal(out.n, want);
    tok_close(t);
}

/* A long part without blanks takes time that grows with its length, no more. */
static void test_long(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'unk_id':0,", "['?',0],['a',-1],['aa',-1.5]"));
    size_t n = 1 << 20;
    char *s = arena_alloc_raw(&h->arena, n, 1);
    struct tok_input in = { .text = s, .text_size = n };
    struct tokens out;

    memset(s, 'a', n);
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.n, n / 2);
    tok_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_best), TEST(test_unknown), TEST(test_unknown_blank), TEST(test_bytes),
        TEST(test_refused),
        TEST(test_longer_parts), TEST(test_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
