/* SPDX-License-Identifier: MIT
 * curve: a metric over layers, positions, distances, generated tokens or models. */
#include "task/curve/curve.h"

#include <string.h>

#include "base/str.h"
#include "session/shown/average.h"
#include "task/common/provenance.h"

static const char *const eachs[] = { "auto", "head", "layer", "mean", NULL };
static const struct opt_values metric_values = { .words = metric_names };

#define F(f) offsetof(struct curve_args, f)
static const struct opt opts[] = {
    SEVERAL('m', "model", "PATH", F(models), OPT_MOST, &model_values,
            "folder, file or name of a model; given again, with --over layer or model: draw "
            "each model"),
    CHOICE(0, "over", "NAME", F(over), "layer", curve_overs,
           "what the horizontal axis shows; step: generated tokens (--generate)"),
    WORDS(0, "metric", "NAME", F(metric), &metric_values,
          "metric to draw; by default entropy, or profile with --over distance"),
    CHOICE(0, "each", "NAME", F(each), "auto", eachs,
           "what each line stands for: a head, the mean of a layer's heads, or the mean of all "
           "heads; auto: chosen by --over and the number of heads"),
    INT_OR_ALONE("bootstrap", "B", F(bootstrap), "200", 2, 10000,
                 "with several texts: bootstrap intervals, of B replicates, instead of "
                 "Student's t"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_figures.group, &sheet_group, &hide_group, &average_group, &weight_group,
    PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz curve",
    "mha-viz curve --over distance -l 3 -f samples/english.txt -o profile.pdf",
    "mha-viz curve --over step --generate 20 --metric first -o step.svg 'one two'",
    NULL
};

/* ---- texts ---- */

static int curve_check(void *self, struct err *e)
{
    const struct curve_job *j = self;
    const struct output *output = &j->job.results.output;

    if (output->folder)
        return err_set(e, ERR_USAGE, "one picture is drawn of all texts: expected a file, not "
                       "the folder %s", output->path);
    if (shown_check_numbers(&j->job.s, e) != 0)
        return -1;
    return figure_check_page(&j->args->shared.figure, e);
}

static int curve_prepare(void *self, struct err *e)
{
    struct curve_job *j = self;

    if (session_averages(&j->job.s, AVERAGE_LAYERS) && j->args->over == OVER_LAYER)
        return err_set(e, ERR_USAGE, "--average layers, --over layer: a mean of layers is of no "
                       "layer");
    if (curve_choose(j, e) != 0)
        return -1;
    curve_open(j);
    return 0;
}

/* Known once the input is open. */
static int check_several(const struct curve_job *job, struct err *e)
{
    if (job->args->bootstrap == 0 || input_is_file(job->job.in) || job->job.layers != NULL)
        return 0;
    return err_set(e, ERR_USAGE, "--bootstrap requires several texts: -f FILE, or arrays of "
                   "several");
}

static int curve_texts(void *self, struct arena *a, const struct item *items, int n, struct err *e)
{
    struct curve_job *j = self;
    struct attended attended = job_pack(&j->job, a, items, n);
    struct stats *stats = stats_new(a, j->job.s.shown, &attended, &j->job.want, &j->set);
    struct sink sinks[STATS_SINKS];

    if (check_several(j, e) != 0)
        return -1;
    j->job.want.tap = stats_tap(stats);
    if (job_forward(&j->job, a, sinks, stats_sinks(stats, sinks), e) != 0)
        return -1;
    if (j->n_texts == 0)
        j->first = arena_strdup(j->sums.a, figure_text(a, &items[0]));
    for (int i = 0; i < n; i++)
        curve_add(j, a, &items[i], stats, i);
    return 0;
}

static const struct job_kind kind = { .outputs = &output_figures, .name = "curve",
                                      .check = curve_check, .prepare = curve_prepare,
                                      .texts = curve_texts };

/* ---- models ---- */

static int check_args(const struct curve_args *args, struct err *e)
{
    int n = args->models.n;

    if (args->over == OVER_STEP && args->shared.asked.generate == 0)
        return err_set(e, ERR_USAGE, "--over step requires --generate N");
    if (args->over == OVER_MODEL && n < 2)
        return err_set(e, ERR_USAGE, "--over model requires several models: -m A -m B");
    if (n > 1 && args->over != OVER_MODEL && args->over != OVER_LAYER)
        return err_set(e, ERR_USAGE, "--model: given %d times, expected once with --over %s", n,
                       curve_overs[args->over]);
    if (args->over == OVER_LAYER &&
        (args->each == EACH_LAYER || (n > 1 && args->each == EACH_HEAD)))
        return err_set(e, ERR_USAGE, "--each %s, --over layer: expected %smean",
                       eachs[args->each], n > 1 ? "" : "head or ");
    return 0;
}

/* Models of one name, as checkpoints may be, are called by what was asked for. */
static void call_apart(struct curve_job *jobs, int n)
{
    bool shared[OPT_MOST] = { false };

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            shared[i] |= k != i && strcmp(jobs[i].job.s.name, jobs[k].job.s.name) == 0;
    for (int i = 0; i < n; i++)
        if (shared[i])
            jobs[i].job.s.name = jobs[i].args->shared.asked.model;
}

static int curve_gather(struct curve_job *jobs, int n, const struct curve_args *args,
                        int n_operands, char **operands, const struct env *env, int *n_open,
                        struct err *e)
{
    for (int k = 0; k < n; k++) {
        struct curve_args *own = arena_alloc(env->arena, 1, sizeof *own);

        *own = *args;
        own->shared.asked.model = own->models.n > 0 ? own->models.item[k] : NULL;
        jobs[k] = (struct curve_job){ .job = { own, n_operands, operands }, .args = own };
        *n_open = k + 1;
        if (job_gather(&jobs[k].job, &kind, env, e) != 0)
            return -1;
    }
    return 0;
}

static int curve_draw_texts(struct curve_job *jobs, int n, struct err *e)
{
    const struct output *output = &jobs->job.results.output;

    for (int k = 0; k < n; k++)
        if (jobs[k].n_texts == 0)
            return input_result(jobs[k].job.in, 0, e) != 0 ? -1 :
                   err_set(e, ERR_INPUT, "%s: holds no text", input_name(jobs[k].job.in));
    /* The caption of a picture says it. */
    if (output_is_report(output) && jobs->args->bootstrap > 0 &&
        jobs->n_texts < CURVE_LEAST_TEXTS)
        err_warn(jobs->job.s.env->note, "--bootstrap: %lld texts have no intervals, %d are needed",
                 (long long)jobs->n_texts, CURVE_LEAST_TEXTS);
    if (curve_draw(jobs, n, e) != 0)
        return -1;
    output_tell(output, &jobs->args->shared.common.output, output->path);
    for (int k = 0; k < n; k++)
        if (input_result(jobs[k].job.in, 0, e) != 0)
            return -1;
    return 0;
}

static int curve_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    const struct curve_args *asked = args;
    int n = asked->models.n > 1 ? asked->models.n : 1, n_open = 0, status;
    struct curve_job *jobs = arena_alloc(env->arena, (uint64_t)n, sizeof *jobs);
    struct env own = *env;

    own.again = n > 1;
    if (check_args(asked, e) != 0)
        return -1;
    status = curve_gather(jobs, n, asked, n_operands, operands, &own, &n_open, e);
    for (int k = 1; k < n && status == 0; k++)
        status = provenance_add(&jobs[0].job.s, &jobs[k].job.s, e);
    call_apart(jobs, status == 0 ? n : 0);
    if (status == 0)
        status = curve_draw_texts(jobs, n, e);
    for (int k = 0; k < n_open; k++)
        session_close(&jobs[k].job.s);
    return status;
}

const struct cmd cmd_curve = {
    .name = "curve", .summary = "draw a metric over layers, positions, distances or models",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct curve_args), .examples = examples,
    .max_operands = 2, .run = curve_run,
    .records = (const struct record *const[]){ &curve_record, NULL },
};
