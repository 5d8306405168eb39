/* SPDX-License-Identifier: MIT
 * A text and copies of it -> the bytes that they take, for --max-memory. */
#include "task/ablate/ablate.h"
#include "session/memory.h"

/* Rows whose logits stand in memory at once where there is a limit. */
enum { FEW_ROWS = 8 };

/* Floats of a token of a stack's heads, in all layers. */
static double outputs(const struct ablate_job *job, enum stack_id stack)
{
    const struct config *config = &ablate_model(job, stack)->config;

    return (double)config->n_layers * config->n_heads * config->d_value;
}

static double streams(const struct model *model)
{
    return (model->norm_place == PLACE_REVERSIBLE ? 2.0 : 1.0) * model->config.n_layers *
           model_stream_width(model);
}

/* Of one run that is kept. */
static double ablate_memory_kept(const struct ablate_job *job, double T, double S)
{
    const struct model *whole = job->job.s.model;
    double per_token = streams(job->m) + job->m->d_hidden + outputs(job, job->m->family->stack_id);
    double more = job->args->with == ABLATE_UNIFORM ? 2 : 1;
    double floats;

    if (whole->decoder != NULL || model_has_cross(whole))
        per_token += outputs(job, STACK_CROSS);
    floats = more * T * per_token;
    if (whole->decoder != NULL)
        floats += S * (streams(whole) + whole->config.d_model + more * outputs(job, STACK_ENCODER));
    return floats * sizeof(float);
}

static double of_pass(const struct ablate_job *job, int T, int S)
{
    return job->job.s.model->decoder != NULL ? memory_of_pass(&job->job.s, S, T) :
                                               memory_of_pass(&job->job.s, T, 0);
}

/* Logits of some rows, as they were and as they are; and the trails of ablate_direct, whose pass
 * follows when those of copies have ended. */
static double measured(const struct ablate_job *job)
{
    double V = job->m->n_logits, D = job->m->config.d_model;
    double trails = ABLATE_TRAILS * (5.0 * job->m->config.n_layers * D +
                                     outputs(job, job->m->family->stack_id) + V) * sizeof(float);

    if (job->measure == ABLATE_HIDDEN)
        return 0;
    return FEW_ROWS * V * (sizeof(double) + 2 * sizeof(float)) +
           (job->has_direct ? trails + 4.0 * par_threads(job->job.s.par) * V * sizeof(double) : 0);
}

static double alone(const struct ablate_job *job, int T, int S)
{
    bool two = job->args->with == ABLATE_RESAMPLE || ablate_patches(job);

    return (two ? 2 : 1) * ablate_memory_kept(job, T, S) + measured(job);
}

/* One of the copies of a text, each with other heads replaced. */
static double ablate_memory_copy(const struct ablate_job *job, int T, int S)
{
    const struct model *whole = job->job.s.model;
    double wide = job->args->with == ABLATE_UNIFORM ? (double)(T > S ? T : S) * job->widest : 0;
    double floats = (double)T * (2.0 * job->m->config.d_model + job->m->d_hidden) + wide +
                    3.0 * S * whole->config.d_model + job->m->n_logits;

    return of_pass(job, T, S) + floats * sizeof(float);
}

static bool is_limited(const struct ablate_job *job)
{
    return job->job.in != NULL && input_is_limited(job->job.in);
}

double ablate_keeps(void *self, const struct item *item)
{
    const struct ablate_job *j = self;
    const struct session *s = &j->job.s;
    int more = item->open ? s->n_generate : 0, T = session_queries(s, item)->n + more;
    int S = s->model->decoder != NULL ? item->tokens.n : 0;

    return alone(j, T, S) + ablate_memory_copy(j, T, S);
}

int ablate_copies(const struct ablate_run *run, int most)
{
    double left;

    if (!is_limited(run->j))
        return most;
    left = (input_left(run->j->job.in) - alone(run->j, run->T, run->S)) /
           ablate_memory_copy(run->j, run->T, run->S);
    return left < 1 ? 1 : left < most ? (int)left : most;
}

int ablate_rows_at_once(const struct ablate_job *job, int most)
{
    return is_limited(job) && FEW_ROWS < most ? FEW_ROWS : most;
}
