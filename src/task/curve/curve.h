/* SPDX-License-Identifier: MIT
 *
 * curve, in parts:
 *
 *     curve.c           the command: one model, or several one after the other
 *     values.c          texts -> a number of each line at each place
 *     picture.c         those as lines
 *     record.c          lines as rows, in TSV and JSON */
#ifndef TASK_CURVE_H
#define TASK_CURVE_H

#include "analysis/stats.h"
#include "analysis/summary.h"
#include "draw/curve.h"
#include "task/format.h"
#include "task/job.h"

enum curve_over { OVER_LAYER, OVER_POSITION, OVER_DISTANCE, OVER_STEP, OVER_MODEL };
enum curve_each { EACH_AUTO, EACH_HEAD, EACH_LAYER, EACH_MEAN };

struct curve_args {
    struct shared_args shared;
    struct opt_list models;     /* -m; the first is shared.asked.model */
    const char *metric;         /* NULL: by over */
    int over, each;             /* enum curve_over, curve_each */
    int bootstrap;              /* replicates; 0: none */
};

/* The numbers of lines at places, over texts. */
struct curve_sums {
    struct arena *a;
    struct summary_kind kind;   /* of [lines] */
    int n;                      /* places so far */
    int room;
    struct summary **at;        /* [n] */
};

/* A model and its texts. */
struct curve_job {
    struct job job;
    const struct curve_args *args;
    enum metric_id metric;
    struct metric_set set;      /* of that metric, or of its rows */
    enum curve_each each;       /* not EACH_AUTO */
    const struct head_id *head; /* [n_heads] */
    int n_heads;
    int *line;                  /* [n_heads] which each is of */
    int n_lines;
    const char **name;          /* [n_lines] */
    struct curve_sums sums;
    struct summary *heads;      /* of [n_heads], for dots; NULL: there are none */
    int64_t n_texts;
    const char *first;          /* the first of them, for the caption */
};

/* ---- values.c ---- */

extern const char *const curve_overs[];         /* by enum curve_over, then NULL */

/* Texts at a place below which it has no interval: one of two texts, by Student's t, is as wide as
 * nine of their distances, and says nothing but that there are two. */
enum { CURVE_LEAST_TEXTS = 5 };

/* The ends of the interval that is shown; they stay as they are where there are too few texts. */
void curve_interval(const struct curve_job *j, const struct summary_estimate *found, double *low,
                    double *high);

/* Which metric, of the rows or of a head.  ERR_USAGE: one that is nothing over this. */
int curve_choose(struct curve_job *j, struct err *e);

/* "L1H3", or what is averaged: records_head_name. */
const char *curve_head_name(const struct curve_job *j, struct arena *a, struct head_id id);

/* After the selection: the lines. */
void curve_open(struct curve_job *j);

/* Adds what was found of a text of the pass, whose arena is a. */
void curve_add(struct curve_job *j, struct arena *a, const struct item *item,
               const struct stats *stats, int text);

/* ---- picture.c ---- */

/* Lines of n jobs, each a model with texts.  ERR_INPUT: with --over model, other heads. */
int curve_draw(struct curve_job *jobs, int n, struct err *e);

/* ---- record.c ---- */

extern const struct record curve_record;

/* The lines as numbers, into the first job's results. */
int curve_write(struct curve_job *jobs, const struct curve *curve, struct err *e);

#endif
