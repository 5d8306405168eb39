/* SPDX-License-Identifier: MIT
 * Each token with its neighbours in the text, as a linear on their embeddings side by
 * side. */
#include "run/conv.h"

#include <string.h>

#include "nn/act.h"
#include "nn/nn.h"
#include "run/stage.h"

struct conv_job {
    struct pass *p;
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
    const struct conv_job *j = self;
    const struct batch *b = j->p->b;
    int width = j->p->m->config.front.conv_width;
    int64_t D = j->p->m->config.d_model;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(j->n_rows, i); r++) {
        int at = i * ROW_CHUNK + r, row = j->row0 + at, text = j->text[row];
        float *window = j->window + (int64_t)at * j->n_in * width;

        for (int k = 0; k < width; k++) {
            int from = row + k - width / 2;
            bool inside = from >= b->start[text] && from < b->start[text + 1];
            const float *x = j->p->embedded + (inside ? from : row) * D + j->first;

            for (int c = 0; c < j->n_in; c++)
                window[c * width + k] = inside ? x[c] : 0;
        }
    }
}

static void add_rows(void *self, int i, struct arena *scratch)
{
    const struct conv_job *j = self;
    int64_t D = j->p->m->config.d_model, at = (int64_t)i * ROW_CHUNK * D;
    int64_t n = stage_rows_of(j->n_rows, i) * D;

    (void)scratch;
    act_apply(j->p->m->config.front.conv_act, j->out + at, n);
    nn_add(j->p->x + j->row0 * D + at, j->out + at, n);
}

static void one_group(struct conv_job *j, int group)
{
    struct pass *p = j->p;
    struct param w = stage_part(&p->m->slot[W_CONV], group * j->n_in, j->n_in);

    j->first = group * j->n_in;
    stage_rows(p, j->n_rows, gather_rows, j);
    stage_linear(p, j->out + j->first, p->m->config.d_model, j->window, w.matrix.K,
                 j->n_rows, &w);
}

static const int *texts_of(struct pass *p)
{
    int *text = arena_alloc_raw(p->call, (size_t)p->N, sizeof *text);

    for (int t = 0; t < p->b->n_texts; t++)
        for (int i = p->b->start[t]; i < p->b->start[t + 1]; i++)
            text[i] = t;
    return text;
}

void conv_add(struct pass *p)
{
    const struct config *c = &p->m->config;
    struct arena_mark mark = arena_mark(p->call);
    size_t D = (size_t)c->d_model, rows = p->N < MLP_ROWS ? (size_t)p->N : MLP_ROWS;
    struct conv_job j = { .p = p, .n_in = c->d_model / c->front.conv_groups };

    j.text = texts_of(p);
    j.window = arena_alloc_raw(p->call, rows * (size_t)j.n_in,
                               (size_t)c->front.conv_width * sizeof(float));
    j.out = arena_alloc_raw(p->call, rows * D, sizeof(float));
    for (; j.row0 < p->N; j.row0 += MLP_ROWS) {
        j.n_rows = p->N - j.row0 < MLP_ROWS ? p->N - j.row0 : MLP_ROWS;
        for (int g = 0; g < c->front.conv_groups; g++)
            one_group(&j, g);
        stage_rows(p, j.n_rows, add_rows, &j);
    }
    stage_norm(p, p->x, p->x, p->N, c->d_model, &p->m->slot[W_CONV_NORM]);
    arena_reset(p->call, mark);
}

double conv_memory(const struct model *m, int n_tokens)
{
    const struct config *c = &m->config;
    double D = c->d_model, rows = n_tokens < MLP_ROWS ? n_tokens : MLP_ROWS;

    return m->slot[W_CONV].weight == NULL ? 0 :
           n_tokens * (D + 1) +
           rows * D * (1 + (double)c->front.conv_width / c->front.conv_groups);
}
