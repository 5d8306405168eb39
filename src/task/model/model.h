/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command model:
 *
 *     model.c           the command
 *     numbers.c         texts -> a number, word or type per head
 *     table.c           a file of tab-separated values -> the same
 *     picture.c         all heads as a board of cells or thumbnails
 *     plane.c           all heads as points in a plane
 *     record.c          their numbers, in TSV and JSON */
#ifndef TASK_MODEL_H
#define TASK_MODEL_H

#include "analysis/apart.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "task/common/job.h"
#include "task/figure/format.h"

struct model_view_args {
    struct shared_args shared;
    const char *metric, *table, *sort;
    bool mds;
};

/* The kind of value by which heads are shown or sorted. */
enum model_view_by { BY_NOTHING, BY_TYPE, BY_METRIC, BY_COLUMN };

struct model_view_key {
    enum model_view_by by;
    const char *name;           /* as given, or the only one of a table */
    int id;                     /* BY_METRIC: enum metric_id */
};

/* A head and its values. */
struct model_view_head {
    int layer, head;
    double shown, sorted;       /* values of the keys metric and sort; NaN: undefined */
    const char *word;           /* value of a key that is a word, or a type; NULL if none */
    const char *type;           /* NULL if unknown */
    double x, y;                /* coordinates by --mds; NaN: undefined */
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
    struct metric_set set;      /* computes the metrics of choice */
    const char *const *type;    /* [layers, heads] types from a file; NULL: no file */
    bool of_mean;               /* one picture shows the means over all texts */
    struct model_view_sums *sums;   /* of these means; else NULL */
    struct arena *kept;         /* memory of sums, which outlives the texts */
    const char *first;          /* the first text, for captions */
    int64_t n_texts;
};

/* ---- numbers.c ---- */

extern const char *const model_view_type;       /* "type", accepted like a metric's name */

/* Sets the keys metric and sort from the options, and the metrics to compute.  ERR_USAGE. */
int model_view_choose(struct model_view_job *job, struct err *e);

/* Whether the picture shows, or sorts by, types of heads; after model_view_choose. */
bool model_view_has_types(const struct model_view_job *job);

/* Empty sums, for one text or many, in arena a. */
struct model_view_sums *model_view_sums_new(struct model_view_job *job, struct arena *a);

/* Adds the results of a text of the pass. */
void model_view_add(struct model_view_job *job, struct model_view_sums *sums,
                    const struct item *item, const struct stats *stats, int text);

/* The means over the texts added, and for --mds the coordinates from the mean distances (js). */
struct model_view_heads model_view_means(const struct model_view_job *job,
                                         const struct model_view_sums *sums, struct arena *a);

/* ---- table.c ---- */

enum { MODEL_TABLE_SIDE = 1024 };       /* layers, and heads of each, of a table */

/*
 * Reads the columns layer and head of a table of tab-separated values, and those named *metric
 * (NULL: the only other column of numbers; *metric is then set to its name) and sort (NULL: not
 * wanted). The first line has the names, or the second, if the first is that of --provenance; an
 * empty field is an undefined number.
 *
 * Errors (ERR_INPUT, with the line): a column that is missing or occurs twice, with those present;
 * missing fields; not a number (found, expected); two lines for one head; no line; no column of
 * numbers.  ERR_USAGE: several such columns, and no metric.
 */
int model_table_read(struct arena *a, struct span bytes, const char **metric, const char *sort,
                     struct model_view_heads *heads, struct err *e);

/* ---- picture.c ---- */

/* Contents of a picture. */
struct model_view_picture {
    const struct model_view_job *j;
    struct model_view_heads heads;
    struct map *const *map;     /* [layers] thumbnails; NULL if there are none */
    const char *of;             /* the text, for the caption: ", “the cat sat”" */
    enum draw_format format;
    const char *path;
    const struct item *item;    /* NULL: several texts, or none */
};

int model_view_draw(const struct model_view_picture *picture, struct arena *a, struct err *e);

/* The beginning of a caption: "mha-viz default, decoder". */
const char *model_view_of(const struct model_view_picture *picture, struct arena *a);

/* ---- plane.c ---- */

/* Draws the heads as points.  ERR_INPUT: the distance of some pair of heads is undefined. */
int model_view_draw_plane(const struct model_view_picture *picture, struct arena *a, struct err *e);

/* ---- record.c ---- */

extern const struct record model_view_record;

/* Writes the values that the picture shows, as rows, to the job's results. */
int model_view_write(struct model_view_job *job, const struct model_view_picture *picture,
                     struct arena *a, struct err *e);

#endif
