/* SPDX-License-Identifier: MIT
 * What the files of neuron share: which head is shown, and what came of one text. */
#ifndef CMD_NEURON_H
#define CMD_NEURON_H

#include "run/neuron.h"
#include "cmd/job.h"
#include "session/place.h"

struct neuron_args {
    struct shared_args shared;
    const char *at;             /* NULL: the last token */
    bool dims;
};

struct neuron_job {
    struct job job;
    const struct neuron_args *args;
    struct place at;
    int layer, head;
    bool has[N_NEURON_PART];    /* parts that scores may have */
    const struct record *record;        /* of a row of the table */
};

/* ---- neuron_record.c ---- */

extern const struct record neuron_record;

/* Sets the records of the job: without columns that were not asked for, or cannot be. */
void neuron_columns(struct neuron_job *j);

/* Writes the text's results. */
int neuron_write(struct neuron_job *j, struct arena *a, const struct item *item,
                 const struct neuron *n, struct err *e);

#endif
