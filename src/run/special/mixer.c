/* SPDX-License-Identifier: MIT
 * The residual stream -> the output of a gated convolution, or of a gated delta rule. */
#include "run/special/mixer.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "model/family_slots.h"
#include "nn/act.h"
#include "nn/delta.h"
#include "nn/lookback.h"
#include "nn/norm.h"
#include "run/cache.h"
#include "run/stage.h"

enum { CHANNELS = 256 };        /* that one task convolves */

struct mixer_job {
    struct pass *p;
    const struct layer_plan *plan;
    int layer;
    int C, n_taps;              /* channels of the convolution */
    int in;                     /* columns of rows */
    float *rows;                /* [N, in] what the first linear gives */
    float *rates;               /* [N, 2 heads] of MIXER_DELTA: kept, then learnt, a head */
    float *x, *y;               /* [N, C] what is convolved, and is */
    float *z;                   /* [N, DIM_MIX_OUT] what the last linear reads */
};

static int dim(const struct model *model, enum dim d)
{
    return family_slot_dim(model->family, &model->config, d);
}

/* ---- states ---- */

/* The taps before the text, then matrices of heads. */
size_t mixer_state(const struct model *model)
{
    const struct config *c = &model->config;
    size_t taps = (size_t)(c->mix.n_taps - 1) * (size_t)dim(model, DIM_MIX_CHANNELS);

    return taps + (size_t)c->mix.n_heads * (size_t)c->mix.d_key * (size_t)c->mix.d_value;
}

/* NULL: no cache. */
static float *state_of(const struct mixer_job *job, int text)
{
    const struct pass *p = job->p;

    return p->want->cache != NULL ? p->want->cache[text]->state[job->layer] : NULL;
}

static void begin_states(const struct mixer_job *job)
{
    for (int t = 0; t < job->p->b->n_texts && job->p->want->cache != NULL; t++)
        if (pass_before(job->p, t) == 0)
            memset(state_of(job, t), 0, mixer_state(job->p->m) * sizeof(float));
}

/* ---- the convolution ---- */

static void taps_task(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    const struct param *taps = &job->plan->slot[W_MIX_TAPS];
    int n = (job->C + CHANNELS - 1) / CHANNELS, text = i / n, first = i % n * CHANNELS;
    int end = first + CHANNELS < job->C ? first + CHANNELS : job->C;
    int64_t at = (int64_t)job->p->b->start[text] * job->C;

    (void)scratch;
    lookback_rows(job->y + at, job->x + at, state_of(job, text), taps->vector, taps->bias,
                  job->n_taps, job->C, pass_tokens(job->p, text), first, end);
}

/* y = the convolution of x; a cache keeps the last rows of x. */
static void convolve(struct mixer_job *job)
{
    const struct pass *p = job->p;

    par_for(p->par, p->b->n_texts * ((job->C + CHANNELS - 1) / CHANNELS), taps_task, job);
    for (int t = 0; t < p->b->n_texts && p->want->cache != NULL; t++)
        lookback_keep(state_of(job, t), job->x + (int64_t)p->b->start[t] * job->C, job->n_taps,
                      job->C, pass_tokens(p, t));
}

/* ---- MIXER_CONV: rows are [b; c; x] ---- */

static void gate_in_rows(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    int64_t C = job->C, first = (int64_t)i * ROW_CHUNK;

    (void)scratch;
    for (int64_t r = first; r < first + stage_rows_of(job->p->N, i); r++)
        for (int64_t c = 0; c < C; c++)
            job->x[r * C + c] = job->rows[r * job->in + c] * job->rows[r * job->in + 2 * C + c];
}

static void gate_out_rows(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    int64_t C = job->C, first = (int64_t)i * ROW_CHUNK;

    (void)scratch;
    for (int64_t r = first; r < first + stage_rows_of(job->p->N, i); r++)
        for (int64_t c = 0; c < C; c++)
            job->z[r * C + c] = job->rows[r * job->in + C + c] * job->y[r * C + c];
}

static void run_conv(struct mixer_job *job)
{
    stage_rows(job->p, job->p->N, gate_in_rows, job);
    convolve(job);
    job->z = job->x;
    stage_rows(job->p, job->p->N, gate_out_rows, job);
}

/* ---- MIXER_DELTA: rows are, a head of keys, [q; k; its values; its gates] ---- */

/* To all q, then all k, then all v. */
static void sort_rows(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    const struct config *c = &job->p->m->config;
    int64_t first = (int64_t)i * ROW_CHUNK, d = c->mix.d_key, n = c->mix.n_key_heads;
    int64_t values = c->mix.n_heads / n * c->mix.d_value, group = 2 * d + 2 * values;

    (void)scratch;
    for (int64_t r = first; r < first + stage_rows_of(job->p->N, i); r++)
        for (int64_t g = 0; g < n; g++) {
            const float *row = job->rows + r * job->in + g * group;
            float *x = job->x + r * job->C;

            memcpy(x + g * d, row, (size_t)d * sizeof *x);
            memcpy(x + (n + g) * d, row + d, (size_t)d * sizeof *x);
            memcpy(x + 2 * n * d + g * values, row + 2 * d, (size_t)values * sizeof *x);
        }
}

static double sigmoid(double x)
{
    return 1 / (1 + elementary_exp(-x));
}

/* As the reference has it; above 20 it is x. */
static double softplus(double x)
{
    return x > 20 ? x : elementary_log1p(elementary_exp(x));
}

/* Rates come a head of keys as [learn of its heads; forget of its heads]; they become, a head,
 * what is kept, exp(-exp(decay) softplus(forget + step)), and what is learnt, sigmoid(learn). */
static void rate_row(const struct mixer_job *job, float *rates, float *room)
{
    const struct config *c = &job->p->m->config;
    const float *decay = job->plan->slot[W_MIX_DECAY].vector;
    const float *step = job->plan->slot[W_MIX_STEP].vector;
    int n = c->mix.n_heads, each = n / c->mix.n_key_heads;

    memcpy(room, rates, (size_t)(2 * n) * sizeof *room);
    for (int h = 0; h < n; h++) {
        const float *of = room + (int64_t)(h / each) * 2 * each + h % each;
        double forget = softplus((double)(of[each] + step[h]));

        rates[2 * h] = (float)elementary_exp(-elementary_exp((double)decay[h]) * forget);
        rates[2 * h + 1] = (float)sigmoid((double)of[0]);
    }
}

/* What is convolved, activated; q and k of length 1, q then divided by sqrt d_k; and rates. */
static void prepare_rows(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    const struct config *c = &job->p->m->config;
    int n = c->mix.n_key_heads, d = c->mix.d_key;
    float *room = arena_alloc_raw(scratch, (size_t)(2 * c->mix.n_heads), sizeof *room);
    float scale = (float)(1 / sqrt(d));
    int64_t first = (int64_t)i * ROW_CHUNK;

    for (int64_t r = first; r < first + stage_rows_of(job->p->N, i); r++) {
        float *y = job->y + r * job->C;

        act_apply(ACT_SILU, y, job->C);
        for (int h = 0; h < 2 * n; h++)
            delta_unit(y + (int64_t)h * d, d, h < n ? scale : 1);
        rate_row(job, job->rates + r * 2 * c->mix.n_heads, room);
    }
}

/* One head of one text. */
static void delta_task(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    const struct config *c = &job->p->m->config;
    int n = c->mix.n_heads, text = i / n, h = i % n, of = h / (n / c->mix.n_key_heads);
    int64_t row = job->p->b->start[text], keys = (int64_t)c->mix.n_key_heads * c->mix.d_key;
    int64_t size = (int64_t)c->mix.d_key * c->mix.d_value, width = (int64_t)n * c->mix.d_value;
    const float *y = job->y + row * job->C;
    struct delta delta = {
        .d_k = c->mix.d_key, .d_v = c->mix.d_value, .q = y + (int64_t)of * c->mix.d_key,
        .k = y + keys + (int64_t)of * c->mix.d_key, .v = y + 2 * keys + (int64_t)h * c->mix.d_value,
        .stride = job->C, .v_stride = job->C, .keep = job->rates + row * 2 * n + 2 * h,
        .rate_stride = 2 * n,
    };
    float *state = state_of(job, text);
    float *S = state != NULL ? state + (int64_t)(job->n_taps - 1) * job->C + h * size :
                               arena_alloc(scratch, (size_t)size, sizeof *S);

    delta.learn = delta.keep + 1;
    delta_scan(job->z + row * width + (int64_t)h * c->mix.d_value, width, S,
               arena_alloc_raw(scratch, (size_t)c->mix.d_value, sizeof *S), &delta,
               pass_tokens(job->p, text));
}

/* z = norm(z) silu(gate), head by head. */
static void gate_rows(void *self, int i, struct arena *scratch)
{
    const struct mixer_job *job = self;
    const struct config *c = &job->p->m->config;
    int n = c->mix.n_heads, each = n / c->mix.n_key_heads, d = c->mix.d_value;
    int64_t first = (int64_t)i * ROW_CHUNK, group = 2 * c->mix.d_key + 2 * (int64_t)each * d;

    (void)scratch;
    for (int64_t r = first; r < first + stage_rows_of(job->p->N, i); r++) {
        float *z = job->z + r * n * d;

        norm_rms(z, z, job->plan->slot[W_MIX_NORM].vector, (float)c->norm.eps, n, d);
        for (int h = 0; h < n; h++) {
            const float *gates = job->rows + r * job->in + h / each * group + 2 * c->mix.d_key +
                                 (int64_t)each * d;

            act_gated(ACT_SILU, z + (int64_t)h * d, gates + (int64_t)(h % each) * d, d);
        }
    }
}

static void run_delta(struct mixer_job *job)
{
    struct pass *p = job->p;
    const struct config *c = &p->m->config;

    job->rates = stage_floats(p, (size_t)p->N, (size_t)(2 * c->mix.n_heads));
    job->z = stage_floats(p, (size_t)p->N, (size_t)dim(p->m, DIM_MIX_OUT));
    stage_linear(p, job->rates, 2 * c->mix.n_heads, p->a, c->d_model, p->N,
                 &job->plan->slot[W_MIX_RATES]);
    stage_rows(p, p->N, sort_rows, job);
    convolve(job);
    stage_rows(p, p->N, prepare_rows, job);
    par_for(p->par, p->b->n_texts * c->mix.n_heads, delta_task, job);
    stage_rows(p, p->N, gate_rows, job);
}

/* ---- the whole ---- */

void mixer_run(struct pass *pass, int l, float *out)
{
    const struct layer_plan *plan = &pass->m->layer[l];
    struct arena_mark mark = arena_mark(pass->call);
    struct mixer_job job = { .p = pass, .plan = plan, .layer = l,
                             .C = dim(pass->m, DIM_MIX_CHANNELS),
                             .n_taps = pass->m->config.mix.n_taps,
                             .in = dim(pass->m, DIM_MIX_IN) };
    int D = pass->m->config.d_model, before;

    job.rows = stage_floats(pass, (size_t)pass->N, (size_t)job.in);
    job.x = stage_floats(pass, (size_t)pass->N, (size_t)job.C);
    job.y = stage_floats(pass, (size_t)pass->N, (size_t)job.C);
    begin_states(&job);
    stage_linear(pass, job.rows, job.in, pass->a, D, pass->N, &plan->slot[W_MIX_IN]);
    before = meter_enter(par_meter(pass->par), METER_ATTENTION);
    if (plan->mixer == MIXER_CONV)
        run_conv(&job);
    else
        run_delta(&job);
    meter_leave(par_meter(pass->par), before);
    stage_linear(pass, out, D, job.z, dim(pass->m, DIM_MIX_OUT), pass->N, &plan->slot[W_MIX_OUT]);
    arena_reset(pass->call, mark);
}

double mixer_memory(const struct model *model, int n_tokens)
{
    double row = dim(model, DIM_MIX_IN) + 2.0 * dim(model, DIM_MIX_CHANNELS);

    if (model->family->mixer == MIXER_NONE)
        return 0;
    if (model->family->mixer == MIXER_DELTA)
        row += dim(model, DIM_MIX_RATES) + dim(model, DIM_MIX_OUT) +
               (double)model->config.mix.d_key * model->config.mix.d_value / n_tokens;
    return row * n_tokens;
}
