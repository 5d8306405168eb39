/* SPDX-License-Identifier: MIT
 *
 * Values -> JSON, written immediately: only the need for commas is stored. */
#include "report/report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

void jsonw_init(struct jsonw *json, FILE *file)
{
    *json = (struct jsonw){ .file = file };
}

/* Most of what is written are a few bytes, for which a call costs more than they do. */
static void jsonw_put(const struct jsonw *json, const char *s, size_t n)
{
    enum { FEW = 16 };

    if (n > FEW)
        fwrite(s, 1, n, json->file);
    else
        for (size_t i = 0; i < n; i++)
            putc_unlocked(s[i], json->file);
}

static void indent(const struct jsonw *json)
{
    if (json->indented)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

/* What stands before a value or a key: a comma, unless it is the first here. */
static void separate(struct jsonw *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->comma[json->depth])
        putc_unlocked(',', json->file);
    if (json->depth > 0)
        indent(json);
    json->comma[json->depth] = true;
}

static void jsonw_begin(struct jsonw *json, char bracket)
{
    separate(json);
    assert(json->depth + 1 < JSONW_DEPTH);
    json->comma[++json->depth] = false;
    putc_unlocked(bracket, json->file);
}

void jsonw_object(struct jsonw *json)
{
    jsonw_begin(json, '{');
}

void jsonw_array(struct jsonw *json)
{
    jsonw_begin(json, '[');
}

void jsonw_end(struct jsonw *json, char bracket)
{
    assert(json->depth > 0 && !json->after_key);
    if (json->comma[json->depth--])
        indent(json);
    putc_unlocked(bracket, json->file);
}

void jsonw_key(struct jsonw *json, const char *key)
{
    jsonw_string(json, key);
    fputs(json->indented ? ": " : ":", json->file);
    json->after_key = true;
}

void jsonw_string(struct jsonw *json, const char *s)
{
    jsonw_string_n(json, s, strlen(s));
}

static void escaped(FILE *file, int cp)
{
    static const char named[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const char *at = cp > 0 && cp < 0x80 ? strchr(named, cp) : NULL;

    if (at != NULL)
        fprintf(file, "\\%c", letter[at - named]);
    else
        fprintf(file, "\\u%04x", (unsigned)cp);
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

void jsonw_string_n(struct jsonw *json, const char *s, size_t n)
{
    size_t done = 0, at = 0;        /* what was written, what was looked at */

    separate(json);
    putc_unlocked('"', json->file);
    while ((at += jsonw_plain(s + at, n - at)) < n) {
        int code, len = utf8_decode(s + at, n - at, &code);

        if (len > 0 && !utf8_is_control(code) && code != '"' && code != '\\') {
            at += (size_t)len;
            continue;
        }
        jsonw_put(json, s + done, at - done);
        if (len < 0)
            fputs("\xef\xbf\xbd", json->file);
        else
            escaped(json->file, code);
        at += len < 0 ? 1 : (size_t)len;
        done = at;
    }
    jsonw_put(json, s + done, at - done);
    putc_unlocked('"', json->file);
}

void jsonw_int(struct jsonw *json, int64_t v)
{
    char text[NUMBER_SIZE];

    separate(json);
    jsonw_put(json, text, (size_t)number_int(text, v));
}

void jsonw_bool(struct jsonw *json, bool v)
{
    separate(json);
    fputs(v ? "true" : "false", json->file);
}

void jsonw_null(struct jsonw *json)
{
    separate(json);
    fputs("null", json->file);
}

void jsonw_double(struct jsonw *json, double v)
{
    char text[NUMBER_SIZE];

    if (!isfinite(v)) {
        jsonw_null(json);
        return;
    }
    separate(json);
    jsonw_put(json, text, (size_t)number_double(text, v));
}

void jsonw_float(struct jsonw *json, float v)
{
    char text[NUMBER_SIZE];

    if (!isfinite(v)) {
        jsonw_null(json);
        return;
    }
    separate(json);
    jsonw_put(json, text, (size_t)number_float(text, v));
}

void jsonw_newline(struct jsonw *json)
{
    putc_unlocked('\n', json->file);
    json->comma[json->depth] = false;
}

void jsonw_member_string(struct jsonw *json, const char *key, const char *s)
{
    jsonw_key(json, key);
    if (s != NULL)
        jsonw_string(json, s);
    else
        jsonw_null(json);
}

void jsonw_member_int(struct jsonw *json, const char *key, int64_t v)
{
    jsonw_key(json, key);
    jsonw_int(json, v);
}

void jsonw_member_double(struct jsonw *json, const char *key, double v)
{
    jsonw_key(json, key);
    jsonw_double(json, v);
}
