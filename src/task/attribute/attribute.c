/* SPDX-License-Identifier: MIT
 * attribute: the contribution of each head, and of each token through it, to a logit. */
#include "task/attribute/attribute.h"

#include <limits.h>

#include "base/list.h"
#include "session/texts.h"

/* An identity that is off by more of its largest part is an error. */
#define ATTRIBUTE_ERROR_MAX 1e-4

static const char *const sorts[] = { "layer", "dla", "span", NULL };

#define F(f) offsetof(struct attribute_args, f)
static const struct opt opts[] = {
    STRING(0, "answer", "T", F(answer.answer),
           "the token whose logit is attributed; by default the first against the second of "
           "the model",
         .excludes = "answer-id"),
    STRING(0, "against", "T", F(answer.against),
           "attribute the difference from this token's logit", .excludes = "against-id"),
    INT(0, "answer-id", "N", F(answer.answer_id), "-1", -1, INT_MAX,
        "--answer as a token id; -1: none"),
    INT(0, "against-id", "N", F(answer.against_id), "-1", -1, INT_MAX,
        "--against as a token id; -1: none"),
    STRING(0, "at", "POS", F(answer.at),
           "predict the token after this one: a position, -1 the last, a word, word#2; "
           "by default the last"),
    FLAG(0, "sources", F(sources), "report a row for each head and source token"),
    STRING(0, "span", "A-B", F(span),
           "contrast source tokens A to B with those beside them, per head"),
    FLAG(0, "raw", F(raw), "--span by the unembedding alone, without the final norm",
         .needs = "span"),
    CHOICE(0, "sort", "NAME", F(sort), "layer", sorts,
           "order of the heads; dla, span: the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_reports.group, &model_group, &text_group, &select_group, &generate_group,
    &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz attribute 'one two three, one two'",
    "mha-viz attribute --answer ' three' --sources -l 4 'one two three, one two'",
    "mha-viz attribute --span 1-3 --json 'the cat saw the dog and the cat'",
    NULL
};

/* ---- before the texts ---- */

static int parse_span(struct attribute_job *job, struct err *e)
{
    const char *text = job->args->span;
    long long first, last;

    job->span_first = job->span_last = -1;
    if (job->args->sort == ATTRIBUTE_SPAN && text == NULL)
        return err_set(e, ERR_USAGE, "--sort: 'span' requires --span");
    if (text == NULL)
        return 0;
    if (!list_range(&text, &first, &last) || *text != '\0' || last > INT_MAX)
        return err_set(e, ERR_USAGE, "--span: '%s' is not a span of tokens such as 3-7",
                       job->args->span);
    job->span_first = (int)first;
    job->span_last = (int)last;
    return 0;
}

static int attribute_check(void *self, struct err *e)
{
    struct attribute_job *j = self;

    j->job.all_stacks = true;
    return answer_begin(&j->answer, &j->args->answer, e) != 0 ? -1 : parse_span(j, e);
}

/* The heads of an encoder before a decoder write into no logit themselves. */
static int choose_stack(struct attribute_job *job, struct err *e)
{
    struct session *s = &job->job.s;

    job->stack = s->stack;
    job->m = s->shown;
    if (s->model->decoder == NULL)
        return 0;
    if (s->stack == STACK_ENCODER && s->asked->stack != NULL)
        return err_set(e, ERR_USAGE, "--stack: 'encoder': its heads reach the logits only "
                       "through others: expected decoder or cross");
    if (s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "logits are the decoder's: expected TEXT_B, "
                       "--decoder-ids or --generate N");
    s->stack = N_STACK;         /* of the pass */
    return 0;
}

static int attribute_prepare(void *self, struct err *e)
{
    struct attribute_job *j = self;

    if (choose_stack(j, e) != 0 || model_check_head(j->job.s.model, j->m, e) != 0 ||
        attribution_check(j->m, e) != 0 || answer_find(&j->answer, &j->job.s, j->m, e) != 0)
        return -1;
    attribute_columns(j);
    return 0;
}

/* ---- one text ---- */

/* Keys of what the span counts in: those of cross-attention, unless -s says decoder. */
static int check_span(const struct attribute_job *job, const struct item *item, struct err *e)
{
    bool cross = job->m != job->job.s.model && job->stack != STACK_DECODER;
    int n = cross ? item->tokens.n : session_queries(&job->job.s, item)->n;

    if (job->span_last < n)
        return 0;
    return err_set(e, ERR_INPUT, "--span: %d is out of range: the text has tokens 0 to %d",
                   job->span_last, n - 1);
}

static int attribute_forward(struct attribute_found *found, struct arena *a, struct trail *trail,
                             float *logits, struct err *e)
{
    const struct attribute_job *j = found->j;
    struct tap tap = trail_tap(trail);
    struct sink sink = trail_sink(trail);
    struct wanted want = { .rotations = j->job.want.rotations, .change = j->job.want.change,
                           .tap = &tap, .only_row = &found->row, .uncapped = true,
                           .logits = logits };
    bool keys = j->args->sources || j->span_first >= 0;
    struct texts texts;

    texts_pack(&texts, a, found->item, 1);
    return session_forward(&j->job.s, &texts, &want, &sink, keys, a, e);
}

static int attribute_run_text(struct attribute_found *found, struct arena *a, struct err *e)
{
    const struct attribute_job *j = found->j;
    int T = session_queries(&j->job.s, found->item)->n;
    int S = j->m != j->job.s.model ? found->item->tokens.n : 0;
    bool keys = j->args->sources || j->span_first >= 0;
    struct trail *trail = trail_new(a, j->m, found->row, T, S, keys);
    float *logits = arena_alloc(a, (size_t)j->m->n_logits, sizeof *logits);

    if (attribute_forward(found, a, trail, logits, e) != 0 ||
        attribute_target(found, logits, e) != 0)
        return -1;
    found->parts = attribution_new(a, trail, &found->target);
    if (found->parts->error <= ATTRIBUTE_ERROR_MAX)
        return 0;
    return err_set(e, ERR_INPUT, "%s: heads and rest sum to the logit %g only within %.2g of "
                   "the largest part, expected %g", j->job.s.model->name, found->target.logit,
                   found->parts->error, ATTRIBUTE_ERROR_MAX);
}

static int attribute_one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct attribute_job *j = self;
    struct attribute_found found = { .j = j, .item = item };

    if (answer_row(&j->answer, item, &found.row, e) != 0 ||
        (j->span_first >= 0 && check_span(j, item, e) != 0) ||
        attribute_run_text(&found, a, e) != 0)
        return -1;
    return attribute_write(j, a, &found, e);
}

static const struct job_kind kind = { .outputs = &output_reports, .check = attribute_check,
                                      .prepare = attribute_prepare, .text = attribute_one_text };

static int attribute_run(const void *args, int n_operands, char **operands, const struct env *env,
                         struct err *e)
{
    struct attribute_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_attribute = {
    .name = "attribute",
    .summary = "report how much each head and each token adds to a logit",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct attribute_args), .examples = examples,
    .max_operands = 2, .run = attribute_run,
    .records = (const struct record *const[]){ &attribute_record, NULL },
};
