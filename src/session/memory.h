/* SPDX-License-Identifier: MIT
 * --max-memory: the memory, beside mapped files, that texts may take. */
#ifndef SESSION_MEMORY_H
#define SESSION_MEMORY_H

#include "session/item.h"
#include "session/session.h"

struct memory_limit {
    double allowed;             /* bytes; infinite: nothing was asked for */
    double base;                /* of them, what the process had when its texts were opened */
};

/*
 * As asked->max_memory says: a number and K, M or G (of 1024), or bytes.  ERR_USAGE: no such
 * number; less than the process has already.
 */
int memory_open(const struct session *s, struct memory_limit *out, struct err *e);

/* Bytes of a pass over texts of so many tokens in all, of both sides. */
double memory_of_pass(const struct session *s, int n_tokens, int n_target);

/*
 * Bytes that may be taken beyond `needed`, to be faster: what --max-memory leaves, and half of what
 * the system has to give; at most, and at least 0.
 */
double memory_spare(const struct session *s, double needed);

/* Whether bytes more are allowed; ERR_INPUT, with what is needed and what is allowed. */
int memory_check(const struct memory_limit *limit, const struct item *item, double bytes,
                 struct err *e);

#endif
