/* SPDX-License-Identifier: MIT
 * Classes of code points, at the borders of what stands in our own tables. */
#include "text_help.h"

#include "base/utf8.h"

struct border {
    int before, first, last, after;
};

static void check(const char *what, bool (*is)(int), const struct border *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is(rows[i].before) || !is(rows[i].first) || !is(rows[i].last) || is(rows[i].after))
            fail_msg("%s: U+%04X to U+%04X", what, (unsigned)rows[i].first,
                     (unsigned)rows[i].last);
}

#define CHECK(is, ...) \
    do { \
        static const struct border rows[] = { __VA_ARGS__ }; \
        check(#is, is, rows, sizeof rows / sizeof rows[0]); \
    } while (0)

static void test_spaces(void **state)
{
    (void)state;
    CHECK(chars_is_space, { 0x08, 0x09, 0x0d, 0x0e }, { 0x1f, 0x20, 0x20, 0x21 },
          { 0x84, 0x85, 0x85, 0x86 }, { 0x9f, 0xa0, 0xa0, 0xa1 },
          { 0x167f, 0x1680, 0x1680, 0x1681 }, { 0x1fff, 0x2000, 0x200a, 0x200b },
          { 0x2027, 0x2028, 0x2029, 0x202a }, { 0x202e, 0x202f, 0x202f, 0x2030 },
          { 0x205e, 0x205f, 0x205f, 0x2060 }, { 0x2fff, 0x3000, 0x3000, 0x3001 });
}

/* Zero-width joiners and the circled letters are of words, though no letters. */
static void test_words(void **state)
{
    (void)state;
    CHECK(chars_is_word, { '/', '0', '9', ':' }, { '@', 'A', 'Z', '[' }, { '`', 'a', 'z', '{' },
          { 0x200b, 0x200c, 0x200d, 0x200e }, { 0x24b5, 0x24b6, 0x24e9, 0x24ea },
          { 0x1f12f, 0x1f130, 0x1f149, 0x1f14a }, { 0x1f14f, 0x1f150, 0x1f169, 0x1f16a },
          { 0x1f16f, 0x1f170, 0x1f189, 0x1f18a });
}

/* The blocks that BERT puts blanks around; the last two ends are not assigned. */
static void test_chinese(void **state)
{
    (void)state;
    CHECK(chars_is_chinese, { 0x33ff, 0x3400, 0x4dbf, 0x4dc0 }, { 0x4dff, 0x4e00, 0x9fff, 0xa000 },
          { 0xf8ff, 0xf900, 0xfaff, 0xfb00 }, { 0x1ffff, 0x20000, 0x2a6df, 0x2a6e0 },
          { 0x2a6ff, 0x2a700, 0x2b81f, 0x2b820 }, { 0x2b91f, 0x2b920, 0x2ceaf, 0x2ceb0 },
          { 0x2f7ff, 0x2f800, 0x2fa1f, 0x2fa20 });
}

/* What SentencePiece's rules drop, and what they make a blank. */
static void test_nmt(void **state)
{
    static const struct { int first, last; char becomes; } rows[] = {
        { 0x01, 0x08, '\0' }, { 0x09, 0x0a, ' ' }, { 0x0b, 0x0b, '\0' }, { 0x0c, 0x0d, ' ' },
        { 0x0e, 0x1f, '\0' }, { 0x20, 0x20, ' ' }, { 0x7f, 0x7f, '\0' }, { 0x8f, 0x8f, '\0' },
        { 0x9f, 0x9f, '\0' }, { 0x1680, 0x1680, ' ' }, { 0x200b, 0x200f, ' ' },
        { 0x2028, 0x2029, ' ' }, { 0x2581, 0x2581, ' ' }, { 0xfeff, 0xfeff, ' ' },
        { 0xfffd, 0xfffd, ' ' },
    };
    struct help *h = *state;
    size_t k = 0;

    for (int cp = 1; cp < 0x10000; cp++) {
        char text[8] = { 'a', 0 }, want[8] = { 'a', 0 };
        struct arena_mark mark = arena_mark(&h->arena);
        int n = 1 + utf8_encode(cp, text + 1), size = n;

        if (cp >= 0xd800 && cp < 0xe000)
            continue;
        memcpy(want, text, sizeof want);
        while (k + 1 < sizeof rows / sizeof rows[0] && cp > rows[k].last)
            k++;
        if (cp >= rows[k].first && cp <= rows[k].last) {
            want[1] = rows[k].becomes;
            size = rows[k].becomes != '\0' ? 2 : 1;
        }
        assert_string_equal(help_step(h, &normal_table, "{'type':'Nmt'}", text),
                            arena_printf(&h->arena, "%.*s[0,%d]", size, want,
                                         size > 1 ? n : 1));
        arena_reset(&h->arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_spaces), TEST(test_words), TEST(test_chinese), TEST(test_nmt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
