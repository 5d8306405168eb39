/* SPDX-License-Identifier: MIT
 * Repeated random texts, for probes of induction heads. */
#ifndef SESSION_RANDOM_H
#define SESSION_RANDOM_H

#include "session/item.h"
#include "session/session.h"

/* Texts of the `lead` tokens with which the tokeniser's template begins, n random ones, and the
 * same n again. */
struct random_texts {
    struct item *item;          /* [n_texts] */
    int n_texts, lead, n;
};

/* Why the model cannot read such texts; NULL if it can. */
const char *random_unreadable(const struct session *session);
/* The same for a probe that requires a causal model. */
const char *random_refusal(const struct session *session);

/*
 * n_texts of them, in arena a, for a model that can read them.  n is the least of 50,
 * half of the positions after the lead, and the ordinary tokens: those of the vocabulary that
 * are neither special nor unused.  Each text's tokens are drawn without replacement: draw k of
 * m ordinary ones, in order of their ids, swaps place k with place k + (bits (m - k)) / 2^32,
 * bits the next 32 of the Mersenne Twister with this seed, and is what then stands at place k;
 * each text starts again from the ordered list.  n 0: no such text is possible.
 */
void random_texts(const struct session *session, struct arena *a, int seed, int n_texts,
                  struct random_texts *out);

#endif
