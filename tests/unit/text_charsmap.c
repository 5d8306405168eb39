/* SPDX-License-Identifier: MIT
 * Character maps made unit by unit: what they make of a text, damaged ones, limits. */
#include "text_help.h"

#include "base/bytes.h"

enum { UNITS = 0x200 };

/* "A" -> "x", "AB" -> "", "C" -> `far`, "D": its leaf is `leaf`. */
static struct span make_map(struct help *h, uint32_t far, uint32_t leaf)
{
    uint32_t unit[UNITS] = { 0 };
    unsigned char *s = arena_alloc(&h->arena, sizeof unit + 16, 1);

    unit['A'] = 'A' | 1u << 8 | ('A' ^ 0x80u) << 10;
    unit[0x80] = 1u << 31;                                  /* text 0 */
    unit[0x80 ^ 'B'] = 'B' | 1u << 8 | (0x80u ^ 'B' ^ 0x100u) << 10;
    unit[0x100] = 1u << 31 | 1;                             /* text 1 */
    unit['C'] = 'C' | 1u << 8 | ('C' ^ 0x90u) << 10;
    unit[0x90] = 1u << 31 | far;
    unit['D'] = 'D' | 1u << 8 | ('D' ^ leaf) << 10;
    bytes_put(s, sizeof unit, 4);
    bytes_copy(s + 4, unit, UNITS, sizeof *unit);
    memcpy(s + 4 + sizeof unit, "x\0\xc3\xa9", 5);
    return (struct span){ s, 4 + sizeof unit + 5 };
}

/* What the map makes of a text, or the message. */
static const char *map_within(struct help *h, struct span bytes, bool longest, const char *text,
                              size_t limit)
{
    struct tok t = { .a = &h->arena, .name = "test" };
    struct work w = { .t = &t, .a = &h->arena, .limit = limit };
    struct fragment part = { text, strlen(text), NULL, 0, -1 };
    const struct charsmap *m = charsmap_read(&t, bytes, longest, &h->err);

    fragment_add(&w, &w.parts, part);
    fragment_add(&w, &w.parts, part);       /* the same once more */
    if (m == NULL || charsmap_run(m, &w, &h->err) != 0)
        return h->err.msg;
    part = w.parts.v[0];
    return w.too_large ? "too large" : arena_strndup(&h->arena, part.s, part.n);
}

static const char *map(struct help *h, struct span bytes, bool longest, const char *text)
{
    return map_within(h, bytes, longest, text, 1000);
}

static void test_map(void **state)
{
    struct help *h = *state;
    struct span m = make_map(h, 2, 0x90);

    assert_string_equal(map(h, m, true, "zAz"), "zxz");
    assert_string_equal(map(h, m, true, "ABA"), "x");
    assert_string_equal(map(h, m, false, "ABA"), "xBx");     /* the shortest */
    assert_string_equal(map(h, m, true, "C"), "é");
    assert_string_equal(map(h, m, true, "我"), "我");
    /* Where the text is a grapheme of several characters all of it goes. */
    assert_string_equal(map(h, m, false, "A\u0301b"), "xb");
    assert_string_equal(map(h, m, true, "A\u0301b"), "x\u0301b");
}

/* What the user defined stays as it is. */
static void test_kept(void **state)
{
    struct help *h = *state;
    struct trie kept;
    struct tok t = { .a = &h->arena, .name = "test", .kept = &kept };
    struct work w = { .t = &t, .a = &h->arena, .limit = 1000 };
    struct fragment part = { "AzAAz", 5, NULL, 0, -1 };
    const struct charsmap *m;

    trie_init(&kept, &h->arena);
    trie_add(&kept, &h->arena, "Az", 2, 0);
    m = charsmap_read(&t, make_map(h, 2, 0x90), true, &h->err);
    assert_non_null(m);
    fragment_add(&w, &w.parts, part);
    assert_int_equal(charsmap_run(m, &w, &h->err), 0);
    part = w.parts.v[0];
    assert_string_equal(arena_strndup(&h->arena, part.s, part.n), "AzxAz");
}

/* What is compared with the user's pieces is work. */
static void test_kept_long(void **state)
{
    struct help *h = *state;
    struct trie kept;
    struct budget budget = { .spent = BUDGET_BASE };
    struct tok t = { .a = &h->arena, .name = "test", .kept = &kept };
    struct work w = { .t = &t, .a = &h->arena, .limit = 10000, .budget = &budget };
    const struct charsmap *m;
    char s[2001];

    memset(s, 'z', 2000);
    s[2000] = 'y';
    trie_init(&kept, &h->arena);
    trie_add(&kept, &h->arena, s, 2001, 0);
    m = charsmap_read(&t, make_map(h, 2, 0x90), true, &h->err);
    fragment_add(&w, &w.parts, (struct fragment){ s, 2000, NULL, 0, -1 });
    budget_read(&budget, 100000);
    assert_int_equal(charsmap_run(m, &w, &h->err), 0);
    assert_false(w.too_much);
    budget = (struct budget){ .spent = BUDGET_BASE };
    assert_int_equal(charsmap_run(m, &w, &h->err), 0);
    assert_true(w.too_much);
}

static void test_map_outside(void **state)
{
    struct help *h = *state;
    const char *outside = "character map: it points outside of itself";
    struct span m = make_map(h, 1000, 0x90);
    unsigned char *s = arena_alloc(&h->arena, 64, 1);

    assert_string_equal(map(h, m, true, "C"), outside);
    assert_string_equal(map(h, m, false, "C"), outside);
    assert_string_equal(map(h, make_map(h, 3, 0x90), true, "C"), outside);
    assert_string_equal(map(h, make_map(h, 2, 0x3f0), true, "D"), outside);
    assert_string_equal(map(h, m, true, "\xc7\xbf"), "\xc7\xbf");
    s[0] = 4;                   /* one unit: every character is outside */
    assert_string_equal(map(h, (struct span){ s, 9 }, true, "C"), outside);
}

/* Half of a character has a text: the first byte of two. */
static void test_map_halves(void **state)
{
    struct help *h = *state;
    struct span m = make_map(h, 2, 0x90);
    unsigned char *unit = arena_alloc(&h->arena, m.size, 1);
    uint32_t half = 0xc3 | 1u << 8 | (0xc3 ^ 0x80u) << 10;

    memcpy(unit, m.data, m.size);
    bytes_put(unit + 4 + 4 * 0xc3, half, 4);
    m.data = unit;
    assert_string_equal(map(h, m, true, "Aé"), "character map: it points outside of itself");
    assert_string_equal(map(h, m, true, "A"), "x");
}

/* Beyond the limit nothing is kept, whatever the map makes of how many characters. */
static void test_map_limit(void **state)
{
    struct help *h = *state;
    struct span m = make_map(h, 2, 0x90);

    for (int longest = 0; longest < 2; longest++)
        for (size_t limit = 0; limit < 8; limit++)
            assert_string_equal(map_within(h, m, longest, "zACAz", limit),
                                limit < 6 ? "too large" : "zxéxz");
    /* Characters of one grapheme: U+0600 stands in front of what it belongs to. */
    for (size_t limit = 0; limit < 8; limit++)
        assert_string_equal(map_within(h, m, false, "\u0600\u0600A", limit),
                            limit < 5 ? "too large" : "\u0600\u0600x");
    assert_string_equal(map(h, make_map(h, 1000, 0x90), false, "\u0600C"),
                        "character map: it points outside of itself");
}

static void test_map_refused(void **state)
{
    struct help *h = *state;
    unsigned char s[16] = { 0xff, 0xff, 0xff, 0xff };

    map(h, (struct span){ s, 16 }, true, "a");
    assert_non_null(strstr(h->err.msg, "a trie of 4294967295 bytes in 16"));
    s[0] = s[1] = s[2] = s[3] = 0;
    assert_non_null(strstr(map(h, (struct span){ s, 16 }, true, "a"), "a trie of 0"));
    assert_non_null(strstr(map(h, (struct span){ s, 3 }, true, "a"), "a trie of 0"));
    s[0] = 4;
    s[8] = 0xff;
    assert_non_null(strstr(map(h, (struct span){ s, 16 }, true, "a"), "not UTF-8"));
    help_refused(h, "{'model':{'type':'BPE','vocab':{},'merges':[]},'normalizer':"
                 "{'type':'Precompiled','precompiled_charsmap':'A?=='}}", "not base64");
    help_refused(h, "{'model':{'type':'BPE','vocab':{},'merges':[]},'normalizer':"
                 "{'type':'Precompiled','precompiled_charsmap':'AAAAA'}}", "not base64");
    help_refused(h, "{'model':{'type':'BPE','vocab':{},'merges':[]},'normalizer':"
                 "{'type':'Precompiled','precompiled_charsmap':true}}", "found true, expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_map), TEST(test_kept), TEST(test_kept_long), TEST(test_map_halves),
        TEST(test_map_limit), TEST(test_map_outside), TEST(test_map_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
