/* SPDX-License-Identifier: MIT
 * The sums of --summary -> a part (task/parts/parts.h), and back. */
#include <string.h>

#include "base/json_field.h"
#include "task/ablate/ablate.h"

void ablate_sums_describe(void *self, json_t *run, json_t *part)
{
    const struct ablate_job *j = self;

    (void)part;
    json_put(j->job.s.a, run, "measure", json_string(ablate_measures[j->measure]));
    json_put(j->job.s.a, run, "direct", json_boolean(j->has_direct));
}

void ablate_sums_words(void *self, struct words *words)
{
    struct ablate_job *j = self;

    words_count(words, &j->n_texts);
    words_count(words, &j->n_rows);
    words_count(words, &j->n_partnerless);
    summary_words(words, j->summary);
    summary_words(words, j->rows);
}

static int read_measure(struct ablate_job *job, const struct sums *part, struct err *e)
{
    const json_t *value = json_object_get(part->run, "measure");
    int i = 0;

    while (ablate_measures[i] != NULL &&
           !(json_is_string(value) && strcmp(json_string_value(value), ablate_measures[i]) == 0))
        i++;
    if (ablate_measures[i] == NULL)
        return json_field_wrong("measure", value, "next, masked or hidden", e);
    job->measure = (enum ablate_measure)i;
    return json_field_bool(part->run, "direct", false, &job->has_direct, e);
}

static enum stack_id ablate_sums_stack_of(const struct head_id *id)
{
    int i = 0;

    while (strcmp(id->stack, family_stack_names[i]) != 0)
        i++;
    return (enum stack_id)i;
}

int ablate_sums_open(void *self, const struct sums *part, struct err *e)
{
    struct ablate_job *j = self;

    j->args = j->job.args;
    if (read_measure(j, part, e) != 0)
        return -1;
    j->n_asked = j->n_heads = j->job.n_heads;
    j->head = arena_alloc(j->job.s.a, (uint64_t)j->n_heads, sizeof *j->head);
    for (int i = 0; i < j->n_heads; i++)
        j->head[i] = (struct ablate_head){ ablate_sums_stack_of(&j->job.heads[i]),
                                           j->job.heads[i].layer, j->job.heads[i].head };
    j->n_sets = j->args->together ? 1 + ABLATE_RANDOM : j->n_asked;
    ablate_summary_open(j);
    return 0;
}
