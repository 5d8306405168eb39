/* SPDX-License-Identifier: MIT
 *
 * model, in parts:
 *
 *     model.c           the command
 *     numbers.c         texts -> what is known of each head
 *     table.c           a file of tab-separated values -> the same
 *     picture.c         all heads as a board
 *     plane.c           all heads as points
 *     record.c          their numbers, in TSV and JSON */
#ifndef TASK_MODEL_H
#define TASK_MODEL_H

#include "analysis/apart.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "task/format.h"
#include "task/job.h"

struct model_view_args {
    struct shared_args shared;
    const char *metric, *table, *sort;
    bool mds;
};

/* What a head is shown or sorted by. */
enum model_view_by { BY_NOTHING, BY_TYPE, BY_METRIC, BY_COLUMN };

struct model_view_key {
    enum model_view_by by;
    const char *name;           /* as given, or the only one of a table */
    int id;                     /* of BY_METRIC: enum metric_id */
};

/* A head, and what is known of it. */
struct model_view_head {
    int layer, head;
    double shown, sorted;       /* of metric and sort; NaN: undefined */
    const char *word;           /* of a metric that is a word, or a type; NULL: none */
    const char *type;           /* NULL: none is known */
    double x, y;                /* of mds; NaN: undefined */
};

struct model_view_heads {
    int n;
    struct model_view_head *head;   /* [n] layer by layer */
};

struct model_view_job {
    struct job job;
    const struct model_view_args *args;
    struct model_view_key metric, sort;
    struct metric_choice choice;
    struct metric_set set;      /* what choice names */
    const char *const *type;    /* [layers, heads] of a file; NULL: there is none */
    bool of_mean;               /* numbers of all texts go into one picture */
    struct model_view_sums *sums;   /* NULL: there are none */
    struct arena *kept;         /* of sums, and of what outlives the texts */
    const char *first;          /* for captions, the first of these texts */
    int64_t n_texts;
};

/* ---- numbers.c ---- */

extern const char *const model_view_type;       /* "type", beside the names of metrics */

/* Metric and sort as they were asked for, and the metrics that they need.  ERR_USAGE. */
int model_view_choose(struct model_view_job *j, struct err *e);

/* Whether the picture shows, or sorts by, what heads are; after model_view_choose. */
bool model_view_has_types(const struct model_view_job *j);

/* For the numbers of one text, or of many; of a. */
struct model_view_sums *model_view_sums_new(struct model_view_job *j, struct arena *a);

/* Adds what was found of a text of the pass. */
void model_view_add(struct model_view_job *j, struct model_view_sums *sums,
                    const struct item *item, const struct stats *stats, int text);

/* The means over the texts that were added, and of --mds the places by the mean of js. */
struct model_view_heads model_view_means(const struct model_view_job *j,
                                         const struct model_view_sums *sums, struct arena *a);

/* ---- table.c ---- */

enum { MODEL_TABLE_SIDE = 1024 };       /* layers, and heads of each, of a table */

/*
 * The columns layer and head of tab-separated values, and those of *metric (NULL: the only other
 * column of numbers; *metric is then its name) and sort (NULL: not wanted).  The first line has
 * their names, or the second, below what --provenance writes; an empty field is a number that is
 * undefined.
 *
 * Errors (ERR_INPUT, with the line): a column that is not there or is there twice, with those
 * that are; fields that are missing; what is not a number (found, expected); a head that two
 * lines have; no line; no column of numbers.  ERR_USAGE: several of them, and no metric.
 */
int model_table_read(struct arena *a, struct span bytes, const char **metric, const char *sort,
                     struct model_view_heads *heads, struct err *e);

/* ---- picture.c ---- */

/* What a picture is of. */
struct model_view_picture {
    const struct model_view_job *j;
    struct model_view_heads heads;
    struct map *const *map;     /* [layers] of thumbnails; NULL: there are none */
    const char *of;             /* for the caption: ", “the cat sat”" */
    enum draw_format format;
    const char *path;
    const struct item *item;    /* NULL: several texts, or none */
};

int model_view_draw(const struct model_view_picture *p, struct arena *a, struct err *e);

/* For a caption, before what is shown: "mha-viz default, decoder". */
const char *model_view_of(const struct model_view_picture *p, struct arena *a);

/* ---- plane.c ---- */

/* The same heads by their places.  ERR_INPUT: the text says nothing of some pair of them. */
int model_view_draw_plane(const struct model_view_picture *p, struct arena *a, struct err *e);

/* ---- record.c ---- */

extern const struct record model_view_record;

/* What the picture shows of each head, as numbers, into the job's results. */
int model_view_write(struct model_view_job *j, const struct model_view_picture *p,
                     struct arena *a, struct err *e);

#endif
