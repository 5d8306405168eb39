/* SPDX-License-Identifier: MIT
 * What analysis found of a head -> fields of a row. */
#include "cmd/metric_fields.h"

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

void metric_fields(const struct metric_choice *c, const struct head_stats *head,
                   struct metric_fields *fields)
{
    int n = 0;

    metric_choice_spread(c, head->value, fields->value);
    for (int i = 0; i < N_METRIC; i++)
        if (c->wanted[i])
            set_field(fields, (enum metric_id)i, &head->list[n++]);
}
