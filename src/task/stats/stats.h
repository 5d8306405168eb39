/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command stats:
 *
 *     stats.c           the command
 *     record.c          the report of one text
 *     keys.c            the keys of a text that receive most
 *     summary.c         many texts -> the mean of each metric of each head
 *     models.c          the same for several models
 *     sums.c            the same to and from files of sums (task/parts/parts.h)
 *     types.c           types of heads, by the metrics of texts
 *     shown.c           choice of metrics and order of heads, for both reports */
#ifndef TASK_STATS_H
#define TASK_STATS_H

#include "analysis/apart.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/types.h"
#include "task/parts/layers.h"
#include "task/parts/parts.h"

struct links;
struct top;

struct stats_args {
    struct shared_args shared;
    struct opt_list models;     /* -m; the first is shared.asked.model */
    const char *metric, *sort;
    int top, best;              /* best 0: all heads */
    double entropy_eps;
    int clusters;
    const char *budgets, *stream;       /* NULL: those of metric_opts_default */
    int prompt, snap_window;
    bool reverse, links, legend;
    bool summary, reliability;
    int bootstrap;              /* replicates; 0: none */
    struct layers_args layers;
};

/* A group of texts: those with one value of --by, or all. */
struct stats_group {
    const char *name;           /* value of --by; NULL: all texts */
    struct summary *summary;    /* over texts, of [heads, metrics] */
    struct apart *apart;        /* distances between heads; NULL: not computed */
    int64_t n;                  /* number of texts */
    int64_t *n_rows;            /* [heads] rows that see a key */
    double *few;                /* [CONTRAST_FEW, heads, metrics] values of the first texts; NULL if
                                   there is no --by */
    struct stats_group *next;
};

struct stats_summary {
    struct arena *kept;         /* memory of groups, which outlives texts */
    struct arena *a;
    const struct head_id *head; /* [n_heads] in the model's order */
    int n_heads, n_metrics;     /* metrics that have a mean; if heads are compared, js follows
                                   them */
    struct summary_kind kind;
    struct stats_group *groups; /* list, in the order of their first texts */
    int n_groups;
    double *value;              /* [heads, metrics] values of one text */
    const struct stats_list **js;       /* [heads] distances to all heads, in one text */
};

struct stats_job {
    struct job job;
    const struct stats_args *args;
    struct metric_choice choice;
    struct metric_choice between;       /* many texts: metrics that compare heads, apart from choice
                                           */
    struct metric_set set;      /* computes the metrics of choice, and js for between */
    int sort;                   /* enum metric_id; -1: by layer */
    bool causal;                /* no query attends to a later key: analysis/types.h */
    const struct record *head_record;   /* record of the table's rows */
    const char *const *type;    /* [layers, heads] of --types; NULL: not given */
    bool of_models;             /* several models, one after the other */
    struct stats_summary *summary;      /* NULL: no --summary */
};

/* ---- one text ---- */

/* Results of the sinks of a pass. */
struct stats_found {
    struct stats *stats;
    struct links *links;
    struct top *top;            /* NULL: no --top */
};

extern const struct record stats_text_record, stats_links_record, stats_head_record;

/* Writes the reports of the texts of a pass. */
int stats_print_texts(struct stats_job *job, struct arena *a, const struct item *items, int n,
                      const struct stats_found *found, struct err *e);

/* --metric received alone, in a table or in TSV: rows are keys, and not heads. */
bool stats_shows_keys(const struct stats_job *job);
/* Those of one text, at most --top, that which receives most first; *of: the text's row. */
struct list *stats_keys(const struct stats_job *job, struct arena *a, const struct item *item,
                        const struct stats *stats, int text, const void **of);
extern const struct record stats_keys_record, stats_key_record;

/* ---- which metrics, and in which order ---- */

extern const char *const stats_sorts[];     /* choices of --sort, then NULL */

/* Sets the metrics and the order from --metric and --sort.  ERR_USAGE: unknown names. */
int stats_choose(struct stats_job *job, struct err *e);
/* Called after the output is planned: drops metrics that its format cannot show. */
int stats_settle(struct stats_job *job, struct err *e);

/* ---- the order of the heads ---- */

struct stats_rank {
    struct head_id id;
    int place;                  /* index among the selected heads, in the model's order */
};

/* id[n] in the order of --sort and --reverse; key[n]: values of that metric. */
const struct stats_rank *stats_sort(const struct stats_job *job, struct arena *a,
                                    const struct head_id *id, const double *key, int n);

/* The number of heads that are reported, of n: with --best, the first of them. */
static inline int stats_best(const struct stats_job *job, int n)
{
    return job->args->best > 0 && job->args->best < n ? job->args->best : n;
}

/* record without metrics that are not computed, and in tables without those that these do not
 * show. */
const struct record *stats_without_metrics(const struct stats_job *job,
                                           const struct record *record);

/* ---- types ---- */

/*
 * --types: reads the file; without one, removes the column. Errors: those of types_file_labels.
 */
int stats_types_open(struct stats_job *job, struct err *e);
/* The head's type in that file; NULL if unknown. */
const char *stats_type(const struct stats_job *job, struct head_id id);

/* Number of texts that values are means over: n; n_long of them have a sink_long. */
struct stats_types_texts {
    int64_t n, n_long;
};

/* The numbers for a single text with these values. */
struct stats_types_texts stats_types_one(const double *value);

/*
 * Finds the labels of analysis/types.h that hold for value[N_METRIC] of a head (NaN: not computed),
 * over so many rows and texts, without probes.
 */
void stats_types_found(const double *value, int64_t n_rows, struct stats_types_texts texts,
                       bool causal, struct types_found *found);
/* The names of these labels. */
struct list stats_types(const struct stats_job *job, struct arena *a, const double *value,
                        int64_t n_rows, struct stats_types_texts texts);

/* ---- --summary ---- */

extern const struct record stats_summary_record;

/* Allocates a summary of these heads[n] and the chosen metrics. */
void stats_summary_open(struct stats_job *job, const struct head_id *head, int n);
/* Adds a text of the pass.  ERR_USAGE: too many groups. */
int stats_summary_add(struct stats_job *job, const struct item *item, const struct stats *stats,
                      int text, struct err *e);
/* The group of this name, new if there is none; NULL with ERR_USAGE: too many. */
struct stats_group *stats_group(struct stats_summary *summary, const char *name, struct err *e);

/* Writes to report a row for each group, or its tables, after a blank line if they follow others.
 * first: the summary of the first of several models; NULL if there is only one. */
void stats_summary_report(struct stats_job *job, const struct stats_job *first,
                          struct report *report, bool follows);

/* ---- several models ---- */

/* Writes a summary for each of args->models, in the order given. */
int stats_models_run(const struct job_kind *kind, const struct parts_kind *parts,
                     const struct stats_args *args, int n_operands, char **operands,
                     const struct env *env, struct err *e);

/* ---- --shard, --resume, merge: functions of task/parts/parts.h ---- */

void stats_sums_describe(void *self, json_t *run, json_t *part);
void stats_sums_put(void *self, struct sums *out);
int stats_sums_add(void *self, const struct sums *part, struct err *e);
int stats_sums_open(void *self, const struct sums *part, struct err *e);
int stats_sums_place(void *whole, const void *part, int first, struct err *e);

/* ---- --hidden-in ---- */

/*
 * Sets args from the options in the stream, except the process's own, and makes it the source of
 * texts.  ERR_USAGE: options that differ from the stream's.
 */
int stats_take_options(const struct cmd *cmd, struct stats_args *args, struct stream *stream,
                       const struct env *env, struct err *e);

#endif
