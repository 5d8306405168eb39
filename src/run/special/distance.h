/* SPDX-License-Identifier: MIT
 * Score terms that depend on the distance of query and key: relative position keys, q . r(i - j),
 * and buckets whose bias depends on the query. */
#ifndef RUN_DISTANCE_H
#define RUN_DISTANCE_H

#include "run/heads.h"
#include "run/pass.h"

/* Sets heads->terms to scale q . rows[distance], rows [n_distances, d]; rows NULL: no terms. */
void distance_terms(struct pass *pass, struct heads *heads, const float *rows, float scale);

/*
 * Sets heads->terms to W_BUCKETS pass->a, a bias by bucket and head for each query row, if the
 * layer has that slot.
 */
void distance_buckets(struct pass *pass, int l, struct heads *heads);

#endif
