/* SPDX-License-Identifier: MIT
 * Classes of code points: utf8proc's categories, arranged as the tokenizers
 * library asks for them. */
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

static bool in_category(int cp, unsigned set)
{
    return set >> utf8proc_category(cp) & 1u;
}

#define SET(c) (1u << UTF8PROC_CATEGORY_##c)

bool chars_is_space(int cp)
{
    if (cp < 0x80)
        return cp == ' ' || (cp >= 0x09 && cp <= 0x0d);
    return cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 ||
           cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

bool chars_is_word(int cp)
{
    if (cp < 0x80)
        return (cp >= '0' && cp <= '9') || cp == '_' ||
               (cp >= 'A' && cp <= 'Z') || (cp >= 'a' && cp <= 'z');
    if (cp == 0x200c || cp == 0x200d)
        return true;
    /* Other_Alphabetic outside of the categories: the circled letters. */
    if ((cp >= 0x24b6 && cp <= 0x24e9) || (cp >= 0x1f130 && cp <= 0x1f149) ||
        (cp >= 0x1f150 && cp <= 0x1f169) || (cp >= 0x1f170 && cp <= 0x1f189))
        return true;
    return in_category(cp, SET(LU) | SET(LL) | SET(LT) | SET(LM) | SET(LO) |
                           SET(MN) | SET(MC) | SET(ME) | SET(ND) | SET(NL) |
                           SET(PC));
}

bool chars_is_numeric(int cp)
{
    if (cp < 0x80)
        return cp >= '0' && cp <= '9';
    return in_category(cp, SET(ND) | SET(NL) | SET(NO));
}

bool chars_is_punct(int cp)
{
    if (cp < 0x80)
        return (cp >= '!' && cp <= '/') || (cp >= ':' && cp <= '@') ||
               (cp >= '[' && cp <= '`') || (cp >= '{' && cp <= '~');
    return in_category(cp, SET(PC) | SET(PD) | SET(PS) | SET(PE) | SET(PI) |
                           SET(PF) | SET(PO));
}

bool chars_is_other(int cp)
{
    if (cp < 0x80)
        return cp < 0x20 || cp == 0x7f;
    return in_category(cp, SET(CC) | SET(CF) | SET(CO));
}

bool chars_is_nonspacing(int cp)
{
    return cp >= 0x300 && in_category(cp, SET(MN));
}

bool chars_is_mark(int cp)
{
    return cp >= 0x300 && in_category(cp, SET(MN) | SET(MC) | SET(ME));
}

bool chars_is_chinese(int cp)
{
    return (cp >= 0x4e00 && cp <= 0x9fff) || (cp >= 0x3400 && cp <= 0x4dbf) ||
           (cp >= 0x20000 && cp <= 0x2a6df) || (cp >= 0x2a700 && cp <= 0x2b73f) ||
           (cp >= 0x2b740 && cp <= 0x2b81f) || (cp >= 0x2b920 && cp <= 0x2ceaf) ||
           (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x2f800 && cp <= 0x2fa1f);
}

int chars_next(const char *s, size_t n, int *cp)
{
    int len = utf8_decode(s, n, cp);

    return len > 0 ? len : 1;
}

int chars_before(const char *s, size_t n, int *cp)
{
    int len = 1;

    while (len < 4 && (size_t)len < n && ((unsigned char)s[n - (size_t)len] & 0xc0) == 0x80)
        len++;
    (void)utf8_decode(s + n - len, (size_t)len, cp);
    return len;
}
