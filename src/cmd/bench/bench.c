/* SPDX-License-Identifier: MIT
 * bench: the machine's limits, a model run again and again, and where its time goes. */
#include "cmd/bench/bench.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/choice.h"
#include "analysis/stats.h"
#include "base/rng.h"
#include "base/str.h"
#include "session/texts.h"
#include "task/common/provenance.h"
#include "task/figure/picture.h"

#define F(f) offsetof(struct bench_args, f)
static const struct opt opts[] = {
    INT(0, "runs", "N", F(runs), "5", 1, 10000, "run the model so often; the fastest run counts"),
    INT(0, "length", "N", F(length), NULL, 1, 1 << 20,
        "instead of a text, N tokens of the vocabulary, drawn from --seed",
        .excludes = "file|ids: it draws a text"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_all.group, PASS_GROUPS, &sheet_group, NULL
};

static const char *const examples[] = {
    "mha-viz bench",
    "mha-viz bench -t 1 --length 60 --runs 3",
    "mha-viz bench --length 60 --runs 2 -o bench.png",
    NULL
};

/* ---- what is run ---- */

/* "17,2048,5": ids below n_vocab. */
static const char *draw_ids(struct arena *a, int n, int n_vocab, int seed)
{
    enum { ID_CHARS = 12 };
    char *text = arena_alloc(a, (size_t)n, ID_CHARS), *at = text;
    struct rng *rng = arena_alloc(a, 1, sizeof *rng);

    rng_seed(rng, (uint64_t)seed);
    for (int i = 0; i < n; i++)
        at += snprintf(at, ID_CHARS, "%s%u", i > 0 ? "," : "",
                       (unsigned)(rng_bits(rng) % (uint32_t)n_vocab));
    return text;
}

/* *asked: with the tokens of --length as its ids. */
static int draw_text(struct bench_job *job, struct asked *asked, struct err *e)
{
    const struct model *model = job->job.s.model;
    int n = job->args->length, seed = asked->seed;

    if (n == 0)
        return 0;
    if (model->precomputed != NULL || model->family->front != FRONT_TOKENS)
        return err_set(e, ERR_USAGE, "--length: %s reads no tokens", model->name);
    if (job->job.n_operands > 0)
        return err_set(e, ERR_USAGE, "--length draws a text: expected no other");
    asked->ids = draw_ids(job->job.s.a, n, model->config.n_vocab, seed);
    if (model->decoder != NULL)
        asked->decoder_ids = draw_ids(job->job.s.a, n, model->decoder->config.n_vocab, seed);
    job->job.s.asked = asked;
    return 0;
}

/* The basic statistics of some texts, which nothing reads. */
static int bench_texts(void *self, struct arena *a, const struct item *items, int n, struct err *e)
{
    struct bench_job *j = self;
    const struct metric_choice basic = metric_choice_basic();
    struct metric_set set = { .opts = metric_opts_default() };
    struct attended attended = job_pack(&j->job, a, items, n);
    struct sink sinks[STATS_SINKS];
    struct stats *stats;

    for (int i = 0; i < n; i++)
        j->n_tokens += session_queries(&j->job.s, &items[i])->n;
    j->n_texts += n;
    set.metric = metric_choice_list(&basic, a, &set.n);
    stats = stats_new(a, j->job.s.shown, &attended, &j->job.want, &set);
    return job_forward(&j->job, a, sinks, stats_sinks(stats, sinks), e);
}

/* All texts once.  Lines that cannot be used are left out. */
static int run_once(struct bench_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct input *before = s->input, *in = input_open(s, job->job.n_operands, job->job.operands, e);
    int status = -1;

    if (in != NULL && (job->args->length > 0 ||
                       shared_check_seed(&job->args->shared, in, "--length, and of ", e) == 0))
        status = input_batches(in, s, bench_texts, job, e);

    input_close(s, before);
    if (status == 0 && job->n_tokens == 0)
        return err_set(e, ERR_INPUT, "%s holds no text that can be used",
                       s->asked->file != NULL ? s->asked->file : "standard input");
    return status;
}

/* The first text's heatmaps, in memory. */
static int draw_once(struct bench_job *job, const struct picture *picture, struct err *e)
{
    struct session *s = &job->job.s;
    struct input *before = s->input, *in = input_open(s, job->job.n_operands, job->job.operands, e);
    struct arena *a = arena_child(s->a);
    char *data = NULL;
    size_t size;
    const struct picture_place place = { .format = DRAW_PNG, .data = &data, .size = &size };
    struct item item;
    int status = -1, part;

    if (in != NULL && input_next(in, a, &item, e) == 1) {
        part = meter_enter(s->env->meter, METER_OUTPUT);
        status = picture_draw(picture, a, &item, 1, &place, e);
        meter_leave(s->env->meter, part);
    }
    free(data);
    arena_release(s->a, a);
    input_close(s, before);
    return status;
}

/* ---- the runs ---- */

/* Time of a run, of which the first has more to do than the others. */
static int measure_runs(struct bench_job *job, struct meter *meter, struct err *e)
{
    struct meter_row load = meter->parts.row[METER_LOAD];
    double least = INFINITY;

    for (int i = 0; i <= job->args->runs; i++) {
        double wall_s;

        job->n_texts = job->n_tokens = 0;
        meter_begin(meter);
        if (run_once(job, e) != 0)
            return -1;
        meter_end(meter);
        wall_s = meter_total(&meter->parts).wall_s;
        if (i > 0 && wall_s < least) {      /* the first warms up */
            least = wall_s;
            job->best = meter->parts;
        }
    }
    job->best.row[METER_LOAD] = load;
    return 0;
}

/* The picture's own pass is not counted again. */
static int measure_drawing(struct bench_job *job, struct meter *meter, struct err *e)
{
    const struct picture_look look = {
        .figure = &job->args->shared.figure, .vmin = (double)NAN, .vmax = (double)NAN,
    };
    struct picture picture;
    double least = INFINITY;

    if (picture_plan(&picture, &job->job.s, &job->job.want, &look, e) != 0)
        return -1;
    for (int i = 0; i < job->args->runs; i++) {
        meter_begin(meter);
        if (draw_once(job, &picture, e) != 0)
            return -1;
        meter_end(meter);
        if (meter->parts.row[METER_OUTPUT].wall_s < least) {
            least = meter->parts.row[METER_OUTPUT].wall_s;
            job->best.row[METER_OUTPUT] = meter->parts.row[METER_OUTPUT];
        }
    }
    return 0;
}

static int write_report(struct bench_job *job, struct output *output, struct err *e)
{
    struct report report = { &bench_record, (enum report_format)output->format, NULL, false,
                             job->job.s.provenance };

    if (output_open(output, e) != 0 || output_begin(output, job->job.s.a, 0, 0, e) != 0)
        return -1;
    report.file = output->out.file;
    bench_report(job, &report);
    return output_close(output, output_end(output, e), e);
}

/* meter: loading is counted in it. */
static int bench_run_session(struct bench_job *job, struct meter *meter, struct asked *asked,
                             struct err *e)
{
    struct session *s = &job->job.s;
    struct output *output = &job->job.results.output;

    if (output_plan(output, &job->args->shared.common.output, &output_all, NULL, s->a, e) != 0 ||
        figure_check_page(&job->args->shared.figure, e) != 0 || draw_text(job, asked, e) != 0 ||
        session_select(s, job->job.n_operands, false, &job->job.want, e) != 0)
        return -1;
    if (measure_runs(job, meter, e) != 0 || measure_drawing(job, meter, e) != 0)
        return -1;
    if (provenance_open(s, output, NULL, e) != 0)
        return -1;
    limits_measure(&job->limits, (enum fast)s->asked->fast, s->par, s->a);
    return output_is_picture(output) ? bench_draw(job, output, e) : write_report(job, output, e);
}

static int bench_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    struct bench_job *j = arena_alloc(env->arena, 1, sizeof *j);
    struct meter *m = arena_alloc(env->arena, 1, sizeof *m);
    struct env measured = *env;
    struct asked asked;
    int status;

    *j = (struct bench_job){ .job = { args, n_operands, operands }, .args = args };
    asked = j->args->shared.asked;
    measured.meter = m;
    measured.again = true;
    meter_begin(m);
    status = session_open(&j->job.s, &asked, false, &measured, e);
    if (status == 0)
        status = bench_run_session(j, m, &asked, e);
    session_close(&j->job.s);
    return status;
}

const struct cmd cmd_bench = {
    .name = "bench", .summary = "measure where the time goes, and the limits of the machine",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct bench_args), .examples = examples,
    .max_operands = 2, .minor = true, .run = bench_run,
    .records = (const struct record *const[]){ &bench_record, NULL },
};
