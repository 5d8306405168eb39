/* SPDX-License-Identifier: MIT
 * Tokenisers put together at random from all parts of tokenizer.json: each case has the
 * ids, pieces, spans, types and special flags of the reference library.
 * MHA_VIZ_MIXED names another file that tests/ref/tokenizers/mix.py wrote. */
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

static void test_mixed(void **state)
{
    struct help *h = *state;
    const char *path = getenv("MHA_VIZ_MIXED"), *s;
    int tokenisers = 0, n = 0;
    struct lines *lines;
    size_t size;

    if (path == NULL)
        path = "tests/ref/tokenizers/mixed.jsonl";
    lines = lines_open(path, &h->err);
    assert_non_null(lines);
    while (lines_next(lines, &s, &size, &h->err) == 1) {
        json_t *line = json_loadb(s, size, JSON_ALLOW_NUL, NULL);
        struct arena_mark mark = arena_mark(&h->arena);

        assert_non_null(line);
        tokenisers++;
        n += run_line(h, line, arena_printf(&h->arena, "%s:%d", path, tokenisers));
        arena_reset(&h->arena, mark);
        json_decref(line);
    }
    lines_close(lines);
    print_message("# %d tokenisers, %d texts\n", tokenisers, n);
    assert_true(tokenisers >= 40 && n >= 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_mixed) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
