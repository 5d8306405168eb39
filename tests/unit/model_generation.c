/* SPDX-License-Identifier: MIT
 * generation_config.json: each key, each value that is wrong; which file is read. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/generation.h"
#include "unit/gguf_bytes.h"

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* An encoder-decoder of 40 words whose config names start token 3. */
static const struct model *pair(void)
{
    static struct model m, decoder;

    m.config.n_vocab = 40;
    m.config.decoder.start_id = 3;
    m.decoder = &decoder;
    return &m;
}

static int read_text(const char *json, struct generation *g, struct err *e)
{
    const struct span bytes = { (const unsigned char *)json, strlen(json) };

    return generation_read_json(g, &arena, pair(), bytes, "g.json", e);
}

static struct generation good(const char *json)
{
    struct generation g;
    struct err e;

    if (read_text(json, &g, &e) != 0)
        fail_msg("%s: %s", json, e.msg);
    return g;
}

static void bad(const char *json, const char *why)
{
    struct generation g;
    struct err e = { ERR_NONE, "" };

    if (read_text(json, &g, &e) != -1)
        fail_msg("%s: was taken", json);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "g.json: ", 8) != 0 || strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", json, e.msg, why);
}

static void what_nothing_means(void **state)
{
    struct generation g = good("{\"eos_token_id\":null,\"temperature\":0.6,\"num_beams\":4}");

    (void)state;
    assert_int_equal(g.start, 3);
    assert_int_equal(g.forced_first, -1);
    assert_int_equal(g.end.n + g.forced_last.n + g.suppressed.n + g.n_bad, 0);
    assert_true(g.penalty == 1);
}

static void every_key(void **state)
{
    struct generation g = good(
        "{\"bos_token_id\":1,\"eos_token_id\":[2,-1,99],\"forced_bos_token_id\":4,"
        "\"forced_eos_token_id\":2,\"suppress_tokens\":[5,6],\"begin_suppress_tokens\":[7],"
        "\"bad_words_ids\":[[8],[9,10]],\"no_repeat_ngram_size\":3,\"min_length\":11,"
        "\"min_new_tokens\":12,\"repetition_penalty\":1.5,\"guidance_scale\":1}");

    (void)state;
    assert_int_equal(g.start, 1);           /* no decoder_start_token_id beside it */
    assert_int_equal(g.end.n, 3);
    assert_int_equal(g.end.id[2], 99);
    assert_int_equal(g.forced_first, 4);
    assert_int_equal(g.forced_last.id[0], 2);
    assert_int_equal(g.suppressed.id[1], 6);
    assert_int_equal(g.suppressed_first.id[0], 7);
    assert_int_equal(g.n_bad, 2);
    assert_int_equal(g.bad[1].n, 2);
    assert_int_equal(g.bad[1].id[1], 10);
    assert_int_equal(g.no_repeat, 3);
    assert_int_equal(g.min_length, 11);
    assert_int_equal(g.min_new, 12);
    assert_true(g.penalty == 1.5);
    g = good("{\"bos_token_id\":1,\"decoder_start_token_id\":5,\"eos_token_id\":2}");
    assert_int_equal(g.start, 5);
    assert_int_equal(g.end.id[0], 2);
    g = good("{\"text_config\":{\"eos_token_id\":8,\"min_length\":2},\"eos_token_id\":[9,7]}");
    assert_int_equal(g.end.id[1], 7);
    assert_int_equal(g.min_length, 2);
}

static void what_is_wrong(void **state)
{
    (void)state;
    bad("[]", "is not a JSON object");
    bad("{\"eos_token_id\":", "not JSON: column");
    bad("{\"eos_token_id\":\"</s>\"}", "eos_token_id: found \"</s>\", expected a whole number");
    bad("{\"eos_token_id\":[1,2.5]}", "eos_token_id[1]: found 2.5");
    bad("{\"eos_token_id\":4294967296}", "eos_token_id: found 4294967296");
    bad("{\"forced_bos_token_id\":40}", "forced_bos_token_id: found 40, expected one of "
        "the vocabulary (0 to 39)");
    bad("{\"forced_eos_token_id\":[2,-1]}", "forced_eos_token_id: found -1");
    bad("{\"decoder_start_token_id\":[1]}", "decoder_start_token_id: found [1]");
    bad("{\"bos_token_id\":77}", "bos_token_id: found 77");
    bad("{\"bad_words_ids\":[3]}", "expected a list of lists of ids");
    bad("{\"bad_words_ids\":[[]]}", "expected a list of lists of ids");
    bad("{\"bad_words_ids\":[[1],[\"x\"]]}", "bad_words_ids[0]: found \"x\"");
    bad("{\"text_config\":{\"min_length\":-1},\"eos_token_id\":1}", "min_length: found -1");
    bad("{\"text_config\":{},\"min_length\":-1}", "min_length: found -1");
    bad("{\"bad_words_ids\":{}}", "expected a list of lists of ids");
    bad("{\"repetition_penalty\":0}", "repetition_penalty: found 0");
    bad("{\"no_repeat_ngram_size\":-1}", "no_repeat_ngram_size: found -1");
    bad("{\"min_length\":1.5}", "min_length: found 1.5");
    bad("{\"sequence_bias\":[]}", "sequence_bias: found [], expected null: it is not "
        "supported");
    bad("{\"guidance_scale\":3}", "guidance_scale");
    bad("{\"encoder_repetition_penalty\":1.2}", "encoder_repetition_penalty");
    bad("{\"encoder_no_repeat_ngram_size\":3}", "encoder_no_repeat_ngram_size");
}

static void write_file(const char *dir, const char *name, const char *text)
{
    FILE *f = fopen(file_join(&arena, dir, name), "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* generation_config.json alone, where it is there; else config.json. */
static void which_file(void **state)
{
    char dir[] = "/tmp/mha-viz-generation-XXXXXX";
    struct model m = *pair();
    struct generation g;
    struct err e;

    (void)state;
    assert_non_null(mkdtemp(dir));
    m.dir = dir;
    m.weights = weights_open(&arena, "tests/ref/llama", &e);
    assert_non_null(m.weights);
    write_file(dir, "config.json", "{\"eos_token_id\":5,\"forced_eos_token_id\":6}");
    assert_int_equal(generation_read(&g, &arena, &m, &e), 0);
    assert_int_equal(g.end.id[0], 5);
    assert_int_equal(g.forced_last.n, 1);
    write_file(dir, "generation_config.json", "{\"eos_token_id\":7}");
    assert_int_equal(generation_read(&g, &arena, &m, &e), 0);
    assert_int_equal(g.end.id[0], 7);
    assert_int_equal(g.forced_last.n, 0);
    write_file(dir, "generation_config.json", "{\"eos_token_id\":\"x\"}");
    assert_int_equal(generation_read(&g, &arena, &m, &e), -1);
    assert_non_null(strstr(e.msg, "generation_config.json: eos_token_id"));
    unlink(file_join(&arena, dir, "config.json"));
    unlink(file_join(&arena, dir, "generation_config.json"));
    assert_int_equal(generation_read(&g, &arena, &m, &e), -1);
    assert_non_null(strstr(e.msg, "config.json"));
    weights_close(m.weights);
    unlink(file_join(&arena, dir, "config.json"));
    unlink(file_join(&arena, dir, "generation_config.json"));
    rmdir(dir);
}

static void keys_of_gguf(void **state)
{
    static struct bytes b;
    struct model m = { .dir = "f.gguf", .config = { .n_vocab = 9, .decoder.start_id = -1 } };
    struct generation g;
    struct err e = { ERR_NONE, "" };

    (void)state;
    put_head(&b, 3, 1, 4);
    put_key_u32(&b, "tokenizer.ggml.bos_token_id", 1);
    put_key_u32(&b, "tokenizer.ggml.eos_token_id", 7);
    put_key_string(&b, "tokenizer.ggml.eom_token_id", "no number");
    put_key_u32(&b, "tokenizer.ggml.eot_token_id", 5);
    put_tensor(&b, "token_embd.weight", 8, 5, 0, 0);
    put_data(&b, 32, 160);
    m.weights = weights_open_memory(&arena, (struct span){ b.v, b.n }, "f.gguf", &e);
    if (m.weights == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(generation_read(&g, &arena, &m, &e), 0);
    assert_int_equal(g.end.n, 2);
    assert_int_equal(g.end.id[0], 7);
    assert_int_equal(g.end.id[1], 5);
    assert_int_equal(g.forced_first, -1);
    weights_close(m.weights);
}

/* Ids that are none: of another kind, in a list, below zero or beyond an int. */
static void wrong_keys_of_gguf(void **state)
{
    static struct bytes b;
    struct model m = { .dir = "f.gguf", .config = { .n_vocab = 9, .decoder.start_id = -1 } };

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct generation g;
        struct err e = { ERR_NONE, "" };

        put_head(&b, 3, 1, 1);
        if (i == 0) {
            put_key_string(&b, "tokenizer.ggml.eos_token_id", "7");
        } else if (i == 1) {
            put_array(&b, "tokenizer.ggml.eos_token_id", GGUF_U32, 1);
            put_u32(&b, 7);
        } else if (i == 2) {
            put_key(&b, "tokenizer.ggml.eos_token_id", GGUF_I32);
            put_u32(&b, (uint32_t)-7);
        } else {
            put_key_u32(&b, "tokenizer.ggml.eos_token_id", 1u << 31);
        }
        put_tensor(&b, "token_embd.weight", 8, 5, 0, 0);
        put_data(&b, 32, 160);
        m.weights = weights_open_memory(&arena, (struct span){ b.v, b.n }, "f.gguf", &e);
        if (m.weights == NULL)
            fail_msg("%s", e.msg);
        assert_int_equal(generation_read(&g, &arena, &m, &e), 0);
        assert_int_equal(g.end.n, 0);
        weights_close(m.weights);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_nothing_means, setup, teardown),
        cmocka_unit_test_setup_teardown(every_key, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(which_file, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_of_gguf, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_keys_of_gguf, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
