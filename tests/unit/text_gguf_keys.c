/* SPDX-License-Identifier: MIT
 * Each key of a GGUF's tokeniser that is something else than it has to be, and what the
 * settings of SentencePiece make of a text. */
#include "unit/text_gguf.h"

#define KEY "tokenizer.ggml."
#define MARK "\xe2\x96\x81"

static const char *const words[] = { "a", "b", "[a", "[UNK]" };
static const char *const merges[] = { "a b" };

/* A model that lacks nothing but what the test adds. */
static void bare(const char *model)
{
    begin(model);
    if (strcmp(model, "gpt2") == 0)
        text(KEY "pre", "gpt-2");
    list(KEY "tokens", words, 4);
    if (strcmp(model, "gpt2") == 0)
        list(KEY "merges", merges, 1);
    if (strcmp(model, "llama") == 0 || strcmp(model, "t5") == 0)
        floats(KEY "scores", (const float[]){ -1, -2, -3, 0 }, 4);
}

/* An array of one number in the place of a number. */
static void numbers(const char *key, enum gguf_type type, int n)
{
    put_array(&b, key, (uint32_t)type, (uint64_t)n);
    for (int i = 0; i < n; i++)
        put(&b, (const char[8]){ 0 }, type == GGUF_BOOL || type == GGUF_U8 ? 1 : 4);
    n_keys++;
}

static void test_kinds(void **state)
{
    static const char *const ids[] = {
        "bert", "unknown_token_id", "bert", "bos_token_id", "bert", "cls_token_id",
        "bert", "eos_token_id", "bert", "seperator_token_id", "gpt2", "bos_token_id",
        "gpt2", "eos_token_id", "llama", "unknown_token_id", "llama", "bos_token_id",
        "llama", "eos_token_id", "t5", "eos_token_id",
    };
    static const char *const flags[] = {
        "gpt2", "add_bos_token", "gpt2", "add_eos_token", "llama", "add_bos_token",
        "llama", "add_eos_token", "llama", "add_space_prefix", "t5", "add_space_prefix",
        "t5", "remove_extra_whitespaces",
    };

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i += 2) {
        const char *key = arena_printf(&arena, KEY "%s", ids[i + 1]);

        bare(ids[i]);
        text(key, "x");
        refused(arena_printf(&arena, "%s: is a STRING, expected a whole number", key));
        bare(ids[i]);
        numbers(key, GGUF_U32, 1);
        refused(arena_printf(&arena, "%s: is an array of 1 U32, expected a whole number", key));
        bare(ids[i]);
        put_key(&b, key, GGUF_I32);
        put_u32(&b, (uint32_t)-1);
        n_keys++;
        refused(arena_printf(&arena, "%s: found -1, expected an id of the 4 tokens", key));
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i += 2) {
        const char *key = arena_printf(&arena, KEY "%s", flags[i + 1]);

        bare(flags[i]);
        if (strcmp(flags[i], "t5") == 0)
            number(KEY "unknown_token_id", 3);
        number(key, 1);
        refused(arena_printf(&arena, "%s: is a U32, expected a BOOL", key));
        bare(flags[i]);
        if (strcmp(flags[i], "t5") == 0)
            number(KEY "unknown_token_id", 3);
        numbers(key, GGUF_BOOL, 2);
        refused(arena_printf(&arena, "%s: is an array of 2 BOOL, expected a BOOL", key));
    }
}

static void test_texts(void **state)
{
    static const char *const models[] = { "bert", "gpt2", "llama", "t5" };

    (void)state;
    put_head(&b, 3, 0, 0);
    n_keys = 0;
    number(KEY "model", 1);
    refused(KEY "model: is a U32, expected a STRING");
    put_head(&b, 3, 0, 0);
    n_keys = 0;
    list(KEY "model", words, 1);
    refused(KEY "model: is an array of 1 STRING, expected a STRING");
    begin("gpt2");
    list(KEY "tokens", words, 4);
    number(KEY "pre", 1);
    refused(KEY "pre: is a U32, expected a STRING");
    for (int i = 0; i < 4; i++) {
        begin(models[i]);
        text(KEY "tokens", "a");
        refused(KEY "tokens: is a STRING, expected an array of STRING");
        begin(models[i]);
        numbers(KEY "tokens", GGUF_U32, 2);
        refused(KEY "tokens: is an array of 2 U32, expected an array of STRING");
        begin(models[i]);
        put_array(&b, KEY "tokens", GGUF_STRING, 1);
        put_u64(&b, 3);
        put(&b, "a\0b", 3);
        n_keys++;
        refused(KEY "tokens: token 0 is not UTF-8 without NULs");
        bare(models[i]);
        number(KEY "token_type", 1);
        refused(KEY "token_type: is a U32, expected an array of 4 whole numbers");
        bare(models[i]);
        types((const int[]){ 1, 1, -1, 1 }, 4);
        refused(KEY "token_type: token 2 has type -1, expected 0 to 6");
    }
}

static void test_merges(void **state)
{
    static const char *const bad[] = { "", "a", " ", "ab", " a", "a\xff b" };

    (void)state;
    for (int i = 0; i < 6; i++) {
        begin("gpt2");
        text(KEY "pre", "gpt-2");
        list(KEY "tokens", words, 4);
        list(KEY "merges", bad + i, 1);
        refused(KEY "merges: merge 0 is not two pieces with a space between");
    }
    begin("gpt2");
    text(KEY "pre", "gpt-2");
    list(KEY "tokens", words, 4);
    refused("has no tokenizer.ggml.merges");
}

/* Of a piece that is there twice the first id counts; an empty one is no token. */
static void test_twice(void **state)
{
    static const char *const twice[] = { "a", "b", "a", "", "ab", "[ab", "[x]" };

    (void)state;
    begin("gpt2");
    text(KEY "pre", "gpt-2");
    list(KEY "tokens", twice, 7);
    list(KEY "merges", merges, 1);
    types((const int[]){ 1, 1, 1, 3, 4, 1, 3 }, 7);
    gives("aab[x]", "a ab [x]");
    begin("bert");                      /* "[ab" goes on inside a word, "[x]" does not */
    list(KEY "tokens", (const char *const[]){ MARK "b", "[ab", "[x]", "[UNK]", "[CLS]", "[SEP]",
                                              MARK "b", "a]" }, 8);
    gives("b a", "[CLS] b [UNK] [SEP]");
}

/* ---- SentencePiece ---- */

static const char *const pieces[] = { "<unk>", "<s>", "</s>", MARK, "a", MARK "a", "<0x62>" };
static const float scores[] = { 0, 0, 0, -3, -2, -1, 0 };

static void spm(const char *model, const char *unk)
{
    const char *all[7];

    memcpy(all, pieces, sizeof all);
    all[0] = unk;
    begin(model);
    list(KEY "tokens", all, 7);
    floats(KEY "scores", scores, 7);
    number(KEY "unknown_token_id", 0);
    number(KEY "eos_token_id", 2);
}

/* Types are not said: names tell which pieces are bytes. */
static void test_types(void **state)
{
    (void)state;
    spm("llama", "<unk>");
    gives("ab", "<s> " MARK "a <0x62>");
    spm("llama", "<unk>");
    types((const int[]){ 2, 3, 3, 0, 1, 5, 6 }, 7);
    gives("aba", "<s> " MARK " a <0x62> a");        /* 5: unused */
    spm("llama", "<unk>");
    types((const int[]){ 1, 3, 3, 1, 1, 1, 6 }, 7);
    gives("a<unk>c", "<s> " MARK "a <unk> " MARK " <unk>");       /* a token, and unknown */
    spm("t5", "");
    gives("ac", MARK "a  </s>");
    spm("t5", "<unk>");
    number(KEY "padding_token_id", 1);
    gives("ab", MARK "a <0x62> </s>");
}

/* What the keys say of blanks, with a map and without one. */
static void test_blanks(void **state)
{
    static const struct { int prefix, trim; const char *want; } rows[] = {
        { 1, 1, MARK "a " MARK "a" }, { 1, 0, MARK " " MARK "a " MARK " " MARK "a " MARK },
        { 0, 1, "a " MARK "a" }, { 0, 0, MARK " " MARK "a " MARK " " MARK "a " MARK },
    };
    unsigned char map[8] = { 4, 0, 0, 0, 0xff, 0, 0, 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int mapped = 0; mapped < 4; mapped++) {
            spm("t5", "<unk>");
            flag(KEY "add_eos_token", false);
            flag(KEY "add_space_prefix", rows[i].prefix != 0);
            flag(KEY "remove_extra_whitespaces", rows[i].trim != 0);
            if (mapped == 1)
                numbers(KEY "precompiled_charsmap", GGUF_U8, 0);
            if (mapped > 1) {
                put_array(&b, KEY "precompiled_charsmap", mapped == 2 ? GGUF_U8 : GGUF_I8, 1032);
                bytes_put(map, 1024, 4);
                put(&b, map, 4);
                for (int k = 0; k < 1028; k++)
                    put(&b, "", 1);
                n_keys++;
            }
            gives("  a  a ", rows[i].want);
        }
    spm("t5", "<unk>");
    numbers(KEY "precompiled_charsmap", GGUF_U32, 1);
    refused("precompiled_charsmap: is an array of 1 U32, expected an array of U8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_merges), cmocka_unit_test(test_twice),
        cmocka_unit_test(test_types), cmocka_unit_test(test_blanks),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
