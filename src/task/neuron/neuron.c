/* SPDX-License-Identifier: MIT
 * neuron: one head and one query, from q and k to the softmax. */
#include "task/neuron/neuron.h"

#define F(f) offsetof(struct neuron_args, f)
static const struct opt opts[] = {
    STRING(0, "from", "POS", F(from),
           "the token that looks: a position from 0 or the end (-1), a word, or word#2; by "
           "default the last"),
    FLAG(0, "dims", F(dims), "report a row for each key and dimension: q, k, q x k"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_all.group, &sheet_group, &model_group, &layer_group, &rows_group, &seed_group,
    &qkv_group,
    &text_group, &select_group, &generate_group, &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz neuron 'the cat saw the dog and the cat'",
    "mha-viz neuron -H L2H0 --from dog 'the cat saw the dog and the cat'",
    "mha-viz neuron -H L2H0 --from 2 --dims --tsv 'the cat saw the dog'",
    "mha-viz neuron -H L2H0 --from dog -o neuron.svg 'the cat saw the dog'",
    NULL
};

/* ---- before the texts ---- */

static int neuron_check(void *self, struct err *e)
{
    struct neuron_job *j = self;

    if (figure_check_page(&j->args->shared.figure, e) != 0)
        return -1;
    return j->args->from != NULL ? place_parse(&j->at, "--from", j->args->from, e) : 0;
}

/* -l and -H, or the layer that heatmap shows, and its first head. */
static int choose_head(struct neuron_job *job, struct err *e)
{
    const struct session *s = &job->job.s;
    bool any_layer = s->asked->layer != NULL || session_names_heads(s->asked);
    int count = 0;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);) {
        if ((!any_layer && l != session_default_layer(s)) || (s->asked->head == NULL && h > 0))
            continue;
        job->layer = l;
        job->head = h;
        count++;
    }
    return count == 1 ? 0 :
           err_set(e, ERR_USAGE, "%d heads are selected, expected one: -H L4H1, or -l 4 -H 1",
                   count);
}

/* Rows of this head alone. */
static void want_head(struct neuron_job *job)
{
    struct arena *a = job->job.s.a;
    bool *layer = arena_alloc(a, (size_t)job->job.s.n_layers, sizeof *layer);
    bool *head = arena_alloc(a, (size_t)job->job.s.n_heads, sizeof *head);

    layer[job->layer] = head[job->head] = true;
    job->job.want.layer = layer;
    job->job.want.head = head;
    job->job.want.head_stride = 0;
}

static int neuron_prepare(void *self, struct err *e)
{
    struct neuron_job *j = self;
    const struct asked *asked = j->job.s.asked;

    if (choose_head(j, e) != 0)
        return -1;
    want_head(j);
    neuron_parts(j->has, j->job.s.shown, j->layer, j->job.s.stack,
                 asked->mask != NULL || asked->memory_mask != NULL);
    neuron_columns(j);
    return 0;
}

/* ---- one text ---- */

/* NULL: an error. */
static const struct neuron *neuron_find(struct neuron_job *job, struct arena *a,
                                        const struct item *item, struct err *e)
{
    const struct session *s = &job->job.s;
    int row = session_queries(s, item)->n - 1;
    struct wanted want = job->job.want;
    struct neuron *n;
    struct tap tap;
    struct sink sink;

    if (job->args->from != NULL && (row = place_query(&job->at, "--from", s, item, e)) < 0)
        return NULL;
    n = neuron_new(a, s->shown, s->stack, job->layer, job->head, row, session_keys(s, item)->n);
    tap = neuron_tap(n);
    sink = neuron_sink(n);
    want.tap = &tap;
    job_pack(&job->job, a, item, 1);
    return session_forward(s, &job->job.texts, &want, &sink, 1, a, e) == 0 ? n : NULL;
}

static int neuron_one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    const struct neuron *n = neuron_find(self, a, item, e);

    return n == NULL ? -1 : neuron_write(self, a, item, n, e);
}

static int neuron_one_picture(void *self, struct arena *a, const struct item *item,
                              const char *path, struct err *e)
{
    struct neuron_job *j = self;
    const struct neuron *n = neuron_find(j, a, item, e);

    if (n == NULL)
        return -1;
    output_part(&j->job.results.output, &j->drawn);
    return neuron_draw(j, a, item, n, path, e);
}

static const struct shared_reader readers[] = {
    { "--dims", offsetof(struct neuron_args, dims), false }, { NULL, 0, false }
};

static const struct job_kind kind = { .readers = readers, .outputs = &output_all,
                                      .check = neuron_check,
                                      .prepare = neuron_prepare, .text = neuron_one_text,
                                      .file = neuron_one_picture };

static int neuron_run(const void *args, int n_operands, char **operands, const struct env *env,
                      struct err *e)
{
    struct neuron_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_neuron = {
    .name = "neuron", .summary = "show how a query and each key give a score and a weight",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct neuron_args), .examples = examples,
    .max_operands = 2, .run = neuron_run,
    .records = (const struct record *const[]){ &neuron_record, NULL },
};
