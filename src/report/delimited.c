/* SPDX-License-Identifier: MIT
 *
 * Values -> lines with tabs or commas between them: one line per record, whatever a text contains,
 * except for line breaks in quotation marks of CSV. */
#include "report/report.h"

#include <string.h>

#include "base/utf8.h"

void delimited_tsv(FILE *file, bool first, const char *s, size_t n)
{
    size_t at = 0;

    if (!first)
        putc('\t', file);
    while (at < n) {
        char piece[8];
        size_t start = at;

        while (at < n && s[at] >= ' ' && s[at] <= '~' && s[at] != '\\')
            at++;
        fwrite(s + start, 1, at - start, file);
        if (at == n)
            break;
        if (s[at] == '\\') {
            fputs("\\\\", file);
            at++;
        } else {
            at += (size_t)utf8_show(s + at, n - at, piece);
            fputs(piece, file);
        }
    }
}

static bool is_raw(char c)
{
    return c == '\n' || c == '\r' || c == '\t';
}

void delimited_csv(FILE *file, bool first, const char *s, size_t n)
{
    bool quoted = false;

    for (size_t i = 0; i < n; i++)
        quoted |= strchr(",\"\n\r", s[i]) != NULL && s[i] != '\0';
    if (!first)
        putc(',', file);
    if (quoted)
        putc('"', file);
    for (size_t at = 0; at < n;) {
        char piece[8];

        if (s[at] == '"')
            putc('"', file);
        if ((s[at] >= ' ' && s[at] <= '~') || is_raw(s[at])) {
            putc(s[at++], file);
        } else {
            at += (size_t)utf8_show(s + at, n - at, piece);
            fputs(piece, file);
        }
    }
    if (quoted)
        putc('"', file);
}

void delimited_end(FILE *file)
{
    putc('\n', file);
}
