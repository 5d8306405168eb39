/* SPDX-License-Identifier: MIT
 * What the files of links share: what was asked.
 *
 *     links.c           options, and the heads that are shown
 *     picture.c         a text -> lines -> a sheet */
#ifndef TASK_LINKS_H
#define TASK_LINKS_H

#include "task/format.h"
#include "task/job.h"

enum links_between { LINKS_ALL, LINKS_A_A, LINKS_A_B, LINKS_B_A, LINKS_B_B };
extern const char *const links_betweens[];      /* by enum links_between, then NULL */

struct links_args {
    struct shared_args shared;
    double top_share, min_weight;   /* NaN: not given */
    int between, columns;
    bool panels, arcs;
};

struct links_job {
    struct job job;
    const struct links_args *args;
    int n_heads;
    const struct head_id *head; /* [n_heads] in the order of layers */
    const int *place;           /* [n_heads] of each in the picture: records_places */
    int n_layers;               /* that they are of */
    bool drawn;                 /* a text before this one */
    const char *const *type;    /* [layers, heads]; NULL: none is known, of a head or of all */
};

/* ---- picture.c ---- */

int links_draw(struct links_job *j, struct arena *a, const struct item *item, const char *path,
               struct err *e);

#endif
