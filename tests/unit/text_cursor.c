/* SPDX-License-Identifier: MIT
 * Places in a text: near or far, forward or back, each is where counting from the beginning
 * finds it. */
#include "text_help.h"

#include "text/cursor.h"

static int chars_until(const char *s, int byte)
{
    int count = 0;

    for (int i = 0; i < byte; i++)
        count += ((unsigned char)s[i] & 0xc0) != 0x80;
    return count;
}

/* Of n bytes of text, by steps of any size. */
static void walk(struct help *h, const char *s, int n)
{
    struct cursor by_byte = { .a = &h->arena, .s = s, .n = (size_t)n }, by_char = by_byte;
    uint32_t random = 1;

    for (int i = 0; i < 500; i++) {
        int at = (int)((random = random * 1664525u + 1013904223u) >> 8) % (n + 1);

        if (i % 3 == 1)                     /* not far away */
            at = (by_byte.byte + at % 300) % (n + 1);
        if (i % 20 < 2)                     /* from one end to the other */
            at = i % 20 * n;
        while (at < n && ((unsigned char)s[at] & 0xc0) == 0x80)
            at++;
        cursor_to_byte(&by_byte, at);
        assert_int_equal(by_byte.byte, at);
        assert_int_equal(by_byte.chars, chars_until(s, at));
        cursor_to_char(&by_char, by_byte.chars);
        assert_int_equal(by_char.byte, at);
        assert_int_equal(by_char.chars, by_byte.chars);
    }
}

static void test_walk(void **state)
{
    static const char *const units[] = { "a", "é", "我", "a我é", "\U0001f600" };
    struct help *h = *state;
    char s[4 * 1400];

    for (int u = 0; u < 5; u++) {
        int size = (int)strlen(units[u]), n = 0;

        for (; n + size <= (int)sizeof s; n += size)
            memcpy(s + n, units[u], (size_t)size);
        walk(h, s, n);
        walk(h, s, 4 * CURSOR_STRIDE / size * size);
        walk(h, s, 10 / size * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_walk) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
