/* SPDX-License-Identifier: MIT
 *
 * Tab-separated values: one line per record, whatever a text holds. */
#include "report/report.h"

#include <string.h>

#include "base/utf8.h"

void tsv_field(FILE *f, bool first, const char *s, size_t n)
{
    size_t at = 0;

    if (!first)
        putc('\t', f);
    while (at < n) {
        char piece[8];
        size_t start = at;

        while (at < n && s[at] >= ' ' && s[at] <= '~' && s[at] != '\\')
            at++;
        fwrite(s + start, 1, at - start, f);
        if (at == n)
            break;
        if (s[at] == '\\') {
            fputs("\\\\", f);
            at++;
        } else {
            at += (size_t)utf8_show(s + at, n - at, piece);
            fputs(piece, f);
        }
    }
}

void tsv_end(FILE *f)
{
    putc('\n', f);
}
