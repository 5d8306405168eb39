/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command curve:
 *
 *     curve.c           the command: one model, or several one after the other
 *     values.c          texts -> a number for each line at each point of the axis ("place")
 *     picture.c         the lines as a picture
 *     record.c          the lines as rows, in TSV and JSON */
#ifndef TASK_CURVE_H
#define TASK_CURVE_H

#include "analysis/stats.h"
#include "analysis/summary.h"
#include "draw/figure/curve.h"
#include "task/common/job.h"
#include "task/figure/format.h"

enum curve_over { OVER_LAYER, OVER_POSITION, OVER_DISTANCE, OVER_STEP, OVER_MODEL };
enum curve_each { EACH_AUTO, EACH_HEAD, EACH_LAYER, EACH_MEAN };

struct curve_args {
    struct shared_args shared;
    struct opt_list models;     /* -m; the first is shared.asked.model */
    const char *metric;         /* NULL: the default of over */
    int over, each;             /* enum curve_over, curve_each */
    int bootstrap;              /* replicates; 0: none */
};

/* Sums over texts of the numbers of lines at places. */
struct curve_sums {
    struct arena *a;
    struct summary_kind kind;   /* kind of each summary, of [lines] */
    int n;                      /* number of places so far */
    int room;
    struct summary **at;        /* [n] */
};

/* A model and its texts. */
struct curve_job {
    struct job job;
    const struct curve_args *args;
    enum metric_id metric;
    struct metric_set set;      /* computes that metric, of heads or of rows */
    enum curve_each each;       /* not EACH_AUTO */
    const struct head_id *head; /* [n_heads] */
    int n_heads;
    int *line;                  /* [n_heads] index of each head's line */
    int n_lines;
    const char **name;          /* [n_lines] */
    struct curve_sums sums;
    struct summary *heads;      /* of [n_heads], drawn as dots; NULL: no dots */
    int64_t n_texts;
    const char *first;          /* the first text, for the caption */
};

/* ---- values.c ---- */

extern const char *const curve_overs[];         /* by enum curve_over, then NULL */

/* Fewest texts for an interval: that of two texts, by Student's t, is as wide as nine times their
 * distance, which says nothing but that there are two. */
enum { CURVE_LEAST_TEXTS = 5 };

/* Sets *low, *high to the ends of the interval that is shown; unchanged if the texts are too few.
 * */
void curve_interval(const struct curve_job *job, const struct summary_estimate *found, double *low,
                    double *high);

/* Chooses the metric, of rows or of heads.  ERR_USAGE: it is not defined over this axis. */
int curve_choose(struct curve_job *job, struct err *e);

/* "L1H3", or the name of a mean: records_head_name. */
const char *curve_head_name(const struct curve_job *job, struct arena *a, struct head_id id);

/* Sets up the lines, after the selection of heads. */
void curve_open(struct curve_job *job);

/* Adds the results of a text of the pass, whose arena is a. */
void curve_add(struct curve_job *job, struct arena *a, const struct item *item,
               const struct stats *stats, int text);

/* ---- picture.c ---- */

/* Lines of n jobs, each a model with texts.  ERR_INPUT: with --over model, other heads. */
int curve_draw(struct curve_job *jobs, int n, struct err *e);

/* ---- record.c ---- */

extern const struct record curve_record;

/* The lines as numbers, into the first job's results. */
int curve_write(struct curve_job *jobs, const struct curve *curve, struct err *e);

#endif
