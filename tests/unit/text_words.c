/* SPDX-License-Identifier: MIT
 * Words: each by itself, the word that a token is of, and the piece that stands for one. */
#include "text_help.h"

/* Pieces and the words they are of: "ab:0 [S]:-1", or the message. */
static const char *numbered(struct help *h, const char *json, const struct tok_input *in)
{
    struct tok *t = help_open(h, json);
    struct tokens out;
    const char *s = "";

    memset(&h->err, 0, sizeof h->err);
    if (tok_encode(t, &h->arena, in, &out, &h->err) != 0)
        s = arena_strdup(&h->arena, h->err.msg);
    else
        for (int i = 0; i < out.n; i++)
            s = arena_printf(&h->arena, "%s%s%s:%d", s, i > 0 ? " " : "", out.piece[i],
                             out.word[i]);
    tok_close(t);
    return s;
}

static const char *words(struct help *h, const char *json, const char *text, const char *pair,
                         bool by_word)
{
    const struct tok_input in = { .text = text, .text_size = strlen(text), .pair = pair,
                                  .pair_size = pair != NULL ? strlen(pair) : 0,
                                  .words = by_word, .number_words = true };

    return numbered(h, json, &in);
}

/* A piece of several words is of none. */
static const char *lenient_words(struct help *h, const char *json, const char *text)
{
    const struct tok_input in = { .text = text, .text_size = strlen(text), .number_words = true,
                                  .lenient_words = true };

    return numbered(h, json, &in);
}

#define PLAIN "'model':{'type':'BPE','vocab':{'a':0,'b':1,' ':2,'ab':3,'b ':4,'b a':5}," \
              "'merges':["
#define TEMPLATE(more) "'post_processor':{'type':'TemplateProcessing','single':[" A "," A "]," \
                       "'pair':[{'SpecialToken':{'id':'a','type_id':0}}," more "]," \
                       "'special_tokens':{'a':{'id':'a','ids':[0],'tokens':['a']}}},"
#define A "{'Sequence':{'id':'A','type_id':0}}"
#define B "{'Sequence':{'id':'B','type_id':0}}"

static void test_numbers(void **state)
{
    struct help *h = *state;

    /* A blank is of the word after it; one at the end of none. */
    assert_string_equal(words(h, "{" PLAIN "]}}", " ab  b ", NULL, false),
                        " :0 a:0 b:0  :1  :1 b:1  :-1");
    assert_string_equal(words(h, "{" PLAIN "]}}", "a b", "b a", false),
                        "a:0  :1 b:1 b:2  :3 a:3");
    assert_string_equal(words(h, "{" PLAIN "]}}", "  ", "a", false), " :-1  :-1 a:0");
    assert_string_equal(words(h, "{" PLAIN "]}}", "", NULL, false), "");
    assert_string_equal(words(h, "{" PLAIN "['b',' ']]}}", "ab a", NULL, false),
                        "a:0 b :0 a:1");
    assert_string_equal(words(h, "{" PLAIN "['b',' '],['b ','a']]}}", "ab a", NULL, false),
                        "test.json: a piece stands for \"b a\", which is several words");
    assert_string_equal(lenient_words(h, "{" PLAIN "['b',' '],['b ','a']]}}", "a ab a b"),
                        "a:0  :1 a:1 b a:-1  :3 b:3");
    /* The text once more: back to its first word. */
    assert_string_equal(words(h, "{" TEMPLATE(A) PLAIN "]}}", "a b", NULL, false),
                        "a:0  :1 b:1 a:0  :1 b:1");
    assert_string_equal(words(h, "{" TEMPLATE(B "," A) PLAIN "]}}", "a b", "b", false),
                        "a:-1 b:2 a:0  :1 b:1");
}

#define LEVEL(merges) "{'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false}," \
    "'model':{'type':'BPE','vocab':{'a':0,'b':1,'Ġ':2,'ab':3,'Ġa':4,'Ġab':5},'merges':[" \
    merges "]}}"

/* A word that would be other pieces after a blank is refused. */
static void test_by_itself(void **state)
{
    static const char *const other[] = {
        "['Ġ','a']", "['Ġ','a'],['Ġa','b']", "['Ġ','a'],['a','b']", "['a','b'],['Ġ','ab']",
    };
    struct help *h = *state;

    assert_string_equal(words(h, "{" PLAIN "['a','b']]}}", "ab b", NULL, true), "ab:0 b:1");
    assert_string_equal(words(h, LEVEL(""), "ab  b", NULL, true), "a:0 b:0 b:1");
    assert_string_equal(words(h, LEVEL("['a','b']"), "ab b", "ab", true), "ab:0 b:1 ab:2");
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(words(h, arena_printf(&h->arena, "{'pre_tokenizer':{'type':"
            "'ByteLevel','add_prefix_space':false},'model':{'type':'BPE','vocab':{'a':0,'b':1,"
            "'Ġ':2,'ab':3,'Ġa':4,'Ġab':5},'merges':[%s]}}", other[i]), "b ab", NULL, true),
            "--words: test.json cannot tokenise \"ab\" by itself"));
}

/* What one word's steps have made is dropped before the next, unless a token needs it. */
static void test_one_after_the_other(void **state)
{
    static const char pieces[] = "'model':{'type':'Unigram','unk_id':0,"
                                 "'vocab':[['?',0],['a',-1]]}}";
    struct help *h = *state;
    char word[32] = "a", *want = arena_strdup(&h->arena, "a:0");

    assert_string_equal(words(h, arena_printf(&h->arena, "{%s", pieces), "a xy éa", NULL, true),
                        "a:0 ?:1 ?:2 a:2");
    assert_string_equal(words(h, arena_printf(&h->arena, "{'normalizer':{'type':'Lowercase'},%s",
                                              pieces), "A XY Éa", NULL, true),
                        "a:0 ?:1 ?:2 a:2");
    memset(word + 1, 'z', 20);          /* eleven tokens for each of these */
    for (int i = 0; i < 20; i++)
        want = arena_printf(&h->arena, "%s%s <0x7A>:0", want,
                            " <0x40>:0 <0x40>:0 <0x40>:0 <0x40>:0 "
                            "<0x40>:0 <0x40>:0 <0x40>:0 <0x40>:0 <0x40>:0 <0x40>:0");
    assert_string_equal(words(h, "{'model':{'type':'BPE','continuing_subword_prefix':'@@@@@@@@@@',"
                              "'byte_fallback':true,'vocab':{'a':0,'<0x7A>':1,'<0x40>':2},"
                              "'merges':[]}}", arena_printf(&h->arena, "%s a", word), NULL, true),
                        arena_printf(&h->arena, "%s a:1", want));
}

#define UNIGRAM(pieces) "{'pre_tokenizer':{'type':'Metaspace','replacement':'_'," \
    "'prepend_scheme':'never'},'model':{'type':'Unigram','vocab':[" pieces "]}}"

static void test_refused(void **state)
{
    struct help *h = *state;
    char x[101];

    assert_string_equal(words(h, UNIGRAM("['a',-1],['_',-1]"), "a aa", NULL, true),
                        "a:0 a:1 a:1");
    assert_non_null(strstr(words(h, UNIGRAM("['a',-1]"), "ab", NULL, true),
                           "\"b\" is not in the vocabulary"));
    assert_non_null(strstr(words(h, UNIGRAM("['a',-1]"), "a", NULL, true),
                           "\"_\" is not in the vocabulary"));
    memset(x, 'a', 100);
    x[100] = '\0';
    assert_non_null(strstr(words(h, UNIGRAM("['a',-1],['_a',-1]"), x, NULL, true),
                           arena_printf(&h->arena, "tokenise \"%.80s\" by itself", x)));
}

/* ---- the piece of a word that is given ---- */

static void piece(struct help *h, const char *json, const char *word, int want)
{
    struct tok *t = help_open(h, json);
    int id = words_piece(t, &h->arena, word, strlen(word));

    if (id != want)
        fail_msg("%s of %s: %d, expected %d", word, json, id, want);
    tok_close(t);
}

static void test_pieces(void **state)
{
    static const char ends[] = "{'model':{'type':'BPE','end_of_word_suffix':'/','merges':[],"
                               "'vocab':{'a':0,'a/':1,'b/':2}}}";
    static const char level[] = "{'pre_tokenizer':{'type':'ByteLevel'},'model':{'type':'BPE',"
                                "'merges':[],'vocab':{'Ġé':0,'ĠÃ©':1,'Ã©':2,'b':3,'Ã¨':4}}}";
    static const char bytes[] = "{'pre_tokenizer':{'type':'Metaspace','replacement':'_'},"
        "'model':{'type':'Unigram','byte_fallback':true,'unk_id':0,'vocab':[['?',0],['_a',-1],"
        "['<0x62>',0],['<0x61>',0]]}}";
    static const char inside[] = "{'model':{'type':'WordPiece','vocab':{'a':0,'##b':1}}}";
    struct help *h = *state;

    piece(h, ends, "a", 0);
    piece(h, ends, "b", 2);
    piece(h, ends, "c", -1);
    piece(h, level, "é", 1);            /* with the blank before it, rather than without */
    piece(h, level, "è", 4);
    piece(h, level, "b", 3);
    piece(h, level, "c", -1);
    piece(h, bytes, "a", 1);
    piece(h, bytes, "b", 2);
    piece(h, bytes, "bb", -1);
    piece(h, bytes, "c", -1);
    piece(h, inside, "a", 0);
    piece(h, inside, "b", 1);
    piece(h, inside, "c", -1);
}

static bool blank(const char *text)
{
    return tok_is_blank(text, strlen(text));
}

static void test_blank(void **state)
{
    (void)state;
    assert_true(blank(""));
    assert_true(blank(" \t\v\f\r\n"));
    assert_true(blank("\xe3\x80\x80\xc2\xa0"));                /* ideographic, no-break space */
    assert_false(blank(" a"));
    assert_false(blank("\xe2\x80\x8b"));                       /* zero width space: none */
    assert_false(blank(" \xff"));
    assert_false(tok_is_blank("\0", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_numbers), TEST(test_by_itself), TEST(test_one_after_the_other),
        TEST(test_refused), TEST(test_pieces),
        TEST(test_blank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
