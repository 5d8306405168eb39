/* SPDX-License-Identifier: MIT
 * SentencePiece models made byte by byte, sound and hostile. */
#include "text_help.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "text/spm.h"
#include "unit/spm_bytes.h"

static struct tok *try_bytes(struct help *h, const struct bytes *b)
{
    struct span span = { b->v, b->n };

    memset(&h->err, 0, sizeof h->err);
    return tok_open_sentencepiece(&h->arena, span, "test.model", &h->err);
}

static struct tok *open_bytes(struct help *h, const struct bytes *b)
{
    struct tok *t = try_bytes(h, b);

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    return t;
}

static void refused(struct help *h, const struct bytes *b, const char *why)
{
    assert_null(try_bytes(h, b));
    if (strstr(h->err.msg, why) == NULL)
        fail_msg("message \"%s\", expected \"%s\"", h->err.msg, why);
    assert_int_equal(h->err.kind, ERR_INPUT);
}

/* ---- sound ones ---- */

static void test_unigram(void **state)
{
    struct help *h = *state;
    struct tok_input in = { .text = "ab", .text_size = 2 };
    struct bytes b = { .n = 0 };
    struct tokens out;
    struct tok *t;

    put_pieces(&b);
    put_settings(&b, 1, true, true);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, "  ab  b "), "▁ab[2,4] ▁[5,6] b[6,7]");
    assert_string_equal(help_encode(h, t, "aUSERyy"),
                        "▁[0,1] a[0,1] USER[1,5] <unk>[5,7]");
    assert_string_equal(help_encode(h, t, " USER ab"), "▁[1,2] USER[1,5] ▁ab[5,8]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.label_size[0], 3);
    assert_string_equal(out.label[0], " ab");
    tok_close(t);
}

static void test_bpe(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };
    struct tok *t;

    put_pieces(&b);
    put_settings(&b, 2, false, false);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, "ab ab"), "ab[0,2] ▁ab[2,5]");
    assert_string_equal(help_encode(h, t, "xyb"), "<unk>[0,2] b[2,3]");
    tok_close(t);
}

/* Whole words; neighbours that are unknown are one.  A piece inside a word is not found. */
static void test_words(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };
    struct tok *t;

    put_pieces(&b);
    put_settings(&b, 3, true, true);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, " ab  a b ab"), "▁ab[1,3] <unk>[4,8] ▁ab[8,11]");
    assert_string_equal(help_encode(h, t, "abUSER zz x"), "<unk>[0,11]");
    assert_string_equal(help_encode(h, t, "x <s> x"), "<unk>[0,1] <s>[2,5] <unk>[6,7]");
    tok_close(t);
    b.n = 0;
    put_pieces(&b);
    put_settings(&b, 3, false, false);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, "USER ab"), "USER[0,4] ▁ab[4,7]");
    tok_close(t);
}

/* Single characters, and what the user defined; "ab" is a piece, but not of this model. */
static void test_characters(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };
    struct tok *t;

    put_pieces(&b);
    put_settings(&b, 4, true, true);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, "abUSER xyb"),
                        "▁[0,1] a[0,1] b[1,2] USER[2,6] ▁[6,7] <unk>[7,9] b[9,10]");
    tok_close(t);
}

/* Blanks end words: "ab▁" is one, and the text's end has one as well. */
static void test_suffix(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };
    struct tok *t;

    put_pieces(&b);
    put_piece(&b, "ab▁", -2.5f, SPM_NORMAL);
    put_bytes(&b, 2, "\xc0\x01\x01", 3);
    t = open_bytes(h, &b);
    assert_string_equal(help_encode(h, t, " ab  ab a "), "ab▁[1,5] ab▁[5,8] a[8,9] ▁[8,9]");
    assert_string_equal(help_encode(h, t, "  "), "");
    tok_close(t);
}

/* ---- hostile ones ---- */

static void test_varints(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };

    for (int i = 0; i < 10; i++)
        put_byte(&b, 0xff);
    put_byte(&b, 1);
    refused(h, &b, "a number has more than 64 bits");
    b.n = 9;
    put_byte(&b, 2);
    refused(h, &b, "a number has more than 64 bits");
    b.n = 5;
    refused(h, &b, "it ends inside a number");
}

static void test_lengths(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };

    refused(h, &b, "it has no pieces");
    put_varint(&b, 1 << 3 | 2);
    put_varint(&b, UINT64_MAX);
    refused(h, &b, "a field of 18446744073709551615 bytes, but only 0 are left");
    b.n = 0;
    put_bytes(&b, 1, "\x0a\x05" "abc", 5);
    refused(h, &b, "piece 0: a field of 5 bytes, but only 3 are left");
}

static void test_groups(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };

    for (int i = 0; i < 100; i++)
        put_varint(&b, 1 << 3 | 3);
    refused(h, &b, "field 1 has wire type 3");
    b.n = 0;
    put_number(&b, 0, 1);
    refused(h, &b, "a field has the number 0");
}

static void test_pieces(void **state)
{
    static const struct { float score; unsigned type; const char *s, *why; } bad[] = {
        { 0.0f / 0.0f, 1, "x", "\"x\" has a score that is not finite" },
        { -1.0f / 0.0f, 1, "x", "\"x\" has a score that is not finite" },
        { 0, 7, "x", "piece 9: type 7, expected 1 to 6" },
        { 0, 1, "a\xff", "piece 9: its text is not UTF-8" },
        { 0, 1, "ab", "token \"ab\" appears twice" },
        { 0, 2, "<unk2>", "pieces 0 and 9 are both the unknown one" },
    };
    struct help *h = *state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct bytes b = { .n = 0 };

        put_pieces(&b);
        put_piece(&b, bad[i].s, bad[i].score, bad[i].type);
        refused(h, &b, bad[i].why);
    }
}

static void test_settings(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };

    put_piece(&b, "a", 0, SPM_NORMAL);
    refused(h, &b, "it has no unknown piece");
    b.n = 0;
    put_pieces(&b);
    put_settings(&b, 5, true, true);
    refused(h, &b, "model type 5, expected 1 to 4 (unigram, bpe, word, char)");
    b.n = 0;
    put_pieces(&b);
    put_bytes(&b, 3, "\x28\x00", 2);
    refused(h, &b, "are not supported");
}

/* BPE seeks merges in every piece: one of 513 bytes is refused. */
static void test_long_piece(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };
    char s[514];

    memset(s, 'a', 513);
    for (int type = 1; type <= 2; type++) {
        b.n = 0;
        put_pieces(&b);
        put_settings(&b, (unsigned)type, true, true);
        s[513] = '\0';
        put_piece(&b, s, 0, SPM_NORMAL);
        if (type == 2)
            refused(h, &b, "piece 9 has 513 bytes, expected at most 512");
        else
            tok_close(open_bytes(h, &b));
    }
    b.n = 0;
    put_pieces(&b);
    put_bytes(&b, 2, "\x18\x00", 2);
    refused(h, &b, "training: model type 0, expected 1 to 4");
}

static void write_file(const char *dir, const char *name, const void *s, size_t n)
{
    char path[100];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(s, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* The library's classes read unigram and bpe, and put blanks in front of words. */
static void test_class(void **state)
{
    static const char config[] = "{\"tokenizer_class\":\"T5Tokenizer\"}";
    struct help *h = *state;
    char dir[] = "/tmp/mha-viz-test-XXXXXX", path[100];
    struct bytes b = { .n = 0 };

    assert_non_null(mkdtemp(dir));
    put_pieces(&b);
    put_settings(&b, 3, true, true);
    write_file(dir, "spiece.model", b.v, b.n);
    write_file(dir, "tokenizer_config.json", config, sizeof config - 1);
    assert_null(tok_open(&h->arena, dir, &h->err));
    assert_non_null(strstr(h->err.msg, "spiece.model: a model of type word, which "
                           "T5Tokenizer does not read"));
    write_file(dir, "tokenizer_config.json", "{}", 2);
    assert_non_null(tok_open(&h->arena, dir, &h->err));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir,
                 i == 0 ? "spiece.model" : "tokenizer_config.json");
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* Cut at every byte: a message or a tokeniser, never more. */
static void test_cut(void **state)
{
    struct help *h = *state;
    struct bytes b = { .n = 0 };

    put_pieces(&b);
    put_settings(&b, 1, true, true);
    for (size_t n = b.n; n-- > 0; ) {
        b.n = n;
        tok_close(try_bytes(h, &b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_unigram), TEST(test_bpe), TEST(test_words), TEST(test_characters),
        TEST(test_suffix), TEST(test_long_piece), TEST(test_class), TEST(test_varints),
        TEST(test_lengths),
        TEST(test_groups), TEST(test_pieces), TEST(test_settings), TEST(test_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
