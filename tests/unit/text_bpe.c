/* SPDX-License-Identifier: MIT
 * Byte-pair encoding: order of merges, unknown characters, long parts. */
#include "text_help.h"


/* More quotes than sense: a model of pieces a b c ab bc abc and three merges. */
#define MODEL(extra, merges) \
    "{'model':{'type':'BPE'," extra "'vocab':{'a':0,'b':1,'c':2,'ab':3,'bc':4,'abc':5," \
    "'?':6},'merges':" merges "}}"

static void test_lowest_rank_first(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("", "[['b','c'],['a','b'],['a','bc']]"));

    assert_string_equal(help_encode(h, t, "abc"), "abc[0,3]");
    assert_string_equal(help_encode(h, t, "abab"), "ab[0,2] ab[2,4]");
    assert_string_equal(help_encode(h, t, "aabc"), "a[0,1] abc[1,4]");
    tok_close(t);
    t = help_open(h, MODEL("", "[['a','b'],['b','c'],['a','bc']]"));
    assert_string_equal(help_encode(h, t, "abc"), "ab[0,2] c[2,3]");
    tok_close(t);
    /* The old way to write merges. */
    t = help_open(h, MODEL("", "['a b','b c']"));
    assert_string_equal(help_encode(h, t, "abbc"), "ab[0,2] bc[2,4]");
    tok_close(t);
}

/* Of equal pairs the leftmost goes first: aaa is aa a. */
static void test_leftmost_first(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'model':{'type':'BPE','vocab':{'a':0,'aa':1,'aaaa':2},"
                                 "'merges':[['a','a'],['aa','aa']]}}");

    assert_string_equal(help_encode(h, t, "aaa"), "aa[0,2] a[2,3]");
    assert_string_equal(help_encode(h, t, "aaaaaaa"), "aaaa[0,4] aa[4,6] a[6,7]");
    tok_close(t);
}

static void test_ignore_merges(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'ignore_merges':true,", "[]"));

    assert_string_equal(help_encode(h, t, "abc"), "abc[0,3]");
    assert_string_equal(help_encode(h, t, "abca"), "a[0,1] b[1,2] c[2,3] a[3,4]");
    tok_close(t);
}

/* Without an unknown token they vanish, and move the spans behind them. */
static void test_unknown(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, MODEL("'unk_token':'?',", "[['a','b']]"));

    assert_string_equal(help_encode(h, t, "aéb我"), "a[0,1] ?[1,2] b[2,3] ?[3,4]");
    tok_close(t);
    t = help_open(h, MODEL("", "[['a','b']]"));
    assert_string_equal(help_encode(h, t, "axb"), "ab[0,2]");
    assert_string_equal(help_encode(h, t, "xyz"), "");
    tok_close(t);
}

#define BYTES "{'added_tokens':[],'model':{'type':'BPE','byte_fallback':true," \
    "'fuse_unk':%s,'unk_token':'?','vocab':{'?':0,'a':1,'<0xC3>':2,'<0xA9>':3}," \
    "'merges':[]}}"

/* Bytes where all of a character have a piece; labels are the bytes. */
static void test_byte_fallback(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, arena_printf(&h->arena, BYTES, "true"));
    struct tok_input in = { .text = "é", .text_size = 2 };
    struct tokens out;

    assert_string_equal(help_encode(h, t, "aéa"), "a[0,1] <0xC3>[1,2] <0xA9>[1,2] a[2,3]");
    assert_string_equal(help_encode(h, t, "xyza"), "?[0,3] a[3,4]");
    /* As the library has it: what is unknown waits behind bytes. */
    assert_string_equal(help_encode(h, t, "xéa"), "<0xC3>[0,1] <0xA9>[1,2] ?[1,2] a[2,3]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.label_size[0], 1);
    assert_int_equal((unsigned char)out.label[0][0], 0xc3);
    tok_close(t);
    t = help_open(h, arena_printf(&h->arena, BYTES, "false"));
    assert_string_equal(help_encode(h, t, "xya"), "?[0,1] ?[1,2] a[2,3]");
    tok_close(t);
}

/* ---- pieces that say where in a word they stand ---- */

#define WORDS "{'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':'BPE',"

/* CLIP's and GPT-1's. */
static void test_suffix(void **state)
{
    struct help *h = *state;
    struct tok_input in = { .text = "ab", .text_size = 2 };
    struct tok *t = help_open(h, WORDS "'end_of_word_suffix':'</w>','unk_token':'?','vocab':"
        "{'a':0,'b':1,'a</w>':2,'b</w>':3,'ab</w>':4,'?':5,'</w>':6,'ab':7},"
        "'merges':[['a','b</w>'],['a','b']]}}");
    struct tokens out;

    assert_string_equal(help_encode(h, t, "ab aba b é"),
                        "ab</w>[0,2] ab[3,5] a</w>[5,6] b</w>[7,8] ?[9,10]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_string_equal(out.label[0], "ab");
    in = (struct tok_input){ .text = "</w>", .text_size = 4, .pretokenized = true };
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_string_equal(out.label[0], "</w>");
    tok_close(t);
    /* The text of a piece stands for it where it is none itself. */
    t = help_open(h, "{'pre_tokenizer':{'type':'ByteLevel'},'model':{'type':'BPE','merges':[],"
                     "'end_of_word_suffix':'</w>','vocab':{'a':0,'a</w>':1,'Ã©</w>':2}}}");
    in = (struct tok_input){ .text = "a é", .text_size = 4, .pretokenized = true };
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.id[0], 0);
    assert_int_equal(out.id[1], 2);
    tok_close(t);
}

static void test_prefix(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WORDS "'continuing_subword_prefix':'##','unk_token':'?',"
        "'end_of_word_suffix':'~','vocab':{'a':0,'##b':1,'##b~':2,'ab':3,'ab~':4,'?':5,"
        "'##a':6,'##ab~':7},'merges':[['##a','##b~'],['a','##b']]}}");
    struct tok_input in = { .text = "aab", .text_size = 3 };
    struct tokens out;

    /* Of "##a" and "##b~" the second loses its prefix; "a~" is not there. */
    assert_string_equal(help_encode(h, t, "aab abb a"),
                        "a[0,1] ##ab~[1,3] ab[4,6] ##b~[6,7] ?[8,9]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_string_equal(out.label[1], "ab");
    tok_close(t);
}

/* A mark may be bytes as well: they stand for the end of the part. */
static void test_mark_bytes(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WORDS "'end_of_word_suffix':'~','byte_fallback':true,"
        "'vocab':{'a':0,'<0x7A>':1,'<0x7E>':2,'b~':3},'merges':[]}}");

    assert_string_equal(help_encode(h, t, "az zb"),
                        "a[0,1] <0x7A>[1,2] <0x7E>[1,2] <0x7A>[3,4] b~[4,5]");
    tok_close(t);
}

/* Each character inside of a word is eleven bytes there: more than were thought of. */
static void test_many_bytes(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WORDS "'continuing_subword_prefix':'@@@@@@@@@@',"
        "'byte_fallback':true,'vocab':{'a':0,'<0x7A>':1,'<0x40>':2},'merges':[]}}");
    struct tok_input in = { .text = "azzzzzzzzzzzzzzzzzzzz", .text_size = 21 };
    struct tokens out;

    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.n, 1 + 20 * 11);
    for (int i = 1; i < out.n; i++)
        assert_int_equal(out.id[i], i % 11 == 0 ? 1 : 2);
    tok_close(t);
}

#define LONG "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, MODEL("'end_of_word_suffix':5,", "[]"), "end_of_word_suffix: found 5");
    help_refused(h, MODEL("'continuing_subword_prefix':'" LONG "',", "[]"),
                 "\"continuing_subword_prefix\" has 70 bytes, expected at most 64");
    help_refused(h, MODEL("'continuing_subword_prefix':'##',", "[['a','b']]"),
                 "merges[0]: \"b\" is shorter than the prefix");
    help_refused(h, MODEL("'unk_token':'!',", "[]"), "\"unk_token\" is \"!\"");
    help_refused(h, MODEL("", "[['a','b'],['a','x']]"), "merges[1]: it names \"x\"");
    help_refused(h, MODEL("", "[['b','a']]"), "merges[0]: it names \"ba\"");
    help_refused(h, MODEL("", "['ab']"), "merges[0]: expected two pieces");
    help_refused(h, MODEL("", "['a b c']"), "merges[0]: expected two pieces");
    help_refused(h, MODEL("", "[['a']]"), "merges[0]: expected two pieces");
    help_refused(h, MODEL("", "[5]"), "merges[0]: expected two pieces");
    help_refused(h, MODEL("", "5"), "merges: found 5, expected a list");
}

/* A million characters in one part, all of which merge. */
static void test_long_part(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'model':{'type':'BPE','vocab':{'a':0,'aa':1,'aaaa':2,"
                                 "'aaaaaaaa':3},'merges':[['a','a'],['aa','aa'],"
                                 "['aaaa','aaaa']]}}");
    size_t n = 1000000;
    char *text = arena_alloc(&h->arena, n, 1);
    struct tok_input in = { .text = text, .text_size = n };
    struct tokens out;

    memset(text, 'a', n);
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.n, n / 8);
    assert_int_equal(out.bytes[out.n - 1].end, n);
    tok_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lowest_rank_first), TEST(test_leftmost_first),
        TEST(test_ignore_merges), TEST(test_unknown), TEST(test_refused),
        TEST(test_byte_fallback), TEST(test_suffix), TEST(test_prefix),
        TEST(test_mark_bytes), TEST(test_many_bytes), TEST(test_long_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
