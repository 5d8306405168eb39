/* SPDX-License-Identifier: MIT
 * Which texts of a corpus are this run's: "K/N". */
#ifndef SESSION_SHARD_H
#define SESSION_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { MOST_SHARDS = 65536 };

/* Of n shards the one with this number: text i is of shard i mod n. */
struct shard {
    int k, n;                   /* 0 <= k < n; n 0: there are none, all texts are read */
};

/* NULL: there are none.  ERR_USAGE: not two numbers with 0 <= K < N <= MOST_SHARDS. */
int shard_parse(const char *text, struct shard *out, struct err *e);

static inline bool shard_has(const struct shard *s, int64_t text)
{
    return s->n == 0 || text % s->n == s->k;
}

#endif
