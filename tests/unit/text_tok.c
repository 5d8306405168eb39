/* SPDX-License-Identifier: MIT
 * Encoding: bad text, long text, pieces that are given, labels, descriptions. */
#include "text_help.h"

#define BYTES \
    "{'added_tokens':[{'id':9,'content':'<é>','special':true}," \
    "{'id':10,'content':'<b>','special':false}]," \
    "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false},'post_processor':" \
    "{'type':'BertProcessing','cls':['<é>',9],'sep':['<é>',9]}," \
    "'model':{'type':'BPE','vocab':{'a':0,'Ġ':1,'Ġa':2,'Ã':3,'©':4,'Ċ':5,'Ā':6,'我':7," \
    "'<i>x</i>':8},'merges':[['Ġ','a']],'unk_token':'a'}}"

static int encode(struct help *h, const struct tok *t, const char *s, size_t n,
                  struct tokens *out)
{
    struct tok_input in = { .text = s, .text_size = n };

    memset(&h->err, 0, sizeof h->err);
    return tok_encode(t, &h->arena, &in, out, &h->err);
}

static void test_not_utf8(void **state)
{
    static const struct { const char *s; int at; } rows[] = {
        { "ab\xff", 2 }, { "\xc0\xaf", 0 }, { "a\xed\xa0\x80", 1 }, { "\xe4\xb8", 0 },
        { "\xf4\x90\x80\x80", 0 }, { "é\x80", 2 }, { "\xe0\x80\xaf", 0 },
    };
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct tokens out;
    struct tok_input pair = { .text = "a", .text_size = 1, .pair = "\xff",
                              .pair_size = 1 };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(encode(h, t, rows[i].s, strlen(rows[i].s), &out), -1);
        assert_int_equal(h->err.kind, ERR_INPUT);
        assert_non_null(strstr(h->err.msg, arena_printf(&h->arena,
                               "not UTF-8 at byte %d", rows[i].at)));
    }
    assert_int_equal(tok_encode(t, &h->arena, &pair, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "second text: the text is not UTF-8 at byte 0"));
    tok_close(t);
}

static void test_nul_and_empty(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct tokens out;

    assert_int_equal(encode(h, t, "a\0a", 3, &out), 0);
    assert_int_equal(out.n, 5);
    assert_string_equal(out.piece[2], "Ā");
    assert_int_equal(out.label_size[2], 1);
    assert_memory_equal(out.label[2], "\0", 2);
    assert_int_equal(out.bytes[3].start, 2);
    assert_int_equal(encode(h, t, "", 0, &out), 0);
    assert_int_equal(out.n, 2);
    tok_close(t);
}

/* Half of a character is a label too; both halves span the whole character. */
static void test_labels(void **state)
{
    static const char *const want[] = {
        "<é>", "a", " a", "\xc3", "\xa9", "\n", "<b>", "<é>"
    };
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct tokens out;

    assert_int_equal(encode(h, t, "a aé\n<b>", 9, &out), 0);
    assert_int_equal(out.n, 8);
    for (int i = 0; i < out.n; i++) {
        assert_string_equal(out.label[i], want[i]);
        assert_int_equal(out.label_size[i], strlen(want[i]));
    }
    assert_int_equal(out.chars[3].start, 3);
    assert_int_equal(out.chars[4].end, 4);
    assert_int_equal(out.bytes[4].start, 3);
    assert_int_equal(out.bytes[4].end, 5);
    assert_int_equal(out.special[6], 0);
    tok_close(t);
}

/* What is not of the byte alphabet stays as it is, markup and all. */
static void test_describe(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    const int ids[] = { 2, 7, 8, 9, 70, 10 }, types[] = { 0, 1, 0, 1, 0, 1 };
    static const char *const want[] = {
        " a", "我", "<i>x</i>", "<é>", "<id 70>", "<b>"
    };
    struct tokens out;

    tok_describe(t, &h->arena, ids, types, 6, &out);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(out.id[i], ids[i]);
        assert_int_equal(out.type[i], types[i]);
        assert_int_equal(out.special[i], i == 3);
        assert_int_equal(out.bytes[i].end + out.chars[i].end, 0);
        assert_string_equal(out.label[i], want[i]);
    }
    assert_string_equal(out.piece[0], "Ġa");
    tok_describe(NULL, &h->arena, ids, NULL, 1, &out);
    assert_string_equal(out.piece[0], "<id 2>");
    assert_string_equal(out.label[0], "<id 2>");
    assert_int_equal(out.type[0], 0);
    tok_describe(NULL, &h->arena, ids, NULL, 0, &out);
    assert_int_equal(out.n, 0);
    tok_close(t);
}

static void test_pretokenized(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    const char *s = "<é> a  Ġa <é>";
    struct tok_input in = { .text = s, .text_size = strlen(s), .pretokenized = true,
                            .pair = "Ã ©", .pair_size = 5 };
    struct tokens out;

    assert_string_equal(help_tokens(h, t, &in), "*<é>[0,0] a[4,5] Ġa[7,9] *<é>[0,0] "
                        "Ã[0,1] ©[2,3]");
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), 0);
    assert_int_equal(out.type[3], 0);
    assert_int_equal(out.type[4], 1);
    assert_int_equal(out.bytes[5].start, 3);
    assert_string_equal(out.label[2], " a");
    in.text = "a nope";
    in.text_size = 6;
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "test.json: the vocabulary has no piece \"nope\""));
    assert_null(strstr(h->err.msg, "--words"));     /* ASCII letters need a blank there */
    in.text = "éx";
    in.text_size = 3;
    assert_int_equal(tok_encode(t, &h->arena, &in, &out, &h->err), -1);
    assert_non_null(strstr(h->err.msg, "(--words takes words of several pieces)"));
    in.text_size = 0;
    in.pair = NULL;
    assert_string_equal(help_tokens(h, t, &in), "");
    tok_close(t);
}

/* A million characters, of one class and of several. */
static void test_million(void **state)
{
    static const char *const units[] = { "a", " ", "é", "我", "a ", "\n", "\u0301" };
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);

    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        struct arena_mark mark = arena_mark(&h->arena);
        size_t size = strlen(units[u]), n = 1000000 / size;
        char *text = arena_alloc(&h->arena, n, size);
        struct tokens out;

        for (size_t i = 0; i < n; i++)
            memcpy(text + i * size, units[u], size);
        assert_int_equal(encode(h, t, text, n * size, &out), 0);
        assert_true(out.n >= 500000);
        assert_int_equal(out.bytes[out.n - 2].end, n * size);
        arena_reset(&h->arena, mark);
    }
    tok_close(t);
}

static bool is_special(const char *piece)
{
    static const char *const all[] = { "[CLS]", "<s>", "</w>", "<0x4g>" };

    for (int i = 0; i < 4; i++)
        if (strcmp(piece, all[i]) == 0)
            return true;
    return false;
}

/* Pieces [n], and the labels that they are guessed to have. */
static void guess(struct help *h, int n, const char *const *piece, const char *const *label)
{
    struct tokens t;

    tok_describe(NULL, &h->arena, (int[]){ 0, 0, 0, 0 }, NULL, n, &t);
    for (int i = 0; i < n; i++) {
        t.piece[i] = piece[i];
        t.label_size[i] = strlen(piece[i]);
    }
    tok_guess(&h->arena, &t);
    for (int i = 0; i < n; i++) {
        assert_int_equal(t.label_size[i], strlen(label[i]));
        assert_memory_equal(t.label[i], label[i], strlen(label[i]) + 1);
        assert_string_equal(t.piece[i], piece[i]);
        assert_int_equal(t.special[i], is_special(piece[i]));
    }
}

static void test_guess(void **state)
{
#define GUESS(n, ...) \
    do { \
        static const char *const rows[2][n] = __VA_ARGS__; \
        guess(*state, n, rows[0], rows[1]); \
    } while (0)
    GUESS(4, { { "<s>", "the", "Ġcat", "Ċ" }, { "<s>", "the", " cat", "\n" } });
    GUESS(3, { { "æĪĳ", "åĸľæ", "¬¢" }, { "我", "喜\xe6", "\xac\xa2" } });
    GUESS(3, { { "<s>", "▁the▁x", "<0x41>" }, { "<s>", " the x", "A" } });
    GUESS(4, { { "[CLS]", "emb", "##ed", "##" }, { "[CLS]", "emb", "ed", "##" } });
    GUESS(3, { { "są", "##ć", "é" }, { "są", "ć", "é" } });      /* U+0105, U+0107 */
    GUESS(3, { { "café", "我", "a b" }, { "café", "我", "a b" } });
    GUESS(3, { { "Ã©", "é", "a" }, { "Ã©", "é", "a" } });           /* é is no piece there */
    GUESS(3, { { "the</w>", "lamp", "Ã©</w>" }, { "the", "lamp", "é" } });
    GUESS(3, { { "mão</w>", "m", "</w>" }, { "mão", "m", "</w>" } });
    GUESS(3, { { "[a", "b]", "<s" }, { "[a", "b]", "<s" } });
    GUESS(3, { { "Ġa", "Ā", "b" }, { "Ġa", "Ā", "b" } });              /* a NUL is no text */
    GUESS(3, { { "Ġa", "\u00ad", "b" }, { "Ġa", "\u00ad", "b" } });  /* not of the alphabet */
    GUESS(2, { { "▁a", "<0x4g>" }, { " a", "<0x4g>" } });
    GUESS(2, { { "▁a", "<0x41)" }, { " a", "<0x41)" } });
    GUESS(2, { { "", "a" }, { "", "a" } });
    GUESS(2, { { "<id 7>", "Ġa" }, { "<id 7>", " a" } });
#undef GUESS
}

/* Two runs of tokens as one; those whose words nobody numbered have none. */
static void test_join(void **state)
{
    struct help *h = *state;
    struct tokens x, y, out;

    tok_describe(NULL, &h->arena, (int[]){ 1, 2 }, (int[]){ 0, 1 }, 2, &x);
    tok_describe(NULL, &h->arena, (int[]){ 3 }, NULL, 1, &y);
    tok_join(&h->arena, &x, &y, &out);
    assert_int_equal(out.n, 3);
    assert_null(out.word);
    assert_memory_equal(out.id, ((int[]){ 1, 2, 3 }), sizeof(int[3]));
    assert_string_equal(out.piece[2], "<id 3>");
    x.word = (int[]){ 5, 6 };
    tok_join(&h->arena, &x, &y, &out);
    assert_memory_equal(out.word, ((int[]){ 5, 6, -1 }), sizeof(int[3]));
    tok_join(&h->arena, &y, &x, &out);
    assert_memory_equal(out.word, ((int[]){ -1, 5, 6 }), sizeof(int[3]));
}

/* The same tokens in a block of their own. */
static void test_pack(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct arena other;
    struct tokens in, out;
    void *block;

    arena_init(&other, NULL, NULL);
    assert_int_equal(tok_encode(t, &other, &(struct tok_input){
        .text = "b\0 aé我", .text_size = 9, .number_words = true }, &in, &h->err), 0);
    block = malloc(tok_packed(&in));
    assert_non_null(block);
    tok_pack(block, &in, &out);
    assert_int_equal(out.n, in.n);
    for (int i = 0; i < in.n; i++) {
        assert_int_equal(out.id[i], in.id[i]);
        assert_int_equal(out.type[i], in.type[i]);
        assert_int_equal(out.special[i], in.special[i]);
        assert_int_equal(out.word[i], in.word[i]);
        assert_memory_equal(&out.bytes[i], &in.bytes[i], sizeof *in.bytes);
        assert_memory_equal(&out.chars[i], &in.chars[i], sizeof *in.chars);
        assert_ptr_equal(out.piece[i], in.piece[i]);
        assert_int_equal(out.label_size[i], in.label_size[i]);
        assert_memory_equal(out.label[i], in.label[i], in.label_size[i] + 1);
    }
    arena_finish(&other);               /* out needs nothing of it */
    assert_int_equal(out.label[out.n - 1][out.label_size[out.n - 1]], '\0');
    assert_ptr_equal(out.label[out.n - 1] + out.label_size[out.n - 1] + 2,
                     (char *)block + tok_packed(&out));
    free(block);
    tok_describe(t, &h->arena, NULL, NULL, 0, &in);
    block = malloc(tok_packed(&in));
    assert_non_null(block);
    tok_pack(block, &in, &out);
    assert_int_equal(out.n, 0);
    assert_non_null(out.id);
    assert_null(out.word);
    free(block);
    tok_close(t);
}

/* How many are unknown: those of a text, and none of what is no text. */
static void test_count_unknown(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct tokens out;

    assert_int_equal(encode(h, t, "aé我", 6, &out), 0);
    assert_int_equal(tok_unknown(t, &out), 4);      /* "a" is the unknown piece */
    assert_int_equal(tok_unknown(NULL, &out), 0);
    out.bytes = NULL;
    assert_int_equal(tok_unknown(t, &out), 0);
    out.id = NULL;
    assert_int_equal(tok_unknown(t, &out), 0);
    tok_close(t);
}

static void test_too_long(void **state)
{
    struct help *h = *state;
    struct tok *t = help_open(h, BYTES);
    struct tokens out;

    assert_int_equal(encode(h, t, "a", ((size_t)1 << 30) + 1, &out), -1);
    assert_non_null(strstr(h->err.msg, "a text of 1073741825 bytes"));
    tok_close(t);
    tok_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_not_utf8), TEST(test_nul_and_empty), TEST(test_labels),
        TEST(test_describe), TEST(test_pretokenized), TEST(test_million),
        TEST(test_too_long), TEST(test_guess), TEST(test_join), TEST(test_count_unknown),
        TEST(test_pack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
