/* SPDX-License-Identifier: MIT
 * SentencePiece models, written as GGUF keys: texts have the ids that the reference
 * library gives for the models.  Exactly: nothing here has a tolerance. */
#include "base/lines.h"
#include "text_help.h"

#include <stdlib.h>

#include "text/gguf_tok.h"
#include "text/spm.h"
#include "unit/gguf_bytes.h"

static struct bytes b;

/* The keys that the model stands for.  Gemma's class has names of its own, no blank. */
static void put_model(struct help *h, const char *path, bool gemma)
{
    struct span file;
    struct spm m;

    if (file_map(path, &file, &h->err) != 0 ||
        spm_read(&h->arena, file, &m, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    put_head(&b, 3, 0, m.map.size > 0 ? 9 : 8);
    put_key_string(&b, "tokenizer.ggml.model", m.model == SPM_BPE ? "llama" : "t5");
    put_array(&b, "tokenizer.ggml.tokens", GGUF_STRING, m.n);
    for (size_t i = 0; i < m.n; i++)
        put_string(&b, !gemma || i < 1 || i > 2 ? m.v[i].s.s : i == 1 ? "<eos>" : "<bos>");
    put_array(&b, "tokenizer.ggml.scores", GGUF_F32, m.n);
    for (size_t i = 0; i < m.n; i++)
        put_numbers(&b, &m.v[i].score, 1, sizeof m.v[i].score);
    put_array(&b, "tokenizer.ggml.token_type", GGUF_I32, m.n);
    for (size_t i = 0; i < m.n; i++)
        put_u32(&b, m.v[i].type);
    put_key(&b, "tokenizer.ggml.add_space_prefix", GGUF_BOOL);
    put(&b, &(bool){ !gemma }, 1);
    put_key(&b, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL);
    put(&b, &(bool){ true }, 1);
    put_key_u32(&b, "tokenizer.ggml.unknown_token_id", (uint32_t)m.unk);
    put_key_u32(&b, "tokenizer.ggml.bos_token_id", gemma ? 2 : 1);
    if (m.map.size > 0) {
        put_array(&b, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, m.map.size);
        put(&b, m.map.data, m.map.size);
    }
    file_unmap(file);
}

static void same_ids(struct help *h, const struct tok *t, const json_t *c,
                     const char *where)
{
    const json_t *text = json_object_get(c, "text"), *pair = json_object_get(c, "pair");
    const json_t *want = json_object_get(c, "ids");
    struct tok_input in = { .text = json_string_value(text),
                            .text_size = json_string_length(text),
                            .pair = json_string_value(pair),
                            .pair_size = json_string_length(pair) };
    struct tokens out;
    bool same;

    if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        fail_msg("%s: %s", where, h->err.msg);
    same = json_array_size(want) == (size_t)out.n;
    for (int i = 0; same && i < out.n; i++)
        same = json_integer_value(json_array_get(want, (size_t)i)) == out.id[i];
    if (!same)
        fail_msg("%s: other ids", where);
}

static int run_cases(struct help *h, const char *dir, const char *model,
                     bool gemma)
{
    struct lines *lines = lines_open(file_join(&h->arena, dir, "cases.jsonl"), &h->err);
    struct gguf *g;
    struct tok *t;
    const char *line;
    size_t size;
    int n = 0;

    assert_non_null(lines);
    put_model(h, file_join(&h->arena, dir, model), gemma);
    g = gguf_read(&h->arena, (struct span){ b.v, b.n }, dir, &h->err);
    t = g != NULL ? gguf_tok_open(&h->arena, g, dir, &h->err) : NULL;
    if (t == NULL)
        fail_msg("%s", h->err.msg);
    while (lines_next(lines, &line, &size, &h->err) == 1) {
        json_t *c = json_loadb(line, size, JSON_ALLOW_NUL, NULL);

        assert_non_null(c);
        same_ids(h, t, c, arena_printf(&h->arena, "%s, line %d", dir, ++n));
        json_decref(c);
    }
    lines_close(lines);
    tok_close(t);
    return n;
}

static void test_own(void **state)
{
    assert_true(run_cases(*state, "tests/ref/tokenizers/t5_model", "spiece.model",
                          false) >= 60);
}

static void test_shared(void **state)
{
    const char *shared = getenv("MHA_VIZ_SHARED");
    struct help *h = *state;
    const char *goldens = file_join(&h->arena, shared != NULL ? shared : "../shared",
                                    "goldens/tokenizers");

    if (!file_is_dir(goldens)) {
        print_message("SKIPPED: no %s\n", goldens);
        skip();
    }
    assert_true(run_cases(h, file_join(&h->arena, goldens, "llama2"), "tokenizer.model",
                          false) >= 100);
    assert_true(run_cases(h, file_join(&h->arena, goldens, "gemma"), "tokenizer.model",
                          true) >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_own), TEST(test_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
