/* SPDX-License-Identifier: MIT
 * tokenizer.json from anyone: each damage is one clear error, soon. */
#include "text_help.h"

/* A whole small file, with every kind of step in it. */
static const char whole[] =
    "{'version':'1.0','truncation':{'max_length':1},'padding':{'length':9},"
    "'added_tokens':[{'id':5,'content':'<s>','special':true,'lstrip':true}],"
    "'normalizer':{'type':'Sequence','normalizers':[{'type':'NFC'},"
    "{'type':'BertNormalizer','strip_accents':null}]},"
    "'pre_tokenizer':{'type':'Sequence','pretokenizers':[{'type':'Split','pattern':"
    "{'Regex':'\\\\p{N}{1,3}'},'behavior':'Isolated','invert':false},"
    "{'type':'ByteLevel','add_prefix_space':false,'use_regex':true}]},"
    "'post_processor':{'type':'Sequence','processors':[{'type':'ByteLevel'},"
    "{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'<s>','type_id':0}},"
    "{'Sequence':{'id':'A','type_id':0}}],'pair':[],'special_tokens':{'<s>':"
    "{'id':'<s>','ids':[5],'tokens':['<s>']}}}]},"
    "'decoder':{'type':'ByteLevel'},"
    "'model':{'type':'BPE','dropout':null,'unk_token':'a','vocab':{'a':0,'b':1,'Ġ':2,"
    "'ab':3,'Ġa':4},'merges':[['a','b'],['Ġ','a']]}}";

/* Padding and truncation are not for us. */
static void test_whole(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, whole);

    assert_string_equal(help_encode(h, t, "ab a"), "*<s>[0,0] ab[0,2] Ġa[3,4]");
    assert_int_equal(tok_vocab_size(t), 6);
    assert_string_equal(tok_piece(t, 3), "ab");
    assert_null(tok_piece(t, 6));
    assert_int_equal(tok_id(t, "Ġa", strlen("Ġa")), 4);
    assert_int_equal(tok_id(t, "nope", 4), -1);
    tok_close(t);
}

static void test_cut_anywhere(void **state)
{
    struct help *h = *state;
    char *s = help_quotes(h, whole);

    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        struct arena_mark mark = arena_mark(&h->arena);
        struct span span = { (const unsigned char *)s, n };

        assert_null(tok_open_memory(&h->arena, span, "cut.json", &h->err));
        assert_int_equal(h->err.kind, ERR_INPUT);
        assert_int_equal(strncmp(h->err.msg, "cut.json: not JSON: column", 26), 0);
        arena_reset(&h->arena, mark);
    }
}

/* One byte after the other is damaged; whatever opens must encode or say why. */
static void test_any_byte_wrong(void **state)
{
    static const char bytes[] = { '\0', '"', '0', '-', '{', ']', '\\', '\xff', 'x' };
    struct help *h = *state;
    char *s = help_quotes(h, whole);

    for (size_t i = 0; i + 1 < sizeof whole; i++) {
        struct arena_mark mark = arena_mark(&h->arena);
        struct span span = { (const unsigned char *)s, sizeof whole - 1 };
        struct tok_input in = { .text = "ab <s> 12é", .text_size = 11 };
        struct tokens out;
        struct tok *t;
        char was = s[i];

        s[i] = bytes[i % sizeof bytes];
        t = tok_open_memory(&h->arena, span, "test.json", &h->err);
        if (t != NULL)
            (void)tok_encode(t, &h->arena, &in, &out, &h->err);
        tok_close(t);
        s[i] = was;
        arena_reset(&h->arena, mark);
    }
}

static void test_deep(void **state)
{
    struct help *h = *state;
    size_t n = 10000;
    const char *open = "{'type':'Sequence','normalizers':[", *close = "]}";
    char *s = arena_alloc(&h->arena, 40 * n, 1);

    memset(s, '[', n);
    help_refused(h, s, "nested more than 2048 deep");
    strcpy(s, "{'model':{'type':'WordPiece','vocab':{}},'normalizer':");
    for (size_t i = 0; i < n; i++)
        memcpy(s + strlen("{'model':{'type':'WordPiece','vocab':{}},'normalizer':") +
               i * strlen(open), open, strlen(open));
    help_refused(h, s, "nested more than 2048 deep");
    /* As deep as the parser allows: fine, and nothing overflows. */
    strcpy(s, "{'model':{'type':'WordPiece','vocab':{'a':0}},'normalizer':");
    for (size_t i = 0; i < 1000; i++)
        strcat(s, open);
    strcat(s, "{'type':'NFC'}");
    for (size_t i = 0; i < 1000; i++)
        strcat(s, close);
    strcat(s, "}");
    {
        struct tok *t = help_open(h, s);

        assert_string_equal(help_encode(h, t, "a"), "a[0,1]");
        tok_close(t);
    }
}

#define MODEL "'model':{'type':'WordPiece','vocab':{'[UNK]':0,'a':1}}"
#define PATTERN(p) \
    "{" MODEL ",'pre_tokenizer':{'type':'Split','pattern':{'Regex':'" p "'}," \
    "'behavior':'Isolated'}}"

#define HARD "{'type':'Split','pattern':{'Regex':'(a+)+$'},'behavior':'Isolated'}"

static void test_patterns(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, PATTERN("(a+)+$"));
    char *text = arena_alloc(&h->arena, 100001, 1);
    struct tok_input in = { .text = text, .text_size = 100000 };
    struct tokens out;

    memset(text, 'a', 100000);
    text[60] = text[99999] = 'b';
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "pattern \"(a+)+$\" gives up on this text"));
    /* Many steps, but fewer than one place may take, at each of many places. */
    for (int i = 0; i < 100000; i += 22)
        text[i] = 'b';
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "pattern \"(a+)+$\" gives up on this text"));
    tok_close(t);
    /* The same by many patterns, each over few places. */
    t = help_open(h, "{" MODEL ",'pre_tokenizer':{'type':'Sequence','pretokenizers':["
                  HARD "," HARD "," HARD "," HARD "," HARD "," HARD "," HARD "," HARD "," HARD
                  "," HARD "]}}");
    memset(text, 'a', 100);
    for (int i = 19; i < 200; i += 20)
        text[i] = 'b';
    in.text_size = 200;
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "gives up on this text"));
    tok_close(t);
    help_refused(h, PATTERN("(a"), "pattern \"(a\": missing closing parenthesis");
    help_refused(h, PATTERN("a)"), "unmatched closing parenthesis");
    help_refused(h, PATTERN("*"), "quantifier does not follow");
    help_refused(h, PATTERN("\\\\p{Nonsense}"), "unknown property");
    help_refused(h, PATTERN("[z-a]"), "range out of order");
    help_refused(h, PATTERN("\\u0000"), "a NUL in it");
}

static void test_growth(void **state)
{
    struct help *h = *state;
    char *s = arena_printf(&h->arena, "{%s,'pre_tokenizer':{'type':'Sequence',"
                           "'pretokenizers':[", MODEL);
    struct tok_input in = { .text = "éé", .text_size = 4 };
    struct tokens out;
    struct tok *t;

    for (int i = 0; i < 64; i++)
        s = arena_printf(&h->arena, "%s{'type':'ByteLevel','use_regex':false}%s", s,
                         i < 63 ? "," : "]}}");
    t = help_open(h, s);
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "grows out of bounds"));
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, "", "not JSON");
    help_refused(h, "[]", "it is not a JSON object");
    help_refused(h, "{}", "\"model\" is missing");
    help_refused(h, "{'model':{}}", "model has no \"type\"");
    help_refused(h, "{'model':{'type':'Words','vocab':{}}}", "model \"Words\" is not "
                 "supported, only WordPiece, BPE, Unigram, WordLevel");
    help_refused(h, "{'model':{'type':'BPE','vocab':{'a':-1}}}", "has id -1");
    help_refused(h, "{'model':{'type':'BPE','vocab':{'a':1099511627776}}}",
                 "has id 1099511627776");
    help_refused(h, "{'model':{'type':'BPE','vocab':{'a':1.5}}}", "not a whole number");
    help_refused(h, "{'model':{'type':'BPE','vocab':{'a':0,'b':0}}}",
                 "tokens \"a\" and \"b\" share id 0");
    help_refused(h, "{" MODEL ",'normalizer':{'type':'Bytes'}}",
                 "normalizer \"Bytes\" is not supported, only Sequence, Bert");
    help_refused(h, "{" MODEL ",'normalizer':{'type':'Sequence','normalizers':5}}",
                 "normalizers: found 5, expected a list");
    help_refused(h, "{" MODEL ",'normalizer':{'type':'BertNormalizer','lowercase':1}}",
                 "normalizer BertNormalizer: lowercase: found 1, expected");
    help_refused(h, "{" MODEL ",'pre_tokenizer':{'type':'Scripts'}}",
                 "pre_tokenizer \"Scripts\" is not supported");
    help_refused(h, "{" MODEL ",'pre_tokenizer':{'type':'FixedLength','length':0}}",
                 "pre_tokenizer FixedLength: length: found 0, expected");
    help_refused(h, "{" MODEL ",'pre_tokenizer':{'type':'Split','pattern':{},"
                 "'behavior':'Isolated'}}", "pattern: String: found nothing");
    help_refused(h, "{" MODEL ",'pre_tokenizer':{'type':'Split','pattern':{'String':'x'}"
                 ",'behavior':'Eaten'}}", "\"behavior\" is \"Eaten\"");
    help_refused(h, "{" MODEL ",'pre_tokenizer':5}", "pre_tokenizer has no \"type\"");
    help_refused(h, "{" MODEL ",'added_tokens':{}}", "added_tokens: found {}");
    help_refused(h, "{'a\\u0000b':1}", "not JSON");
    help_refused(h, "{'a':'\\ud800'}", "not JSON");
}

/* Old files do not say what their model is. */
static void test_no_type(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, "{'model':{'vocab':{'a':0,'b':1,'ab':2},'merges':"
                                 "['a b']}}");

    assert_string_equal(help_encode(h, t, "ab"), "ab[0,2]");
    tok_close(t);
    t = help_open(h, "{'model':{'vocab':{'a':0,'##b':1},'max_input_chars_per_word':9}}");
    assert_string_equal(help_encode(h, t, "ab"), "a[0,1] ##b[1,2]");
    tok_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_whole), TEST(test_cut_anywhere), TEST(test_any_byte_wrong),
        TEST(test_deep), TEST(test_patterns), TEST(test_growth), TEST(test_refused),
        TEST(test_no_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
