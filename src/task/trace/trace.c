/* SPDX-License-Identifier: MIT
 * trace: the attention from and to one token in all layers, and the prediction after each. */
#include "task/trace/trace.h"

#include <math.h>

static const char *const eachs[] = { "layer", "token", "prediction", NULL };

#define F(f) offsetof(struct trace_args, f)
static const struct opt opts[] = {
    STRING(0, "at", "POS", F(at),
           "the token: a position from 0 or the end (-1), a word, or word#2; by default the "
           "last"),
    CHOICE(0, "each", "NAME", F(each), "layer", eachs,
           "what a row of the table and of TSV is: a layer; a token in a layer; a prediction "
           "after a layer"),
    INT(0, "top", "K", F(top), "5", 1, 1000, "number of predictions after each layer"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_all.group, &figure_group, &panel_group, &sheet_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz trace 'one two three, one two'",
    "mha-viz trace --at dog -H 1 --each token 'the cat saw the dog and ran'",
    "mha-viz trace --each prediction --top 3 --tsv 'one two three, one two'",
    "mha-viz trace --top 3 -o trace.svg 'one two three, one two'",
    NULL
};

/* ---- before the texts ---- */

static int trace_check(void *self, struct err *e)
{
    struct trace_job *j = self;

    if (figure_check_page(&j->args->shared.figure, e) != 0 ||
        figure_check_clip(&j->args->shared.figure, e) != 0)
        return -1;
    return j->args->at != NULL ? place_parse(&j->at, "--at", j->args->at, e) : 0;
}

static int no_predictions(const struct session *session, struct err *e)
{
    if (session->model->precomputed != NULL)
        return err_set(e, ERR_INPUT, "%s: precomputed attention predicts nothing",
                       session->model->name);
    if (session->shown->config.head.task != NULL || session->shown->config.head.one_number)
        return err_set(e, ERR_INPUT, "%s: its head predicts no tokens", session->model->name);
    if (session->model->decoder != NULL && session->shown == session->model)
        return err_set(e, ERR_USAGE, "--each: an encoder predicts nothing: expected -s decoder "
                       "or -s cross, and TEXT_B, --decoder-ids or --generate N");
    return model_check_head(session->model, session->shown, e);
}

static int trace_prepare(void *self, struct err *e)
{
    struct trace_job *j = self;
    const struct session *s = &j->job.s;

    j->predicts = s->model->precomputed == NULL && s->shown->has_head &&
                  s->shown->config.head.task == NULL && !s->shown->config.head.one_number;
    if (j->args->each == TRACE_PREDICTION && !j->predicts)
        return no_predictions(s, e);
    trace_columns(j);
    return 0;
}

/* ---- one text ---- */

/* hidden: of the token, after the last layer. */
static int predict(struct trace_found *found, struct arena *a, const float *hidden, struct err *e)
{
    const struct session *s = &found->j->job.s;
    const struct model *m = s->shown;
    const struct wanted *want = &found->j->job.want;
    int L = m->config.n_layers;
    size_t width = (size_t)m->d_hidden, V = (size_t)m->n_logits;
    float *all = arena_alloc_raw(a, (size_t)L + 1, width * sizeof *all);
    float *logits = arena_alloc_raw(a, (size_t)L + 1, V * sizeof *logits);

    run_hidden(m, want, all, found->t->stream, L, s->par, a);
    for (size_t i = 0; i < width; i++)
        all[(size_t)L * width + i] = hidden[i];
    run_logits(m, want, logits, all, L + 1, s->par, a);
    for (size_t i = 0; i < ((size_t)L + 1) * V; i++)
        if (!isfinite(logits[i]))
            return err_set(e, ERR_INPUT, "%s: logits are not finite: the weights hold NaN or "
                           "infinities, or overflow", s->model->name);
    found->top = found->j->args->top < m->n_logits ? found->j->args->top : m->n_logits;
    found->guess = arena_alloc(a, (size_t)L + 1, (size_t)found->top * sizeof *found->guess);
    for (int i = 0; i <= L; i++)
        trace_guesses(found->guess + (size_t)i * (size_t)found->top, found->top,
                      logits + (size_t)i * V, m->n_logits);
    return 0;
}

/* The pass, with what the token's row becomes where that is wanted. */
static int trace_run_text(struct trace_found *found, struct arena *a, int at, struct err *e)
{
    struct trace_job *j = found->j;
    const struct session *s = &j->job.s;
    struct wanted want = j->job.want;
    struct trace *t = trace_new(a, s->shown, s->stack, at, session_queries(s, found->item)->n,
                                session_keys(s, found->item)->n, j->predicts);
    struct tap tap = trace_tap(t);
    struct sink sink = trace_sink(t);

    found->t = t;
    job_pack(&j->job, a, found->item, 1);
    if (j->predicts) {
        want.tap = &tap;
        want.only_row = &t->at;
        want.hidden = arena_alloc(a, (size_t)s->shown->d_hidden, sizeof *want.hidden);
    }
    if (session_forward(s, &j->job.texts, &want, &sink, 1, a, e) != 0)
        return -1;
    return j->predicts ? predict(found, a, want.hidden, e) : 0;
}

static int trace_text(struct trace_found *found, struct arena *a, struct err *e)
{
    const struct trace_job *j = found->j;
    const struct session *s = &j->job.s;
    int at = session_queries(s, found->item)->n - 1;

    if (j->args->at != NULL && (at = place_query(&j->at, "--at", s, found->item, e)) < 0)
        return -1;
    return trace_run_text(found, a, at, e);
}

static int trace_one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct trace_job *j = self;
    struct trace_found found = { .j = j, .item = item };

    return trace_text(&found, a, e) != 0 ? -1 : trace_write(j, a, &found, e);
}

static int trace_one_picture(void *self, struct arena *a, const struct item *item, const char *path,
                             struct err *e)
{
    struct trace_job *j = self;
    struct trace_found found = { .j = j, .item = item };

    output_part(&j->job.results.output, &j->drawn);
    return trace_text(&found, a, e) != 0 ? -1 : trace_draw(&found, a, path, e);
}

static const struct shared_reader readers[] = {
    { "--each", offsetof(struct trace_args, each), false }, { NULL, 0, false }
};

static const struct job_kind kind = { .readers = readers, .outputs = &output_all,
                                      .check = trace_check,
                                      .prepare = trace_prepare, .text = trace_one_text,
                                      .file = trace_one_picture };

static int trace_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    struct trace_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_trace = {
    .name = "trace", .summary = "follow a token and its predictions through all layers",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct trace_args), .examples = examples,
    .max_operands = 2, .run = trace_run,
    .records = (const struct record *const[]){ &trace_record, NULL },
};
