/* SPDX-License-Identifier: MIT
 * Oniguruma's patterns: what they are rewritten to, and that pieces are the same.
 * The pieces that are wanted here came out of the tokenizers library. */
#include "text_help.h"
#include <stdlib.h>

#include "text/onig.h"

static const char *translate(struct help *h, const char *pattern)
{
    struct text p = { pattern, strlen(pattern) };
    const char *s = onig_translate(&h->arena, p, &h->err);

    if (s == NULL)
        fail_msg("%s", h->err.msg);
    return s;
}

static void same(void **state, const char *pattern, const char *want)
{
    assert_string_equal(translate(*state, pattern), want);
}

static void test_left_alone(void **state)
{
    const char *const patterns[] = {
        "'s|'t| ?\\p{L}+| ?\\p{N}+", "(?i:a)(?<n>b)(?:c)(?=d)(?!e)(?<=f)(?<!g)(?>h)",
        "[^a-z0-9_]*?", "\\.\\[\\x{41}\\x41\\n", "a?b*c+d??e*+", "^a$", "x{2}y{2,}z{1,3}?",
        "[\\]\\\\-]", "一+[一-龥]"
    };

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        same(state, patterns[i], patterns[i]);
}

static void test_rewritten(void **state)
{
    same(state, "\\p{N}{1,3}+", "(?:\\p{N}{1,3})+");
    same(state, "(ab)(c|d){2}+", "(ab)(?:(c|d){2})+");
    same(state, "a{2}?", "(?:a{2})?");
    same(state, "a{,2}", "a{0,2}");
    same(state, "a{x}", "a\\{x}");
    same(state, "\\p{Han}\\p{L}\\P{Greek}\\p{^Latin}",
         "\\p{sc:Han}\\p{L}\\P{sc:Greek}\\P{sc:Latin}");
    same(state, "(?m:.)", "(?s:.)");
    same(state, "(?#note)a", "a");
    same(state, "\\u4e00\\v", "\\x{4e00}\\x0b");
    same(state, "[a[bc]d]", "[abcd]");
    same(state, "\\h", "[0-9A-Fa-f]");
    same(state, "[\\h-]", "[0-9A-Fa-f\\-]");
    same(state, "[]a-]", "[\\]a-]");
    same(state, "[-a]", "[\\-a]");
    same(state, "[[]a]]", "[\\]a]");
    same(state, "[[:alpha:][:digit:]]", "[\\p{Alphabetic}\\p{Nd}]");
    same(state, "[\\w]", translate(*state, "\\w"));
    same(state, "(?#)a{}", "a\\{}");
    same(state, "{2}", "\\{2}");
    same(state, "|{,2}", "|\\{,2}");
    same(state, "\\x4g\\x-\\xF\\xfa1", "\\x4g\\x-\\xF\\xfa1");
    same(state, "\\é\\1\\k<n>", "é\\1\\k<n>");
    same(state, "\\p{Old_Italic}", "\\p{sc:Old_Italic}");
    same(state, "(?im-m:.)(?-i)(?'n'a)", "(?is-s:.)(?-i)(?'n'a)");
    same(state, "[\\\\a]", "[\\\\a]");
}

static void refused(struct help *h, const char *pattern, const char *why)
{
    struct text p = { pattern, strlen(pattern) };

    assert_null(onig_translate(&h->arena, p, &h->err));
    if (strstr(h->err.msg, why) == NULL)
        fail_msg("%s: \"%s\", expected \"%s\"", pattern, h->err.msg, why);
}

static void test_refused(void **state)
{
    refused(*state, "[a-z&&[aeiou]]", "&& in a class");
    refused(*state, "[a[^b]]", "negated class in a class");
    refused(*state, "[\\W]", "\\W");
    refused(*state, "(?x)a b", "(?x)");
    refused(*state, "\\y", "\\y");
    refused(*state, "\\X", "\\X");      /* its clusters are other ones */
    refused(*state, "[abc", "[ without ]");
    refused(*state, "[[:blank:]]", "[: :]");
    refused(*state, "\\p", "\\p without {}");
    refused(*state, "[\\pL]", "\\p without {}");
    refused(*state, "\\p{}", "this name in \\p{}");
    refused(*state, "\\p{L&}", "this name in \\p{}");
    refused(*state, "\\p{Laaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}", "this name in \\p{}");
    refused(*state, "[a[b\\W]]", "\\W");
    refused(*state, "[a[[:blank:]]]", "[: :]");
    refused(*state, "[a-[b]]", "a range to a class");
    refused(*state, "[\\x{61", "[ without ]");
    /* The library says so as well. */
    refused(*state, "a\\", "a \\ at the end");
    refused(*state, "[a\\", "a \\ at the end");
    refused(*state, "(?#a", "(?# without )");
    for (int i = 0; i < 4; i++)         /* \u with fewer than four digits */
        refused(*state, arena_printf(&((struct help *)*state)->arena, "\\u%.*sg", i, "12a"),
                "\\u is not");
}

/* What only PCRE2 has; the library refuses these, too. */
static void test_kinds_of_groups(void **state)
{
    static const char *const patterns[] = {
        "(*NO_JIT)a", "(*UCP)a", "a(*COMMIT)b", "(*)a", "(?R)", "(?1)(a)", "(?+1)(a)", "(?|a|b)",
        "(?&n)(?<n>a)", "(?P<n>a)", "(?C1)a", "(?U)a+", "(?J)a", "(?s)a", "(?n)a", "(?^)a",
        "(?is)a", "(?i", "(?"
    };

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        refused(*state, patterns[i], "this kind of group is not supported");
}

static void pieces(void **state, const char *pattern, const char *text, const char *want)
{
    struct help *h = *state;
    json_t *j = json_pack("{ss s{ss} ss sb}", "type", "Split", "pattern", "Regex",
                          pattern, "behavior", "Isolated", "invert", 0);
    char *s = json_dumps(j, 0);

    assert_string_equal(help_step(h, &presplit_table, s, text), want);
    free(s);
    json_decref(j);
}

static void test_pieces(void **state)
{
    pieces(state, "\\s+", "a\u180e \xc2\x85" "b", "a\u180e[0,4]| \xc2\x85[4,7]|b[7,8]");
    pieces(state, "\\w+", "e\u0301-x", "e\u0301[0,3]|-[3,4]|x[4,5]");
    pieces(state, "\\w+", "½.", "½[0,2]|.[2,3]");
    pieces(state, "[\\w-]+", "½a.", "½[0,2]|a[2,3]|.[3,4]");
    pieces(state, "\\b", "ab 12", "ab[0,2]| [2,3]|12[3,5]");
    pieces(state, "\\p{Han}+", "、々一", "、[0,3]|々一[3,9]");
    pieces(state, "\\p{N}{1,3}+", "123456789", "123456789[0,9]");
    pieces(state, "\\u00e9", "aéb", "a[0,1]|é[1,3]|b[3,4]");
    pieces(state, "\\x{e9}|[\\x61-\\x63]", "éxb", "é[0,2]|x[2,3]|b[3,4]");
    /* From where the last match ended. */
    pieces(state, "\\Ga", "aaba", "a[0,1]|a[1,2]|ba[2,4]");
    pieces(state, "a$", "ba\nba", "b[0,1]|a[1,2]|\nb[2,4]|a[4,5]");
    pieces(state, ".", "a\n\r", "a[0,1]|\n[1,2]|\r[2,3]");
    pieces(state, " ?[^(\\s|[.,!?…。，、।۔،])]+", "Hi (yes), no",
           "Hi[0,2]| ([2,4]|yes[4,7]|),[7,9]| no[9,12]");
}

/* Places that take many steps are searched one by one, and give what they gave. */
static void test_hard_places(void **state)
{
    pieces(state, "(a+)+$|b", "aaaaaaaaaaaaaaaaaabaaa",
           "aaaaaaaaaaaaaaaaaa[0,18]|b[18,19]|aaa[19,22]");
    pieces(state, "(a+)+$|^b", "aaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaab[0,19]");
    pieces(state, "(?:(a+)+c|(?:a+)+b)", "éaaaaaaaaaaaaaaaaabé",
           "é[0,2]|aaaaaaaaaaaaaaaaab[2,20]|é[20,22]");
    /* What the compiled pattern's stack does not hold is matched without it. */
    {
        char text[4001];

        for (int i = 0; i < 4000; i++)
            text[i] = "ab"[i % 2];
        text[4000] = '\0';
        pieces(state, "(?:(a)|(b))*$|c", text,
               arena_printf(&((struct help *)*state)->arena, "%s[0,4000]", text));
    }
    pieces(state, "(a+)+$|x", "aaaaaaaaaaaaaaaaaa\xc3\xa9", "aaaaaaaaaaaaaaaaaa\xc3\xa9[0,20]");
}

/* A match that begins where a window of the text ends. */
static void test_windows(void **state)
{
    char text[257];

    for (int b = 60; b < 70; b++) {
        memset(text, 'a', 256);
        memcpy(text + b - 2, "é", 2);
        text[256] = '\0';
        pieces(state, "(?<=é)", text, arena_printf(&((struct help *)*state)->arena,
               "%.*s[0,%d]|%s[%d,256]", b, text, b, text + b, b));
    }
}

/* `\x41` and friends are the files' business; a NUL in a pattern is refused. */
static void test_hostile(void **state)
{
    struct help *h = *state;
    char deep[1200];
    struct text nul = { "a\0b", 3 };

    assert_null(onig_translate(&h->arena, nul, &h->err));
    memset(deep, '(', 600);
    memset(deep + 600, ')', 599);
    deep[1199] = '\0';
    refused(h, deep, "deep");
    memset(deep, '[', 1199);
    refused(h, deep, "deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_left_alone), TEST(test_rewritten), TEST(test_refused),
        TEST(test_kinds_of_groups),
        TEST(test_pieces), TEST(test_windows), TEST(test_hard_places), TEST(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
