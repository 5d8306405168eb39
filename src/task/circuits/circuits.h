/* SPDX-License-Identifier: MIT
 * Private interface of the command circuits: its job and its results. */
#ifndef TASK_CIRCUITS_H
#define TASK_CIRCUITS_H

#include "analysis/circuits.h"
#include "task/common/records.h"

/* Numbers of a head, in the order of circuits_numbers; a pair of heads has the last three, too. */
enum circuits_number {
    CIRCUITS_COPY, CIRCUITS_COPY_FULL, CIRCUITS_COPY_RANK, CIRCUITS_NEGATIVE_COPY,
    CIRCUITS_SUCCESSOR, CIRCUITS_SUCCESSOR_P, CIRCUITS_Q_COMP, CIRCUITS_K_COMP, CIRCUITS_V_COMP,
    N_CIRCUITS_NUMBER
};

enum { N_CIRCUITS_CLASS = 4 };      /* days, months, numbers, letters */

struct circuits_args {
    struct shared_args shared;
    int sample, sort, metric;   /* sort 0: by layer, else 1 + enum circuits_number */
    bool edges, reverse;
};

struct circuits_job {
    const struct circuits_args *args;
    struct session s;
    struct asked asked;         /* the request of s, with a stack */
    struct wanted want;
    struct arena *a;
    struct output output;
    struct circuits_tokens tokens;
    const struct circuits *found;
};

/* ---- classes.c ---- */

/* Chooses tokens: a sample, by --sample and --seed, and those members of each class (days, ...)
 * that are a single token; no classes without a tokeniser that fits the model. */
void circuits_choose(struct circuits_job *job);

/* ---- record.c ---- */

extern const struct record circuits_record, circuits_pairs_record;

/* Number `number` of head h of layer l; a composition score is the largest over earlier heads. */
double circuits_value(const struct circuits_job *job, int l, int h, enum circuits_number number);

/* Writes the report of the heads, or of the pairs, that were selected. */
void circuits_report(const struct circuits_job *job, FILE *file);

#endif
