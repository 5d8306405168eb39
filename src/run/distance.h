/* SPDX-License-Identifier: MIT
 * What queries meet by distance besides keys. */
#ifndef RUN_DISTANCE_H
#define RUN_DISTANCE_H

#include "run/heads.h"
#include "run/pass.h"

/* Sets h->terms to what its queries meet in rows [n_distances, d]; NULL: nothing. */
void distance_terms(struct pass *p, struct heads *h, const float *rows, float scale);

#endif
