/* SPDX-License-Identifier: MIT
 * What a label looks like, whatever bytes its token has. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/label.h"

#define S(text) text, sizeof text - 1

static const struct { const char *in; size_t n; const char *want; } table[] = {
    { S("cat"), "cat" },
    { S(""), "" },
    { S(" cat"), "cat" },                       /* decoded "Ġcat" */
    { S("cat  "), "cat" },
    { S("new york"), "new york" },
    { S(" "), "␣" },
    { S("   "), "␣␣␣" },
    { S("\n"), "\\n" },
    { S("\n\n"), "\\n\\n" },
    { S(" \t"), "\\t" },
    { S("\r\n"), "\\r\\n" },
    { S("a\nb"), "a\\nb" },
    { S("a\0b"), "a\\x00b" },
    { S("\0"), "\\x00" },
    { S("\x1b]0;pwned\a"), "\\x1b]0;pwned\\x07" },
    { S("\x7f"), "\\x7f" },
    { S("\xc2\x85"), "\\u0085" },
    { S("\u2028"), "\\u2028" },
    { S("\u202egpj.exe"), "\\u202egpj.exe" },
    { S("\u2066x"), "\\u2066x" },
    { S("\u061c"), "\\u061c" },
    { S("\u00a0"), "\\u00a0" },                 /* a space that cannot be seen */
    { S("\u3000\u3000"), "\\u3000\\u3000" },
    { S("a\u00a0b"), "a\u00a0b" },
    { S("\u200b"), "\\u200b" },
    { S("\ufeff"), "\\ufeff" },
    { S("a\xef\xbf\xbe\xef\xbf\xbf"), "a\\ufffe\\uffff" },
    { S("\xef\xb7\x90\xef\xb7\xaf\xef\xb7\xb0"), "\\ufdd0\\ufdef\xef\xb7\xb0" },
    { S("\xf0\x9f\xbf\xbe\xf4\x8f\xbf\xbf"), "\\U01fffe\\U10ffff" },
    { S("\u200d"), "\\u200d" },
    { S("\U000e0041"), "\\U0e0041" },
    { S("क्\u200dष"), "क्\u200dष" },               /* the joiner shapes the script */
    { S("\xe6\x88"), "\\xe6\\x88" },              /* half of 我 */
    { S("\x91"), "\\x91" },
    { S("a\xff" "b"), "a\\xffb" },
    { S("\xc0\xaf"), "\\xc0\\xaf" },              /* overlong */
    { S("\xed\xa0\x80"), "\\xed\\xa0\\x80" },      /* a surrogate */
    { S("我喜欢"), "我喜欢" },
    { S("<b>&amp;</b>"), "<b>&amp;</b>" },      /* nothing is markup */
    { S("%s%n$(rm)"), "%s%n$(rm)" },
    { S("1234567890123456"), "1234567890123456" },
    { S("12345678901234567"), "123456789012345…" },
    { S("我我我我我我我我我我我我我我我我我"), "我我我我我我我我我我我我我我我…" },
    { S("e\u0301" "e\u0301e\u0301"), "e\u0301" "e\u0301e\u0301" },
    { S("👨‍👩‍👧👨‍👩‍👧"), "👨‍👩‍👧👨‍👩‍👧" },
};
enum { N_TABLE = sizeof table / sizeof *table };

static void test_table(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int i = 0; i < N_TABLE; i++)
        assert_string_equal(label_clean(&a, table[i].in, table[i].n, LABEL_CHARS),
                            table[i].want);
    arena_finish(&a);
}

/* A reader's characters are counted: 16 families of 5 code points each fit. */
static void test_characters(void **state)
{
    char in[17 * 18 + 1] = "";
    struct arena a;
    char *got;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int i = 0; i < 16; i++)
        strcat(in, "👨‍👩‍👧");
    got = label_clean(&a, in, strlen(in), LABEL_CHARS);
    assert_string_equal(got, in);
    strcat(in, "x");
    got = label_clean(&a, in, strlen(in), LABEL_CHARS);
    assert_int_equal(strlen(got), 15 * strlen("👨‍👩‍👧") + strlen("…"));
    arena_finish(&a);
}

/* A million combining marks on one letter; a label of 100 MB. */
static void test_towers(void **state)
{
    size_t n = 2000001, huge = 100 << 20;
    char *in = malloc(n), *big = malloc(huge);
    struct arena a;
    char *got;

    (void)state;
    arena_init(&a, NULL, NULL);
    in[0] = 'x';
    for (size_t i = 1; i < n; i += 2)
        memcpy(in + i, "\u0301", 2);
    got = label_clean(&a, in, n, LABEL_CHARS);
    assert_int_equal(strlen(got), 1 + 11 * 2 + strlen("…"));
    memset(big, 'a', huge);
    assert_string_equal(label_clean(&a, big, huge, LABEL_CHARS), "aaaaaaaaaaaaaaa…");
    memset(big, ' ', huge);
    assert_string_equal(label_clean(&a, big, huge, 4), "␣␣␣…");
    free(in);
    free(big);
    arena_finish(&a);
}

/* Any bytes give valid UTF-8 without control characters. */
static void test_random(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char in[40], *got;
        size_t n, len;
        struct arena a;

        arena_init(&a, NULL, NULL);
        for (n = 0; n < sizeof in; n++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            in[n] = (char)(seed >> 56);
        }
        got = label_clean(&a, in, (size_t)(i % 40), LABEL_CHARS);
        len = strlen(got);
        assert_int_equal(utf8_check(got, len), len);
        for (size_t at = 0; at < len;) {
            int cp;

            at += (size_t)utf8_decode(got + at, len - at, &cp);
            assert_false(utf8_is_control(cp));
        }
        arena_finish(&a);
    }
}

static const char *language(const char *s)
{
    struct label_scripts l = { false, false };

    label_scripts_add(&l, s, strlen(s));
    return label_language(l);
}

/* What makes a character with those after it, as far as they follow each other. */
static void test_join(void **state)
{
    static const char *const text[] = {
        "a", "\xf0\x9f", "\x98", "\x80", "\xe6\x88", "b", "\x85", "x\xd9", "\x85y", "\xd9",
        "\x85", "\xf0", "\x9f", "\x98",
    };
    static const int position[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14 };
    static const int span[] = { 1, 3, 0, 0, 1, 1, 1, 2, 0, 1, 1, 1, 1, 1 };
    enum { N = sizeof text / sizeof *text };
    struct label_list list = { N, text, NULL, position, NULL };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    label_join(&a, &list);
    assert_memory_equal(list.span, span, sizeof span);
    assert_int_equal(list.size[1], 4);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(list.text[i], "\xf0\x9f\x98\x80", 4);
    assert_memory_equal(list.text[8], "x\xd9\x85y", 4);
    assert_memory_equal(list.text[9], "\xd9", 1);
    assert_int_equal(list.size[9], 1);
    list = (struct label_list){ 0, text, NULL, NULL, NULL };
    label_join(&a, &list);
    arena_finish(&a);
}

static void test_sentences(void **state)
{
    static const char *const text[] = {
        "Hello", ".", " World", " costs", " 3", ".", "5", "!”", " “", "Yes", "好。", "我", " e", ".",
        " g", "?", "مر",
    };
    static const bool begins[] = { [2] = true, [11] = true, [16] = true };
    enum { N = sizeof text / sizeof *text };
    struct label_list list = { .n = N, .text = text };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    label_sentences(&a, &list);
    for (int i = 0; i < N; i++)
        if (list.sentence[i] != (i < (int)(sizeof begins) && begins[i]))
            fail_msg("%d: %s", i, text[i]);
    arena_finish(&a);
}

static void test_language(void **state)
{
    (void)state;
    assert_string_equal(language("cat"), "en");
    assert_string_equal(language("我喜欢吃苹果"), "zh-cn");
    assert_string_equal(language("私はりんごが好き"), "ja");
    assert_string_equal(language("リンゴ"), "ja");
    assert_string_equal(language("사과"), "en");
    assert_string_equal(language("\xe6\x88 我"), "zh-cn");
}

static const char *package(int cp)
{
    return label_packages[label_package(cp)];
}

static void test_packages(void **state)
{
    (void)state;
    assert_string_equal(package(0x6211), "fonts-noto-cjk");
    assert_string_equal(package(0x3042), "fonts-noto-cjk");
    assert_string_equal(package(0xac00), "fonts-noto-cjk");
    assert_string_equal(package(0xff01), "fonts-noto-cjk");
    assert_string_equal(package(0x20000), "fonts-noto-cjk");
    assert_string_equal(package(0x1f600), "fonts-noto-color-emoji");
    assert_string_equal(package(0x1f1ef), "fonts-noto-color-emoji");
    assert_string_equal(package(0x939), "fonts-noto-core");
    assert_string_equal(package(0x627), "fonts-noto-core");
}

/* Below an axis these are not turned. */
static void test_upright(void **state)
{
    (void)state;
    assert_true(label_is_upright("我"));
    assert_true(label_is_upright("の"));
    assert_true(label_is_upright("한"));
    assert_true(label_is_upright("𠀀"));
    assert_false(label_is_upright("喜欢"));
    assert_false(label_is_upright("a"));
    assert_false(label_is_upright("é"));
    assert_false(label_is_upright("、"));
    assert_false(label_is_upright("我."));
    assert_false(label_is_upright(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upright),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_towers),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_language),
        cmocka_unit_test(test_packages),
    };

    return cmocka_run_group_tests_name("draw_label", tests, NULL, NULL);
}
