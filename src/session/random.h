/* SPDX-License-Identifier: MIT
 * Texts of random tokens that come twice, for probes. */
#ifndef SESSION_RANDOM_H
#define SESSION_RANDOM_H

#include "session/item.h"
#include "session/session.h"

/* Texts of `lead` tokens that the tokeniser's template begins with, n drawn ones, and the same
 * n again. */
struct random_texts {
    struct item *item;          /* [n_texts] */
    int n_texts, lead, n;
};

/* Why a model cannot read such texts; NULL: it can. */
const char *random_unreadable(const struct session *s);
/* Why it cannot be probed so where nothing that follows may be seen; NULL: it can. */
const char *random_refusal(const struct session *s);

/*
 * n_texts of them, of arena a, for a model that can read them.  n is the least of 50,
 * half of the positions after the lead, and the ordinary tokens: those of the vocabulary that
 * are neither special nor unused.  Each text's tokens are drawn without replacement: draw k of
 * m ordinary ones, in order of their ids, swaps place k with place k + (bits (m - k)) / 2^32,
 * bits the next 32 of the Mersenne Twister with this seed, and is what then stands there; each
 * text begins with them in order.  n 0: there is no such text.
 */
void random_texts(const struct session *s, struct arena *a, int seed, int n_texts,
                  struct random_texts *out);

#endif
