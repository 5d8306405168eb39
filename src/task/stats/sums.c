/* SPDX-License-Identifier: MIT
 * The sums of --summary, group by group -> a part (task/parts/parts.h), and back. */
#include <inttypes.h>
#include <string.h>

#include "analysis/contrast.h"
#include "base/json_field.h"
#include "task/stats/stats.h"

/* ---- to a part ---- */

void stats_sums_describe(void *self, json_t *run, json_t *part)
{
    const struct stats_job *j = self;
    struct arena *a = j->job.s.a;
    json_t *groups = json_put(a, part, "groups", json_array());

    json_put(a, run, "causal", json_boolean(j->causal));
    for (const struct stats_group *g = j->summary->groups; g != NULL; g = g->next) {
        json_t *group = json_add(a, groups, json_array());

        json_add(a, group, json_shown(a, g->name));
        json_add(a, group, json_integer(g->n));
    }
}

/* Texts of a group whose values are kept. */
static int64_t n_few(const struct stats_group *group)
{
    return group->name == NULL ? 0 : group->n < CONTRAST_FEW ? group->n : CONTRAST_FEW;
}

static uint64_t n_words(const struct stats_summary *summary, int64_t few)
{
    return (uint64_t)few * (uint64_t)summary->kind.n + summary_n_words(&summary->kind) +
           (uint64_t)summary->n_heads + (summary->js != NULL ? apart_n_words(summary->n_heads) : 0);
}

/* Those of a group after the values that are kept. */
static void group_words(struct words *words, const struct stats_summary *summary,
                        struct stats_group *group)
{
    summary_words(words, group->summary);
    for (int i = 0; i < summary->n_heads; i++)
        words_count(words, &group->n_rows[i]);
    if (group->apart != NULL)
        apart_words(words, group->apart);
}

void stats_sums_put(void *self, struct sums *out)
{
    struct stats_summary *s = ((struct stats_job *)self)->summary;
    uint64_t *word;

    for (struct stats_group *g = s->groups; g != NULL; g = g->next)
        out->n += n_words(s, n_few(g));
    word = arena_alloc(s->a, out->n, sizeof *word);
    out->word = word;
    for (struct stats_group *g = s->groups; g != NULL; g = g->next) {
        uint64_t count = (uint64_t)n_few(g) * (uint64_t)s->kind.n;
        struct words all = { .to = word + count };

        if (count > 0)
            memcpy(word, g->few, (size_t)count * sizeof *word);
        group_words(&all, s, g);
        word += n_words(s, n_few(g));
    }
}

/* ---- from a part ---- */

/* A group as its part's header has it. */
struct kept {
    const char *name;           /* NULL: all texts */
    int n;                      /* texts */
};

static int read_kept(const struct stats_job *job, const json_t *group, struct kept *out,
                     struct err *e)
{
    const json_t *name = json_array_get(group, 0);

    out->name = json_string_value(name);
    if (json_is_string(name) != (job->args->shared.asked.by != NULL))
        return json_field_wrong("groups", group, job->args->shared.asked.by != NULL ?
                                "a name and a number of texts" : "null and a number of texts", e);
    return json_value_int(json_array_get(group, 1), "groups", 1, INT32_MAX, &out->n, e);
}

static int64_t few_of(const struct kept *k)
{
    return k->name == NULL ? 0 : k->n < CONTRAST_FEW ? k->n : CONTRAST_FEW;
}

/* Fewer are compared one by one only where both groups have fewer in all. */
static void add_few(const struct stats_summary *summary, struct stats_group *group,
                    const struct kept *k, const uint64_t *word)
{
    int64_t count = few_of(k),
            left = CONTRAST_FEW - (group->n < CONTRAST_FEW ? group->n : CONTRAST_FEW);

    if (count > left)
        count = left;
    if (count > 0)
        memcpy(group->few + group->n * summary->kind.n, word,
               (size_t)(count * summary->kind.n) * sizeof *group->few);
}

static int add_group(struct stats_summary *summary, const struct kept *k, const uint64_t *word,
                     struct err *e)
{
    struct stats_group *group = stats_group(summary, k->name, e);
    struct words all = { .from = word + few_of(k) * summary->kind.n };

    if (group == NULL)
        return -1;
    add_few(summary, group, k, word);
    group_words(&all, summary, group);
    if (all.impossible)
        return err_set(e, ERR_INPUT, "its sums are too large for sums of texts");
    group->n += k->n;
    return 0;
}

static int add_groups(struct stats_job *job, const struct sums *part, const json_t *groups,
                      struct err *e)
{
    struct stats_summary *s = job->summary;
    uint64_t at = 0;

    for (size_t i = 0; i < json_array_size(groups); i++) {
        struct kept kept;
        uint64_t count;

        if (read_kept(job, json_array_get(groups, i), &kept, e) != 0)
            return -1;
        count = n_words(s, few_of(&kept));
        if (count > part->n - at)
            break;
        if (add_group(s, &kept, part->word + at, e) != 0)
            return -1;
        at += count;
    }
    if (at == part->n)
        return 0;
    return err_set(e, ERR_INPUT, "has %" PRIu64 " numbers, expected as many as its %zu groups of "
                   "%d heads and %d metrics take", part->n, json_array_size(groups), s->n_heads,
                   s->n_metrics);
}

int stats_sums_add(void *self, const struct sums *part, struct err *e)
{
    const json_t *groups;

    return json_field_list(part->part, "groups", &groups, e) != 0 ? -1 :
           add_groups(self, part, groups, e);
}

/* ---- merge ---- */

/* What is kept of the texts of a group, by head. */
static void place_few(const struct stats_summary *to, struct stats_group *group,
                      const struct stats_summary *from, const struct stats_group *part, int first)
{
    for (int64_t text = 0; text < n_few(part); text++)
        memcpy(group->few + text * to->kind.n + first * to->n_metrics,
               part->few + text * from->kind.n, (size_t)from->kind.n * sizeof *group->few);
}

static int place_group(struct stats_summary *to, const struct stats_summary *from,
                       const struct stats_group *part, int first, struct err *e)
{
    struct stats_group *g = stats_group(to, part->name, e);

    if (g == NULL)
        return -1;
    if (first == 0)
        g->n = part->n;
    if (g->n != part->n)
        return err_set(e, ERR_INPUT, "has %" PRId64 " texts%s%s, expected %" PRId64 ", as other "
                       "layers have", part->n, part->name != NULL ? " of " : "",
                       part->name != NULL ? part->name : "", g->n);
    place_few(to, g, from, part, first);
    summary_place(g->summary, first * to->n_metrics, part->summary);
    memcpy(g->n_rows + first, part->n_rows, (size_t)from->n_heads * sizeof *g->n_rows);
    return 0;
}

int stats_sums_place(void *whole, const void *part, int first, struct err *e)
{
    struct stats_summary *to = ((struct stats_job *)whole)->summary;
    const struct stats_summary *from = ((const struct stats_job *)part)->summary;

    for (const struct stats_group *g = from->groups; g != NULL; g = g->next)
        if (place_group(to, from, g, first, e) != 0)
            return -1;
    return from->n_groups == to->n_groups ? 0 :
           err_set(e, ERR_INPUT, "has texts of %d groups, expected %d, as other layers have",
                   from->n_groups, to->n_groups);
}

int stats_sums_open(void *self, const struct sums *part, struct err *e)
{
    struct stats_job *j = self;

    j->args = j->job.args;
    if (json_field_bool(part->run, "causal", false, &j->causal, e) != 0 ||
        stats_choose(j, e) != 0 || stats_settle(j, e) != 0)
        return -1;
    stats_summary_open(j, j->job.heads, j->job.n_heads);
    return 0;
}
