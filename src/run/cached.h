/* SPDX-License-Identifier: MIT
 * Use of the caches in a pass: the batch's keys and values are appended, and all are read. */
#ifndef RUN_CACHED_H
#define RUN_CACHED_H

#include "nn/attention.h"

struct heads;
struct pass;

/* One text's keys and values in a cache. */
struct cached {
    const float *kv;        /* as in struct cache */
    int capacity, n_keys;   /* keys that fit, and keys present */
    int offset;             /* key number of the text's first row in the batch */
};

/*
 * If there is a cache: appends the batch's keys and values of layer l, and makes heads read all
 * keys and values from it.
 */
void cached_append(struct pass *pass, int l, struct heads *heads);

/* The same for pass->memory_kv, which is appended in the first pass only. */
void cached_append_memory(struct pass *pass, int l, struct heads *heads);

/* The keys and values of one group of heads. */
struct attention_rows cached_rows(const struct pass *pass, const struct cached *cached, int group);

/* Counts the batch's tokens as cached, after all layers have run. */
void cached_advance(struct pass *pass);

#endif
