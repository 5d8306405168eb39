/* SPDX-License-Identifier: MIT
 * Residual streams -> the same, mixed before and after a layer (AltUp). */
#include "run/special/altup.h"

#include <math.h>
#include <string.h>

#include "nn/act.h"
#include "nn/nn.h"
#include "run/stage.h"

struct altup_job {
    const struct model *m;
    float *streams;             /* [N, n D] */
    float *x;                   /* [N, D] */
    const float *coefs;         /* [N, n n], or [N, n] */
    int n_rows;
};

static int64_t width(const struct pass *pass)
{
    return model_stream_width(pass->m);
}

/* ---- lengths ---- */

static float mean_square(const float *x, int D)
{
    double sum = 0;

    for (int k = 0; k < D; k++)
        sum += (double)x[k] * (double)x[k];
    return (float)(sum / D);
}

/* y[D] becomes as long as x[D]. */
static void match(float *y, const float *x, int D)
{
    static const float least = 1e-5f;
    float square = mean_square(y, D);
    float factor = sqrtf(mean_square(x, D)) / sqrtf(square < least ? least : square);

    for (int k = 0; k < D; k++)
        y[k] *= factor;
}

static void match_rows(void *self, int i, struct arena *scratch)
{
    const struct altup_job *job = self;
    int n = job->m->config.streams.n, D = job->m->config.d_model;
    float *s = job->streams + (int64_t)i * ROW_CHUNK * n * D;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++, s += (int64_t)n * D)
        for (int b = 1; b < n; b++)
            match(s + (int64_t)b * D, s, D);
}

/* ---- one stream of each row ---- */

static void take_stream(const struct pass *pass, float *x, int stream)
{
    int64_t D = pass->m->config.d_model, W = width(pass);

    for (int64_t i = 0; i < pass->N; i++)
        memcpy(x + i * D, pass->streams + i * W + stream * D, (size_t)D * sizeof *x);
}

void altup_begin(struct pass *pass)
{
    struct altup_job job = { .m = pass->m, .streams = pass->streams, .n_rows = pass->N };
    int64_t D = pass->m->config.d_model, W = width(pass);

    for (int64_t i = 0; i < pass->N; i++)
        memcpy(pass->streams + i * W, pass->x + i * D, (size_t)D * sizeof *pass->x);
    for (int b = 1; b < pass->m->config.streams.n; b++)
        stage_linear(pass, pass->streams + b * D, W, pass->x, D, pass->N,
                     &pass->m->stream_in[b - 1]);
    stage_rows(pass, pass->N, match_rows, &job);
}

/* ---- the mix ---- */

/* What the linear makes of the modes of x[N, D]; as long as the call. */
static float *coefs_of(struct pass *pass, const struct layer_plan *plan, enum slot slot)
{
    const struct config *config = &pass->m->config;
    int n = config->streams.n, D = config->d_model;
    const struct param *w = &plan->slot[slot];
    float *modes = stage_floats(pass, (size_t)pass->N, (size_t)n);
    float *coefs = stage_floats(pass, (size_t)pass->N, (size_t)w->matrix.N);

    stage_norm(pass, pass->a, pass->x, pass->N, D, &plan->slot[W_MODE_NORM]);
    stage_scale(pass, pass->a, pass->N, D, 1.0 / D, NULL);
    stage_linear(pass, modes, n, pass->a, D, pass->N, &plan->slot[W_MODES]);
    act_apply(ACT_TANH, modes, (int64_t)pass->N * n);
    stage_linear(pass, coefs, w->matrix.N, modes, n, pass->N, w);
    return coefs;
}

static void predict_rows(void *self, int i, struct arena *scratch)
{
    const struct altup_job *job = self;
    int n = job->m->config.streams.n, D = job->m->config.d_model;
    int64_t at = (int64_t)i * ROW_CHUNK;
    float *was = arena_alloc_raw(scratch, (size_t)n, sizeof *was);

    for (int64_t r = at; r < at + stage_rows_of(job->n_rows, i); r++) {
        const float *c = job->coefs + r * n * n;
        float *s = job->streams + r * n * D;

        for (int64_t k = 0; k < D; k++) {
            for (int b = 0; b < n; b++)
                was[b] = s[b * (int64_t)D + k];
            for (int b = 0; b < n; b++) {
                float sum = 0;

                for (int from = 0; from < n; from++)
                    sum += was[from] * c[b * n + from];
                s[b * (int64_t)D + k] = sum + was[b];
            }
        }
    }
}

void altup_enter(struct pass *pass, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(pass->call);
    struct altup_job job = { .m = pass->m, .streams = pass->streams, .n_rows = pass->N };
    int active = pass->m->config.streams.active;

    take_stream(pass, pass->x, active);
    job.coefs = coefs_of(pass, plan, W_PREDICT);
    stage_rows(pass, pass->N, predict_rows, &job);
    take_stream(pass, pass->x, active);
    arena_reset(pass->call, mark);
}

static void correct_rows(void *self, int i, struct arena *scratch)
{
    const struct altup_job *job = self;
    int n = job->m->config.streams.n, D = job->m->config.d_model;
    int64_t at = (int64_t)i * ROW_CHUNK, active = (int64_t)job->m->config.streams.active * D;

    (void)scratch;
    for (int64_t r = at; r < at + stage_rows_of(job->n_rows, i); r++) {
        float *s = job->streams + r * n * D;

        for (int64_t k = 0; k < D; k++) {
            float found = job->x[r * D + k] - s[active + k];

            for (int b = 0; b < n; b++)
                s[b * (int64_t)D + k] += found * (job->coefs[r * n + b] + 1);
        }
    }
}

/* ---- a layer's own input ---- */

/* u[N, d] */
static void layer_input(struct pass *pass, int layer, float *u)
{
    const struct config *config = &pass->m->config;
    const struct param *table = &pass->m->slot[W_INPUT_TOK];
    int d = config->streams.d_input;
    int64_t all = (int64_t)config->n_layers * d;
    struct param part = stage_part(&pass->m->slot[W_INPUT_EMB], layer * d, d);
    float *row = stage_floats(pass, 1, (size_t)d), size = sqrtf((float)d);

    stage_linear(pass, u, d, pass->embedded, config->d_model, pass->N, &part);
    stage_scale(pass, u, pass->N, d, 1 / sqrt(config->d_model), NULL);
    stage_norm(pass, u, u, pass->N, d, &pass->m->slot[W_INPUT_EMB_NORM]);
    for (int i = 0; i < pass->N; i++) {
        int id = pass->b->id[i] < config->streams.n_vocab ? pass->b->id[i] : 0;

        tensor_read(row, table->weight, id * all + (int64_t)layer * d, d);
        for (int k = 0; k < d; k++)
            u[(int64_t)i * d + k] = (u[(int64_t)i * d + k] + row[k] * size) * 0x1.6a09e6p-1f;
    }
}

static void add_input(struct pass *pass, const struct layer_plan *plan)
{
    const struct config *config = &pass->m->config;
    int d = config->streams.d_input, D = config->d_model;
    int64_t W = width(pass);
    float *u = stage_floats(pass, (size_t)pass->N, (size_t)d);
    float *gate = stage_floats(pass, (size_t)pass->N, (size_t)d);

    take_stream(pass, pass->x, config->streams.active);
    stage_scale(pass, pass->x, pass->N, D, 0, plan->slot[W_INPUT_SCALE].vector);
    stage_linear(pass, gate, d, pass->x, D, pass->N, &plan->slot[W_INPUT_GATE]);
    layer_input(pass, (int)(plan - pass->m->layer), u);
    act_gated(config->act, u, gate, (int64_t)pass->N * d);
    stage_linear(pass, pass->a, D, u, d, pass->N, &plan->slot[W_INPUT_PROJ]);
    stage_norm(pass, pass->a, pass->a, pass->N, D, &plan->slot[W_INPUT_NORM]);
    for (int64_t i = 0; i < pass->N; i++)
        for (int b = 1; b < config->streams.n; b++)
            nn_add(pass->streams + i * W + (int64_t)b * D, pass->a + i * D, D);
}

void altup_leave(struct pass *pass, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(pass->call);
    struct altup_job job = { .m = pass->m, .streams = pass->streams, .x = pass->x,
                             .n_rows = pass->N };

    job.coefs = coefs_of(pass, plan, W_CORRECT);
    stage_rows(pass, pass->N, correct_rows, &job);
    if (pass->m->config.streams.n > 1)
        add_input(pass, plan);
    arena_reset(pass->call, mark);
}

/* ---- the end ---- */

void altup_merge(struct pass *pass, float *out, const float *streams, int n, float *room)
{
    int count = pass->m->config.streams.n, D = pass->m->config.d_model;
    int64_t W = width(pass);

    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * D, streams + i * W, (size_t)D * sizeof *out);
    for (int b = 1; b < count; b++) {
        stage_linear(pass, room, D, streams + (int64_t)b * D, W, n, &pass->m->stream_out[b - 1]);
        for (int64_t i = 0; i < n; i++) {
            match(room + i * D, streams + i * W, D);
            nn_add(out + i * D, room + i * D, D);
        }
    }
    stage_scale(pass, out, n, D, 1.0 / count, NULL);
}
