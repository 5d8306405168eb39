/* SPDX-License-Identifier: MIT
 *
 * Tab-separated values: one line per record, whatever a text holds. */
#include "report/report.h"

#include <string.h>

#include "base/utf8.h"

void tsv_field(FILE *f, bool first, const char *s, size_t n)
{
    static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
    size_t at = 0;

    if (!first)
        putc('\t', f);
    while (at < n) {
        const char *found;
        char piece[8];
        size_t start = at;

        while (at < n && s[at] >= ' ' && s[at] <= '~' && s[at] != '\\')
            at++;
        fwrite(s + start, 1, at - start, f);
        if (at == n)
            break;
        found = s[at] != '\0' ? strchr(special, s[at]) : NULL;
        if (found != NULL) {
            fprintf(f, "\\%c", letter[found - special]);
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
