/* SPDX-License-Identifier: MIT
 *
 * stats, in parts:
 *
 *     stats.c           the command
 *     record.c          what it reports of one text
 *     keys.c            the keys of a text that receive most
 *     summary.c         many texts -> the mean of each metric of each head
 *     models.c          the same of several models
 *     sums.c            the same to and from files of sums (task/parts.h)
 *     counts.c          how often tokens occur
 *     types.c           what a head is by the metrics of a text
 *     shown.c           which metrics both show, and the order of the heads */
#ifndef TASK_STATS_H
#define TASK_STATS_H

#include "analysis/apart.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/types.h"
#include "task/layers.h"
#include "task/parts.h"

struct links;
struct top;

struct stats_args {
    struct shared_args shared;
    struct opt_list models;     /* -m; the first is shared.asked.model */
    const char *metric, *sort;
    int top, best;              /* best 0: all heads */
    double entropy_eps;
    int clusters;
    const char *budgets, *stream;       /* NULL: as metric_opts_default */
    int prompt, snap_window;
    bool reverse, links, legend;
    bool summary, reliability;
    int bootstrap;              /* replicates; 0: none */
    struct layers_args layers;
};

/* Texts of one value of --by, or all of them. */
struct stats_group {
    const char *name;           /* NULL: all */
    struct summary *summary;    /* of [heads, metrics] */
    struct apart *apart;        /* of the heads; NULL: nothing compares them */
    int64_t n;                  /* texts */
    int64_t *n_rows;            /* [heads] that see a key */
    double *few;                /* [CONTRAST_FEW, heads, metrics] of the first texts; NULL:
                                   there is no other group */
    struct stats_group *next;
};

struct stats_summary {
    struct arena *kept;         /* of groups, which outlive the texts that they begin with */
    struct arena *a;
    const struct head_id *head; /* [n_heads] as they stand in the model */
    int n_heads, n_metrics;     /* that have a mean; where heads are compared, js comes after
                                   them */
    struct summary_kind kind;
    struct stats_group *groups; /* a list; as they came */
    int n_groups;
    double *value;              /* [heads, metrics] of one text */
    const struct stats_list **js;       /* [heads] the same */
};

struct stats_job {
    struct job job;
    const struct stats_args *args;
    struct metric_choice choice;
    struct metric_choice between;       /* of many texts: what compares heads, not in choice */
    struct metric_set set;      /* what choice names, and js for between */
    int sort;                   /* of enum metric_id; -1: by layer */
    bool causal;                /* heads look back alone: types.h */
    const struct record *head_record;   /* a row of the table */
    const char *const *type;    /* [layers, heads] of --types; NULL: not given */
    bool of_models;             /* of several models, one after the other */
    struct stats_summary *summary;      /* NULL: not asked for */
};

/* ---- one text ---- */

/* What the sinks of a pass found. */
struct stats_found {
    struct stats *stats;
    struct links *links;
    struct top *top;            /* NULL: not asked for */
};

extern const struct record stats_text_record, stats_links_record, stats_head_record;

/* The reports of the texts of the pass. */
int stats_print_texts(struct stats_job *j, struct arena *a, const struct item *items, int n,
                      const struct stats_found *found, struct err *e);

/* --metric received alone, in a table or in TSV: rows are keys, and not heads. */
bool stats_shows_keys(const struct stats_job *j);
/* Those of one text, at most --top, that which receives most first; *of: the text's row. */
struct list *stats_keys(const struct stats_job *j, struct arena *a, const struct item *item,
                        const struct stats *stats, int text, const void **of);
extern const struct record stats_keys_record, stats_key_record;

/* ---- which metrics, and in which order ---- */

extern const char *const stats_sorts[];     /* what --sort takes, then NULL */

/* Which metrics are computed, and the order: --metric, --sort.  ERR_USAGE: unknown names. */
int stats_choose(struct stats_job *j, struct err *e);
/* After the output is planned: the metrics that it has a place for. */
int stats_settle(struct stats_job *j, struct err *e);

/* ---- the order of the heads ---- */

struct stats_rank {
    struct head_id id;
    int place;                  /* among the selected heads, as they stand in the model */
};

/* id[n] in the order that --sort and --reverse say; key[n]: numbers of that metric. */
const struct stats_rank *stats_sort(const struct stats_job *j, struct arena *a,
                                    const struct head_id *id, const double *key, int n);

/* How many of n heads are reported: with --best, the first of them. */
static inline int stats_best(const struct stats_job *j, int n)
{
    return j->args->best > 0 && j->args->best < n ? j->args->best : n;
}

/* r without the metrics that are not computed, and in a table only those for it. */
const struct record *stats_without_metrics(const struct stats_job *j, const struct record *r);

/* ---- types ---- */

/*
 * --types: reads the file, or leaves out its column where there is none. Errors: those of
 * types_file_labels.
 */
int stats_types_open(struct stats_job *j, struct err *e);
/* What the head is by it; NULL: nothing is known. */
const char *stats_type(const struct stats_job *j, struct head_id id);

/* How many texts the values are means of; those that sink_long has a value of. */
struct stats_types_texts {
    int64_t n, n_long;
};

/* One text, with these values. */
struct stats_types_texts stats_types_one(const double *value);

/*
 * Labels of analysis/types.h that hold by value[N_METRIC] of a head, NaN for those that were
 * not computed, over so many rows and texts; no probe has run.
 */
void stats_types_found(const double *value, int64_t n_rows, struct stats_types_texts texts,
                       bool causal, struct types_found *found);
/* Their names. */
struct list stats_types(const struct stats_job *j, struct arena *a, const double *value,
                        int64_t n_rows, struct stats_types_texts texts);

/* ---- --summary ---- */

extern const struct record stats_summary_record;

/* Of these heads[n], and of the metrics chosen. */
void stats_summary_open(struct stats_job *j, const struct head_id *head, int n);
/* ERR_USAGE: too many groups. */
int stats_summary_add(struct stats_job *j, const struct item *item, const struct stats *stats,
                      int text, struct err *e);
/* The group of this name, made where there is none; NULL: ERR_USAGE, too many. */
struct stats_group *stats_group(struct stats_summary *s, const char *name, struct err *e);

/* To r: a row for each group, or its tables, the first of them below a blank line where they
 * follow others.  first: what the first of several models came to; NULL: there is one. */
void stats_summary_report(struct stats_job *j, const struct stats_job *first, struct report *r,
                          bool follows);

/* ---- several models ---- */

/* A summary for each of args->models, in the order in which they are given. */
int stats_models_run(const struct job_kind *kind, const struct parts_kind *parts,
                     const struct stats_args *args, int n_operands, char **operands,
                     const struct env *env, struct err *e);

/* ---- --shard, --resume, merge: functions of task/parts.h ---- */

void stats_sums_describe(void *self, json_t *run, json_t *part);
void stats_sums_put(void *self, struct sums *out);
int stats_sums_add(void *self, const struct sums *part, struct err *e);
int stats_sums_open(void *self, const struct sums *part, struct err *e);
int stats_sums_place(void *whole, const void *part, int first, struct err *e);

/* ---- --hidden-in ---- */

/*
 * args, and the session's texts from here on, as the stream says, but for the process's own
 * options.  ERR_USAGE: other options than the stream's.
 */
int stats_take_options(const struct cmd *c, struct stats_args *args, struct stream *in,
                       const struct env *env, struct err *e);

#endif
