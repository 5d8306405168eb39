/* SPDX-License-Identifier: MIT
 * Every case of every tokeniser: ids, pieces, spans, types and special flags are
 * those of the reference library.  Exactly: nothing here has a tolerance. */
#include "base/lines.h"
#include "text_cases.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static const char *shared_dir(void)
{
    const char *dir = getenv("MHA_VIZ_SHARED");

    return dir != NULL ? dir : "../shared";
}

static struct tok *open_dir(struct help *h, const char *dir)
{
    struct tok *t = tok_open(&h->arena, dir, &h->err);

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    return t;
}

/* Runs DIR/cases.jsonl; returns how many cases there were. */
static int run_cases(struct help *h, const char *dir)
{
    struct tok *t = open_dir(h, dir);
    struct lines *lines = lines_open(file_join(&h->arena, dir, "cases.jsonl"), &h->err);
    const char *line;
    size_t size;
    int n = 0;

    assert_non_null(lines);
    while (lines_next(lines, &line, &size, &h->err) == 1) {
        json_t *c = json_loadb(line, size, JSON_ALLOW_NUL, NULL);
        struct arena_mark mark = arena_mark(&h->arena);

        assert_non_null(c);
        cases_same(h, t, c, arena_printf(&h->arena, "%s, line %d", dir, ++n));
        arena_reset(&h->arena, mark);
        json_decref(c);
    }
    lines_close(lines);
    tok_close(t);
    return n;
}

static void test_own(void **state)
{
    static const char *const names[] = {
        "wordpiece", "gpt2", "llama3", "roberta", "bert_bare", "gpt2_bare",
        "roberta_bare", "clip", "clip_bare", "nllb",
        "unigram", "bytes_bpe", "llama_model", "t5_model", "mbart_model",
        "mbart50_model", "camembert_model", "pegasus_model",
        "reformer_model", "reformer_plain"
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct help *h = *state;
        const char *dir = file_join(&h->arena, "tests/ref/tokenizers", names[i]);

        assert_true(run_cases(h, dir) >= 60);
    }
}

static void test_shared(void **state)
{
    static const char *const names[] = {
        "tokenizers/bert_uncased", "tokenizers/bert_cased", "tokenizers/gpt2",
        "tokenizers/roberta", "tokenizers/llama3", "tokenizers/qwen2",
        "tokenizers/deepseek", "tokenizers/gpt4o", "extra/tokenizers/bert_strip_cased",
        "extra/tokenizers/bert_uncased_nocjk", "extra/tokenizers/gpt_neox",
        "extra/tokenizers/modernbert", "extra/tokenizers/bloom",
        "extra/tokenizers/starcoder_digits", "tokenizers/gemma", "tokenizers/llama2",
        "tokenizers/llama_metaspace", "tokenizers/albert", "tokenizers/bigbird",
        "tokenizers/t5", "tokenizers/xlmr", "tokenizers/xlnet",
        "extra/tokenizers/deberta_v3"
    };
    struct help *h = *state;
    const char *goldens = file_join(&h->arena, shared_dir(), "goldens");

    if (!file_is_dir(goldens)) {
        print_message("SKIPPED: no %s\n", goldens);
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(run_cases(h, file_join(&h->arena, goldens, names[i])) >= 100);
}

/* A text's ids, and those of a decoder's text behind the token that starts it. */
static void run_texts(struct help *h, const struct tok *t, const char *where,
                      const json_t *texts, const json_t *pair, const json_t *ids,
                      const json_t *mask)
{
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const json_t *text = json_array_get(texts, i);
        struct tok_input in = json_is_array(text) ?
            cases_input(json_array_get(text, 0), json_array_get(text, 1)) : cases_input(text, pair);
        const json_t *want = json_array_get(ids, i);
        const json_t *valid = json_array_get(mask, i);
        json_t *some = json_array();
        struct tokens out;

        for (size_t k = 0; k < json_array_size(want); k++)
            if (mask == NULL || cases_number(valid, (int)k) != 0)
                json_array_append(some, json_array_get(want, k));
        if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
            fail_msg("%s: %s", where, h->err.msg);
        cases_ids(where, some, out.id, out.n);
        json_decref(some);
    }
}

static void run_decoder(struct help *h, const struct tok *t, const char *where,
                        const json_t *run)
{
    const json_t *text = json_object_get(run, "decoder_text");
    json_t *ids = json_copy(json_object_get(run, "decoder_input_ids"));
    struct tok_input in = cases_input(text, NULL);
    struct tokens out;

    if (!json_is_string(text)) {
        json_decref(ids);
        return;
    }
    json_array_remove(ids, 0);
    if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        fail_msg("%s: %s", where, h->err.msg);
    cases_ids(arena_printf(&h->arena, "%s, target", where), ids, out.id, out.n);
    json_decref(ids);
}

/* All texts and ids of a model's runs, with the tokeniser of its folder. */
static void run_model(struct help *h, const char *dir)
{
    struct tok *t = open_dir(h, dir), *target;
    json_t *root = json_load_file(file_join(&h->arena, dir, "expected.json"), 0, NULL);
    json_t *runs = json_object_get(root, "runs"), *run;
    size_t i;

    target = tok_open_target(&h->arena, dir, &h->err);
    assert_non_null(target);
    assert_true(json_array_size(runs) > 0);
    json_array_foreach(runs, i, run) {
        json_t *text = json_object_get(run, "text"), *ids = NULL;
        json_t *texts = json_object_get(run, "texts");

        if (json_is_string(text)) {
            text = json_pack("[O]", text);
            ids = json_pack("[O]", json_object_get(run, "input_ids"));
            run_texts(h, t, dir, text, json_object_get(run, "pair"), ids, NULL);
            json_decref(text);
            json_decref(ids);
        } else if (json_is_array(texts)) {
            run_texts(h, t, dir, texts, NULL, json_object_get(run, "input_ids"),
                      json_object_get(run, "attention_mask"));
        }
        run_decoder(h, target, dir, run);
    }
    json_decref(root);
    tok_close(t);
    tok_close(target);
}

static bool has(struct help *h, const char *dir, const char *name)
{
    return file_exists(file_join(&h->arena, dir, name));
}

/* Every model of the folder that has a tokeniser and texts; how many. */
static int run_models(struct help *h, const char *goldens)
{
    DIR *d = opendir(goldens);
    struct dirent *entry;
    int n = 0;

    assert_non_null(d);
    while ((entry = readdir(d)) != NULL) {
        const char *dir = file_join(&h->arena, goldens, entry->d_name);

        if (entry->d_name[0] == '.' || !has(h, dir, "expected.json") ||
            has(h, dir, "model.gguf") || !has(h, dir, "tokenizer_config.json"))
            continue;
        run_model(h, dir);
        n++;
    }
    closedir(d);
    return n;
}

static void test_models(void **state)
{
    struct help *h = *state;
    const char *goldens = file_join(&h->arena, shared_dir(), "goldens");

    if (!file_is_dir(goldens)) {
        print_message("SKIPPED: no %s\n", goldens);
        skip();
    }
    assert_true(run_models(h, goldens) >= 37);
    assert_true(run_models(h, file_join(&h->arena, goldens, "extra")) >= 19);
}

/* ---- folders without their tokenizer.json ---- */

/* A new folder with links to all files of dir but tokenizer.json. */
static const char *without_json(struct help *h, const char *dir)
{
    char *to = arena_strdup(&h->arena, "/tmp/mha-viz-test-XXXXXX");
    char *from = realpath(dir, NULL);
    DIR *d = opendir(dir);
    struct dirent *entry;

    assert_non_null(mkdtemp(to));
    assert_non_null(d);
    while ((entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "tokenizer.json") != 0)
            assert_int_equal(symlink(file_join(&h->arena, from, entry->d_name),
                                     file_join(&h->arena, to, entry->d_name)), 0);
    closedir(d);
    free(from);
    return to;
}

static void remove_links(struct help *h, const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;

    while ((entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.')
            unlink(file_join(&h->arena, dir, entry->d_name));
    closedir(d);
    rmdir(dir);
}

/* The SentencePiece model alone gives what the tokenizer.json gives. */
static void test_sentencepiece(void **state)
{
    static const char *const names[] = {
        "tokenizers/gemma", "tokenizers/llama2", "tokenizers/llama_metaspace",
        "extra/tokenizers/deberta_v3"
    };
    static const char *const models[] = {
        "albert", "big_bird", "deberta_v2", "gemma", "gemma2", "llama", "llama_headdim",
        "mistral", "mixtral", "phi3", "t5", "t5_v11", "xlm_roberta", "xlnet", "marian",
        "extra/albert_groups", "extra/big_bird_full", "extra/deberta_v2_conv",
        "extra/gemma3", "extra/mbart", "extra/phi3_longrope", "extra/reformer_local",
        "extra/reformer_lsh"
    };
    struct help *h = *state;
    const char *goldens = file_join(&h->arena, shared_dir(), "goldens"), *dir;

    if (!file_is_dir(goldens)) {
        print_message("SKIPPED: no %s\n", goldens);
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        dir = without_json(h, file_join(&h->arena, goldens, names[i]));
        assert_true(run_cases(h, dir) >= 100);
        remove_links(h, dir);
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        dir = without_json(h, file_join(&h->arena, goldens, models[i]));
        run_model(h, dir);
        remove_links(h, dir);
    }
}

/* The model inside the program: Chinese is one token a character. */
static void test_built_in(void **state)
{
    struct help *h = *state;
    struct tok *t = open_dir(h, "assets/default");
    const char *text = "我喜欢吃苹果";
    struct tok_input in = { .text = text, .text_size = strlen(text) };
    struct tokens out;

    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.n, 7);
    assert_string_equal(out.piece[0], "<|bos|>");
    assert_int_equal(out.special[0], 1);
    for (int i = 1; i < 7; i++) {
        assert_int_equal(out.bytes[i].start, 3 * (i - 1));
        assert_int_equal(out.bytes[i].end, 3 * i);
        assert_int_equal(out.label_size[i], 3);
        assert_memory_equal(out.label[i], text + 3 * (i - 1), 3);
    }
    tok_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_own), TEST(test_shared), TEST(test_models), TEST(test_sentencepiece),
        TEST(test_built_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
