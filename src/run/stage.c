/* SPDX-License-Identifier: MIT
 * Linears and norms, shared out over the threads. */
#include "run/stage.h"

#include <string.h>

#include "nn/linear.h"
#include "nn/norm.h"
#include "nn/precision.h"

float *stage_floats(struct pass *p, size_t rows, size_t columns)
{
    return arena_alloc_raw(p->call, rows * columns, sizeof(float));
}

/* ---- linear ---- */

struct linear_job {
    float *y;
    const float *x, *bias;
    int64_t y_stride, x_stride;
    int n_rows, rows_per_task, n_panels;
    const struct matrix *w;
};

static void linear_task(void *self, int i, struct arena *scratch)
{
    const struct linear_job *j = self;
    int row = i / j->n_panels * j->rows_per_task, n0 = i % j->n_panels * PANEL;
    int rows = j->n_rows - row < j->rows_per_task ? j->n_rows - row : j->rows_per_task;
    float *room = arena_alloc_raw(scratch, linear_scratch(j->w->K), sizeof *room);

    linear_panel(j->y + row * j->y_stride, j->y_stride, j->x + row * j->x_stride,
                 j->x_stride, rows, j->w, j->bias, n0, room);
}

static void run_linear(struct pass *p, struct linear_job *j)
{
    par_for(p->par, j->n_panels * ((j->n_rows + j->rows_per_task - 1) / j->rows_per_task),
            linear_task, j);
}

/* The same with x and w rounded to a lower precision. */
static void run_rounded(struct pass *p, struct linear_job *j)
{
    struct arena_mark mark = arena_mark(p->call);
    struct matrix w = *j->w;
    float *x = arena_alloc_raw(p->call, (size_t)j->n_rows, (size_t)w.K * sizeof *x);

    for (int i = 0; i < j->n_rows; i++)
        precision_round(pass_precision(p), x + (int64_t)i * w.K, j->x + i * j->x_stride,
                        w.K);
    w.precision = pass_precision(p);
    j->w = &w;
    j->x = x;
    j->x_stride = w.K;
    run_linear(p, j);
    arena_reset(p->call, mark);
}

void stage_linear(struct pass *p, float *y, int64_t y_stride, const float *x,
                  int64_t x_stride, int n_rows, const struct param *w)
{
    /* A panel is packed anew for each task: 512 rows make that cheap. */
    enum { ROWS = 512 };
    struct linear_job j = {
        .y = y, .x = x, .bias = w->bias, .y_stride = y_stride, .x_stride = x_stride,
        .n_rows = n_rows, .n_panels = (w->matrix.N + PANEL - 1) / PANEL,
        .w = &w->matrix,
    };

    j.rows_per_task = j.n_panels < 4 * par_threads(p->par) ? ROWS : n_rows;
    (pass_precision(p) == PRECISION_F32 ? run_linear : run_rounded)(p, &j);
}

struct param stage_part(const struct param *w, int first, int n)
{
    struct param part = *w;
    int64_t blocks = first * w->matrix.stride / (w->matrix.block > 1 ? w->matrix.block : 1);

    part.matrix.data += (size_t)blocks * (size_t)w->matrix.size_bytes;
    part.matrix.N = n;
    part.bias = w->bias != NULL ? w->bias + first : NULL;
    return part;
}

/* ---- row by row ---- */

int stage_rows_of(int n_rows, int i)
{
    int left = n_rows - i * ROW_CHUNK;

    return left < ROW_CHUNK ? left : ROW_CHUNK;
}

void stage_rows(struct pass *p, int n_rows,
                void (*task)(void *self, int i, struct arena *scratch), void *self)
{
    par_for(p->par, (n_rows + ROW_CHUNK - 1) / ROW_CHUNK, task, self);
}

struct norm_job {
    const struct model *m;
    float *y;
    const float *x;
    int n_rows, D;
    const struct param *norm;
};

static void norm_task(void *self, int i, struct arena *scratch)
{
    const struct norm_job *j = self;
    int D = j->D, n = stage_rows_of(j->n_rows, i);
    int64_t at = (int64_t)i * ROW_CHUNK * D;
    float eps = (float)j->m->config.norm.eps;

    (void)scratch;
    if (j->norm->vector == NULL && j->y != j->x)
        memcpy(j->y + at, j->x + at, (size_t)n * (size_t)D * sizeof(float));
    else if (j->norm->vector != NULL && j->m->family->norm == NORM_LAYER)
        norm_layer(j->y + at, j->x + at, j->norm->vector, j->norm->bias, eps, n, D);
    else if (j->norm->vector != NULL)
        norm_rms(j->y + at, j->x + at, j->norm->vector, eps, n, D);
}

void stage_norm(struct pass *p, float *y, const float *x, int n_rows, int D,
                const struct param *norm)
{
    struct norm_job j = { p->m, y, x, n_rows, D, norm };

    if (norm->vector != NULL || y != x)
        stage_rows(p, n_rows, norm_task, &j);
}
