/* SPDX-License-Identifier: MIT
 *
 * Values -> JSON, written immediately: only the need for commas is stored. */
#include "report/report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

void jsonw_init(struct jsonw *j, FILE *f)
{
    *j = (struct jsonw){ .file = f };
}

/* Most of what is written are a few bytes, for which a call costs more than they do. */
static void jsonw_put(const struct jsonw *j, const char *s, size_t n)
{
    enum { FEW = 16 };

    if (n > FEW)
        fwrite(s, 1, n, j->file);
    else
        for (size_t i = 0; i < n; i++)
            putc_unlocked(s[i], j->file);
}

static void indent(const struct jsonw *j)
{
    if (j->indented)
        fprintf(j->file, "\n%*s", 2 * j->depth, "");
}

/* What stands before a value or a key: a comma, unless it is the first here. */
static void separate(struct jsonw *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->comma[j->depth])
        putc_unlocked(',', j->file);
    if (j->depth > 0)
        indent(j);
    j->comma[j->depth] = true;
}

static void jsonw_begin(struct jsonw *j, char bracket)
{
    separate(j);
    assert(j->depth + 1 < JSONW_DEPTH);
    j->comma[++j->depth] = false;
    putc_unlocked(bracket, j->file);
}

void jsonw_object(struct jsonw *j)
{
    jsonw_begin(j, '{');
}

void jsonw_array(struct jsonw *j)
{
    jsonw_begin(j, '[');
}

void jsonw_end(struct jsonw *j, char bracket)
{
    assert(j->depth > 0 && !j->after_key);
    if (j->comma[j->depth--])
        indent(j);
    putc_unlocked(bracket, j->file);
}

void jsonw_key(struct jsonw *j, const char *key)
{
    jsonw_string(j, key);
    fputs(j->indented ? ": " : ":", j->file);
    j->after_key = true;
}

void jsonw_string(struct jsonw *j, const char *s)
{
    jsonw_string_n(j, s, strlen(s));
}

static void escaped(FILE *f, int cp)
{
    static const char named[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const char *at = cp > 0 && cp < 0x80 ? strchr(named, cp) : NULL;

    if (at != NULL)
        fprintf(f, "\\%c", letter[at - named]);
    else
        fprintf(f, "\\u%04x", (unsigned)cp);
}

/* How many bytes s[n] begins with that are ASCII and stand for themselves. */
static size_t jsonw_plain(const char *s, size_t n)
{
    size_t count = 0;

    while (count < n && s[count] >= ' ' && s[count] < 0x7f && s[count] != '"' &&
           s[count] != '\\')
        count++;
    return count;
}

void jsonw_string_n(struct jsonw *j, const char *s, size_t n)
{
    size_t done = 0, at = 0;        /* what was written, what was looked at */

    separate(j);
    putc_unlocked('"', j->file);
    while ((at += jsonw_plain(s + at, n - at)) < n) {
        int code, len = utf8_decode(s + at, n - at, &code);

        if (len > 0 && !utf8_is_control(code) && code != '"' && code != '\\') {
            at += (size_t)len;
            continue;
        }
        jsonw_put(j, s + done, at - done);
        if (len < 0)
            fputs("\xef\xbf\xbd", j->file);
        else
            escaped(j->file, code);
        at += len < 0 ? 1 : (size_t)len;
        done = at;
    }
    jsonw_put(j, s + done, at - done);
    putc_unlocked('"', j->file);
}

void jsonw_int(struct jsonw *j, int64_t v)
{
    char text[NUMBER_SIZE];

    separate(j);
    jsonw_put(j, text, (size_t)number_int(text, v));
}

void jsonw_bool(struct jsonw *j, bool v)
{
    separate(j);
    fputs(v ? "true" : "false", j->file);
}

void jsonw_null(struct jsonw *j)
{
    separate(j);
    fputs("null", j->file);
}

void jsonw_double(struct jsonw *j, double v)
{
    char text[NUMBER_SIZE];

    if (!isfinite(v)) {
        jsonw_null(j);
        return;
    }
    separate(j);
    jsonw_put(j, text, (size_t)number_double(text, v));
}

void jsonw_float(struct jsonw *j, float v)
{
    char text[NUMBER_SIZE];

    if (!isfinite(v)) {
        jsonw_null(j);
        return;
    }
    separate(j);
    jsonw_put(j, text, (size_t)number_float(text, v));
}

void jsonw_newline(struct jsonw *j)
{
    putc_unlocked('\n', j->file);
    j->comma[j->depth] = false;
}

void jsonw_member_string(struct jsonw *j, const char *key, const char *s)
{
    jsonw_key(j, key);
    if (s != NULL)
        jsonw_string(j, s);
    else
        jsonw_null(j);
}

void jsonw_member_int(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_int(j, v);
}

void jsonw_member_double(struct jsonw *j, const char *key, double v)
{
    jsonw_key(j, key);
    jsonw_double(j, v);
}
