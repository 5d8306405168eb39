/* SPDX-License-Identifier: MIT
 * Tokenisers put together at random from all parts of tokenizer.json, and SentencePiece
 * models of all types with random settings: each case has the ids, pieces, spans, types
 * and special flags of the reference library.  MHA_VIZ_MIXED and MHA_VIZ_MIXED_SPM name
 * other files that mix.py and mix_spm.py of tests/ref/tokenizers wrote. */
#include "text_cases.h"

#include <stdlib.h>

#include "base/lines.h"

/* A line: a tokeniser and its cases; returns how many there were. */
static int run_line(struct help *h, const json_t *line, const char *where)
{
    const json_t *cases = json_object_get(line, "cases"), *one;
    char *json = json_dumps(json_object_get(line, "tokenizer"), JSON_COMPACT);
    struct span span = { (const unsigned char *)json, strlen(json) };
    struct tok *t = tok_open_memory(&h->arena, span, where, &h->err);
    size_t i;

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    json_array_foreach(cases, i, one)
        cases_same(h, t, one, arena_printf(&h->arena, "%s, case %zu", where, i + 1));
    tok_close(t);
    free(json);
    return (int)json_array_size(cases);
}

/* Offsets are there where both count in the same way. */
static void same_places(const char *where, const json_t *want, const struct tokens *out)
{
    for (int i = 0; want != NULL && i < out->n; i++) {
        const json_t *span = json_array_get(want, (size_t)i);

        if (cases_number(span, 0) != out->chars[i].start ||
            cases_number(span, 1) != out->chars[i].end)
            fail_msg("%s: token %d spans %d,%d, expected %d,%d", where, i,
                     out->chars[i].start, out->chars[i].end, cases_number(span, 0),
                     cases_number(span, 1));
    }
}

static int run_model(struct help *h, const json_t *line, const char *where)
{
    const json_t *cases = json_object_get(line, "cases"), *one;
    const json_t *base64 = json_object_get(line, "model");
    struct text text = { json_string_value(base64), json_string_length(base64) };
    struct tokens out;
    struct span model;
    struct tok *t;
    size_t i;

    assert_true(charsmap_decode(&h->arena, text, &model));
    t = tok_open_sentencepiece(&h->arena, model, where, &h->err);
    if (t == NULL)
        fail_msg("%s", h->err.msg);
    json_array_foreach(cases, i, one) {
        const char *name = arena_printf(&h->arena, "%s, case %zu", where, i + 1);
        struct tok_input in = cases_input(json_object_get(one, "text"), NULL);

        if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
            fail_msg("%s: %s", name, h->err.msg);
        cases_ids(name, json_object_get(one, "ids"), out.id, out.n);
        same_places(name, json_object_get(one, "offsets"), &out);
    }
    tok_close(t);
    return (int)json_array_size(cases);
}

struct counts { int tokenisers, texts; };

static struct counts run_file(struct help *h, const char *path,
                              int (*run)(struct help *, const json_t *, const char *))
{
    struct lines *lines = lines_open(path, &h->err);
    struct counts counts = { 0 };
    const char *s;
    size_t size;

    assert_non_null(lines);
    while (lines_next(lines, &s, &size, &h->err) == 1) {
        json_t *line = json_loadb(s, size, JSON_ALLOW_NUL, NULL);
        struct arena_mark mark = arena_mark(&h->arena);

        assert_non_null(line);
        counts.tokenisers++;
        counts.texts += run(h, line, arena_printf(&h->arena, "%s:%d", path,
                                                  counts.tokenisers));
        arena_reset(&h->arena, mark);
        json_decref(line);
    }
    lines_close(lines);
    print_message("# %d tokenisers, %d texts\n", counts.tokenisers, counts.texts);
    return counts;
}

static void test_mixed(void **state)
{
    const char *path = getenv("MHA_VIZ_MIXED");
    struct counts counts = run_file(*state, path != NULL ? path :
                                    "tests/ref/tokenizers/mixed.jsonl", run_line);

    assert_true(counts.tokenisers >= 40 && counts.texts >= 300);
}

static void test_sentencepiece(void **state)
{
    const char *path = getenv("MHA_VIZ_MIXED_SPM");
    struct counts counts = run_file(*state, path != NULL ? path :
                                    "tests/ref/tokenizers/mixed_spm.jsonl", run_model);

    assert_true(counts.tokenisers >= 20 && counts.texts >= 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_mixed), TEST(test_sentencepiece) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
