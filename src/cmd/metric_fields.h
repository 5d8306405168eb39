/* SPDX-License-Identifier: MIT
 *
 * The metrics of a head as fields of a row, and their columns. */
#ifndef CMD_METRIC_FIELDS_H
#define CMD_METRIC_FIELDS_H

#include "analysis/choice.h"
#include "analysis/stats.h"
#include "report/record.h"

/* By enum metric_id; each metric is in the array of its kind. */
struct metric_fields {
    double value[N_METRIC];         /* NaN: undefined */
    struct list list[N_METRIC];     /* of doubles */
    const char *word[N_METRIC];     /* NULL: undefined */
};

void metric_fields(const struct metric_choice *c, const struct head_stats *head,
                   struct metric_fields *fields);

#define METRIC_F(f) offsetof(struct metric_fields, f)
#define METRIC_COLUMN_NUMBER(at, id) \
    .kind = COLUMN_REAL, .format = "%.3f", .where = IN_ALL, \
    .field = (at) + METRIC_F(value) + METRIC_##id * sizeof(double)
#define METRIC_COLUMN_LIST(at, id) \
    .kind = COLUMN_REAL, .list = true, .null_items = true, .where = IN_JSON, \
    .field = (at) + METRIC_F(list) + METRIC_##id * sizeof(struct list)
#define METRIC_COLUMN_WORD(at, id) \
    .kind = COLUMN_TEXT, .choices = metric_##id##_words, .where = IN_ALL, \
    .field = (at) + METRIC_F(word) + METRIC_##id * sizeof(char *)
/* The column of a METRIC of metrics.def, of the struct metric_fields at this offset. */
#define METRIC_COLUMN(at, id, called, title, measure, shape, one_axis, group, about) \
    { .name = called, .help = about, .unit = measure, .heading = title, \
      .null = NULL_SHOWN, .optional = true, METRIC_COLUMN_##shape(at, id) },

#endif
