/* SPDX-License-Identifier: MIT
 * export --tsv and --csv: one row per weight, ordered by layer, head, query and key; keys hidden
 * from a query have no row. */
#ifndef TASK_EXPORT_TABLE_H
#define TASK_EXPORT_TABLE_H

#include "task/common/job.h"

extern const struct record export_table_record;

/* Runs a text and writes its rows, into the job's results.  Errors: of the pass and the output. */
int export_table(struct job *job, struct arena *a, const struct item *item, struct err *e);

/* Bytes that a text takes beside its pass. */
double export_table_keeps(const struct job *job, const struct item *item);

#endif
