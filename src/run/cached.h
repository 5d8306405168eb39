/* SPDX-License-Identifier: MIT
 * The batch's keys and values -> the caches of its texts. */
#ifndef RUN_CACHED_H
#define RUN_CACHED_H

#include "nn/attention.h"

struct heads;
struct pass;

/* A text's keys and values where a cache holds them. */
struct cached {
    const float *kv;        /* as in struct cache */
    int capacity, n_keys;   /* keys that there is room for, and that are there */
    int offset;             /* key of the batch's first row of the text */
};

/*
 * With a cache: adds the batch's keys and values of layer l to it, and has h read all
 * that are there.
 */
void cached_append(struct pass *p, int l, struct heads *h);

/* The same of p->memory_kv, which is only added the first time. */
void cached_append_memory(struct pass *p, int l, struct heads *h);

/* The keys and values of one group of heads. */
struct attention_rows cached_rows(const struct pass *p, const struct cached *cached, int group);

/* All layers have run: the batch's tokens are cached. */
void cached_advance(struct pass *p);

#endif
