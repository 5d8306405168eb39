/* SPDX-License-Identifier: MIT
 *
 * stats, in parts:
 *
 *     stats.c           the command; a report per text
 *     stats_summary.c   many texts -> the mean of each metric of each head
 *     stats_shown.c     which metrics both show, and the order of the heads */
#ifndef CMD_STATS_H
#define CMD_STATS_H

#include "analysis/stats.h"
#include "cmd/job.h"

struct stats_args {
    struct shared_args shared;
    const char *compute, *sort;
    int top;
    double entropy_eps;
    int clusters;
    bool reverse, links;
    bool summary, reliability;
    int bootstrap;              /* replicates; 0: none */
};

struct stats_summary;

struct stats_job {
    struct job job;
    const struct stats_args *args;
    struct metric_choice choice;
    struct metric_set set;      /* what choice names */
    int sort;                   /* of enum metric_id; -1: by layer */
    const struct record *head_record;   /* a row of the table */
    struct stats_summary *summary;      /* NULL: not asked for */
};

/* ---- the order of the heads ---- */

struct stats_rank {
    struct head_id id;
    double key;                 /* what they are sorted by */
    int place;                  /* among the selected heads, as they stand in the model */
};

/* rank[n] as --sort and --reverse say; keys that are undefined are the least. */
void stats_sort(const struct stats_job *j, struct stats_rank *rank, int n);

/* r without the metrics that are not computed, and in a table only those for it. */
const struct record *stats_without_metrics(const struct stats_job *j, const struct record *r);

/* ---- --summary ---- */

extern const struct record stats_summary_record;

/* After the selection. */
void stats_summary_open(struct stats_job *j);
/* ERR_USAGE: too many groups. */
int stats_summary_add(struct stats_job *j, const struct item *item, const struct stats *stats,
                      int text, struct err *e);
void stats_summary_report(struct stats_job *j);

#endif
