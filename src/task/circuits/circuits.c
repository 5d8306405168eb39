/* SPDX-License-Identifier: MIT
 * circuits: measures of heads from their weights alone, without a text (QK and OV circuits). */
#include "task/circuits/circuits.h"

#include "run/special/fold.h"
#include "task/common/provenance.h"
#include "task/figure/head_numbers.h"

static const char *const sorts[] = { "layer", "copy", "copy_full", "copy_rank",
                                     "negative_copy", "successor", "successor_p", "q_comp",
                                     "k_comp", "v_comp", NULL };

#define F(f) offsetof(struct circuits_args, f)
static const struct opt opts[] = {
    FLAG(0, "edges", F(edges),
         "report a row per pair of an earlier and a later head, instead of one per head"),
    INT(0, "sample", "N", F(sample), "500", 0, 1 << 20,
        "number of tokens whose ranks are computed; 0: none, and no successors"),
    INT(0, "seed", "N", F(shared.asked.seed), "1", 0, 2147483647, "seed of the sample"),
    CHOICE(0, "sort", "NAME", F(sort), "layer", sorts,
           "order of the rows; numbers: the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    CHOICE(0, "metric", "NAME", F(metric), "copy", sorts + 1, "what a picture shows"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_all.group, &model_group, &layer_group, &select_group, &sheet_group, NULL
};

static const char *const examples[] = {
    "mha-viz circuits",
    "mha-viz circuits --edges --sort k_comp",
    "mha-viz circuits --metric copy_rank -o copying.png",
    NULL
};

/* ---- what is asked ---- */

/* Options of the sample, and the numbers from copy_rank on that each decides on; a sample of no
 * tokens leaves successors out, too. */
static const struct {
    const char *option, *numbers;
    size_t field;
    enum circuits_number last;
} of_sample[] = {
    { "--sample", "copy_rank, negative_copy, successor and successor_p",
      offsetof(struct circuits_args, sample), CIRCUITS_SUCCESSOR_P },
    { "--seed", "copy_rank and negative_copy", offsetof(struct circuits_args, shared.asked.seed),
      CIRCUITS_NEGATIVE_COPY },
};

static bool ranks_tokens(const struct circuits_job *job, enum circuits_number last)
{
    enum circuits_number shown = (enum circuits_number)job->args->metric;

    return !job->args->edges &&
           (!output_is_picture(&job->output) || (shown >= CIRCUITS_COPY_RANK && shown <= last));
}

#define F(f) offsetof(struct circuits_args, f)
static const struct shared_reader readers[] = {
    { "--metric", F(metric), true }, { "--sort", F(sort), false },
    { "--reverse", F(reverse), false }, { NULL, 0, false }
};
#undef F

/* Options that nothing would read. */
static int check_read(const struct circuits_job *job, struct err *e)
{
    const struct circuits_args *args = job->args;
    size_t n = sizeof of_sample / sizeof *of_sample;

    if (shared_check_readers(&args->shared, &job->output, readers, e) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (opts_is_given(&args->shared.common, of_sample[i].field) &&
            !ranks_tokens(job, of_sample[i].last))
            return err_set(e, ERR_USAGE, "%s is of %s, which are not shown here",
                           of_sample[i].option, of_sample[i].numbers);
    if (!opts_is_given(&args->shared.common, offsetof(struct circuits_args, shared.asked.seed)) ||
        (args->sample > 0 && circuits_has_tokens(job->s.shown)))
        return 0;
    return err_set(e, ERR_USAGE, "--seed is of the tokens of --sample, and none is drawn here");
}

/* Of an encoder-decoder the encoder, unless -s says decoder. */
static int select_heads(struct circuits_job *job, struct err *e)
{
    enum { NO_TEXT_IS_MISSING = 2 };
    struct session *s = &job->s;

    job->asked = job->args->shared.asked;
    job->asked.mask_value = (double)NAN;
    if (job->asked.stack == NULL)
        job->asked.stack = family_stack_names[s->model->family->stack_id];
    s->asked = &job->asked;
    if (fold_check(s->model, e) != 0 ||
        session_select(s, NO_TEXT_IS_MISSING, false, &job->want, e) != 0)
        return -1;
    if (s->stack == STACK_CROSS)
        return err_set(e, ERR_USAGE, "--stack: 'cross': its heads read two streams: expected "
                       "encoder or decoder");
    return fold_check(s->shown, e);
}

static int circuits_check(const struct circuits_job *job, struct err *e)
{
    const struct circuits_args *args = job->args;

    if (args->edges && args->sort > 0 && args->sort - 1 < CIRCUITS_Q_COMP)
        return err_set(e, ERR_USAGE, "--sort: '%s' is a number of heads, not of --edges: "
                       "expected layer, q_comp, k_comp or v_comp", sorts[args->sort]);
    if (args->edges && output_is_picture(&job->output))
        return err_set(e, ERR_USAGE, "--edges: a picture shows a number of each head, not of "
                       "pairs");
    return 0;
}

/* ---- the picture ---- */

static double shown_value(const void *job, int layer, int head)
{
    const struct circuits_job *j = job;

    return circuits_value(j, layer, head, (enum circuits_number)j->args->metric);
}

static int circuits_draw(const struct circuits_job *job, struct err *e)
{
    const struct session *s = &job->s;
    const struct head_numbers numbers = {
        .s = s, .want = &job->want, .value = shown_value, .of = job,
        .title = sorts[job->args->metric + 1],
        .is_signed = job->args->metric <= CIRCUITS_COPY_FULL,
        .most = job->args->metric < CIRCUITS_Q_COMP,
    };

    return head_numbers_draw(&numbers, &job->args->shared.figure,
                             arena_printf(job->a, "%s, %s, by the weights alone", s->model->name,
                                          family_stack_names[s->stack]),
                             figure_metadata_run(s, job->a, NULL), &job->output, job->output.path,
                             job->a, e);
}

/* ---- the command ---- */

static int write_report(struct circuits_job *job, struct err *e)
{
    if (output_open(&job->output, e) != 0 || output_begin(&job->output, job->a, 0, 0, e) != 0)
        return -1;
    circuits_report(job, job->output.out.file);
    return output_close(&job->output, output_end(&job->output, e), e);
}

static int circuits_run_session(struct circuits_job *job, struct err *e)
{
    const struct circuits_args *args = job->args;

    if (output_plan(&job->output, &args->shared.common.output, &output_all, NULL, job->a, e) != 0 ||
        shared_check_figure(&args->shared, &job->output, NULL, e) != 0 ||
        circuits_check(job, e) != 0 || select_heads(job, e) != 0 || check_read(job, e) != 0 ||
        provenance_open(&job->s, &job->output, NULL, e) != 0)
        return -1;
    if (!args->edges && args->sample > 0 && job->s.tok == NULL && !job->s.tok_err.absent)
        err_warn(job->s.env->note, "%s; successors are left out", job->s.tok_err.msg);
    if (!args->edges)
        circuits_choose(job);
    job->found = circuits_new(job->a, job->s.shown, args->edges ? NULL : &job->tokens, job->s.par,
                              job->s.env->warn);
    return output_is_picture(&job->output) ? circuits_draw(job, e) : write_report(job, e);
}

static int circuits_run(const void *args, int n_operands, char **operands, const struct env *env,
                        struct err *e)
{
    struct circuits_job job = { .args = args, .a = env->arena };
    int status = session_open(&job.s, &job.args->shared.asked, false, env, e);

    (void)n_operands;
    (void)operands;
    if (status == 0)
        status = circuits_run_session(&job, e);
    session_close(&job.s);
    return status;
}

const struct cmd cmd_circuits = {
    .name = "circuits", .summary = "report what heads do, judged by the weights alone",
    .operands = "", .opts = opts, .groups = groups,
    .args_size = sizeof(struct circuits_args), .examples = examples,
    .max_operands = 0, .run = circuits_run,
    .records = (const struct record *const[]){ &circuits_record, &circuits_pairs_record, NULL },
};
