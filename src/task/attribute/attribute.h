/* SPDX-License-Identifier: MIT
 * What the files of attribute share: what was asked, and what came of one text. */
#ifndef TASK_ATTRIBUTE_H
#define TASK_ATTRIBUTE_H

#include "analysis/attribution.h"
#include "task/answer.h"
#include "task/job.h"

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
    enum stack_id stack;        /* whose heads are reported; N_STACK: all of m */
    const struct model *m;      /* that ends in logits */
    struct answer answer;
    int span_first, span_last;  /* -1: no span */
    const struct record *record;        /* of a row of the table */
};

/* One text. */
struct attribute_found {
    const struct attribute_job *j;
    const struct item *item;
    int row;
    struct attribution_target target;
    double capped;              /* what target.logit is after a soft cap; NaN: there is none */
    const struct attribution *parts;
};

/* ---- target.c ---- */

/*
 * What is attributed, of logits [V] before a soft cap: the first and the second of them where
 * no answer is asked for.  ERR_INPUT: they are not finite; both are one token.
 */
int attribute_target(struct attribute_found *f, const float *logits, struct err *e);

/* ---- record.c ---- */

extern const struct record attribute_record;

/* Sets the records of the job: without columns that were not asked for. */
void attribute_columns(struct attribute_job *j);

/* Writes the text's results. */
int attribute_write(struct attribute_job *j, struct arena *a, const struct attribute_found *f,
                    struct err *e);

#endif
