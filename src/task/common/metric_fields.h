/* SPDX-License-Identifier: MIT
 *
 * Metrics of a head as fields of a row, and their columns. */
#ifndef TASK_METRIC_FIELDS_H
#define TASK_METRIC_FIELDS_H

#include "analysis/choice.h"
#include "analysis/stats.h"
#include "report/record.h"

/* Values of all metrics, by enum metric_id; each is in the array of its kind. */
struct metric_fields {
    double value[N_METRIC];         /* NaN: undefined */
    struct list list[N_METRIC];     /* of doubles */
    const char *word[N_METRIC];     /* NULL: undefined */
};

void metric_fields(const struct metric_choice *choice, const struct head_stats *head,
                   struct metric_fields *fields);

#define METRIC_F(f) offsetof(struct metric_fields, f)
#define METRIC_COLUMN_OF(at, name_of, title, measure, about) \
    .name = name_of, .help = about, .unit = measure, .heading = title, .null = NULL_SHOWN, \
    .optional = true, .field = (at)
#define METRIC_COLUMN_NUMBER(at, id, ...) \
    { METRIC_COLUMN_OF((at) + METRIC_F(value) + METRIC_##id * sizeof(double), __VA_ARGS__), \
      .kind = COLUMN_REAL, .format = "%.3f", .where = IN_ALL },
#define METRIC_COLUMN_CLUSTER METRIC_COLUMN_NUMBER
#define METRIC_COLUMN_LIST(at, id, ...) \
    { METRIC_COLUMN_OF((at) + METRIC_F(list) + METRIC_##id * sizeof(struct list), __VA_ARGS__), \
      .kind = COLUMN_REAL, .list = true, .null_items = true, .where = IN_JSON },
#define METRIC_COLUMN_WORD(at, id, ...) \
    { METRIC_COLUMN_OF((at) + METRIC_F(word) + METRIC_##id * sizeof(char *), __VA_ARGS__), \
      .kind = COLUMN_TEXT, .choices = metric_##id##_words, .where = IN_ALL },
#define METRIC_COLUMN_MAP(at, id, ...)  /* METRIC_MAP_COLUMN */
/* The column of a METRIC of metrics.def, of the struct metric_fields at this offset. */
#define METRIC_COLUMN(at, id, called, title, measure, shape, one_axis, group, about) \
    METRIC_COLUMN_##shape(at, id, called, title, measure, about)

/* ---- of a text ---- */

struct metric_maps {
    struct list map[N_METRIC];      /* rows of metric_map_record; n -1: undefined */
};

extern const struct record metric_map_record;

/* Fills *maps from the results of a text with these numbers of tokens. */
void metric_fields_maps(struct arena *a, const struct metric_choice *choice,
                        const struct stats *stats, int text, int n_queries, int n_keys,
                        struct metric_maps *maps);

#define METRIC_MAP_NUMBER(at, id, called, about)
#define METRIC_MAP_LIST(at, id, called, about)
#define METRIC_MAP_WORD(at, id, called, about)
#define METRIC_MAP_CLUSTER(at, id, called, about)
#define METRIC_MAP_MAP(at, id, called, about) \
    { .name = called, .help = about, .kind = COLUMN_RECORD, .list = true, .where = IN_JSON, \
      .null = NULL_SHOWN, .optional = true, .of = &metric_map_record, \
      .field = (at) + METRIC_##id * sizeof(struct list) },
/* The same where it is a map, of the struct metric_maps at this offset; else nothing. */
#define METRIC_MAP_COLUMN(at, id, called, title, measure, shape, one_axis, group, about) \
    METRIC_MAP_##shape(at, id, called, about)

#endif
