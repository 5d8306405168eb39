/* SPDX-License-Identifier: MIT
 * A router's scores -> the experts that a row goes to, and their shares. */
#ifndef RUN_ROUTE_H
#define RUN_ROUTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/model.h"

/* How a row's experts are chosen. */
struct routing {
    int E, n_chosen;
    enum score score;
    enum group_score group_score;
    int n_groups, n_kept;       /* n_groups 0: none */
    const float *bias;          /* [E] for the choice alone; NULL: none */
    bool renormalise;
    float factor;
    float jitter;               /* SCORE_SPARSEMIXER: twice router_jitter_noise */
};

struct route_room {
    float *choice, *worth;      /* [E] */
    bool *chosen;               /* [E] */
    double *exact;              /* [E] */
};

/* Room of a for E experts. */
struct route_room route_room(struct arena *a, int E);

/* s[E], a router's output, becomes the chosen experts' shares; the others' become -1. */
void route_shares(float *s, const struct routing *r, struct route_room *room);

#endif
