/* SPDX-License-Identifier: MIT
 * Bounds of work and of memory: whatever they are, a text has the tokens that it has without
 * them, or an error that names the step. */
#include "text_help.h"

/* ---- what is left of the work that a run may take ---- */

/* The tokens with so many units left; NULL: the step that takes too much is in h->err. */
static const char *with_work(struct help *h, const struct tok *t, const char *text,
                             uint64_t left)
{
    size_t n = strlen(text);
    struct budget budget = { .spent = BUDGET_BASE + BUDGET_A_BYTE * n - left };
    struct tok_input in = { .text = text, .text_size = n, .budget = &budget };
    struct tokens out;
    const char *s = "";

    memset(&h->err, 0, sizeof h->err);
    if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        return NULL;
    for (int i = 0; i < out.n; i++)
        s = arena_printf(&h->arena, "%s%s%d[%d,%d]", s, i > 0 ? " " : "", out.id[i],
                         out.chars[i].start, out.chars[i].end);
    return s;
}

/* From no work at all to as much as is needed; each time one more, or a part of it. */
static void any_work(struct help *h, const char *json, const char *text, unsigned part)
{
    struct tok *t = help_open(h, json);
    const char *all = with_work(h, t, text, BUDGET_BASE);
    struct arena_mark mark;
    const char *some = NULL;

    if (all == NULL)
        fail_msg("%s", h->err.msg);
    mark = arena_mark(&h->arena);
    for (uint64_t left = 0; some == NULL; left += 1 + left * part / 16) {
        some = with_work(h, t, text, left);
        if (some != NULL)
            assert_string_equal(some, all);
        else if (strstr(h->err.msg, "takes too much work") == NULL)
            fail_msg("%s", h->err.msg);
        if (some == NULL)
            arena_reset(&h->arena, mark);
    }
    tok_close(t);
}

#define WORDS "'vocab':{'[UNK]':0,'a':1,'##b':2,'##a':3,'<x>':4,'b':5}"
#define X "{'id':4,'content':'<x>','normalized':false}"
#define BYTES "'vocab':{'a':0,'b':1,'Ġ':2,'Ġa':3,'Ã':4,'©':5,'Ã©':6}," \
              "'merges':[['Ġ','a'],['Ã','©']]"
#define TEMPLATE(ids) "{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'a'," \
                 "'type_id':0}},{'Sequence':{'id':'A','type_id':0}},{'SpecialToken':" \
                 "{'id':'a','type_id':0}}],'pair':[],'special_tokens':{'a':{'id':'a','ids':" \
                 "[" ids "],'tokens':[]}}}"
#define MANY "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"

static void test_any_work(void **state)
{
    static const char *const rows[] = {
        "{'added_tokens':[" X "],'normalizer':{'type':'BertNormalizer'},'pre_tokenizer':"
            "{'type':'BertPreTokenizer'},'model':{'type':'WordPiece'," WORDS "}}",
        "{'added_tokens':[" X "],'normalizer':{'type':'Sequence','normalizers':[{'type':"
            "'NFKD'},{'type':'StripAccents'},{'type':'Nmt'},{'type':'Lowercase'}]},"
            "'pre_tokenizer':{'type':'WhitespaceSplit'},"
            "'model':{'type':'WordLevel','unk_token':'[UNK]'," WORDS "}}",
        "{'pre_tokenizer':{'type':'ByteLevel'},'model':{'type':'BPE','unk_token':'a'," BYTES
            "},'post_processor':{'type':'Sequence','processors':[{'type':'ByteLevel'},"
            TEMPLATE("0,1,0") "]}}",
        "{'added_tokens':[" X "],'normalizer':{'type':'Sequence','normalizers':[{'type':"
            "'Replace','pattern':{'Regex':'(b)\\\\1?'},'content':'b'},{'type':'Prepend',"
            "'prepend':'aa'},{'type':'Strip'}]},'pre_tokenizer':{'type':'Metaspace',"
            "'replacement':'_'},'model':{'type':'Unigram','unk_id':0,'vocab':[['?',0],['_a',-1],"
            "['a',-2],['_',-3],['<x>',-1]]}}",
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        any_work(*state, rows[i], "ab <x> éA  bb<x>a \u0301", 0);
}

/* What is compared at one place is counted where it is much. */
static void test_long_matches(void **state)
{
    struct help *h = *state;
    char a[3001], b[1501];

    memset(a, 'a', 3000);
    memset(b, 'a', 1500);
    a[3000] = b[1500] = '\0';
    for (int normal = 0; normal < 2; normal++)
        any_work(h, arena_printf(&h->arena, "{'added_tokens':[{'id':2,'content':'%sb',"
                                 "'normalized':%s}],'model':{'type':'BPE','vocab':{'a':0,"
                                 "'b':1},'merges':[]}}", a, normal ? "true" : "false"), b, 2);
    any_work(h, arena_printf(&h->arena, "{'model':{'type':'Unigram','unk_id':0,'vocab':"
                             "[['?',0],['%sb',-1],['a',-1]]}}", a), b, 2);
    any_work(h, arena_printf(&h->arena, "{'model':{'type':'BPE','vocab':{'a':0,'%s':1},"
                             "'merges':[],'ignore_merges':true},'pre_tokenizer':"
                             "{'type':'WhitespaceSplit'},'post_processor':{'type':"
                             "'ByteLevel'}}", b), arena_printf(&h->arena, "%s %s", b, b), 1);
}

/* Patterns that take many steps, or refer to what was found, are counted item by item. */
static void test_patterns(void **state)
{
#define SPLIT(pattern) \
    "{'pre_tokenizer':{'type':'Split','pattern':{'Regex':'" pattern "'},'behavior':" \
    "'Isolated'},'model':{'type':'BPE','vocab':{'a':0,'b':1},'merges':[]}}"
    const char *text = "aaaaaaaaaabaaaaaaaaaabbaaaaaaaaaabaaaaaaaaaac aaaaaaaaaaabaaaaaaaaaaaa";

    any_work(*state, SPLIT("(a+)+$"), text, 1);
    any_work(*state, SPLIT("(a*)*b\\\\1c"), text, 1);
    any_work(*state, SPLIT("(?<n>a+)(x)?b\\\\k<n>|(b)|c"), text, 1);
    any_work(*state, SPLIT("(a+)+(a)\\\\1\\\\2c"), text, 1);
    any_work(*state, SPLIT("(a+)+\\\\1\\\\1$|()b\\\\2"), text, 1);
#undef SPLIT
}

/* ---- bytes, and how many of anything ---- */

struct bounds {
    size_t limit, most, memory;
};

/* Two texts with a token between them -> as help_step; NULL: an error. */
static const char *with_bounds(struct help *h, const struct tok *t, const struct step *step,
                               const char *text, struct bounds b)
{
    struct work w = { .t = t, .a = &h->arena, .limit = b.limit, .most = b.most,
                      .memory = b.memory };
    size_t n = strlen(text), half = n / 2;
    const char *s = "";

    while ((text[half] & 0xc0) == 0x80)     /* a part is of whole characters */
        half--;
    memset(&h->err, 0, sizeof h->err);
    w.start = arena_mark(&h->arena);
    fragment_add(&w, &w.parts, (struct fragment){ text, half, NULL, 0, -1 });
    fragment_add(&w, &w.parts, (struct fragment){ text, 1, NULL, 0, 7 });
    fragment_add(&w, &w.parts, (struct fragment){ text + half, n - half, NULL, (int)half, -1 });
    if (step_run(step, &w, &h->err) != 0)
        return NULL;
    for (size_t i = 0; i < w.parts.n; i++)
        s = arena_printf(&h->arena, "%s|%.*s", s, (int)w.parts.v[i].n, w.parts.v[i].s);
    return s;
}

static const struct bounds none = { SIZE_MAX, 0, 0 };

/* The error of more bytes than there may be, or of more parts. */
static bool is_beyond(const struct help *h)
{
    return strstr(h->err.msg, "the text grows out of bounds under") != NULL ||
           strstr(h->err.msg, "the text becomes more than ") != NULL;
}

/* The result is that without bounds, or the error; from some bound on it is the result. */
static void bounded(struct help *h, const struct tok *t, const struct step *step,
                    const char *text, struct bounds b, const char *all, bool *before)
{
    struct arena_mark mark = arena_mark(&h->arena);
    const char *some = with_bounds(h, t, step, text, b);

    if (some != NULL)
        assert_string_equal(some, all);
    else if (!is_beyond(h))
        fail_msg("%s", h->err.msg);
    if (*before && some == NULL)
        fail_msg("%s: refused with more room", step->name);
    *before = some != NULL;
    arena_reset(&h->arena, mark);
}

static void any_bounds(struct help *h, const struct step_table *table, const char *json,
                       const char *text)
{
    struct tok t = { .a = &h->arena, .name = "test" };
    json_t *j = json_loads(help_quotes(h, json), 0, NULL);
    bool before[3] = { false };
    struct step step;
    const char *all;

    assert_non_null(j);
    if (step_open(&t, table, j, &step, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    all = with_bounds(h, &t, &step, text, none);
    assert_non_null(all);
    for (size_t i = 1; i <= 500; i++) {
        bounded(h, &t, &step, text, (struct bounds){ i, 0, 0 }, all, &before[0]);
        bounded(h, &t, &step, text, (struct bounds){ SIZE_MAX, i, 0 }, all, &before[1]);
        bounded(h, &t, &step, text, (struct bounds){ SIZE_MAX, 0, 4 * i * i }, all, &before[2]);
    }
    if (!before[0] || !before[1] || !before[2])
        fail_msg("%s: refused with much of anything", json);
    json_decref(j);
    regex_close(t.regexes);
}

static const char text[] = "ab Cé,d1 2b\u2028ab Cé,d1 2b ab Cé,d1 2b ab Cé,d1 2b "
                           "ab Cé,d1 2b ab Cé,d1 2b ab Cé,d1 2b ab Cé,d1 2b "
                           "ab Cé,d1 2b ab Cé,d1 2b ab Cé,d1 2b";

static void test_normalisers(void **state)
{
    static const char *const rows[] = {
        "{'type':'BertNormalizer'}", "{'type':'NFD'}", "{'type':'Lowercase'}", "{'type':'Nmt'}",
        "{'type':'Replace','pattern':{'String':'b'},'content':'xyz'}",
        "{'type':'Replace','pattern':{'Regex':'b|$'},'content':''}",
        "{'type':'Replace','pattern':{'String':'b'},'content':'bbbbbbbbbbbb'}",
        "{'type':'Prepend','prepend':'abc'}", "{'type':'Strip'}", "{'type':'ByteLevel'}",
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        any_bounds(*state, &normal_table, rows[i], text);
}

#define SPLIT(kind, pattern, behaviour) \
    "{'type':'Split','pattern':{'" kind "':'" pattern "'},'behavior':'" behaviour "'}"

static void test_presplits(void **state)
{
    static const char *const rows[] = {
        "{'type':'BertPreTokenizer'}", "{'type':'Whitespace'}", "{'type':'ByteLevel'}",
        "{'type':'Digits','individual_digits':true}", "{'type':'Punctuation'}",
        "{'type':'CharDelimiterSplit','delimiter':' '}", "{'type':'FixedLength','length':1}",
        "{'type':'Metaspace','replacement':'_'}", "{'type':'UnicodeScripts'}",
        SPLIT("String", "b", "Removed"), SPLIT("String", "b", "MergedWithPrevious"),
        SPLIT("Regex", "b|$", "MergedWithNext"), SPLIT("Regex", ".", "Contiguous"),
        SPLIT("Regex", ".", "Isolated"),
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        any_bounds(*state, &presplit_table, rows[i], text);
}

/* ---- models and templates ---- */

static int run_all(struct help *h, const struct tok *t, size_t most, size_t *n)
{
    struct seq seqs[2] = { { 0 } };
    struct work w = { .t = t, .a = &h->arena, .seqs = seqs, .n_seqs = 1, .special = true,
                      .most = most };
    int status = pipeline_run(&w, text, strlen(text), &h->err);

    status = status == 0 ? step_run(&t->finish, &w, &h->err) : status;
    *n = 0;
    for (int i = 0; i < w.n_seqs; i++)
        *n += w.seqs[i].n;
    return status;
}

/* Tokens are counted where their array grows; those of a template are counted exactly. */
static void any_tokens(struct help *h, const char *json, bool exactly)
{
    struct tok *t = help_open(h, json);
    size_t all, n;

    assert_int_equal(run_all(h, t, 0, &all), 0);
    assert_true(all > 40);
    for (size_t most = 1; most < 600; most++) {
        struct arena_mark mark = arena_mark(&h->arena);
        int status = run_all(h, t, most, &n);

        if (status == 0)
            assert_int_equal(n, all);
        else if (!is_beyond(h))
            fail_msg("%s", h->err.msg);
        if (exactly)
            assert_int_equal(status, most < all ? -1 : 0);
        if (most >= all)
            assert_int_equal(status, 0);
        arena_reset(&h->arena, mark);
    }
    tok_close(t);
}

static void test_models(void **state)
{
    any_tokens(*state, "{'model':{'type':'BPE','unk_token':'a'," BYTES "}}", false);
    any_tokens(*state, "{'pre_tokenizer':{'type':'WhitespaceSplit'},'model':{'type':"
                       "'WordPiece'," WORDS "}}", false);
    any_tokens(*state, "{'model':{'type':'Unigram','unk_id':0,'vocab':[['?',0],['a',-1],"
                       "['b',-1],['2',-1]]}}", false);
    any_tokens(*state, "{'model':{'type':'BPE','unk_token':'a'," BYTES "},'post_processor':"
                       TEMPLATE("0,1,0") "}", true);
    any_tokens(*state, "{'model':{'type':'BPE','unk_token':'a'," BYTES "},'post_processor':"
                       TEMPLATE(MANY "," MANY "," MANY "," MANY "," MANY "," MANY "," MANY)
                       "}", true);
}

/* Steps of a long text hold blocks of memory, of which there may be so many. */
static void test_memory(void **state)
{
    struct help *h = *state;
    size_t n = 100000;
    char *s = arena_alloc(&h->arena, n + 1, 1);
    struct tok t = { .a = &h->arena, .name = "test" };
    struct step step = { 0 };
    json_t *j = json_pack("{ss}", "type", "NFD");
    bool enough = false;
    const char *all;

    for (size_t i = 0; i < n; i += 2)
        memcpy(s + i, "é", 2);
    assert_int_equal(step_open(&t, &normal_table, j, &step, &h->err), 0);
    all = with_bounds(h, &t, &step, s, none);
    bounded(h, &t, &step, s, (struct bounds){ SIZE_MAX, 0, 1 << 20 }, all, &enough);
    assert_false(enough);
    bounded(h, &t, &step, s, (struct bounds){ SIZE_MAX, 0, 1 << 26 }, all, &enough);
    assert_true(enough);
    json_decref(j);
}

/* Between two steps what is held is copied, where it is much, and the rest goes. */
static void test_settle(void **state)
{
    struct help *h = *state;
    size_t n = 60000;
    char *s = arena_alloc(&h->arena, n, 1);
    struct range *from = arena_alloc(&h->arena, n, sizeof *from);
    struct work w = { .a = &h->arena, .limit = 2 * n, .text = arena_mark(&h->arena) };
    const void *held = arena_alloc(&h->arena, 2 << 20, 1);

    memset(s, 'x', n);
    fragment_add(&w, &w.parts, (struct fragment){ s, n, from, 0, -1 });
    fragment_add(&w, &w.parts, (struct fragment){ "token", 5, NULL, 7, 3 });
    fragment_add(&w, &w.parts, (struct fragment){ s, n, from, 0, -1 });
    assert_non_null(held);
    fragment_settle(&w);
    assert_false(w.too_large);
    assert_int_equal(w.parts.n, 3);
    assert_memory_equal(w.parts.v[2].s, s, n);
    assert_ptr_not_equal(w.parts.v[2].s, s);
    assert_string_equal(w.parts.v[1].s, "token");
    assert_true(arena_since(w.a, w.text) < 3 << 20);
    w.limit = 2 * n - 1;
    (void)arena_alloc(&h->arena, 2 << 20, 1);
    fragment_settle(&w);
    assert_true(w.too_large);
}

/* Labels of a short text that would be millions of bytes. */
static void test_labels(void **state)
{
    struct help *h = *state;
    size_t n = 5 << 20;
    char *s = arena_alloc(&h->arena, n + 1, 1);
    struct tok_input in = { .text = "a", .text_size = 1 };
    struct tokens out;
    struct tok *t;

    memset(s, 'x', n);
    t = help_open(h, arena_printf(&h->arena, "{'model':{'type':'BPE','vocab':{'%s':0,'a':1},"
                                  "'merges':[]},'post_processor':" TEMPLATE("0") "}", s));
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_string_equal(h->err.msg, "test.json: the tokens' pieces are out of bounds: more than "
                        "4194368 bytes for this text");
    tok_close(t);
}

/* An added token that the normaliser makes too large, or that takes too much. */
static void test_added(void **state)
{
    static const char x64[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    struct help *h = *state;
    const char *step = arena_printf(&h->arena, "{'type':'Replace','pattern':{'String':'x'},"
                                    "'content':'%s'}", x64);

    help_refused(h, arena_printf(&h->arena, "{'added_tokens':[{'id':1,'content':'x'}],"
        "'normalizer':{'type':'Sequence','normalizers':[%s,%s,%s]},'model':{'type':'BPE',"
        "'vocab':{'a':0},'merges':[]}}", step, step, step),
        "added token \"x\": normalizer Replace: the text grows out of bounds");
}

/* A budget is one for all texts: what one has left the next may take. */
static void test_budget(void **state)
{
    struct budget b = { 0 };

    (void)state;
    assert_true(budget_spend(NULL, UINT64_MAX));
    assert_true(budget_spend(&b, BUDGET_BASE));
    assert_false(budget_spend(&b, 1));
    budget_read(&b, 2);
    assert_true(budget_spend(&b, 2 * BUDGET_A_BYTE - 1));
    assert_false(budget_spend(&b, 2));
    assert_false(budget_spend(&b, 1));          /* nothing is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_any_work), TEST(test_long_matches), TEST(test_patterns),
        TEST(test_normalisers), TEST(test_presplits), TEST(test_models), TEST(test_memory),
        TEST(test_settle), TEST(test_labels), TEST(test_added),
        TEST(test_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
