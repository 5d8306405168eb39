/* SPDX-License-Identifier: MIT
 * The sums of --summary to and from files: a shard's, and all shards' as one report. */
#include <inttypes.h>
#include <string.h>

#include "analysis/contrast.h"
#include "base/json_field.h"
#include "cmd/stats.h"
#include "nn/nn.h"

/* ---- to a file ---- */

/* Options that change nothing that is summed: where results go, and which model and file these
   are, for which there are hashes. */
static const char *const without[] = {
    "threads", "output", "format", "json", "tsv", "quiet", "verbose", "file", "model", "shard",
    "summary", "resume", NULL
};

static json_t *options(struct arena *a, const struct cmd *c, const struct env *env)
{
    int n;
    const char **word = command_line_words(a, c, env->argc, env->argv, without, &n);
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, json_string(word[i]));
    return list;
}

static json_t *heads(struct arena *a, const struct stats_summary *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->n_heads; i++) {
        json_t *head = json_add(a, list, json_array());

        json_add(a, head, json_string(s->head[i].stack));
        json_add(a, head, json_integer(s->head[i].layer));
        json_add(a, head, json_integer(s->head[i].head));
    }
    return list;
}

static json_t *hex(struct arena *a, uint64_t v)
{
    return json_string(arena_printf(a, "%016" PRIx64, v));
}

json_t *stats_sums_run(const struct stats_job *j)
{
    const struct session *session = &j->job.s;
    struct arena *a = session->a;
    json_t *run = json_hold(a, json_object());

    json_put(a, run, "version", json_string(MHA_VIZ_VERSION));
    json_put(a, run, "kernel", json_string(nn_kernel_name(nn_kernel())));
    json_put(a, run, "command", json_string(j->cmd->name));
    json_put(a, run, "options", options(a, j->cmd, session->env));
    json_put(a, run, "model", json_string(session->name));
    json_put(a, run, "family", j->summary->family != NULL ? json_string(j->summary->family) :
                                                            json_null());
    json_put(a, run, "weights", hex(a, j->summary->hash));
    json_put(a, run, "heads", heads(a, j->summary));
    json_put(a, run, "shards", json_integer(j->shard.n));
    return run;
}

json_t *stats_sums_part(const struct stats_job *j)
{
    struct arena *a = j->job.s.a;
    json_t *part = json_hold(a, json_object()), *groups;

    json_put(a, part, "shard", json_integer(j->shard.k));
    json_put(a, part, "unusable", json_integer(input_count_bad(j->job.in)));
    groups = json_put(a, part, "groups", json_array());
    for (const struct stats_group *g = j->summary->groups; g != NULL; g = g->next) {
        json_t *group = json_add(a, groups, json_array());

        json_add(a, group, g->name != NULL ? json_string(g->name) : json_null());
        json_add(a, group, json_integer(g->n));
    }
    return part;
}

/* Texts of a group whose values are kept. */
static int64_t n_few(const struct stats_group *g)
{
    return g->name == NULL ? 0 : g->n < CONTRAST_FEW ? g->n : CONTRAST_FEW;
}

static uint64_t n_words(const struct stats_summary *s, int64_t few)
{
    return (uint64_t)few * (uint64_t)s->kind.n + summary_n_words(&s->kind);
}

void stats_sums_put(struct stats_job *j, const json_t *run, const json_t *part, FILE *f)
{
    struct stats_summary *s = j->summary;
    struct sums sums = { .run = run, .part = part };
    uint64_t *word;

    for (struct stats_group *g = s->groups; g != NULL; g = g->next)
        sums.n += n_words(s, n_few(g));
    word = arena_alloc(s->a, sums.n, sizeof *word);
    sums.word = word;
    for (struct stats_group *g = s->groups; g != NULL; g = g->next) {
        uint64_t count = (uint64_t)n_few(g) * (uint64_t)s->kind.n;

        if (count > 0)
            memcpy(word, g->few, (size_t)count * sizeof *word);
        summary_put(g->summary, word + count);
        word += n_words(s, n_few(g));
    }
    sums_write(s->a, &sums, f);
}

void stats_sums_write(struct stats_job *j, FILE *f)
{
    struct arena *a = j->job.s.a;
    json_t *run = stats_sums_run(j);

    json_put(a, run, "texts", json_integer(input_count(j->job.in)));
    json_put(a, run, "checksum of the texts", hex(a, input_crc(j->job.in)));
    stats_sums_put(j, run, stats_sums_part(j), f);
}

/* ---- from a file ---- */

/* A group as its part's header has it. */
struct kept {
    const char *name;           /* NULL: all texts */
    int n;                      /* texts */
};

static int read_kept(const struct stats_job *j, const json_t *group, struct kept *out,
                     struct err *e)
{
    const json_t *name = json_array_get(group, 0);

    out->name = json_string_value(name);
    if (json_is_string(name) != (j->args->shared.asked.by != NULL))
        return json_field_wrong("groups", group, j->args->shared.asked.by != NULL ?
                                "a name and a number of texts" : "null and a number of texts", e);
    return json_value_int(json_array_get(group, 1), "groups", 1, INT32_MAX, &out->n, e);
}

static int64_t few_of(const struct kept *k)
{
    return k->name == NULL ? 0 : k->n < CONTRAST_FEW ? k->n : CONTRAST_FEW;
}

/* Fewer are compared one by one only where both groups have fewer in all. */
static void add_few(const struct stats_summary *s, struct stats_group *g, const struct kept *k,
                    const uint64_t *word)
{
    int64_t count = few_of(k), left = CONTRAST_FEW - (g->n < CONTRAST_FEW ? g->n : CONTRAST_FEW);

    if (count > left)
        count = left;
    if (count > 0)
        memcpy(g->few + g->n * s->kind.n, word,
               (size_t)(count * s->kind.n) * sizeof *g->few);
}

static int add_group(struct stats_summary *s, const struct kept *k, const uint64_t *word,
                     struct err *e)
{
    struct stats_group *group = stats_group(s, k->name, e);

    if (group == NULL)
        return -1;
    add_few(s, group, k, word);
    if (!summary_take(group->summary, word + few_of(k) * s->kind.n))
        return err_set(e, ERR_INPUT, "its sums are too large for sums of texts");
    group->n += k->n;
    return 0;
}

static int add_groups(struct stats_job *j, const struct sums *part, const json_t *groups,
                      struct err *e)
{
    struct stats_summary *s = j->summary;
    uint64_t at = 0;

    for (size_t i = 0; i < json_array_size(groups); i++) {
        struct kept kept;
        uint64_t count;

        if (read_kept(j, json_array_get(groups, i), &kept, e) != 0)
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

int stats_sums_add(struct stats_job *j, const struct sums *part, struct err *e)
{
    const json_t *groups;
    int n_bad;

    if (json_field_int(part->part, "unusable", 0, INT32_MAX, &n_bad, e) != 0 ||
        json_field_list(part->part, "groups", &groups, e) != 0 ||
        add_groups(j, part, groups, e) != 0)
        return err_under(e, "%s", part->path);
    j->summary->n_bad += n_bad;
    return 0;
}

/* ---- the command line that the parts have in common ---- */

enum { MOST_HEADS = 1 << 16 };

static int read_options(const struct cmd *c, const struct sums *part, struct arena *a, void *args,
                        struct err *e)
{
    const json_t *list;
    char **argv, **operands;
    int n, n_operands, status;

    if (json_field_list(part->run, "options", &list, e) != 0)
        return -1;
    n = (int)json_array_size(list);
    argv = arena_alloc(a, (uint64_t)n + 2, sizeof *argv);
    argv[0] = arena_strdup(a, c->name);
    for (int i = 0; i < n; i++) {
        const char *word = json_string_value(json_array_get(list, (size_t)i));

        if (word == NULL)
            return json_field_wrong("options", json_array_get(list, (size_t)i), "a string", e);
        argv[i + 1] = arena_strdup(a, word);
    }
    status = opts_parse(c, n + 1, argv, args, &n_operands, &operands, e);
    if (status == 0 && n_operands == 0)
        return 0;
    e->kind = ERR_INPUT;
    return status < 0 ? err_under(e, "options") :
                        json_field_wrong("options", list, "those of a run over texts", e);
}

static int read_head(struct arena *a, const json_t *value, struct head_id *out, struct err *e)
{
    const char *stack = json_string_value(json_array_get(value, 0));

    if (stack == NULL)
        return json_field_wrong("heads", value, "stack, layer and head", e);
    out->stack = arena_strdup(a, stack);
    if (json_value_int(json_array_get(value, 1), "heads", 0, 1 << 20, &out->layer, e) != 0)
        return -1;
    return json_value_int(json_array_get(value, 2), "heads", 0, 1 << 20, &out->head, e);
}

static const struct head_id *read_heads(struct arena *a, const struct sums *part, int *n,
                                        struct err *e)
{
    const json_t *list;
    struct head_id *head;

    if (json_field_list(part->run, "heads", &list, e) != 0)
        return NULL;
    if (json_array_size(list) > MOST_HEADS) {
        err_set(e, ERR_INPUT, "heads: found %zu, expected at most %d", json_array_size(list),
                MOST_HEADS);
        return NULL;
    }
    *n = (int)json_array_size(list);
    head = arena_alloc(a, (uint64_t)*n, sizeof *head);
    for (int i = 0; i < *n; i++)
        if (read_head(a, json_array_get(list, (size_t)i), &head[i], e) != 0)
            return NULL;
    return head;
}

/* Fills the job with what it is at the end of a run. */
static int open_job(struct stats_job *j, const struct sums *part, struct err *e)
{
    struct arena *a = j->job.s.a;
    const struct head_id *head;
    const char *name;
    size_t size;
    int n;

    if (json_field_text(part->run, "model", &name, &size, e) != 0)
        return err_under(e, "%s", part->path);
    j->job.s.name = arena_strdup(a, name);
    if (stats_choose(j, e) != 0 || stats_settle(j, e) != 0) {
        e->kind = ERR_INPUT;
        return err_under(e, "%s", part->path);
    }
    head = read_heads(a, part, &n, e);
    if (head == NULL)
        return err_under(e, "%s", part->path);
    stats_summary_open(j, head, n);
    name = json_string_value(json_object_get(part->run, "family"));
    j->summary->family = name != NULL ? arena_strdup(a, name) : NULL;
    return 0;
}

static int report_parts(struct stats_job *j, const struct sums *part, int n, struct err *e)
{
    if (open_job(j, &part[0], e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (stats_sums_add(j, &part[i], e) != 0)
            return -1;
    if (results_open(&j->job.results, j->job.record, NULL, e) != 0)
        return -1;
    stats_summary_report(j);
    return results_close(&j->job.results, NULL, 0, e);
}

int stats_sums_report(const struct cmd *c, const struct common_args *common,
                      const struct sums *part, int n, const struct env *env, struct err *e)
{
    struct stats_args *args = arena_alloc(env->arena, 1, sizeof *args);
    struct stats_job job = { .job = { .args = args }, .args = args, .cmd = c,
                             .of_many = true };
    struct session *session = &job.job.s;

    *session = (struct session){ .asked = &args->shared.asked, .env = env, .a = env->arena };
    if (output_plan(&job.job.results.output, &common->output, &output_reports, NULL, env->arena,
                    e) != 0)
        return -1;
    if (read_options(c, &part[0], env->arena, args, e) != 0)
        return err_under(e, "%s", part[0].path);
    return report_parts(&job, part, n, e);
}
