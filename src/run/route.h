/* SPDX-License-Identifier: MIT
 * A router's scores -> the experts of a row, and their weights ("shares"). */
#ifndef RUN_ROUTE_H
#define RUN_ROUTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/model.h"

/* The rule by which a row's experts are chosen. */
struct routing {
    int E, n_chosen;
    enum score score;
    enum group_score group_score;
    int n_groups, n_kept;       /* groups of experts, and how many are kept; n_groups 0: none */
    const float *bias;          /* [E] added to scores for the choice alone; NULL: none */
    bool renormalise;           /* shares of the chosen experts sum to 1 */
    float factor;               /* on all shares */
    float jitter;               /* SCORE_SPARSEMIXER: twice router_jitter_noise */
};

struct route_room {
    float *choice, *worth;      /* [E] */
    bool *chosen;               /* [E] */
    double *exact;              /* [E] */
};

/* Scratch memory for E experts, in arena a. */
struct route_room route_room(struct arena *a, int E);

/* s[E], a router's output, becomes the chosen experts' shares; the others' become -1. */
void route_shares(float *s, const struct routing *routing, struct route_room *room);

#endif
