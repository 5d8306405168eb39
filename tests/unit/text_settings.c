/* SPDX-License-Identifier: MIT
 * Each setting of each step of a tokenizer.json that is something else than it has to be,
 * and what two of one name make. */
#include "text_help.h"

#define MODEL "'model':{'type':'WordLevel','unk_token':'a','vocab':{'a':0,'b':2}}"

struct row {
    const char *json, *why;
};

static void refuse_all(struct help *h, const char *before, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        help_refused(h, arena_printf(&h->arena, "{%s%s}", before, rows[i].json), rows[i].why);
}

#define REFUSE(before, ...) \
    do { \
        static const struct row rows[] = { __VA_ARGS__ }; \
        refuse_all(*state, before, rows, sizeof rows / sizeof rows[0]); \
    } while (0)

static void test_added(void **state)
{
    REFUSE(MODEL ",'added_tokens':",
           { "[{}]", "added_tokens[0]: content: found nothing, expected a string" },
           { "[{'content':'x','single_word':1}]", "added_tokens[0]: single_word: found 1" },
           { "[{'content':'x','lstrip':1}]", "added_tokens[0]: lstrip: found 1" },
           { "[{'content':'x','rstrip':'y'}]", "added_tokens[0]: rstrip: found \"y\"" },
           { "[{'content':'x','special':0}]", "added_tokens[0]: special: found 0" },
           { "[{'content':'x','normalized':[]}]", "added_tokens[0]: normalized: found []" },
           /* A new one has the number of pieces, which is that of a piece here. */
           { "[{'content':'x'}]", "tokens \"b\" and \"x\" share id 2" });
}

static void test_normalisers(void **state)
{
    REFUSE(MODEL ",'normalizer':",
           { "{'type':'BertNormalizer','clean_text':1}", "clean_text: found 1" },
           { "{'type':'BertNormalizer','handle_chinese_chars':1}", "handle_chinese_chars: found" },
           { "{'type':'BertNormalizer','lowercase':1}", "lowercase: found 1" },
           { "{'type':'BertNormalizer','strip_accents':1}", "strip_accents: found 1" },
           { "{'type':'Replace','pattern':{'Regex':5},'content':''}", "Regex: found 5" },
           { "{'type':'Replace','pattern':{'String':5},'content':''}", "String: found 5" },
           { "{'type':'Replace','pattern':{'String':'a'}}", "content: found nothing" },
           { "{'type':'Strip','strip_left':1}", "Strip: strip_left: found 1" },
           { "{'type':'Strip','strip_right':1}", "Strip: strip_right: found 1" },
           { "{'type':'Sequence','normalizers':[{'type':'NFC'},{}]}", "has no \"type\"" },
           { "{'type':'Precompiled','precompiled_charsmap':'A==='}", "not base64" },
           { "{'type':'Precompiled','precompiled_charsmap':'===='}", "not base64" },
           { "{'type':'Precompiled','precompiled_charsmap':''}", "a trie of 0 bytes in 0" });
}

static void test_presplits(void **state)
{
    REFUSE(MODEL ",'pre_tokenizer':",
           { "{'type':'ByteLevel','add_prefix_space':1}", "add_prefix_space: found 1" },
           { "{'type':'ByteLevel','use_regex':1}", "use_regex: found 1" },
           { "{'type':'Metaspace','replacement':5}", "replacement: found 5" },
           { "{'type':'Metaspace','replacement':'_','add_prefix_space':1}", "space: found 1" },
           { "{'type':'Metaspace','replacement':'_','prepend_scheme':1}", "scheme: found 1" },
           { "{'type':'Metaspace','replacement':'_','split':1}", "split: found 1" },
           { "{'type':'Metaspace','replacement':'_','add_prefix_space':false,"
             "'prepend_scheme':'first'}", "\"add_prefix_space\" is false, but" },
           { "{'type':'Split','pattern':{'String':'x'}}", "behavior: found nothing" },
           { "{'type':'Split','pattern':{'String':'x'},'behavior':'Removed','invert':1}",
             "invert: found 1" },
           { "{'type':'CharDelimiterSplit'}", "delimiter: found nothing" },
           { "{'type':'CharDelimiterSplit','delimiter':'ab'}", "delimiter: found \"ab\"" },
           { "{'type':'Digits','individual_digits':1}", "individual_digits: found 1" },
           { "{'type':'Punctuation','behavior':'x'}", "\"behavior\" is \"x\"" },
           { "{'type':'Punctuation','behavior':1}", "behavior: found 1" });
}

#define SLOTS(slot) "{'type':'TemplateProcessing','single':[" slot "],'pair':[],'special_tokens':" \
    "{'a':{'id':'a','ids':[0]},'b':{'id':'b','ids':5},'c':{'id':'c','ids':[-1]}," \
    "'d':{'id':'d','ids':[2147483648]},'e':{'id':'e','ids':['x']},'f':{'id':'f','ids':[0,9]}}}"
#define SPECIAL(name) "{'SpecialToken':{'id':" name ",'type_id':0}}"

static void test_processors(void **state)
{
    REFUSE(MODEL ",'post_processor':",
           { "{'type':'ByteLevel','trim_offsets':1}", "ByteLevel: trim_offsets: found 1" },
           { "{'type':'ByteLevel','add_prefix_space':1}", "add_prefix_space: found 1" },
           { "{'type':'TemplateProcessing','single':5}", "single: found 5" },
           { "{'type':'TemplateProcessing','single':[],'pair':5}", "pair: found 5" },
           { SLOTS(SPECIAL("5")), "single[0]: id: found 5" },
           { SLOTS(SPECIAL("'b'")), "single[0]: ids: found 5" },
           { SLOTS(SPECIAL("'c'")), "special token \"c\" has id -1, which the vocabulary lacks" },
           { SLOTS(SPECIAL("'d'")), "special token \"d\" has id -1" },
           { SLOTS(SPECIAL("'e'")), "special token \"e\" has id -1" },
           { SLOTS(SPECIAL("'f'")), "special token \"f\" has id 9" },
           { SLOTS("{'Sequence':{'id':'A','type_id':'0'}}"), "single[0]: type_id: found \"0\"" },
           { "{'type':'BertProcessing'}", "\"cls\" is not [token, id]" },
           { "{'type':'BertProcessing','cls':[5,0]}", "\"cls\" is not [token, id]" },
           { "{'type':'BertProcessing','cls':['a','0']}", "\"cls\" is not [token, id]" },
           { "{'type':'BertProcessing','cls':['a',-1]}", "\"cls\" is not [token, id]" },
           { "{'type':'BertProcessing','cls':['a',2147483648]}", "\"cls\" is not [token, id]" },
           { "{'type':'RobertaProcessing','cls':['a',0],'sep':['a',0],'trim_offsets':1}",
             "RobertaProcessing: trim_offsets: found 1" });
}

static void test_models(void **state)
{
    static const char x[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    struct help *h = *state;

    REFUSE("'model':",
           { "{'type':'BPE','vocab':{},'merges':[],'ignore_merges':1}", "ignore_merges: found 1" },
           { "{'type':'BPE','vocab':{},'merges':[],'fuse_unk':1}", "fuse_unk: found 1" },
           { "{'type':'BPE','vocab':{},'merges':[],'byte_fallback':1}", "byte_fallback: found" },
           { "{'type':'BPE','vocab':{},'merges':[],'unk_token':1}", "unk_token: found 1" },
           { "{'type':'BPE','vocab':{},'merges':[],'end_of_word_suffix':1}", "suffix: found 1" },
           { "{'type':'BPE','vocab':{'a':0},'merges':[['a',5]]}", "merges[0]: expected two" },
           { "{'type':'BPE','vocab':{'a':0},'merges':[[5,'a']]}", "merges[0]: expected two" },
           { "{'type':'Unigram','vocab':[['a',0]],'byte_fallback':1}", "byte_fallback: found 1" },
           { "{'type':'Unigram','vocab':[['a',0]],'unk_id':'a'}", "unk_id: found \"a\"" },
           { "{'type':'Unigram','vocab':[['\xff',0]]}", "not JSON" },
           { "{'type':'Unigram','vocab':[['a',0}}", "not JSON" },
           { "{'type':'Unigram','vocab':[['\\ud800',0]]}", "not JSON" },
           { "{'type':'Unigrat','vocab':[['a',0]]}", "model \"Unigrat\" is not supported" },
           { "{'type':'WordLevel','vocab':{'a':0}}", "unk_token: found nothing" },
           { "{'type':'WordLevel','vocab':5,'unk_token':'a'}",
             "\"vocab\" is missing or not an object" });
    help_refused(h, arena_printf(&h->arena, "{'model':{'type':'BPE','vocab':{'a':0},'merges':"
                                 "[['a','%s']]}}", x),
                 arena_printf(&h->arena, "merges[0]: it names \"%.80s\",", x));
}

static void encodes(struct help *h, const char *json, const char *text, const char *want)
{
    struct tok *t = help_open(h, json);

    assert_string_equal(help_encode(h, t, text), want);
    tok_close(t);
}

/* Of two values with one key the last counts, also where the first is read without a tree. */
static void test_twice(void **state)
{
    struct help *h = *state;

    encodes(h, "{'model':{'type':'Unigram','unk_id':null,'vocab':[['a',-1]],"
               "'vocab':[['b',-1],['c',-2]]}}", "cb", "c[0,1] b[1,2]");
    encodes(h, "{'model':{'type':'WordLevel','unk_token':'?','vocab':{'a':1},"
               "'vocab':{'?':0,'b':7}}}", "b", "b[0,1]");
    encodes(h, "{'model':{'type':'BPE','vocab':{'a':0,'b':1,'ab':2,'ba':3},'merges':[['a','b']],"
               "'merges':[['b','a']]}}", "aba", "a[0,1] ba[1,3]");
}

/* null is no merges. */
static void test_null(void **state)
{
    encodes(*state, "{'model':{'type':'BPE','vocab':{'a':0},'merges':null}}", "aa",
            "a[0,1] a[1,2]");
}

/* Both ways to say that no blank comes first. */
static void test_never(void **state)
{
    encodes(*state, "{'pre_tokenizer':{'type':'Metaspace','replacement':'_','add_prefix_space':"
            "false,'prepend_scheme':'never'},'model':{'type':'BPE','vocab':{'a':0,'_':1},"
            "'merges':[]}}", "a a", "a[0,1] _[1,2] a[2,3]");
}

/* A map within a list in the list is no hindrance to one behind it. */
static void test_two_maps(void **state)
{
    struct help *h = *state;
    struct tok *t = help_try(h, "{'normalizer':{'type':'Sequence','normalizers':[{'type':"
        "'Sequence','normalizers':[{'type':'Precompiled','precompiled_charsmap':'AAAAAA=='}]},"
        "{'type':'Precompiled','precompiled_charsmap':'BAAAAP8AAAA='}]}," MODEL "}");

    assert_null(t);                     /* the first is taken first */
    assert_non_null(strstr(h->err.msg, "a trie of 0 bytes in 4"));
    t = help_open(h, "{'normalizer':{'type':'Sequence','normalizers':[{'type':"
        "'Sequence','normalizers':[{'type':'Precompiled','precompiled_charsmap':"
        "'BAAAAP8AAAA='}]},{'type':'Precompiled','precompiled_charsmap':'BAAAAP8AAAA='}]},"
        MODEL "}");
    tok_close(t);
}

/* What old files say of their type. */
static void test_guessed(void **state)
{
    struct help *h = *state;

    encodes(h, "{'model':{'unk_id':0,'vocab':[['?',0],['a',-1]]}}", "ax", "a[0,1] ?[1,2]");
    encodes(h, "{'model':{'unk_token':'?','vocab':{'?':0,'ab':1}}}", "ab", "ab[0,2]");
    help_refused(h, "{'model':{'vocab':{'?':0}}}", "model has no \"type\"");
}

#define DECODE(decoder) "{'model':{'type':'BPE','vocab':{'_a':0,'-':1,'Ġ':2},'merges':[]}," \
                        "'decoder':" decoder "}"
#define LIST(decoder) "{'type':'Sequence','decoders':[" decoder "]}"

/* Only the decoder says here what stands for a blank, or that pieces are bytes. */
static void test_decoder(void **state)
{
    static const struct { const char *json; int id; const char *label; } rows[] = {
        { DECODE("{'type':'Replace','pattern':{'String':'_'},'content':' '}"), 0, " a" },
        { DECODE("{'type':'Replace','pattern':{'String':'_'},'content':'-'}"), 0, "_a" },
        { DECODE("{'type':'Replace','pattern':{'String':'_'}}"), 0, "_a" },
        { DECODE("{'type':'Strip','pattern':{'String':'_'},'content':' '}"), 0, "_a" },
        { DECODE("{'type':'Metaspace','replacement':'_'}"), 0, " a" },
        { DECODE("{'type':'Metaspace'}"), 0, "_a" },
        { DECODE("{'type':5}"), 0, "_a" },
        { DECODE("{'type':'ByteLevel'}"), 2, " " },
        { DECODE("{'type':'Fuse'}"), 2, "Ġ" },
        { DECODE(LIST(LIST("{'type':'ByteLevel'}"))), 2, " " },
        /* Nobody needs nine of them one in the other. */
        { DECODE(LIST(LIST(LIST(LIST(LIST(LIST(LIST(LIST(LIST("{'type':'ByteLevel'}")))))))))),
          2, "Ġ" },
    };
    struct help *h = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tok *t = help_open(h, rows[i].json);
        struct tokens out;

        tok_describe(t, &h->arena, &rows[i].id, NULL, 1, &out);
        if (strcmp(out.label[0], rows[i].label) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].json, out.label[0], rows[i].label);
        tok_close(t);
    }
}

/* Messages hold the beginning of what is long. */
static void test_long_words(void **state)
{
    static const char *const models[] = {
        "{'type':'WordLevel','unk_token':'?','vocab':{'a':0}}",
        "{'type':'Unigram','vocab':[['a',0]]}",
        "{'type':'WordPiece','vocab':{'a':0}}",
    };
    struct help *h = *state;
    char x[201];
    struct tok_input in = { .text = x, .text_size = 200 };
    struct tokens out;

    memset(x, 'x', 200);
    x[200] = '\0';
    for (int i = 0; i < 3; i++) {
        struct tok *t = help_open(h, arena_printf(&h->arena, "{'model':%s}", models[i]));

        in.pretokenized = false;
        assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
        assert_non_null(strstr(h->err.msg, i < 2 ?
                               arena_printf(&h->arena, "\"%.80s\" is not in the vocabulary", x) :
                               "a word is not in the vocabulary, and neither is the unknown"));
        in.pretokenized = true;
        assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
        assert_non_null(strstr(h->err.msg, arena_printf(&h->arena, "has no piece \"%.80s\",", x)));
        tok_close(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_added), TEST(test_normalisers), TEST(test_presplits), TEST(test_processors),
        TEST(test_models), TEST(test_twice), TEST(test_null), TEST(test_never),
        TEST(test_two_maps), TEST(test_guessed), TEST(test_decoder),
        TEST(test_long_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
