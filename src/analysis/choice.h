/* SPDX-License-Identifier: MIT
 *
 * Names of metrics -> which of them are computed: "basic,neff,received". */
#ifndef ANALYSIS_CHOICE_H
#define ANALYSIS_CHOICE_H

#include "analysis/metric.h"
#include "base/err.h"

struct metric_choice {
    bool wanted[N_METRIC];
    bool named[N_METRIC];       /* by its own name, so a table shows it */
    const char *const *names;   /* [N_METRIC] of metric_names_of; NULL: metric_names */
};

extern const char *const metric_names[];    /* by enum metric_id, then NULL */
extern const char *const metric_words[];    /* all that a list may name, then NULL */

int metric_find(const char *name);      /* its enum metric_id; -1: none */

/*
 * Of names (NULL ends) the one that was probably meant: what the name means elsewhere ("previous":
 * prev), or the nearest in spelling; NULL: none is near.
 */
const char *metric_nearest(const char *name, const char *const *names);

/*
 * [N_METRIC] of a: metric_names, with the numbers of these budgets in the place of those of
 * metric_opts_default; "": there is no such budget.
 */
const char *const *metric_names_of(struct arena *a, const struct metric_opts *o);

/* What is computed without a list. */
struct metric_choice metric_choice_basic(void);

/*
 * Adds what the list names, separated by commas: "basic", "all", another group, or metrics.
 * ERR_USAGE: a name that does not exist, with the nearest one that does.
 */
int metric_choice_add(struct metric_choice *c, const char *list, struct err *e);

/* Its enum metric_id by the choice's names; -1: none. */
int metric_choice_find(const struct metric_choice *c, const char *name);

/* Drops those that have no name: budgets that there are not. */
void metric_choice_drop_unnamed(struct metric_choice *c);

/*
 * Drops the metrics of a kind, for what has no place for them.  ERR_USAGE, with `why`: one
 * was asked for by its name.
 */
int metric_choice_drop(struct metric_choice *c, enum metric_kind kind, const char *why,
                       struct err *e);

/* Takes what compares heads, whose rule says `between`, out of c; returns it. */
struct metric_choice metric_choice_take_between(struct metric_choice *c);

bool metric_choice_any(const struct metric_choice *c);  /* one is wanted */

/* Their rows of the table, in its order, by the choice's names: [*n] of a. */
const struct metric *metric_choice_list(const struct metric_choice *c, struct arena *a, int *n);

/* What metric_choice_list's values are of: value[n] -> all[N_METRIC], NaN for the others. */
void metric_choice_spread(const struct metric_choice *c, const double *value,
                          double all[N_METRIC]);

/* Where metric_choice_list has it; it is wanted. */
int metric_choice_place(const struct metric_choice *c, enum metric_id id);

/* Of the metric at this place: it was named, or none was. */
bool metric_choice_chosen(const struct metric_choice *c, int place);

/* How many a table shows: the basic ones, and those that were named. */
int metric_choice_shown(const struct metric_choice *c);

#endif
