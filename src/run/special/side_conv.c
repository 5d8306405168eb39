/* SPDX-License-Identifier: MIT
 * Rows and their queries -> the output of ConvBERT's dynamic convolution. */
#include "run/special/side_conv.h"

#include <string.h>

#include "model/quirks.h"
#include "nn/nn.h"
#include "nn/softmax.h"
#include "run/stage.h"

struct side_conv_job {
    const struct pass *p;
    const struct param *slot;
    const int *text;            /* [N] of each row */
    float *near;                /* [N, D] rows as W_TAPS has them */
    float *key;                 /* [N, H d] */
    const float *share, *value; /* [N, H K], [N, H d] */
};

/* The taps of row t that lie in its text: first .. end - 1. */
static void inside(const struct side_conv_job *job, int t, int *first, int *end)
{
    int K = job->p->m->config.n_taps, from = t - K / 2;
    const int *start = job->p->b->start + job->text[t];

    *first = start[0] > from ? start[0] - from : 0;
    *end = start[1] - from < K ? start[1] - from : K;
}

/* near[t, i] = sum over k of x[t + k - K / 2, i] w[i, k] */
static void convolve_rows(void *self, int i, struct arena *scratch)
{
    const struct side_conv_job *job = self;
    int D = job->p->m->config.d_model, K = job->p->m->config.n_taps, first, end;
    const float *w = job->slot[W_TAPS].vector;

    (void)scratch;
    for (int t = i * ROW_CHUNK; t < i * ROW_CHUNK + stage_rows_of(job->p->N, i); t++) {
        float *y = job->near + (int64_t)t * D;

        inside(job, t, &first, &end);
        memset(y, 0, (size_t)D * sizeof *y);
        for (int k = first; k < end; k++) {
            const float *x = job->p->a + (int64_t)(t + k - K / 2) * D;

            for (int c = 0; c < D; c++)
                y[c] += x[c] * w[(int64_t)c * K + k];
        }
    }
}

/* key = (key + its bias) times the queries */
static void multiply_rows(void *self, int i, struct arena *scratch)
{
    const struct side_conv_job *job = self;
    const struct head_place *place = &job->p->m->place;
    int d = job->p->m->config.d_head, H = job->p->m->config.n_heads;
    const float *bias = job->slot[W_TAPS_BIAS].vector;

    (void)scratch;
    for (int64_t t = i * ROW_CHUNK; t < i * ROW_CHUNK + stage_rows_of(job->p->N, i); t++)
        for (int h = 0; h < H; h++) {
            const float *q = job->p->qkv + t * place->width + place->q[h];
            float *key = job->key + (t * H + h) * d;

            for (int c = 0; c < d; c++)
                key[c] = (key[c] + bias[h * d + c]) * q[c];
        }
}

static void mix_rows(void *self, int i, struct arena *scratch)
{
    const struct side_conv_job *job = self;
    int d = job->p->m->config.d_head, H = job->p->m->config.n_heads;
    int K = job->p->m->config.n_taps, first, end;
    double *w = arena_alloc_raw(scratch, (size_t)K, sizeof *w);

    for (int t = i * ROW_CHUNK; t < i * ROW_CHUNK + stage_rows_of(job->p->N, i); t++) {
        inside(job, t, &first, &end);
        for (int h = 0; h < H; h++) {
            float *y = job->p->mixed + ((int64_t)t * H + h) * d;

            for (int k = 0; k < K; k++)
                w[k] = (double)job->share[((int64_t)t * H + h) * K + k];
            softmax_double(w, NULL, K);
            memset(y, 0, (size_t)d * sizeof *y);
            for (int k = first; k < end; k++) {
                const float *v = job->value + ((int64_t)(t + k - K / 2) * H + h) * d;

                for (int c = 0; c < d; c++)
                    y[c] += (float)w[k] * v[c];
            }
        }
    }
}

static const int *text_of_rows(struct pass *pass)
{
    int *text = arena_alloc_raw(pass->call, (size_t)pass->N, sizeof *text);

    for (int t = 0; t < pass->b->n_texts; t++)
        for (int i = pass->b->start[t]; i < pass->b->start[t + 1]; i++)
            text[i] = t;
    return text;
}

void side_conv_rows(struct pass *pass, int l, bool wanted)
{
    const struct param *slot = pass->m->layer[l].slot;
    struct arena_mark mark = arena_mark(pass->call);
    int D = pass->m->config.d_model, Hd = slot[W_TAPS_VALUE].matrix.N,
        n = slot[W_TAPS_ROW].matrix.N;
    struct side_conv_job job = { .p = pass, .slot = slot };
    float *share, *value;

    if (pass->mixed == NULL || !wanted)
        return;
    job.text = text_of_rows(pass);
    job.near = stage_floats(pass, (size_t)pass->N, (size_t)D);
    job.key = stage_floats(pass, (size_t)pass->N, (size_t)Hd);
    job.share = share = stage_floats(pass, (size_t)pass->N, (size_t)n);
    job.value = value = stage_floats(pass, (size_t)pass->N, (size_t)Hd);
    stage_rows(pass, pass->N, convolve_rows, &job);
    stage_linear(pass, job.key, Hd, job.near, D, pass->N, &slot[W_TAPS_POINT]);
    stage_rows(pass, pass->N, multiply_rows, &job);
    stage_linear(pass, share, n, job.key, Hd, pass->N, &slot[W_TAPS_ROW]);
    stage_linear(pass, value, Hd, pass->a, D, pass->N, &slot[W_TAPS_VALUE]);
    stage_rows(pass, pass->N, mix_rows, &job);
    arena_reset(pass->call, mark);
}

void side_conv_add(struct pass *pass, int l, enum stack_id stack, float *out, int D)
{
    const struct param *param = &pass->m->layer[l].slot[W_TAPS_O];
    struct arena_mark mark = arena_mark(pass->call);
    float *add;

    if (pass->mixed == NULL || stack == STACK_CROSS)
        return;
    add = stage_floats(pass, (size_t)pass->N, (size_t)D);
    stage_linear(pass, add, D, pass->mixed, param->matrix.K, pass->N, param);
    nn_add(out, add, (int64_t)pass->N * D);
    arena_reset(pass->call, mark);
}

double side_conv_memory(const struct model *model, int n_tokens)
{
    const struct config *config = &model->config;
    double Hd = (double)config->n_heads * config->d_head;

    return !quirks_of(model->family)->side_conv ? 0 :
           n_tokens * (config->d_model + 3 * Hd + (double)config->n_taps * config->n_heads + 1);
}
