/* SPDX-License-Identifier: MIT
 * Replace, Prepend, Strip, Nmt, Metaspace and the splits at a character: what they
 * write and which bytes it stands for, as the tokenizers library has it. */
#include "text_help.h"

static const char *normal(void **state, const char *json, const char *text)
{
    return help_step(*state, &normal_table, json, text);
}

static const char *split(void **state, const char *json, const char *text)
{
    return help_step(*state, &presplit_table, json, text);
}

#define REPLACE(kind, what, by) \
    "{'type':'Replace','pattern':{'" kind "':'" what "'},'content':'" by "'}"

static void test_replace(void **state)
{
    assert_string_equal(normal(state, REPLACE("String", " ", "▁"), " a b"), "▁a▁b[0,4]");
    assert_string_equal(normal(state, REPLACE("Regex", " {2,}", " "), "a   b"), "a b[0,5]");
    assert_string_equal(normal(state, REPLACE("String", "ab", ""), "xabyab"), "xy[0,4]");
    assert_string_equal(normal(state, REPLACE("String", "z", "y"), "abc"), "abc[0,3]");
    assert_string_equal(normal(state, REPLACE("String", "a", "xyz"), "a"), "xyz[0,1]");
    assert_string_equal(normal(state, REPLACE("String", "", "x"), "ab"), "xaxbx[0,2]");
}

/* What is new stands for the last character that it replaces. */
static void test_replace_spans(void **state)
{
    const char *json = "{'type':'Sequence','normalizers':["
                       REPLACE("Regex", " {2,}", "_") "]}";
    struct help *h = *state;
    struct tok *t = help_open(h, arena_printf(&h->arena, "{'model':{'type':'BPE',"
        "'vocab':{'a':0,'_':1,'b':2},'merges':[]},'normalizer':%s}", json));

    assert_string_equal(help_encode(h, t, "a   b"), "a[0,1] _[3,4] b[4,5]");
    tok_close(t);
}

/* A file can not make a text grow without end. */
static void test_replace_grows(void **state)
{
    struct help *h = *state;
    const char *x = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    const char *step = arena_printf(&h->arena,
        "{'type':'Replace','pattern':{'String':'x'},'content':'%s'}", x);
    struct tok *t = help_open(h, arena_printf(&h->arena, "{'model':{'type':'BPE',"
        "'vocab':{'x':0},'merges':[]},'normalizer':{'type':'Sequence','normalizers':"
        "[%s,%s,%s,%s]}}", step, step, step, step));
    struct tok_input in = { .text = x, .text_size = strlen(x) };
    struct tokens out;

    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "grows out of bounds"));
    tok_close(t);
}

static void test_prepend(void **state)
{
    assert_string_equal(normal(state, "{'type':'Prepend','prepend':'▁'}", "ab"),
                        "▁ab[0,2]");
    assert_string_equal(normal(state, "{'type':'Prepend','prepend':'▁'}", ""), "[0,0]");
    assert_string_equal(normal(state, "{'type':'Prepend','prepend':''}", "ab"),
                        "ab[0,2]");
}

static void test_strip(void **state)
{
    assert_string_equal(normal(state, "{'type':'Strip'}", " \t a b\u3000"), "a b[3,6]");
    assert_string_equal(normal(state, "{'type':'Strip','strip_left':false}", " a "),
                        " a[0,2]");
    assert_string_equal(normal(state, "{'type':'Strip','strip_right':false}", " a "),
                        "a [1,3]");
    assert_string_equal(normal(state, "{'type':'Strip'}", "  "), "[0,0]");
}

static void test_nmt(void **state)
{
    assert_string_equal(normal(state, "{'type':'Nmt'}", "a\x01\tb\u200bc"), "a b c[0,8]");
}

#define METASPACE(rest) "{'type':'Metaspace','replacement':'▁'" rest "}"

static void test_metaspace(void **state)
{
    assert_string_equal(split(state, METASPACE(""), "a  b▁c"),
                        "▁a[0,1]|▁[1,2]|▁b[2,4]|▁c[4,8]");
    assert_string_equal(split(state, METASPACE(",'split':false"), "a b"), "▁a▁b[0,3]");
    assert_string_equal(split(state, METASPACE(",'prepend_scheme':'never'"), "a b"),
                        "a[0,1]|▁b[1,3]");
    assert_string_equal(split(state, METASPACE(",'add_prefix_space':false"), "a b"),
                        "a[0,1]|▁b[1,3]");
    assert_string_equal(split(state, METASPACE(",'str_rep':'x'"), " a"), "▁a[0,2]");
    assert_string_equal(split(state, METASPACE(""), ""), "");
}

/* "first": only where the text begins, "always": in every part. */
static void test_metaspace_first(void **state)
{
    const char *json = "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},"
                       "{'type':'Metaspace','replacement':'▁','prepend_scheme':'%s'}]}";
    struct help *h = *state;

    assert_string_equal(split(state, arena_printf(&h->arena, json, "first"), "a b"),
                        "▁a[0,1]|b[2,3]");
    assert_string_equal(split(state, arena_printf(&h->arena, json, "always"), "a b"),
                        "▁a[0,1]|▁b[2,3]");
}

static void test_delimiter(void **state)
{
    assert_string_equal(split(state, "{'type':'CharDelimiterSplit','delimiter':'é'}",
                              "aébéé"), "a[0,1]|b[3,4]");
    assert_string_equal(split(state, "{'type':'Split','pattern':{'String':' '},"
                              "'behavior':'MergedWithPrevious'}", "a b  c"),
                        "a [0,2]|b [2,4]| [4,5]|c[5,6]");
}

#define WITH(step) "{'model':{'type':'BPE','vocab':{},'merges':[]}," step "}"

static void test_refused(void **state)
{
    struct help *h = *state;

    help_refused(h, WITH("'pre_tokenizer':{'type':'Metaspace','replacement':'ab'}"),
                 "replacement: found \"ab\", expected a string of one character");
    help_refused(h, WITH("'pre_tokenizer':{'type':'Metaspace','replacement':''}"),
                 "expected a string of one character");
    help_refused(h, WITH("'pre_tokenizer':" METASPACE(",'prepend_scheme':'x'")),
                 "\"prepend_scheme\" is \"x\"");
    help_refused(h, WITH("'pre_tokenizer':" METASPACE(",'add_prefix_space':false,"
                 "'prepend_scheme':'always'")), "\"add_prefix_space\" is false, but");
    help_refused(h, WITH("'normalizer':{'type':'Replace','content':''}"),
                 "pattern: String: found nothing");
    help_refused(h, WITH("'normalizer':" REPLACE("Regex", "(", "")), "missing closing");
    help_refused(h, WITH("'normalizer':{'type':'Prepend'}"), 
                 "prepend: found nothing, expected a string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_replace), TEST(test_replace_spans), TEST(test_replace_grows),
        TEST(test_prepend), TEST(test_strip), TEST(test_nmt), TEST(test_metaspace),
        TEST(test_metaspace_first), TEST(test_delimiter), TEST(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
