/* SPDX-License-Identifier: MIT
 * What queries meet by distance besides keys. */
#ifndef RUN_DISTANCE_H
#define RUN_DISTANCE_H

#include "run/heads.h"
#include "run/pass.h"

/* Sets h->terms to what its queries meet in rows [n_distances, d]; NULL: nothing. */
void distance_terms(struct pass *p, struct heads *h, const float *rows, float scale);

/*
 * h->terms: what W_BUCKETS makes of each row of p->a, by bucket and head, where the layer has
 * it; as above.
 */
void distance_buckets(struct pass *p, int l, struct heads *h);

#endif
