/* SPDX-License-Identifier: MIT
 *
 * The choice of metrics that are computed, from names: "basic,neff,received". */
#ifndef ANALYSIS_CHOICE_H
#define ANALYSIS_CHOICE_H

#include "analysis/metric.h"
#include "base/err.h"

struct metric_choice {
    bool wanted[N_METRIC];
    bool named[N_METRIC];       /* chosen by its own name, so tables show it */
    const char *const *names;   /* [N_METRIC] from metric_names_of; NULL: metric_names */
};

extern const char *const metric_names[];    /* in the order of enum metric_id, then NULL */
extern const char *const metric_words[];    /* all names that a list may have, then NULL */

int metric_find(const char *name);      /* its enum metric_id; -1 if there is none */

/*
 * The one of names (NULL ends) that was probably meant: a synonym from elsewhere ("previous":
 * prev), or the nearest in spelling; NULL if none is near.
 */
const char *metric_nearest(const char *name, const char *const *names);

/*
 * [N_METRIC] in arena a: metric_names with the numbers of these budgets in place of those of
 * metric_opts_default; "" for a budget that does not exist.
 */
const char *const *metric_names_of(struct arena *a, const struct metric_opts *opts);

/* The choice without a list. */
struct metric_choice metric_choice_basic(void);

/*
 * Adds the metrics of a comma-separated list: "basic", "all", another group, or metrics.
 * ERR_USAGE: an unknown name, with the nearest known one.
 */
int metric_choice_add(struct metric_choice *choice, const char *list, struct err *e);

/* The enum metric_id of a name, by the choice's names; -1 if there is none. */
int metric_choice_find(const struct metric_choice *choice, const char *name);

/* Removes metrics without a name, those of budgets that do not exist. */
void metric_choice_drop_unnamed(struct metric_choice *choice);

/*
 * Removes the metrics of a kind, for outputs that cannot show them.  ERR_USAGE, with `why`: one was
 * chosen by its name.
 */
int metric_choice_drop(struct metric_choice *choice, enum metric_kind kind, const char *why,
                       struct err *e);

/* Removes from choice the metrics that compare heads (whose rule has `between`); returns them. */
struct metric_choice metric_choice_take_between(struct metric_choice *choice);

bool metric_choice_any(const struct metric_choice *choice);  /* whether any is wanted */

/* The wanted metrics' rows of the table, in its order, with the choice's names: [*n] in arena a. */
const struct metric *metric_choice_list(const struct metric_choice *choice, struct arena *a,
                                        int *n);

/* Values in the order of metric_choice_list, value[n] -> all[N_METRIC], NaN for the others. */
void metric_choice_spread(const struct metric_choice *choice, const double *value,
                          double all[N_METRIC]);

/* Index in metric_choice_list of a metric, which must be wanted. */
int metric_choice_place(const struct metric_choice *choice, enum metric_id id);

/* Whether the metric at this index was named, or none was. */
bool metric_choice_chosen(const struct metric_choice *choice, int place);

/* Number of metrics that tables show: the basic ones, and those named. */
int metric_choice_shown(const struct metric_choice *choice);

#endif
