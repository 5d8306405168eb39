/* SPDX-License-Identifier: MIT
 * The stages around attention, each split over outputs among the threads. */
#include <string.h>

#include "run/run_priv.h"

/* ---- linear ---- */

struct linear_job {
    float *y;
    const float *x, *bias;
    int64_t y_stride, x_stride;
    int n_rows, rows_a_task, n_panels;
    const struct matrix *w;
};

static void linear_task(void *self, int i, struct arena *scratch)
{
    const struct linear_job *j = self;
    int row = i / j->n_panels * j->rows_a_task, n0 = i % j->n_panels * PANEL;
    int rows = j->n_rows - row < j->rows_a_task ? j->n_rows - row : j->rows_a_task;
    float *room = arena_alloc_raw(scratch, linear_scratch(j->w->K), sizeof *room);

    linear_panel(j->y + row * j->y_stride, j->y_stride, j->x + row * j->x_stride,
                 j->x_stride, rows, j->w, j->bias, n0, room);
}

void pass_linear(struct pass *p, float *y, int64_t y_stride, const float *x,
                 int64_t x_stride, int n_rows, const struct matrix *w,
                 const float *bias)
{
    /* A panel is packed anew for each task: 512 rows make that cheap. */
    enum { ROWS = 512 };
    struct linear_job j = {
        .y = y, .x = x, .bias = bias, .y_stride = y_stride, .x_stride = x_stride,
        .n_rows = n_rows, .n_panels = (w->N + PANEL - 1) / PANEL, .w = w,
    };

    j.rows_a_task = j.n_panels < 4 * par_threads(p->par) ? ROWS : n_rows;
    par_for(p->par, j.n_panels * ((n_rows + j.rows_a_task - 1) / j.rows_a_task),
            linear_task, &j);
}

/* ---- row by row ---- */

struct row_job {
    struct pass *p;
    float *y;
    const float *x;
    int n_rows;
    const struct param *norm;
};

static int rows_of(int n_rows, int i)
{
    int left = n_rows - i * ROW_CHUNK;

    return left < ROW_CHUNK ? left : ROW_CHUNK;
}

static void for_rows(struct pass *p, int n_rows,
                     void (*task)(void *self, int i, struct arena *scratch),
                     struct row_job *j)
{
    par_for(p->par, (n_rows + ROW_CHUNK - 1) / ROW_CHUNK, task, j);
}

static void norm_task(void *self, int i, struct arena *scratch)
{
    const struct row_job *j = self;
    const struct model *m = j->p->m;
    int D = m->config.d_model, n = rows_of(j->n_rows, i);
    int64_t at = (int64_t)i * ROW_CHUNK * D;
    float eps = (float)m->config.norm_eps;

    (void)scratch;
    if (j->norm->vector == NULL && j->y != j->x)
        memcpy(j->y + at, j->x + at, (size_t)n * (size_t)D * sizeof(float));
    else if (j->norm->vector != NULL && m->family->norm == NORM_RMS)
        norm_rms(j->y + at, j->x + at, j->norm->vector, eps, n, D);
    else if (j->norm->vector != NULL)
        norm_layer(j->y + at, j->x + at, j->norm->vector, j->norm->bias, eps, n, D);
}

void pass_norm(struct pass *p, float *y, const float *x, int n_rows,
               const struct param *norm)
{
    struct row_job j = { .p = p, .y = y, .x = x, .n_rows = n_rows, .norm = norm };

    for_rows(p, n_rows, norm_task, &j);
}

/* ---- embeddings ---- */

static void add_row(float *x, float *room, const struct param *table, int64_t row,
                    int D)
{
    tensor_read(room, table->weight, row * D, D);
    add_to(x, room, D);
}

void pass_embed(struct pass *p)
{
    const struct param *slot = p->m->slot;
    const struct batch *b = p->b;
    int D = p->m->config.d_model;
    float *room = arena_alloc_raw(p->call, (size_t)D, sizeof *room);

    for (int t = 0; t < b->n_texts; t++)
        for (int i = b->start[t]; i < b->start[t + 1]; i++) {
            float *x = p->x + (int64_t)i * D;

            tensor_read(x, slot[W_TOK].weight, (int64_t)b->id[i] * D, D);
            if (slot[W_TYPE].weight != NULL)
                add_row(x, room, &slot[W_TYPE], b->type != NULL ? b->type[i] : 0, D);
            if (slot[W_POS].weight != NULL)
                add_row(x, room, &slot[W_POS], i - b->start[t], D);
        }
    pass_norm(p, p->x, p->x, p->N, &slot[W_EMB_NORM]);
}

/* ---- queries, keys, values ---- */

static void rope_task(void *self, int t, struct arena *scratch)
{
    const struct pass *p = ((const struct row_job *)self)->p;
    const struct config *c = &p->m->config;
    int half = c->d_head / 2;

    (void)scratch;
    for (int i = p->b->start[t]; i < p->b->start[t + 1]; i++) {
        int64_t at = (int64_t)(i - p->b->start[t]) * half;

        /* q and k lie side by side: one call turns the heads of both. */
        rope_apply(p->qkv + (int64_t)i * p->qkv_width, c->n_heads + c->n_kv_heads,
                   c->d_head, c->d_head, ROPE_HALVES, p->cos + at, p->sin + at);
    }
}

void pass_project(struct pass *p, const struct layer_plan *plan)
{
    static const enum slot separate[] = { W_Q, W_K, W_V, N_SLOT };
    static const enum slot stacked[] = { W_QKV, N_SLOT };
    const enum slot *s = p->m->family->qkv == QKV_STACKED ? stacked : separate;
    int D = p->m->config.d_model, column = 0;
    struct row_job j = { .p = p };

    for (; *s != N_SLOT; s++) {
        const struct param *w = &plan->slot[*s];

        pass_linear(p, p->qkv + column, p->qkv_width, p->a, D, p->N, &w->matrix,
                    w->bias);
        column += w->matrix.N;
    }
    if (p->cos != NULL)
        par_for(p->par, p->b->n_texts, rope_task, &j);
}

/* ---- mlp ---- */

static void act_task(void *self, int i, struct arena *scratch)
{
    const struct row_job *j = self;
    const struct config *c = &j->p->m->config;
    int64_t at = (int64_t)i * ROW_CHUNK * c->d_ff;
    int64_t n = (int64_t)rows_of(j->n_rows, i) * c->d_ff;

    (void)scratch;
    if (j->x != NULL)
        act_gated(c->act, j->y + at, j->x + at, n);
    else
        act_apply(c->act, j->y + at, n);
}

void pass_mlp(struct pass *p, const struct layer_plan *plan)
{
    const struct param *norm = &plan->slot[W_MLP_NORM], *up = &plan->slot[W_UP];
    const struct param *gate = &plan->slot[W_GATE], *down = &plan->slot[W_DOWN];
    bool pre = p->m->family->place == PLACE_PRE;
    int64_t D = p->m->config.d_model, F = p->m->config.d_ff;

    for (int row = 0; row < p->N; row += MLP_ROWS) {
        int n = p->N - row < MLP_ROWS ? p->N - row : MLP_ROWS;
        float *x = p->x + row * D, *a = p->a + row * D;
        const float *in = x;
        struct row_job j = { .p = p, .y = p->up, .x = p->gate, .n_rows = n };

        if (pre) {
            pass_norm(p, a, x, n, norm);
            in = a;
        }
        pass_linear(p, p->up, F, in, D, n, &up->matrix, up->bias);
        if (p->gate != NULL)
            pass_linear(p, p->gate, F, in, D, n, &gate->matrix, gate->bias);
        for_rows(p, n, act_task, &j);
        pass_linear(p, a, D, p->up, F, n, &down->matrix, down->bias);
        add_to(x, a, n * D);
        if (!pre)
            pass_norm(p, x, x, n, norm);
    }
}

/* ---- head ---- */

static void logits(struct pass *p, const float *hidden)
{
    const struct param *slot = p->m->slot, *dense = &slot[W_HEAD_DENSE];
    int64_t D = p->m->config.d_model, V = p->m->config.n_vocab;
    const float *bias = slot[W_HEAD_BIAS].vector;

    if (dense->weight != NULL) {
        pass_linear(p, p->a, D, hidden, D, p->N, &dense->matrix, dense->bias);
        act_apply(p->m->config.act, p->a, p->N * D);
        pass_norm(p, p->a, p->a, p->N, &slot[W_HEAD_NORM]);
        hidden = p->a;
    }
    pass_linear(p, p->want->logits, V, hidden, D, p->N, &slot[W_HEAD].matrix,
                bias != NULL ? bias : slot[W_HEAD].bias);
}

void pass_head(struct pass *p)
{
    if (p->want->hidden == NULL && p->want->logits == NULL)
        return;
    pass_norm(p, p->x, p->x, p->N, &p->m->slot[W_FINAL_NORM]);
    if (p->want->hidden != NULL)
        memcpy(p->want->hidden, p->x,
               (size_t)p->N * (size_t)p->m->config.d_model * sizeof(float));
    if (p->want->logits != NULL)
        logits(p, p->x);
}
