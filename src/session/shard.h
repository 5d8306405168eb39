/* SPDX-License-Identifier: MIT
 * --shard K/N: the subset of a corpus that this run reads. */
#ifndef SESSION_SHARD_H
#define SESSION_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { MOST_SHARDS = 65536 };

/* Shard k of n: text i belongs to shard i mod n. */
struct shard {
    int k, n;                   /* 0 <= k < n; n 0: not sharded, all texts are read */
};

/* Parses "K/N"; NULL: not sharded.  ERR_USAGE: not two numbers with 0 <= K < N <= MOST_SHARDS. */
int shard_parse(const char *text, struct shard *out, struct err *e);

static inline bool shard_has(const struct shard *shard, int64_t text)
{
    return shard->n == 0 || text % shard->n == shard->k;
}

#endif
