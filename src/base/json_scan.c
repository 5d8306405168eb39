/* SPDX-License-Identifier: MIT
 * Strings, whole numbers and punctuation of JSON, one at a time. */
#include "base/json_scan.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void blanks(struct json_scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\t' ||
                                    *scan->at == '\r'))
        scan->at++;
}

int json_scan_unexpected(const struct json_scan *scan, const char *wanted, struct err *e)
{
    char found[16];

    if (scan->at == scan->end)
        snprintf(found, sizeof found, "the end");
    else if (*scan->at < ' ' || *scan->at > '~')
        snprintf(found, sizeof found, "byte 0x%02x", *scan->at);
    else
        snprintf(found, sizeof found, "'%c'", *scan->at);
    return err_set(e, ERR_INPUT, "at byte %td: found %s, expected %s", scan->at - scan->begin,
                   found, wanted);
}

bool json_scan_take(struct json_scan *scan, char c)
{
    blanks(scan);
    if (scan->at == scan->end || *scan->at != (unsigned char)c)
        return false;
    scan->at++;
    return true;
}

int json_scan_expect(struct json_scan *scan, char c, struct err *e)
{
    char wanted[4] = { '\'', c, '\'', '\0' };

    return json_scan_take(scan, c) ? 0 : json_scan_unexpected(scan, wanted, e);
}

bool json_scan_at_end(struct json_scan *scan)
{
    blanks(scan);
    return scan->at == scan->end;
}

/* ---- strings ---- */

static int hex4(struct json_scan *scan, int *v, struct err *e)
{
    *v = 0;
    for (int i = 0; i < 4; i++) {
        int c = scan->at < scan->end ? *scan->at : 0, digit;

        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20) - 'a' + 10;
        else
            return json_scan_unexpected(scan, "four hexadecimal digits", e);
        *v = *v << 4 | digit;
        scan->at++;
    }
    return 0;
}

static int unicode_escape(struct json_scan *scan, int *cp, struct err *e)
{
    static const char half[] = "both halves of a surrogate pair";
    int low;

    if (hex4(scan, cp, e) != 0)
        return -1;
    if (*cp < 0xd800 || *cp > 0xdfff)
        return 0;
    if (*cp > 0xdbff || scan->end - scan->at < 2 || scan->at[0] != '\\' || scan->at[1] != 'u')
        return json_scan_unexpected(scan, half, e);
    scan->at += 2;
    if (hex4(scan, &low, e) != 0)
        return -1;
    if (low < 0xdc00 || low > 0xdfff)
        return json_scan_unexpected(scan, half, e);
    *cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
    return 0;
}

/* What follows a backslash. */
static int escape(struct json_scan *scan, int *cp, struct err *e)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = scan->at < scan->end ? *scan->at : 0;
    const char *cursor = c != 0 ? strchr(from, c) : NULL;

    if (cursor == NULL && c != 'u')
        return json_scan_unexpected(scan, "an escape of JSON", e);
    scan->at++;
    if (c == 'u')
        return unicode_escape(scan, cp, e);
    *cp = to[cursor - from];
    return 0;
}

/* One character, plain or escaped, that is not the closing quote. */
static int character(struct json_scan *scan, int *cp, struct err *e)
{
    int len;

    if (*scan->at == '\\') {
        scan->at++;
        return escape(scan, cp, e);
    }
    if (*scan->at < ' ')
        return json_scan_unexpected(scan, "no control character in a string", e);
    len = utf8_decode((const char *)scan->at, (size_t)(scan->end - scan->at), cp);
    if (len < 0)
        return json_scan_unexpected(scan, "UTF-8", e);
    scan->at += len;
    return 0;
}

int json_scan_string(struct json_scan *scan, char *out, size_t *n, struct err *e)
{
    size_t k = 0;
    int code;

    if (!json_scan_take(scan, '"'))
        return json_scan_unexpected(scan, "a string", e);
    for (;;) {
        char piece[4];

        if (scan->at == scan->end)
            return json_scan_unexpected(scan, "the end of a string", e);
        if (*scan->at == '"')
            break;
        if (character(scan, &code, e) != 0)
            return -1;
        k += (size_t)utf8_encode(code, out != NULL ? out + k : piece);
    }
    scan->at++;
    if (out != NULL)
        out[k] = '\0';
    *n = k;
    return 0;
}

/* ---- numbers ---- */

int json_scan_count(struct json_scan *scan, int64_t *v, struct err *e)
{
    const unsigned char *first;

    blanks(scan);
    if (scan->at < scan->end && *scan->at == '-')
        return json_scan_unexpected(scan, "a number that is not negative", e);
    first = scan->at;
    *v = 0;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9') {
        if (__builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, *scan->at - '0', v)) {
            scan->at = first;
            return json_scan_unexpected(scan, "a number below 2^63", e);
        }
        scan->at++;
    }
    if (scan->at == first || (*first == '0' && scan->at - first > 1)) {
        scan->at = first;
        return json_scan_unexpected(scan, "a whole number in decimal digits", e);
    }
    if (scan->at < scan->end && (*scan->at == '.' || (*scan->at | 0x20) == 'e'))
        return json_scan_unexpected(scan, "a whole number", e);
    return 0;
}

/* ---- without messages ---- */

char json_scan_peek(struct json_scan *scan)
{
    blanks(scan);
    return scan->at < scan->end ? (char)*scan->at : '\0';
}

bool json_scan_quoted(struct json_scan *scan, const char **text, size_t *n)
{
    if (!json_scan_take(scan, '"'))
        return false;
    *text = (const char *)scan->at;
    while (scan->at < scan->end && *scan->at != '"') {
        if (*scan->at < ' ')
            return false;
        scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
    }
    *n = (size_t)((const char *)scan->at - *text);
    return json_scan_take(scan, '"');
}

bool json_scan_skip(struct json_scan *scan)
{
    const char *ignored;
    int depth = 0;
    size_t n;

    for (;;) {
        char c = json_scan_peek(scan);

        if (c == '\0' || (depth == 0 && (c == ',' || c == '}' || c == ']')))
            return c != '\0';
        if (c == '"') {
            if (!json_scan_quoted(scan, &ignored, &n))
                return false;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        scan->at++;
    }
}

bool json_scan_find_key(struct json_scan *scan, const char *key)
{
    const char *name;
    size_t n;

    do {
        if (!json_scan_quoted(scan, &name, &n) || !json_scan_take(scan, ':'))
            return false;
        if (n == strlen(key) && memcmp(name, key, n) == 0)
            return true;
    } while (json_scan_skip(scan) && json_scan_take(scan, ','));
    return false;
}

bool json_scan_enter(struct json_scan *scan, const char *key)
{
    return json_scan_take(scan, '{') && json_scan_find_key(scan, key);
}

bool json_scan_id(struct json_scan *scan, int64_t *v)
{
    char first = json_scan_peek(scan);
    int n = 0;

    for (*v = 0; n < 9 && scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; n++)
        *v = 10 * *v + (*scan->at++ - '0');
    return n > 0 && (first != '0' || n == 1);
}

static size_t digits(struct json_scan *scan)
{
    const unsigned char *from = scan->at;

    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - from);
}

static bool next_is(struct json_scan *scan, const char *set)
{
    if (scan->at == scan->end || *scan->at == '\0' || strchr(set, *scan->at) == NULL)
        return false;
    scan->at++;
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
bool json_scan_real(struct json_scan *scan, double *v)
{
    char first = json_scan_peek(scan), *end;
    const unsigned char *from = scan->at;
    size_t n;

    if (next_is(scan, "-"))
        first = scan->at < scan->end ? (char)*scan->at : '\0';
    n = digits(scan);
    if (n == 0 || (first == '0' && n > 1) || (next_is(scan, ".") && digits(scan) == 0))
        return false;
    if (next_is(scan, "eE")) {
        (void)next_is(scan, "+-");
        if (digits(scan) == 0)
            return false;
    }
    if (scan->at == scan->end || strchr(" \t\r\n,]}", *scan->at) == NULL)  /* nor "0x1" */
        return false;
    *v = read_double((const char *)from, &end);
    return (const unsigned char *)end == scan->at && isfinite(*v);
}
