/* SPDX-License-Identifier: MIT
 * Tokenisers inside GGUF files: what they make of texts, and files that attack them. */
#include "unit/text_gguf.h"

/* ---- right ---- */

static const char *const pieces[] = { "a", "b", "1", "\xc4\xa0", "ab", ("\xc4\xa0" "ab"),
                                      "<s>", "</s>", "<x>", "11" };
static const char *const merges[] = { "a b", "\xc4\xa0 ab", "1 1" };
static const int kinds[] = { 1, 1, 1, 1, 1, 1, 3, 3, 4, 1 };

static void bpe(const char *pre)
{
    begin("gpt2");
    text("tokenizer.ggml.pre", pre);
    list("tokenizer.ggml.tokens", pieces, 10);
    list("tokenizer.ggml.merges", merges, 3);
    types(kinds, 10);
    number("tokenizer.ggml.bos_token_id", 6);
    number("tokenizer.ggml.eos_token_id", 7);
}

static void test_bpe(void **state)
{
    (void)state;
    bpe("gpt-2");
    gives("ab ab11", "ab \xc4\xa0" "ab 11");
    gives("a<x>b</s>", "a <x> b </s>");
    flag("tokenizer.ggml.add_bos_token", true);
    gives("ab", "<s> ab");
    flag("tokenizer.ggml.add_eos_token", true);
    gives("", "<s> </s>");
    bpe("starcoder");
    gives("ab11", "ab 1 1");
    for (int i = 0; gguf_pre_name(i) != NULL; i++) {
        bpe(gguf_pre_name(i));
        gives("ab", "ab");
    }
}

static void test_wordpiece(void **state)
{
    static const char *const small[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                         "\xe2\x96\x81" "ab", "c", "\xe2\x96\x81" "c" };
    static const char *const large[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                         "\xe2\x96\x81" "Ab", "c", "\xe2\x96\x81" "c" };

    (void)state;
    begin("bert");
    list("tokenizer.ggml.tokens", small, 7);
    gives("Abc c x", "[CLS] ab ##c c [UNK] [SEP]");
    begin("bert");
    list("tokenizer.ggml.tokens", large, 7);
    gives("Abc abc", "[CLS] Ab ##c [UNK] [SEP]");
}

/* A folder with nothing else. */
static void test_folder(void **state)
{
    struct err e;
    struct tok *t;

    (void)state;
    bpe("gpt-2");
    tok_close(open_b(&e));
    t = tok_open(&arena, dir, &e);
    assert_non_null(t);
    assert_int_equal(tok_vocab_size(t), 10);
    tok_close(t);
}

/* ---- wrong ---- */

static void test_models(void **state)
{
    (void)state;
    begin("rwkv");
    refused("tokenizer.ggml.model: \"rwkv\" is not supported");
    put_head(&b, 3, 0, 0);
    n_keys = 0;
    refused("has no tokenizer.ggml.model");
    begin("gpt2");
    refused("has no tokenizer.ggml.tokens");
    begin("gpt2");
    list("tokenizer.ggml.tokens", pieces, 10);
    refused("has no tokenizer.ggml.pre");
    text("tokenizer.ggml.pre", "default");
    refused("tokenizer.ggml.pre: found \"default\", expected one of gpt-2, ");
    begin("gpt2");
    number("tokenizer.ggml.tokens", 3);
    refused("tokenizer.ggml.tokens: is a U32, expected an array of STRING");
}

static void test_tokens(void **state)
{
    static const char *const bytes[] = { "a", "\xff" };
    static const int bad[] = { 1, 7 };

    (void)state;
    begin("gpt2");
    list("tokenizer.ggml.tokens", bytes, 2);
    refused("tokenizer.ggml.tokens: token 1 is not UTF-8");
    begin("gpt2");
    list("tokenizer.ggml.tokens", pieces, 2);
    types(bad, 2);
    refused("token 1 has type 7, expected 0 to 6");
    begin("gpt2");
    list("tokenizer.ggml.tokens", pieces, 2);
    types(kinds, 3);
    refused("token_type: is an array of 3 I32, expected an array of 2 whole numbers");
    begin("gpt2");
    list("tokenizer.ggml.tokens", pieces, 2);
    list("tokenizer.ggml.token_type", pieces, 2);
    refused("token_type: is an array of 2 STRING");
}

static void test_ids(void **state)
{
    (void)state;
    begin("gpt2");
    text("tokenizer.ggml.pre", "gpt-2");
    list("tokenizer.ggml.tokens", pieces, 10);
    number("tokenizer.ggml.bos_token_id", 10);
    refused("bos_token_id: found 10, expected an id of the 10 tokens");
    begin("bert");
    list("tokenizer.ggml.tokens", pieces, 10);
    number("tokenizer.ggml.unknown_token_id", UINT32_MAX);
    refused("unknown_token_id: found 4294967295");
    begin("bert");
    list("tokenizer.ggml.tokens", pieces, 0);
    refused("t.gguf");
}

static void test_merges(void **state)
{
    static const char *const one[] = { "ab" }, *const unknown[] = { "a z" };
    static const char *const loop[] = { "a a", "a a", "a ", " a" };

    (void)state;
    begin("gpt2");
    text("tokenizer.ggml.pre", "gpt-2");
    list("tokenizer.ggml.tokens", pieces, 10);
    list("tokenizer.ggml.merges", one, 1);
    refused("merge 0 is not two pieces");
    begin("gpt2");
    text("tokenizer.ggml.pre", "gpt-2");
    list("tokenizer.ggml.tokens", pieces, 10);
    list("tokenizer.ggml.merges", unknown, 1);
    refused("merges[0]");
    for (int i = 0; i < 3; i++) {       /* twice the same, and halves of nothing */
        begin("gpt2");
        text("tokenizer.ggml.pre", "gpt-2");
        list("tokenizer.ggml.tokens", pieces, 10);
        list("tokenizer.ggml.merges", loop + i, 2);
        refused(i == 2 ? "merge" : "merges[0]");
    }
}

/* ---- SentencePiece ---- */

#define MARK "\xe2\x96\x81"

static const char *const scored[] = { "<unk>", "<s>", "</s>", MARK, "a", "b", "ab",
                                      MARK "ab", "<0xC3>", "<0xA9>", "<x>" };
static const int scored_kinds[] = { 2, 3, 3, 1, 1, 1, 1, 1, 6, 6, 4 };
static const float scores[] = { 0, 0, 0, -9, -8, -7, -1, -2, 0, 0, 0 };

/* One of the pieces, kinds and scores is another one; at: -1: none. */
static void spm(const char *model, int at, const char *piece, int kind, float score)
{
    const char *all[11];
    int kinds_of[11];
    float scores_of[11];

    memcpy(all, scored, sizeof all);
    memcpy(kinds_of, scored_kinds, sizeof kinds_of);
    memcpy(scores_of, scores, sizeof scores_of);
    if (at >= 0) {
        all[at] = piece;
        kinds_of[at] = kind;
        scores_of[at] = score;
    }
    begin(model);
    list("tokenizer.ggml.tokens", all, 11);
    types(kinds_of, 11);
    floats("tokenizer.ggml.scores", scores_of, 11);
}

static void test_sentencepiece(void **state)
{
    (void)state;
    spm("llama", -1, NULL, 0, 0);
    gives("ab aba", "<s> " MARK "ab " MARK "ab a");
    gives("a\xc3\xa9z", "<s> " MARK " a <0xC3> <0xA9> <unk>");
    gives("<x>b</s>ab", "<s> <x> " MARK " b </s> " MARK "ab");
    gives("", "<s>");
    flag("tokenizer.ggml.add_space_prefix", false);
    gives("ab ab", "<s> ab " MARK "ab");
    flag("tokenizer.ggml.add_bos_token", false);
    flag("tokenizer.ggml.add_eos_token", true);
    gives("ab", "ab </s>");
    spm("t5", -1, NULL, 0, 0);
    number("tokenizer.ggml.unknown_token_id", 0);
    number("tokenizer.ggml.eos_token_id", 2);
    gives("  ab  ab ", MARK "ab " MARK "ab </s>");
    /* A piece that appears twice: the first. */
    spm("llama", 5, "a", 1, 0);
    gives("a", "<s> " MARK " a");
}

static void test_sentencepiece_bytes(void **state)
{
    static const char *const names[] = { "<0x-1>", "<0xZZ>", "<0x1>", "<0x100>", "",
                                         "\xc3\xa9" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        spm("llama", 8, names[i], 6, 0);
        refused("tokenizer.ggml.tokens: token 8 is ");
        spm("t5", 8, names[i], 6, 0);
        refused("but of type byte, expected <0x00> to <0xFF>");
    }
    /* Not said to be bytes they are pieces like others. */
    spm("llama", 8, "<0x-1>", 1, 0);
    gives("a", "<s> " MARK " a");
}

static void test_sentencepiece_scores(void **state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };

    (void)state;
    for (int i = 0; i < 3; i++) {
        spm("llama", 4, "a", 1, bad[i]);
        refused("tokenizer.ggml.scores: token 4 has a score that is not finite");
        spm("t5", 4, "a", 1, bad[i]);
        refused("tokenizer.ggml.scores: token 4 has a score that is not finite");
    }
    begin("llama");
    list("tokenizer.ggml.tokens", scored, 11);
    refused("has no tokenizer.ggml.scores");
    floats("tokenizer.ggml.scores", scores, 10);
    refused("scores: is an array of 10 F32, expected an array of 11 F32");
    begin("llama");
    list("tokenizer.ggml.tokens", scored, 11);
    list("tokenizer.ggml.scores", scored, 11);
    refused("scores: is an array of 11 STRING, expected an array of 11 F32");
    begin("llama");                 /* an element is narrower than a reader might believe */
    list("tokenizer.ggml.tokens", scored, 11);
    put_array(&b, "tokenizer.ggml.scores", GGUF_U8, 11);
    put_data(&b, 1, 11);
    n_keys++;
    refused("scores: is an array of 11 U8, expected an array of 11 F32");
    begin("llama");
    list("tokenizer.ggml.tokens", scored, 11);
    put_key(&b, "tokenizer.ggml.scores", GGUF_F32);
    put_numbers(&b, scores, 1, 4);
    n_keys++;
    refused("scores: is a F32");
}

static void test_sentencepiece_rest(void **state)
{
    static const char *const ids[] = { "unknown", "bos", "eos" };
    char large[600];

    (void)state;
    for (int i = 0; i < 3; i++) {
        spm("llama", -1, NULL, 0, 0);
        number(arena_printf(&arena, "tokenizer.ggml.%s_token_id", ids[i]), 11);
        refused("_token_id: found 11, expected an id of the 11 tokens");
    }
    begin("llama");
    list("tokenizer.ggml.tokens", scored, 0);
    refused("tokenizer.ggml.tokens: is empty");
    begin("t5");
    list("tokenizer.ggml.tokens", scored, 2);
    floats("tokenizer.ggml.scores", scores, 2);
    refused("has no tokenizer.ggml.unknown_token_id");
    memset(large, 'a', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    spm("llama", 6, large, 1, 0);
    refused("token 6 has 599 bytes, expected at most 512");
    spm("llama", -1, NULL, 0, 0);
    number("tokenizer.ggml.add_space_prefix", 1);
    refused("add_space_prefix: is a U32, expected a BOOL");
    spm("t5", -1, NULL, 0, 0);
    text("tokenizer.ggml.precompiled_charsmap", "x");
    refused("precompiled_charsmap: is a STRING, expected an array of U8");
    spm("t5", -1, NULL, 0, 0);
    put_array(&b, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, 4);
    put_u32(&b, UINT32_MAX);
    n_keys++;
    refused("t.gguf: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bpe), cmocka_unit_test(test_wordpiece),
        cmocka_unit_test(test_folder), cmocka_unit_test(test_models),
        cmocka_unit_test(test_tokens), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_merges), cmocka_unit_test(test_sentencepiece),
        cmocka_unit_test(test_sentencepiece_bytes),
        cmocka_unit_test(test_sentencepiece_scores),
        cmocka_unit_test(test_sentencepiece_rest),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
