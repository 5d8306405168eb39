/* SPDX-License-Identifier: MIT
 * Bytes -> base64. */
#include "base/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_three(char out[4], const unsigned char p[3])
{
    unsigned v = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];

    out[0] = letters[v >> 18];
    out[1] = letters[v >> 12 & 63];
    out[2] = letters[v >> 6 & 63];
    out[3] = letters[v & 63];
}

/* One or two bytes -> four letters. */
static void encode_rest(char out[4], const unsigned char *p, size_t n)
{
    unsigned v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0);

    for (int i = 0; i < 4; i++)
        out[i] = (size_t)i <= n ? letters[v >> (18 - 6 * i) & 63] : '=';
}

void base64_write(FILE *file, const void *data, size_t n)
{
    const unsigned char *p = data;
    char line[4096];
    size_t used = 0;

    for (size_t i = 0; i < n; i += 3, used += 4) {
        if (used == sizeof line) {
            fwrite(line, 1, used, file);
            used = 0;
        }
        if (n - i >= 3)
            encode_three(line + used, p + i);
        else
            encode_rest(line + used, p + i, n - i);
    }
    fwrite(line, 1, used, file);
}
