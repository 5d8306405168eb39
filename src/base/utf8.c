/* SPDX-License-Identifier: MIT
 * One decoder that everything else asks. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

int utf8_decode(const char *s, size_t n, int *cp)
{
    static const int least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *u = (const unsigned char *)s;
    int len, c;

    if (n == 0)
        return 0;
    if (u[0] < 0x80) {
        *cp = u[0];
        return 1;
    }
    len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || n < (size_t)len)
        return -1;
    c = u[0] & (0x7f >> len);
    for (int i = 1; i < len; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (u[i] & 0x3f);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return -1;
    *cp = c;
    return len;
}

int utf8_encode(int cp, char *dst)
{
    if (cp < 0x80) {
        dst[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        dst[0] = (char)(0xc0 | cp >> 6);
        dst[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        dst[0] = (char)(0xe0 | cp >> 12);
        dst[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        dst[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    dst[0] = (char)(0xf0 | cp >> 18);
    dst[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    dst[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    dst[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

size_t utf8_check(const char *s, size_t n)
{
    size_t at = 0;

    while (at < n) {
        int code, len = utf8_decode(s + at, n - at, &code);

        if (len < 0)
            return at;
        at += (size_t)len;
    }
    return n;
}

bool utf8_is_control(int cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
           cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

bool utf8_is_noncharacter(int cp)
{
    return (cp & 0xfffe) == 0xfffe || (cp >= 0xfdd0 && cp <= 0xfdef);
}

int utf8_show(const char *s, size_t n, char piece[8])
{
    static const char blank[] = "\n\r\t", letter[] = "nrt";
    int code = 0, len = utf8_decode(s, n, &code);
    const char *found = len == 1 && code != 0 ? strchr(blank, code) : NULL;

    if (found != NULL) {
        snprintf(piece, 8, "\\%c", letter[found - blank]);
    } else if (len > 0 && !utf8_is_control(code)) {
        memcpy(piece, s, (size_t)len);
        piece[len] = '\0';
    } else if (len > 1) {
        snprintf(piece, 8, "\\u%04x", (unsigned)code & 0xffffu);
    } else {
        snprintf(piece, 8, "\\x%02x", (unsigned char)s[0]);
        len = 1;
    }
    return len;
}

/* Vowels and final consonants of hangul stand in the square of the first. */
static int utf8_width_of(int cp)
{
    return (cp >= 0x1160 && cp <= 0x11ff) || (cp >= 0xd7b0 && cp <= 0xd7ff) ?
               0 : utf8proc_charwidth(cp);
}

size_t utf8_width(const char *s)
{
    size_t count = strlen(s), width = 0;
    int code, len;

    for (; (len = utf8_decode(s, count, &code)) > 0; s += len, count -= (size_t)len)
        width += (size_t)utf8_width_of(code);
    return width;
}

size_t utf8_cluster(const char *s, size_t n, int *width)
{
    utf8proc_int32_t state = 0;
    int last, code, len = utf8_decode(s, n, &last);
    size_t at = len > 0 ? (size_t)len : 1;

    *width = len > 0 ? utf8_width_of(last) : 1;
    while (len > 0 && (len = utf8_decode(s + at, n - at, &code)) > 0 &&
           !utf8proc_grapheme_break_stateful(last, code, &state)) {
        *width += utf8_width_of(code);
        last = code;
        at += (size_t)len;
    }
    return at;
}
