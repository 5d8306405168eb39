/* SPDX-License-Identifier: MIT
 * --max-memory: limit of the process's RAM, mapped files not counted. */
#ifndef SESSION_MEMORY_H
#define SESSION_MEMORY_H

#include "session/item.h"
#include "session/session.h"

struct memory_limit {
    double allowed;             /* the limit in bytes; infinite: no limit */
    double base;                /* bytes in use when the texts were opened, and of kept texts */
};

/*
 * Sets the limit from asked->max_memory: bytes, or a number with K, M or G (powers of 1024).
 * ERR_USAGE: not such a number; less than the process uses already.
 */
int memory_open(const struct session *session, struct memory_limit *out, struct err *e);

/* Bytes that a pass over texts with so many source and target tokens in all takes. */
double memory_of_pass(const struct session *session, int n_tokens, int n_target);

/*
 * Bytes beyond `needed` that may be spent on speed: the rest of --max-memory, at most half of
 * the system's free memory; at least 0.
 */
double memory_spare(const struct session *session, double needed);

/* Checks that so many more bytes are allowed; ERR_INPUT, with both numbers. */
int memory_check(const struct memory_limit *limit, const struct item *item, double bytes,
                 struct err *e);

#endif
