/* SPDX-License-Identifier: MIT
 * Private interface of the command links: its job, and the links of one text.
 *
 *     links.c           options -> the heads that are shown
 *     find.c            a text -> the links that are shown
 *     picture.c         links -> lines -> a sheet
 *     record.c          links -> TSV and JSON */
#ifndef TASK_LINKS_H
#define TASK_LINKS_H

#include "analysis/strong.h"
#include "task/common/job.h"
#include "task/figure/format.h"

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
    const int *place;           /* [n_heads] position in the picture, from records_places */
    int n_layers;               /* number of layers that these heads are in */
    bool drawn;                 /* an earlier text was drawn */
    const char *const *type;    /* [layers, heads] types of heads; NULL if unknown, of a head or all
                                   */
};

/* ---- find.c ---- */

/* Tokens along one side. */
struct links_side {
    const struct tokens *tokens;
    int *place;                 /* [tokens] -1: not shown */
    bool *is_end;               /* [tokens] whether links may end there */
    int n_shown;
};

/* Results of one text. */
struct links_found {
    struct links_side queries, keys;
    struct strong_links links;  /* between places; the key n_shown: the model's attention sink */
};

/* Runs the text.  Errors: those of the pass; --between, --from or --to names tokens that the text
 * does not have. */
int links_find(struct links_job *job, struct arena *a, const struct item *item,
               struct links_found *found, struct err *e);

/* Share of each row's weight, in percent, that the links shown must cover. */
double links_share(const struct links_args *args);

/* Whether the model's attention sink has a place of its own after the keys. */
bool links_has_sink(const struct links_job *job);

/* ---- picture.c ---- */

int links_draw(struct links_job *job, struct arena *a, const struct item *item, const char *path,
               struct err *e);

/* ---- record.c ---- */

extern const struct record links_record;

int links_write(struct links_job *job, struct arena *a, const struct item *item, struct err *e);

#endif
