/* SPDX-License-Identifier: MIT
 * Convolutions of rows, as a linear on the adjacent rows of a window; a window of even width has
 * one more row before its token than after it. */
#include "run/special/conv.h"

#include <string.h>

#include "nn/act.h"
#include "nn/nn.h"
#include "run/stage.h"

struct conv_job {
    struct pass *p;
    const struct param *weight;
    const float *tap_scale;     /* [width] on what each tap reads; NULL: 1 */
    const float *from;          /* [N, D] */
    int row0, n_rows;           /* rows at hand, of the batch */
    int first;                  /* column of the group at hand */
    int n_in;                   /* columns of a group */
    const int *text;            /* [N] of each row */
    float *window;              /* [n_rows, n_in, width]: as the file has its inputs */
    float *out;                 /* [n_rows, D] */
};

/* Tokens beyond the ends of a text count as 0. */
static void gather_rows(void *self, int i, struct arena *scratch)
{
    const struct conv_job *job = self;
    const struct batch *batch = job->p->b;
    int width = job->p->m->config.front.conv_width;
    int64_t D = job->p->m->config.d_model;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++) {
        int at = i * ROW_CHUNK + r, row = job->row0 + at, text = job->text[row];
        float *window = job->window + (int64_t)at * job->n_in * width;

        for (int k = 0; k < width; k++) {
            int from = row + k - width / 2;
            bool inside = from >= batch->start[text] && from < batch->start[text + 1];
            const float *x = job->from + (inside ? from : row) * D + job->first;
            float scale = !inside ? 0 : job->tap_scale != NULL ? job->tap_scale[k] : 1;

            for (int c = 0; c < job->n_in; c++)
                window[c * width + k] = scale != 0 ? x[c] * scale : 0;
        }
    }
}

static void conv_add_rows(void *self, int i, struct arena *scratch)
{
    const struct conv_job *job = self;
    int64_t D = job->p->m->config.d_model, at = (int64_t)i * ROW_CHUNK * D;
    int64_t count = stage_rows_of(job->n_rows, i) * D;

    (void)scratch;
    act_apply(job->p->m->config.front.conv_act, job->out + at, count);
    nn_add(job->p->x + job->row0 * D + at, job->out + at, count);
}

static void one_group(struct conv_job *job, int group)
{
    struct pass *pass = job->p;
    struct param param = stage_part(job->weight, group * job->n_in, job->n_in);

    job->first = group * job->n_in;
    stage_rows(pass, job->n_rows, gather_rows, job);
    stage_linear(pass, job->out + job->first, pass->m->config.d_model, job->window,
                 param.matrix.K, job->n_rows, &param);
}

static const int *conv_texts_of(struct pass *pass)
{
    int *text = arena_alloc_raw(pass->call, (size_t)pass->N, sizeof *text);

    for (int t = 0; t < pass->b->n_texts; t++)
        for (int i = pass->b->start[t]; i < pass->b->start[t + 1]; i++)
            text[i] = t;
    return text;
}

/* x += act(conv(from)) */
static void conv_add_output(struct conv_job job)
{
    struct pass *p = job.p;
    const struct config *config = &p->m->config;
    size_t D = (size_t)config->d_model, rows = p->N < MLP_ROWS ? (size_t)p->N : MLP_ROWS;

    job.n_in = config->d_model / config->front.conv_groups;
    job.text = conv_texts_of(p);
    job.window = arena_alloc_raw(p->call, rows * (uint64_t)job.n_in,
                                 (uint64_t)config->front.conv_width * sizeof(float));
    job.out = arena_alloc_raw(p->call, rows * D, sizeof(float));
    for (; job.row0 < p->N; job.row0 += MLP_ROWS) {
        job.n_rows = p->N - job.row0 < MLP_ROWS ? p->N - job.row0 : MLP_ROWS;
        for (int g = 0; g < config->front.conv_groups; g++)
            one_group(&job, g);
        stage_rows(p, job.n_rows, conv_add_rows, &job);
    }
}

void conv_add(struct pass *pass)
{
    struct arena_mark mark = arena_mark(pass->call);

    conv_add_output((struct conv_job){ .p = pass, .weight = &pass->m->slot[W_CONV],
                                       .from = pass->embedded });
    stage_norm(pass, pass->x, pass->x, pass->N, pass->m->config.d_model,
               &pass->m->slot[W_CONV_NORM]);
    arena_reset(pass->call, mark);
}

void conv_positions(struct pass *pass)
{
    struct arena_mark mark = arena_mark(pass->call);
    size_t D = (size_t)pass->m->config.d_model;
    float *from = stage_floats(pass, (size_t)pass->N, D);

    memcpy(from, pass->x, (size_t)pass->N * D * sizeof *from);
    conv_add_output((struct conv_job){ .p = pass, .weight = &pass->m->slot[W_POS_CONV],
                                       .tap_scale = pass->m->tap_scale, .from = from });
    stage_norm(pass, pass->x, pass->x, pass->N, (int)D, &pass->m->slot[W_POS_CONV_NORM]);
    arena_reset(pass->call, mark);
}

double conv_memory(const struct model *model, int n_tokens)
{
    const struct config *config = &model->config;
    double D = config->d_model, rows = n_tokens < MLP_ROWS ? n_tokens : MLP_ROWS;

    return model->slot[W_CONV].weight == NULL && model->slot[W_POS_CONV].weight == NULL ? 0 :
           n_tokens * (D + 1) +
           rows * D * (1 + (double)config->front.conv_width / config->front.conv_groups);
}
