/* SPDX-License-Identifier: MIT
 * Parts of a run, of texts or of layers -> one report. */
#include "task/parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_field.h"
#include "session/shown/average.h"
#include "task/common/provenance.h"

enum { MOST_HEADS = 1 << 16, MOST_LAYERS = 1 << 20 };

/* ---- its model ---- */

static enum stack_id parts_report_stack_of(const char *name)
{
    int i = 0;

    while (i < N_STACK && (name == NULL || strcmp(name, family_stack_names[i]) != 0))
        i++;
    return (enum stack_id)i;
}

static int parts_report_read_head(const struct session *session, const json_t *value,
                                  struct head_id *out, struct err *e)
{
    enum stack_id stack = parts_report_stack_of(json_string_value(json_array_get(value, 0)));

    if (stack == N_STACK)
        return json_field_wrong("heads", value, "stack, layer and head", e);
    out->stack = family_stack_names[stack];
    if (json_value_int(json_array_get(value, 1), "heads", 0, session->n_layers - 1, &out->layer,
                       e) != 0)
        return -1;
    return json_value_int(json_array_get(value, 2), "heads", 0, session->n_heads - 1, &out->head,
                          e);
}

static int read_heads(struct job *job, const struct sums *part, struct err *e)
{
    const json_t *list;
    struct head_id *head;

    if (json_field_list(part->run, "heads", &list, e) != 0)
        return -1;
    if (json_array_size(list) > MOST_HEADS)
        return err_set(e, ERR_INPUT, "heads: found %zu, expected at most %d",
                       json_array_size(list), MOST_HEADS);
    job->n_heads = (int)json_array_size(list);
    head = arena_alloc(job->s.a, (uint64_t)job->n_heads, sizeof *head);
    for (int i = 0; i < job->n_heads; i++)
        if (parts_report_read_head(&job->s, json_array_get(list, (size_t)i), &head[i], e) != 0)
            return -1;
    job->heads = head;
    return 0;
}

/* Its heads alone are wanted. */
static void want_heads(struct job *job)
{
    const struct session *s = &job->s;
    bool *layer = arena_alloc(s->a, (uint64_t)s->n_layers, sizeof *layer);
    bool *head = arena_alloc(s->a, (uint64_t)s->n_layers * (uint64_t)s->n_heads, sizeof *head);

    for (int i = 0; i < job->n_heads; i++) {
        layer[job->heads[i].layer] = true;
        head[job->heads[i].layer * s->n_heads + job->heads[i].head] = true;
    }
    job->want = (struct wanted){ .layer = layer, .head = head, .head_stride = s->n_heads };
}

/* Of commands that say them. */
static int read_weights(struct job *job, const struct sums *part, struct err *e)
{
    const char *text;
    size_t n;

    if (json_object_get(part->run, parts_weights_key) == NULL)
        return 0;
    if (json_field_text(part->run, parts_weights_key, &text, &n, e) != 0)
        return -1;
    job->weights = arena_strndup(job->s.a, text, n);
    return 0;
}

/* Of the model no more is known than what reports say of it. */
static int parts_report_open_model(struct job *job, const struct sums *part, struct err *e)
{
    struct session *s = &job->s;
    const char *family = json_string_value(json_object_get(part->run, "family"));
    struct model *m = arena_alloc(s->a, 1, sizeof *m);
    struct family *f = arena_alloc(s->a, 1, sizeof *f);
    const char *name;
    size_t size;

    if (json_field_text(part->run, "model", &name, &size, e) != 0 ||
        json_field_int(part->run, "layers", 0, MOST_LAYERS, &s->n_layers, e) != 0 ||
        json_field_int(part->run, "heads of a layer", 0, MOST_HEADS, &s->n_heads, e) != 0 ||
        read_weights(job, part, e) != 0)
        return -1;
    if ((int64_t)s->n_layers * s->n_heads > MOST_HEADS)
        return err_set(e, ERR_INPUT, "layers: found %d of %d heads each, expected at most %d in "
                       "all", s->n_layers, s->n_heads, MOST_HEADS);
    if (read_heads(job, part, e) != 0)
        return -1;
    s->name = arena_strdup(s->a, name);
    *f = (struct family){ .name = family != NULL ? arena_strdup(s->a, family) : NULL };
    *m = (struct model){ .name = s->name, .family = f };
    m->config.n_layers = s->n_layers;
    m->config.n_heads = s->n_heads;
    s->model = s->shown = m;
    s->stack = parts_report_stack_of(job->n_heads > 0 ? job->heads[0].stack : NULL);
    want_heads(job);
    return average_of_parts(s, e);
}

/* ---- merge ---- */

static int open_job(struct job *job, const struct sums *part, struct err *e)
{
    if (parts_report_open_model(job, part, e) == 0 && job->parts->open(job, part, e) == 0)
        return 0;
    if (e->kind == ERR_USAGE)
        e->kind = ERR_INPUT;
    return err_under(e, "%s", part->path);
}

/* Of the run is said what the first part that knows it says.  a: of what is read again. */
static int parts_report_add_part(struct job *job, const struct sums *part, struct arena *a,
                                 struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    struct sums again = *part;
    int status = part->run == NULL ? sums_read_again(a, part, &again, e) : 0;

    if (status == 0)
        status = parts_add(job, &again, e);
    if (status == 0 && job->results.run == NULL)
        status = provenance_read(job, &again, "", e);
    arena_reset(a, mark);
    return status;
}

static int report_parts(struct job *job, const struct sums *first, const struct sums *part, int n,
                        struct err *e)
{
    struct arena *again = arena_child(job->s.a);

    if (open_job(job, first, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (parts_report_add_part(job, &part[i], again, e) != 0)
            return -1;
    if (results_open(&job->results, job->record, NULL, e) != 0)
        return -1;
    job->parts->report(job);
    return results_close(&job->results, NULL, 0, e);
}

/* ---- merge of layers ---- */

static bool parts_report_is_of_layers(const struct sums *part)
{
    return json_object_get(part->part, "first layer") != NULL;
}

/* The layers that a process had: first to end - 1. */
struct ran {
    int first, end;
};

static int read_ran(const struct sums *part, struct ran *out, struct err *e)
{
    int n;

    if (json_field_int(part->run, "layers", 1, MOST_LAYERS, &n, e) != 0 ||
        json_field_int(part->part, "first layer", 0, n - 1, &out->first, e) != 0 ||
        json_field_int(part->part, "layers end", out->first + 1, n, &out->end, e) != 0)
        return err_under(e, "%s", part->path);
    return 0;
}

static int by_layer(const void *x, const void *y)
{
    struct ran first = { 0, 0 }, second = { 0, 0 };
    struct err e;

    read_ran(x, &first, &e);
    read_ran(y, &second, &e);
    return (first.first > second.first) - (first.first < second.first);
}

static int missing(int first, int end, struct err *e)
{
    if (end == first + 1)
        return err_set(e, ERR_INPUT, "the part of layer %d is missing", first);
    return err_set(e, ERR_INPUT, "the part of layers %d to %d is missing", first, end - 1);
}

/* Each layer was in one of the processes. */
static int parts_report_check_layers(const struct sums *part, int n, struct err *e)
{
    int at = 0, n_layers;
    struct ran ran;

    for (int i = 0; i < n; i++, at = ran.end) {
        if (read_ran(&part[i], &ran, e) != 0)
            return -1;
        if (ran.first > at)
            return missing(at, ran.first, e);
        if (ran.first < at)
            return err_set(e, ERR_INPUT, "%s: has layers %d to %d, of which %s has some: expected "
                           "each once", part[i].path, ran.first, ran.end - 1, part[i - 1].path);
    }
    if (json_field_int(part[0].run, "layers", at, MOST_LAYERS, &n_layers, e) != 0)
        return err_under(e, "%s", part[0].path);
    return at == n_layers ? 0 : missing(at, n_layers, e);
}

/* The part, as if its run were of these heads alone. */
static struct sums with_heads(struct arena *a, const struct sums *part, const json_t *heads)
{
    struct sums with = *part;
    json_t *run = json_hold(a, json_object());

    json_put_all(a, run, part->run);
    json_put(a, run, "heads", json_deep_copy(heads));
    with.run = run;
    return with;
}

/* Their heads, one part's after another's. */
static int all_heads(struct arena *a, const struct sums *part, int n, const json_t **out,
                     struct err *e)
{
    json_t *all = json_hold(a, json_array());

    *out = all;
    for (int i = 0; i < n; i++) {
        const json_t *list;

        if (json_field_list(part[i].part, "heads", &list, e) != 0)
            return err_under(e, "%s", part[i].path);
        for (size_t k = 0; k < json_array_size(list); k++)
            json_add(a, all, json_deep_copy(json_array_get(list, k)));
    }
    return 0;
}

static int parts_report_check_heads(const struct job *job, const struct sums *part, struct err *e)
{
    struct ran ran;

    if (read_ran(part, &ran, e) != 0)
        return -1;
    for (int i = 0; i < job->n_heads; i++)
        if (job->heads[i].layer < ran.first || job->heads[i].layer >= ran.end)
            return err_set(e, ERR_INPUT, "%s: heads: found one of layer %d, expected layers %d to "
                           "%d", part->path, job->heads[i].layer, ran.first, ran.end - 1);
    return 0;
}

/* What one process summed, by itself: *heads of the whole are its. */
static int place_part(struct job *whole, const struct sums *part, int *n_heads, struct err *e)
{
    struct job *j = arena_alloc(whole->s.a, 1, whole->parts->job_size);
    const json_t *list;
    struct sums own;

    *j = (struct job){ .args = whole->args, .parts = whole->parts, .of_many = true };
    j->s = (struct session){ .asked = whole->s.asked, .env = whole->s.env, .a = whole->s.a };
    j->results.output = whole->results.output;
    if (json_field_list(part->part, "heads", &list, e) != 0)
        return err_under(e, "%s", part->path);
    if (list == NULL) {
        json_field_wrong("heads", NULL, "a list", e);
        return err_under(e, "%s", part->path);
    }
    own = with_heads(j->s.a, part, list);
    if (open_job(j, &own, e) != 0 || parts_report_check_heads(j, part, e) != 0 ||
        parts_add(j, &own, e) != 0)
        return -1;
    if (whole->parts->place(whole, j, *n_heads, e) != 0)
        return err_under(e, "%s", part->path);
    *n_heads += j->n_heads;
    whole->n_bad = j->n_bad;
    return 0;
}

/* The heads that one run would have been asked for, " -H L0H1,L1H0"; "": all, without asking. */
static const char *heads_option(const struct job *job, const struct sums *part, int n)
{
    enum { MOST_OF_HEAD = sizeof " -H L1048575H65535" };
    bool all = true;
    char *text, *end;

    for (int i = 0; i < n; i++)
        all &= json_is_true(json_object_get(part[i].part, "all heads"));
    if (all)
        return "";
    text = arena_alloc(job->s.a, (uint64_t)job->n_heads + 1, MOST_OF_HEAD);
    end = text;
    for (int i = 0; i < job->n_heads; i++)
        end += snprintf(end, MOST_OF_HEAD, "%sL%dH%d", i == 0 ? " -H " : ",", job->heads[i].layer,
                        job->heads[i].head);
    return text;
}

static int report_layers(struct job *job, const struct sums *part, int n, struct err *e)
{
    struct arena *a = job->s.a;
    struct sums *sorted = arena_alloc(a, (uint64_t)n, sizeof *sorted), whole;
    const json_t *heads;
    int n_heads = 0;

    if (job->parts->place == NULL)
        return err_set(e, ERR_INPUT, "%s: is of some of the layers, of which %s has no parts",
                       part[0].path, job->parts->cmd->name);
    memcpy(sorted, part, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_layer);
    if (parts_report_check_layers(sorted, n, e) != 0 || all_heads(a, sorted, n, &heads, e) != 0)
        return -1;
    whole = with_heads(a, &sorted[0], heads);
    if (open_job(job, &whole, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (place_part(job, &sorted[i], &n_heads, e) != 0)
            return -1;
    if (provenance_read(job, sorted, heads_option(job, sorted, n), e) != 0 ||
        results_open(&job->results, job->record, NULL, e) != 0)
        return -1;
    job->parts->report(job);
    return results_close(&job->results, NULL, 0, e);
}

int parts_report(const struct parts_kind *kind, const struct common_args *common,
                 const struct sums *first, const struct sums *part, int n, const struct env *env,
                 struct err *e)
{
    struct arena *a = env->arena;
    struct shared_args *args = arena_alloc(a, 1, kind->cmd->args_size);
    struct job *j = arena_alloc(a, 1, kind->job_size);

    *j = (struct job){ .args = args, .parts = kind, .of_many = true };
    j->s = (struct session){ .asked = &args->asked, .env = env, .a = a };
    if (output_plan(&j->results.output, &common->output, &output_reports, NULL, a, e) != 0)
        return -1;
    if (parts_read_options(kind->cmd, first->run, a, args, e) != 0)
        return err_under(e, "%s", first->path);
    return parts_report_is_of_layers(first) ? report_layers(j, part, n, e) :
                                              report_parts(j, first, part, n, e);
}
