/* SPDX-License-Identifier: MIT
 * Statistics of a head -> fields of a row. */
#include "task/common/metric_fields.h"

#include <math.h>

static void set_field(struct metric_fields *fields, enum metric_id id,
                      const struct stats_list *list)
{
    const struct metric *m = &metric_table[id];

    if (m->kind == METRIC_LIST)
        fields->list[id] = (struct list){ list->v, list->n };
    else if (m->kind == METRIC_WORD && !isnan(fields->value[id]))
        fields->word[id] = m->rule->words[(int)fields->value[id]];
}

void metric_fields(const struct metric_choice *choice, const struct head_stats *head,
                   struct metric_fields *fields)
{
    int n = 0;

    metric_choice_spread(choice, head->value, fields->value);
    for (int i = 0; i < N_METRIC; i++)
        if (choice->wanted[i])
            set_field(fields, (enum metric_id)i, &head->list[n++]);
}

/* ---- of a text ---- */

struct map_row {
    int query;
    struct list weights;
};

static const struct column map_columns[] = {
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = offsetof(struct map_row, query) },
    { "weights", "of each key in order", .kind = COLUMN_REAL, .list = true, .where = IN_JSON,
      .field = offsetof(struct map_row, weights) },
};

const struct record metric_map_record = {
    .help = "a row of a matrix", .size = sizeof(struct map_row), .tuple = true,
    RECORD_COLUMNS(map_columns),
};

static struct list metric_fields_rows_of(struct arena *a, const double *map, int n_queries,
                                         int n_keys)
{
    struct map_row *row = arena_alloc(a, (uint64_t)n_queries, sizeof *row);

    for (int i = 0; i < n_queries; i++)
        row[i] = (struct map_row){ i, { map + (size_t)i * (size_t)n_keys, n_keys } };
    return (struct list){ row, n_queries };
}

void metric_fields_maps(struct arena *a, const struct metric_choice *choice,
                        const struct stats *stats, int text, int n_queries, int n_keys,
                        struct metric_maps *maps)
{
    int n = 0;

    for (int i = 0; i < N_METRIC; i++) {
        const double *map = choice->wanted[i] ? stats_map(stats, text, n++) : NULL;

        maps->map[i] = map != NULL ? metric_fields_rows_of(a, map, n_queries, n_keys) :
                                     (struct list){ NULL, -1 };
    }
}
