/* SPDX-License-Identifier: MIT
 * Post-processors: templates, types, trimmed spans. */
#include "text_help.h"

#define MODEL \
    "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false,'use_regex':true}," \
    "'model':{'type':'BPE','vocab':{'<s>':0,'</s>':1,'a':2,'b':3,'Ġ':4,'Ġa':5,'ĠĠ':6," \
    "'Ċ':7},'merges':[['Ġ','a'],['Ġ','Ġ']]}"
#define WITH(finish) "{" MODEL ",'post_processor':" finish "}"
#define TEMPLATE(single, pair) \
    "{'type':'TemplateProcessing','single':[" single "],'pair':[" pair "]," \
    "'special_tokens':{'<s>':{'id':'<s>','ids':[0],'tokens':['<s>']}," \
    "'two':{'id':'two','ids':[0,1],'tokens':['<s>','</s>']}," \
    "'odd':{'id':'odd','ids':[99],'tokens':['odd']}}}"
#define A "{'Sequence':{'id':'A','type_id':0}}"
#define B "{'Sequence':{'id':'B','type_id':1}}"
#define S(name, type) "{'SpecialToken':{'id':'" name "','type_id':" type "}}"

static const char *types(struct help *h, const struct tok *t, struct tok_input in)
{
    struct tokens out;
    const char *s = "";

    if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    for (int i = 0; i < out.n; i++)
        s = arena_printf(&h->arena, "%s%d", s, out.type[i]);
    return s;
}

static const struct tok_input pair = { .text = "a", .text_size = 1, .pair = "ba",
                                       .pair_size = 2 };

static void test_template(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TEMPLATE(S("<s>", "0") "," A "," S("two", "2"),
                                               A "," S("<s>", "1") "," B)));
    struct tok_input bare = pair;

    assert_string_equal(help_encode(h, t, "ab"),
                        "*<s>[0,0] a[0,1] b[1,2] *<s>[0,0] *</s>[0,0]");
    assert_string_equal(help_encode(h, t, ""), "*<s>[0,0] *<s>[0,0] *</s>[0,0]");
    assert_string_equal(help_tokens(h, t, &pair), "a[0,1] *<s>[0,0] b[0,1] a[1,2]");
    assert_string_equal(types(h, t, pair), "0111");
    bare.no_special = true;
    assert_string_equal(help_tokens(h, t, &bare), "a[0,1] b[0,1] a[1,2]");
    assert_string_equal(types(h, t, bare), "011");
    tok_close(t);
}

static void test_no_pair(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH(TEMPLATE(A, A)));
    struct tokens out;

    assert_int_equal(tok_encode(t, &h->arena, &pair, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "no template for a pair"));
    tok_close(t);
    t = help_open(h, WITH("null"));
    assert_string_equal(help_tokens(h, t, &pair), "a[0,1] b[0,1] a[1,2]");
    assert_string_equal(types(h, t, pair), "011");
    tok_close(t);
}

static void test_classic(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH("{'type':'BertProcessing','cls':['<s>',0],"
                                      "'sep':['</s>',1]}"));

    assert_string_equal(help_tokens(h, t, &pair), "*<s>[0,0] a[0,1] *</s>[0,0] b[0,1] "
                        "a[1,2] *</s>[0,0]");
    assert_string_equal(types(h, t, pair), "000111");
    tok_close(t);
    t = help_open(h, WITH("{'type':'RobertaProcessing','cls':['<s>',0],'sep':"
                          "['</s>',1],'trim_offsets':true,'add_prefix_space':false}"));
    assert_string_equal(help_tokens(h, t, &pair), "*<s>[0,0] a[0,1] *</s>[0,0] "
                        "*</s>[0,0] b[0,1] a[1,2] *</s>[0,0]");
    assert_string_equal(types(h, t, pair), "0000000");
    tok_close(t);
}

static void test_trim(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH("{'type':'ByteLevel','trim_offsets':true,"
                                      "'add_prefix_space':false}"));

    assert_string_equal(help_encode(h, t, " a  b"), "Ġa[1,2] Ġ[3,3] Ġ[4,4] b[4,5]");
    assert_string_equal(help_encode(h, t, "a   "), "a[0,1] ĠĠ[3,3] Ġ[4,4]");
    tok_close(t);
    /* One blank at the start may be the tokeniser's own. */
    t = help_open(h, WITH("{'type':'ByteLevel','trim_offsets':true,"
                          "'add_prefix_space':true}"));
    assert_string_equal(help_encode(h, t, " a a"), "Ġa[0,2] Ġa[3,4]");
    tok_close(t);
}

static void test_sequence(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH("{'type':'Sequence','processors':[{'type':"
                              "'ByteLevel','trim_offsets':true,'add_prefix_space':false}"
                              "," TEMPLATE(S("<s>", "0") "," A, A "," B) "]}"));

    assert_string_equal(help_encode(h, t, " a"), "*<s>[0,0] Ġa[1,2]");
    tok_close(t);
}

/* What one template has made of a text is no text for another. */
static void test_two_templates(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, WITH("{'type':'Sequence','processors':["
                              TEMPLATE(S("<s>", "0") "," A "," S("<s>", "0"), A "," B) ","
                              TEMPLATE(A, A "," B) "]}"));
    struct tok_input in = { .text = "a", .text_size = 1 };
    struct tokens out;

    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_string_equal(h->err.msg, "test.json: the tokeniser has no template for so many parts");
    tok_close(t);
}

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, WITH(TEMPLATE(S("<t>", "0"), A)), "\"<t>\" is not among");
    help_refused(h, WITH(TEMPLATE(S("odd", "0"), A)), "\"odd\" has id 99");
    help_refused(h, WITH(TEMPLATE(A "," B, A)), "names the second text");
    help_refused(h, WITH(TEMPLATE("{'Sequence':{'id':'C','type_id':0}}", A)),
                 "sequence \"C\"");
    help_refused(h, WITH(TEMPLATE(S("<s>", "-1"), A)), "type_id: found -1");
    help_refused(h, WITH(TEMPLATE("5", A)), "single[0]");
    help_refused(h, WITH("{'type':'BertProcessing','cls':['<s>',0],'sep':['x',9]}"),
                 "\"x\" has id 9");
    help_refused(h, WITH("{'type':'BertProcessing','cls':['<s>'],'sep':['x',1]}"),
                 "\"cls\" is not [token, id]");
    help_refused(h, WITH("{'type':'Magic'}"), "\"Magic\" is not supported, only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_template), TEST(test_no_pair), TEST(test_classic), TEST(test_trim),
        TEST(test_sequence), TEST(test_two_templates), TEST(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
