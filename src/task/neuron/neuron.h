/* SPDX-License-Identifier: MIT
 * Private interface of the command neuron: its job.
 *
 *     neuron.c          options, the pass
 *     record.c          tables and rows
 *     picture.c         pictures */
#ifndef TASK_NEURON_H
#define TASK_NEURON_H

#include "run/neuron.h"
#include "session/shown/place.h"
#include "task/common/job.h"
#include "task/figure/format.h"

struct neuron_args {
    struct shared_args shared;
    const char *from;           /* NULL: the last token */
    bool dims;
};

struct neuron_job {
    struct job job;
    const struct neuron_args *args;
    struct place at;
    int layer, head;
    bool has[N_NEURON_PART];    /* terms that scores may have */
    bool drawn;                 /* an earlier text was drawn */
    const struct record *record;        /* record of the table's rows */
};

/* ---- record.c ---- */

extern const struct record neuron_record;

/* Sets the records of the job, without columns that are not asked for, or do not apply. */
void neuron_columns(struct neuron_job *job);

/* Writes the text's results. */
int neuron_write(struct neuron_job *job, struct arena *a, const struct item *item,
                 const struct neuron *neuron, struct err *e);

/* The line above the table: "L1H1: cat(2) looks at 3 keys; scaled = 0.25 q.k" */
const char *neuron_lead(const struct neuron_job *job, struct arena *a, const struct item *item,
                        const struct neuron *neuron);

/* ---- picture.c ---- */

/* ERR_USAGE: it does not fit. */
int neuron_draw(const struct neuron_job *job, struct arena *a, const struct item *item,
                const struct neuron *neuron, const char *path, struct err *e);

#endif
