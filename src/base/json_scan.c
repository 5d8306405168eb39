/* SPDX-License-Identifier: MIT
 * Strings, whole numbers and punctuation of JSON, one at a time. */
#include "base/json_scan.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void blanks(struct json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' ||
                              *s->at == '\r'))
        s->at++;
}

int json_scan_unexpected(const struct json_scan *s, const char *wanted, struct err *e)
{
    char found[16];

    if (s->at == s->end)
        snprintf(found, sizeof found, "the end");
    else if (*s->at < ' ' || *s->at > '~')
        snprintf(found, sizeof found, "byte 0x%02x", *s->at);
    else
        snprintf(found, sizeof found, "'%c'", *s->at);
    return err_set(e, ERR_INPUT, "at byte %td: found %s, expected %s", s->at - s->begin,
                   found, wanted);
}

bool json_scan_take(struct json_scan *s, char c)
{
    blanks(s);
    if (s->at == s->end || *s->at != (unsigned char)c)
        return false;
    s->at++;
    return true;
}

int json_scan_expect(struct json_scan *s, char c, struct err *e)
{
    char wanted[4] = { '\'', c, '\'', '\0' };

    return json_scan_take(s, c) ? 0 : json_scan_unexpected(s, wanted, e);
}

bool json_scan_at_end(struct json_scan *s)
{
    blanks(s);
    return s->at == s->end;
}

/* ---- strings ---- */

static int hex4(struct json_scan *s, int *v, struct err *e)
{
    *v = 0;
    for (int i = 0; i < 4; i++) {
        int c = s->at < s->end ? *s->at : 0, digit;

        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20) - 'a' + 10;
        else
            return json_scan_unexpected(s, "four hexadecimal digits", e);
        *v = *v << 4 | digit;
        s->at++;
    }
    return 0;
}

static int unicode_escape(struct json_scan *s, int *cp, struct err *e)
{
    static const char half[] = "both halves of a surrogate pair";
    int low;

    if (hex4(s, cp, e) != 0)
        return -1;
    if (*cp < 0xd800 || *cp > 0xdfff)
        return 0;
    if (*cp > 0xdbff || s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
        return json_scan_unexpected(s, half, e);
    s->at += 2;
    if (hex4(s, &low, e) != 0)
        return -1;
    if (low < 0xdc00 || low > 0xdfff)
        return json_scan_unexpected(s, half, e);
    *cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
    return 0;
}

/* What follows a backslash. */
static int escape(struct json_scan *s, int *cp, struct err *e)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = s->at < s->end ? *s->at : 0;
    const char *cursor = c != 0 ? strchr(from, c) : NULL;

    if (cursor == NULL && c != 'u')
        return json_scan_unexpected(s, "an escape of JSON", e);
    s->at++;
    if (c == 'u')
        return unicode_escape(s, cp, e);
    *cp = to[cursor - from];
    return 0;
}

/* One character, plain or escaped, that is not the closing quote. */
static int character(struct json_scan *s, int *cp, struct err *e)
{
    int len;

    if (*s->at == '\\') {
        s->at++;
        return escape(s, cp, e);
    }
    if (*s->at < ' ')
        return json_scan_unexpected(s, "no control character in a string", e);
    len = utf8_decode((const char *)s->at, (size_t)(s->end - s->at), cp);
    if (len < 0)
        return json_scan_unexpected(s, "UTF-8", e);
    s->at += len;
    return 0;
}

int json_scan_string(struct json_scan *s, char *out, size_t *n, struct err *e)
{
    size_t k = 0;
    int code;

    if (!json_scan_take(s, '"'))
        return json_scan_unexpected(s, "a string", e);
    for (;;) {
        char piece[4];

        if (s->at == s->end)
            return json_scan_unexpected(s, "the end of a string", e);
        if (*s->at == '"')
            break;
        if (character(s, &code, e) != 0)
            return -1;
        k += (size_t)utf8_encode(code, out != NULL ? out + k : piece);
    }
    s->at++;
    if (out != NULL)
        out[k] = '\0';
    *n = k;
    return 0;
}

/* ---- numbers ---- */

int json_scan_count(struct json_scan *s, int64_t *v, struct err *e)
{
    const unsigned char *first;

    blanks(s);
    if (s->at < s->end && *s->at == '-')
        return json_scan_unexpected(s, "a number that is not negative", e);
    first = s->at;
    *v = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        if (__builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, *s->at - '0', v)) {
            s->at = first;
            return json_scan_unexpected(s, "a number below 2^63", e);
        }
        s->at++;
    }
    if (s->at == first || (*first == '0' && s->at - first > 1)) {
        s->at = first;
        return json_scan_unexpected(s, "a whole number in decimal digits", e);
    }
    if (s->at < s->end && (*s->at == '.' || (*s->at | 0x20) == 'e'))
        return json_scan_unexpected(s, "a whole number", e);
    return 0;
}

/* ---- without messages ---- */

char json_scan_peek(struct json_scan *s)
{
    blanks(s);
    return s->at < s->end ? (char)*s->at : '\0';
}

bool json_scan_quoted(struct json_scan *s, const char **text, size_t *n)
{
    if (!json_scan_take(s, '"'))
        return false;
    *text = (const char *)s->at;
    while (s->at < s->end && *s->at != '"') {
        if (*s->at < ' ')
            return false;
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    }
    *n = (size_t)((const char *)s->at - *text);
    return json_scan_take(s, '"');
}

bool json_scan_skip(struct json_scan *s)
{
    const char *ignored;
    int depth = 0;
    size_t n;

    for (;;) {
        char c = json_scan_peek(s);

        if (c == '\0' || (depth == 0 && (c == ',' || c == '}' || c == ']')))
            return c != '\0';
        if (c == '"') {
            if (!json_scan_quoted(s, &ignored, &n))
                return false;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        s->at++;
    }
}

bool json_scan_find_key(struct json_scan *s, const char *key)
{
    const char *name;
    size_t n;

    do {
        if (!json_scan_quoted(s, &name, &n) || !json_scan_take(s, ':'))
            return false;
        if (n == strlen(key) && memcmp(name, key, n) == 0)
            return true;
    } while (json_scan_skip(s) && json_scan_take(s, ','));
    return false;
}

bool json_scan_enter(struct json_scan *s, const char *key)
{
    return json_scan_take(s, '{') && json_scan_find_key(s, key);
}

bool json_scan_id(struct json_scan *s, int64_t *v)
{
    char first = json_scan_peek(s);
    int n = 0;

    for (*v = 0; n < 9 && s->at < s->end && *s->at >= '0' && *s->at <= '9'; n++)
        *v = 10 * *v + (*s->at++ - '0');
    return n > 0 && (first != '0' || n == 1);
}

static size_t digits(struct json_scan *s)
{
    const unsigned char *from = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

static bool next_is(struct json_scan *s, const char *set)
{
    if (s->at == s->end || *s->at == '\0' || strchr(set, *s->at) == NULL)
        return false;
    s->at++;
    return true;
}

/* strtod with a decimal point, whatever the locale of the process. */
static double read_double(const char *from, char **end)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    double v = strtod(from, end);

    uselocale(before);
    if (plain != (locale_t)0)
        freelocale(plain);
    return v;
}

/* Where strtod stops as well, at what follows. */
bool json_scan_real(struct json_scan *s, double *v)
{
    char first = json_scan_peek(s), *end;
    const unsigned char *from = s->at;
    size_t n;

    if (next_is(s, "-"))
        first = s->at < s->end ? (char)*s->at : '\0';
    n = digits(s);
    if (n == 0 || (first == '0' && n > 1) || (next_is(s, ".") && digits(s) == 0))
        return false;
    if (next_is(s, "eE")) {
        (void)next_is(s, "+-");
        if (digits(s) == 0)
            return false;
    }
    if (s->at == s->end || strchr(" \t\r\n,]}", *s->at) == NULL)  /* nor "0x1" */
        return false;
    *v = read_double((const char *)from, &end);
    return (const unsigned char *)end == s->at && isfinite(*v);
}
