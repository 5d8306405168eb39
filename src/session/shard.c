/* SPDX-License-Identifier: MIT
 * "K/N" -> a shard. */
#include "session/shard.h"

#include <stdlib.h>
#include <string.h>

/* Up to 5 digits, of which there is one at least; -1: no such number. */
static int shard_number(const char *text, size_t n)
{
    if (n == 0 || n > 5 || strspn(text, "0123456789") < n)
        return -1;
    return (int)strtol(text, NULL, 10);
}

int shard_parse(const char *text, struct shard *out, struct err *e)
{
    const char *slash;

    *out = (struct shard){ 0, 0 };
    if (text == NULL)
        return 0;
    slash = strchr(text, '/');
    if (slash != NULL) {
        out->k = shard_number(text, (size_t)(slash - text));
        out->n = shard_number(slash + 1, strlen(slash + 1));
    }
    if (slash == NULL || out->k < 0 || out->n <= out->k || out->n > MOST_SHARDS)
        return err_set(e, ERR_USAGE, "--shard: '%s': expected K/N, 0 <= K < N <= %d: 0/4 is the "
                       "first of four", text, MOST_SHARDS);
    return 0;
}
