/* SPDX-License-Identifier: MIT
 * Normalisers: what they write, and which bytes of the input it stands for. */
#include "text_help.h"

static const char *normal(void **state, const char *json, const char *text)
{
    return help_step(*state, &normal_table, json, text);
}

#define BERT(clean, chinese, accents, lower) \
    "{'type':'BertNormalizer','clean_text':" clean ",'handle_chinese_chars':" chinese \
    ",'strip_accents':" accents ",'lowercase':" lower "}"

static void test_bert_cleans(void **state)
{
    const char *json = BERT("true", "false", "false", "false");

    assert_string_equal(normal(state, json, "a\tb\xe2\x80\x8b\x01" "c\xef\xbf\xbd"),
                        "a bc[0,8]");
    assert_string_equal(normal(state, json, "\xe3\x80\x80x"), " x[0,4]");
    assert_string_equal(normal(state, json, "\x01\x02"), "[0,0]");
}

static void test_bert_chinese(void **state)
{
    const char *json = BERT("false", "true", "false", "false");

    assert_string_equal(normal(state, json, "a我b"), "a 我 b[0,5]");
    assert_string_equal(normal(state, json, "カ"), "カ[0,3]");
}

/* null follows lowercase; only Mn goes, so the vowel sign of हि stays. */
static void test_bert_accents(void **state)
{
    assert_string_equal(normal(state, BERT("true", "true", "null", "true"), "Éa\u0301"),
                        "ea[0,3]");
    assert_string_equal(normal(state, BERT("true", "true", "null", "false"), "É"),
                        "É[0,2]");
    assert_string_equal(normal(state, BERT("true", "true", "true", "false"), "É"),
                        "E[0,2]");
    assert_string_equal(normal(state, BERT("true", "true", "null", "true"), "हि"),
                        "हि[0,6]");
}

static void test_lowercase(void **state)
{
    assert_string_equal(normal(state, "{'type':'Lowercase'}", "AÉß"), "aéß[0,5]");
    /* One character becomes two; a final sigma is not looked for. */
    assert_string_equal(normal(state, "{'type':'Lowercase'}", "İ"), "i\u0307[0,2]");
    assert_string_equal(normal(state, "{'type':'Lowercase'}", "ΑΣ"), "ασ[0,4]");
}

static void test_forms(void **state)
{
    assert_string_equal(normal(state, "{'type':'NFC'}", "e\u0301x"), "éx[0,4]");
    assert_string_equal(normal(state, "{'type':'NFD'}", "é"), "e\u0301[0,2]");
    assert_string_equal(normal(state, "{'type':'NFKC'}", "ﬁ①"), "fi1[0,6]");
    assert_string_equal(normal(state, "{'type':'NFKD'}", "½"), "1\u20442[0,2]");
    /* As the library has it: what is composed stands for its first character. */
    assert_string_equal(normal(state, "{'type':'NFC'}", "\u1100\u1161\u11a8"),
                        "각[0,3]");
    /* Marks are sorted by class; a composition may skip one. */
    assert_string_equal(normal(state, "{'type':'NFC'}", "a\u0301\u0323"), "ạ\u0301[0,5]");
    assert_string_equal(normal(state, "{'type':'NFC'}", "a\u0301\u0301"), "á\u0301[0,5]");
    /* Composition exclusions stay apart. */
    assert_string_equal(normal(state, "{'type':'NFC'}", "\u2adc"), "\u2add\u0338[0,3]");
    assert_string_equal(normal(state, "{'type':'NFC'}", "\u0301\u0301"),
                        "\u0301\u0301[0,4]");
}

static void test_strip_accents(void **state)
{
    const char *json = "{'type':'Sequence','normalizers':[{'type':'NFD'},"
                       "{'type':'StripAccents'}]}";

    assert_string_equal(normal(state, json, "é\u0903\u20ddx"), "ex[0,9]");
    assert_string_equal(normal(state, "{'type':'Sequence','normalizers':[]}", "É"),
                        "É[0,2]");
}

/* A million marks on one letter are sorted in linear time. */
static void test_many_marks(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'normalizer':{'type':'NFC'},'model':{'type':'BPE',"
                                 "'vocab':{'a':0},'merges':[],'unk_token':'a'}}");
    size_t n = 1000000;
    char *text = arena_alloc(&h->arena, 2 * n + 1, 1);
    struct tok_input in = { .text = text, .text_size = 2 * n + 1 };
    struct tokens out;

    text[0] = 'a';
    for (size_t i = 0; i < n; i++)
        memcpy(text + 1 + 2 * i, i % 2 ? "\u0301" : "\u0323", 2);
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.n, n);             /* the first mark has joined the a */
    tok_close(t);
}

static void test_byte_level(void **state)
{
    struct help *h = *state;
    struct tok *t;

    assert_string_equal(normal(state, "{'type':'ByteLevel'}", "a é我"), "aĠÃ©æĪĳ[0,7]");
    t = help_open(h, "{'normalizer':{'type':'ByteLevel'},'pre_tokenizer':{'type':'Split',"
                     "'pattern':{'String':'Ġ'},'behavior':'MergedWithNext'},'model':{'type':"
                     "'BPE','vocab':{'Ġ':0,'Ã':1,'©':2,'Ã©':3},'merges':[['Ã','©']]},"
                     "'added_tokens':[{'content':'x é'}]}");
    assert_string_equal(help_encode(h, t, "é éx éé"),
                        "Ã©[0,1] Ġ[1,2] Ã©[2,3] x é[3,6] Ã©[6,7]");
    tok_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bert_cleans), TEST(test_bert_chinese), TEST(test_bert_accents),
        TEST(test_lowercase), TEST(test_forms), TEST(test_strip_accents),
        TEST(test_many_marks), TEST(test_byte_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
