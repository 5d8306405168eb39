/* SPDX-License-Identifier: MIT
 * The frame of all commands over texts: open, plan, select, run each text, close. */
#include "task/common/job.h"

#include "task/common/provenance.h"
#include "task/parts/layers.h"
#include "task/parts/parts.h"
#include "task/parts/state.h"

/* Sums are written, in place of a report. */
static bool writes_sums(const struct job *job)
{
    return job->shard.n > 0 || job->layers != NULL;
}

static int run_each(struct job *job, const struct job_kind *kind, struct err *e)
{
    int status = kind->texts != NULL ? input_batches(job->in, &job->s, kind->texts, job, e)
                                     : input_each(job->in, kind->text, job, e);

    status = layers_end(job, status, e);
    job->n_bad = input_count_bad(job->in);
    if (status != 0 || kind->end == NULL)
        return status;
    if (!writes_sums(job))
        return kind->end(job, e);
    parts_write(job, job->results.output.out.file);
    return 0;
}

static int run_reports(struct job *job, const struct job_kind *kind, struct err *e)
{
    int status, closed;

    job->results.run = job->s.provenance;
    if (results_open(&job->results, records_without_part(&job->s, job->record), job->in, e) != 0)
        return -1;
    status = run_each(job, kind, e);
    if (status == 0)
        status = state_end(job, e);
    closed = results_close(&job->results, job->in, status, e);
    /* Texts that could not be used leave a result, too. */
    if (status == 0 && (closed == 0 || e->kind == ERR_INPUT) && state_done(job, e) != 0)
        return -1;
    return closed;
}

/* All texts in one picture. */
static int run_figure(struct job *job, const struct job_kind *kind, struct err *e)
{
    struct session *s = &job->s;
    struct item *items = arena_alloc(s->a, (size_t)kind->most_texts + 1, sizeof *items);
    int n = 0, status, before;

    if (job->results.output.folder)
        return err_set(e, ERR_USAGE, "%s gives one picture: expected a file, not the folder %s",
                       kind->option, job->results.output.path);
    while ((status = input_next(job->in, s->a, &items[n], e)) == 1) {
        input_hold(job->in, &items[n]);
        if (n++ == kind->most_texts)
            return err_set(e, ERR_USAGE, "%s: expected at most %d texts, %s has more",
                           kind->option, kind->most_texts, input_name(job->in) != NULL ?
                           input_name(job->in) : "the input");
    }
    if (status == 0 && n < 2 && input_count_bad(job->in) == 0)
        return err_set(e, ERR_USAGE, "%s: expected several texts: TEXT TEXT_B, or -f FILE",
                       kind->option);
    if (status != 0 || (n < 2 && input_result(job->in, 0, e) != 0) ||
        session_generate(s, items, n, s->a, e) != 0)
        return -1;
    before = meter_enter(s->env->meter, METER_OUTPUT);
    status = kind->figure(job, s->a, items, n, job->results.output.path, e);
    meter_leave(s->env->meter, before);
    return status;
}

static int job_run_texts(struct job *job, const struct job_kind *kind, struct err *e)
{
    const struct output *output = &job->results.output;

    if (kind->figure != NULL)
        return input_result(job->in, run_figure(job, kind, e), e);
    if (kind->end != NULL && output_is_picture(output))
        return input_result(job->in, run_each(job, kind, e), e);
    if (kind->file == NULL || output_is_report(output))
        return run_reports(job, kind, e);
    return input_result(job->in, shared_to_files(&job->s, job->in, output, kind->file, job, e),
                        e);
}

/* One report of many texts. */
static int check_end(const struct job *job, struct err *e)
{
    const struct output *output = &job->results.output;

    if (output->folder)
        return err_set(e, ERR_USAGE, "--summary gives one report: expected a file, not the "
                       "folder %s", output->path);
    if (!input_is_file(job->in) && job->layers == NULL)
        return err_set(e, ERR_USAGE, "--summary requires several texts: -f FILE, or arrays "
                       "of several");
    return 0;
}

/* Where nothing is drawn, a seed would do nothing. */
static int check_seed(const struct job *job, const struct job_kind *kind, struct err *e)
{
    return kind->draws != NULL && kind->draws(job) ? 0 :
           shared_check_seed(job->args, job->in, kind->drawn, e);
}

/* Up to the first text. */
static int open_texts(struct job *job, const struct job_kind *kind, struct err *e)
{
    const struct shared_args *args = job->args;
    const struct output_set *outputs = writes_sums(job) ? &output_sums : kind->outputs;

    job->record = kind->record;
    job->keeps = kind->keeps;
    if (output_plan(&job->results.output, &args->common.output, outputs, kind->name, job->s.a,
                    e) != 0 ||
        shared_check_figure(args, &job->results.output, NULL, e) != 0 ||
        (kind->readers != NULL &&
         shared_check_readers(args, &job->results.output, kind->readers, e) != 0) ||
        state_check(job, e) != 0 ||
        (kind->check != NULL && kind->check(job, e) != 0))
        return -1;
    if (!kind->tokens_only &&
        session_select(&job->s, job->n_operands, job->all_stacks, &job->want, e) != 0)
        return -1;
    if (layers_select(job, e) != 0)
        return -1;
    if (kind->prepare != NULL && kind->prepare(job, e) != 0)
        return -1;
    job->in = input_open(&job->s, job->n_operands, job->operands, e);
    if (job->in == NULL || (kind->end != NULL && check_end(job, e) != 0) ||
        check_seed(job, kind, e) != 0 ||
        provenance_open(&job->s, &job->results.output, NULL, e) != 0)
        return -1;
    if (kind->begin != NULL)
        kind->begin(job);
    if (state_begin(job, e) != 0 || layers_begin(job, e) != 0)
        return -1;
    if (kind->keeps != NULL)
        input_keeps(job->in, kind->keeps, job);
    return 0;
}

static int job_run_session(struct job *job, const struct job_kind *kind, struct err *e)
{
    return open_texts(job, kind, e) == 0 ? job_run_texts(job, kind, e) : -1;
}

int job_run(struct job *job, const struct job_kind *kind, const struct env *env,
            struct err *e)
{
    const struct shared_args *args = job->args;
    int status = session_open(&job->s, &args->asked, kind->tokens_only, env, e);

    job->results.meter = env->meter;
    job->results.par = job->s.par;
    if (status == 0)
        status = job_run_session(job, kind, e);
    session_close(&job->s);
    return status;
}

int job_gather(struct job *job, const struct job_kind *kind, const struct env *env,
               struct err *e)
{
    const struct shared_args *args = job->args;

    if (session_open(&job->s, &args->asked, kind->tokens_only, env, e) != 0 ||
        open_texts(job, kind, e) != 0)
        return -1;
    return run_each(job, kind, e);
}

int job_again(struct job *job,
              int (*fn)(void *self, struct arena *a, const struct item *item, struct err *e),
              void *self, struct err *e)
{
    struct session *s = &job->s;
    const struct env *env = s->env;
    struct env quiet = *env;
    const struct asked *asked = s->asked;
    struct asked whole = *asked;
    struct budget *budget = s->budget;
    struct input *before = s->input, *in;
    int status = -1;

    quiet.warn = quiet.note = NULL;
    whole.shard = NULL;
    if (job->in != NULL)
        whole.max_memory = NULL;        /* the limit is that of job->in */
    s->asked = &whole;
    s->env = &quiet;
    s->budget = NULL;
    in = input_open(s, job->n_operands, job->operands, e);
    whole.max_memory = asked->max_memory;
    if (in != NULL && job->in != NULL)
        input_limit_as(in, job->in);
    if (in != NULL && job->keeps != NULL)
        input_keeps(in, job->keeps, job);
    if (in != NULL)
        status = input_each(in, fn, self, e);
    input_close(s, before);
    s->asked = asked;
    s->env = env;
    s->budget = budget;
    return status;
}

struct attended job_pack(struct job *job, struct arena *a, const struct item *items, int n)
{
    texts_pack(&job->texts, a, items, n);
    layers_pack(job, a);
    return session_attended(&job->s, &job->texts, a);
}

int job_forward(const struct job *job, struct arena *a, const struct sink *sinks,
                int n_sinks, struct err *e)
{
    return session_forward(&job->s, &job->texts, &job->want, sinks, n_sinks, a, e);
}
