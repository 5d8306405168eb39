/* SPDX-License-Identifier: MIT
 * Private interface of the command attribute: its job, and the results of one text. */
#ifndef TASK_ATTRIBUTE_H
#define TASK_ATTRIBUTE_H

#include "analysis/attribution.h"
#include "task/common/answer.h"
#include "task/common/job.h"

struct attribute_args {
    struct shared_args shared;
    struct answer_args answer;
    const char *span;
    int sort;
    bool sources, raw, reverse;
};

enum attribute_sort { ATTRIBUTE_LAYER, ATTRIBUTE_DLA, ATTRIBUTE_SPAN };

struct attribute_job {
    struct job job;
    const struct attribute_args *args;
    enum stack_id stack;        /* stack whose heads are reported; N_STACK: all of m */
    const struct model *m;      /* the model that ends in logits: of a pair, the decoder */
    struct answer answer;
    int span_first, span_last;  /* -1: no span */
    const struct record *record;        /* record of the table's rows */
};

/* Results of one text. */
struct attribute_found {
    const struct attribute_job *j;
    const struct item *item;
    int row;
    struct attribution_target target;
    double capped;              /* target.logit after a soft cap; NaN if the model has no cap */
    const struct attribution *parts;
};

/* ---- target.c ---- */

/*
 * Sets found->target: the logits that are attributed, of [V] before a soft cap; without --answer,
 * the largest and the second.  ERR_INPUT: they are not finite; both are the same token.
 */
int attribute_target(struct attribute_found *found, const float *logits, struct err *e);

/* ---- record.c ---- */

extern const struct record attribute_record;

/* Sets the records of the job, without columns that the options do not ask for. */
void attribute_columns(struct attribute_job *job);

/* Writes the text's results. */
int attribute_write(struct attribute_job *job, struct arena *a, const struct attribute_found *found,
                    struct err *e);

#endif
