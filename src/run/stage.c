/* SPDX-License-Identifier: MIT
 * Linears and norms of a pass, computed by all threads. */
#include "run/stage.h"

#include <string.h>

#include "nn/fast.h"
#include "nn/linear.h"
#include "nn/norm.h"
#include "nn/quantise.h"
#include "run/prepared.h"
#include "run/special/packed.h"

void stage_step(const struct pass *pass, enum stream_step_kind kind, int layer,
                enum stack_id stack, const struct param *norm, const float *x, int row0,
                int n_rows)
{
    const struct tap *tap = pass->want->tap;
    int D = pass->m->config.d_model;

    if (tap == NULL || tap->step == NULL || pass->m->config.bottleneck.d > 0)
        return;
    tap->step(tap->self, &(struct stream_step){
        .kind = kind, .layer = layer, .stack = stack, .norm = norm, .second = x != pass->x2,
        .x = x + (int64_t)row0 * D, .row0 = row0, .n_rows = n_rows, .D = D });
}

float *stage_floats(struct pass *pass, size_t rows, size_t columns)
{
    return arena_alloc_raw(pass->call, rows, (uint64_t)columns * sizeof(float));
}

/* ---- linear ---- */

/* Outputs of a panel that is packed for the task alone. */
static void panel_task(void *self, int i, struct arena *scratch)
{
    const struct linear_job *job = self;
    int row = i / job->n_panels * job->rows_per_task, n0 = i % job->n_panels * PANEL;
    int rows = job->n_rows - row < job->rows_per_task ? job->n_rows - row :
                                                        job->rows_per_task;
    float *room = arena_alloc_raw(scratch, linear_scratch(job->w->K), sizeof *room);
    struct matrix w = *job->w;

    if (w.x_scale != NULL)
        w.x_scale += row;
    linear_panel(job->y + row * job->y_stride, job->y_stride,
                 job->x + row * job->x_stride, job->x_stride, rows, &w, job->bias, n0,
                 room);
}

/* panels_per_task panels of all rows. */
static void few_rows_task(void *self, int i, struct arena *scratch)
{
    const struct linear_job *job = self;
    int n = job->panels_per_task * PANEL, n0 = i * n, left = job->w->N - n0;

    linear_few(job->y, job->y_stride, job->x, job->x_stride, job->n_rows, job->w, job->bias,
               n0, left < n ? left : n,
               arena_alloc_raw(scratch, linear_scratch(job->w->K), sizeof(float)));
}

static void run_few_rows(struct pass *pass, struct linear_job *job)
{
    int n_tasks = 2 * par_threads(pass->par);

    job->panels_per_task = (job->n_panels + n_tasks - 1) / n_tasks;
    par_for(pass->par, (job->n_panels + job->panels_per_task - 1) / job->panels_per_task,
            few_rows_task, job);
}

static void run_linear(struct pass *pass, struct linear_job *job)
{
    if (prepared_linear(pass, job))
        return;
    if (job->n_rows <= LINEAR_FEW) {
        run_few_rows(pass, job);
        return;
    }
    if (job->n_rows > PACKED_ROWS && linear_packs(job->w) && packed_linear(pass, job))
        return;
    par_for(pass->par,
            job->n_panels * ((job->n_rows + job->rows_per_task - 1) / job->rows_per_task),
            panel_task, job);
}

/* x rounded to matrix's precision, in rows side by side, where that rounds inputs too. */
static void round_rows(struct linear_job *job, struct matrix *matrix, struct arena *a)
{
    float *x = arena_alloc_raw(a, (size_t)job->n_rows, (size_t)matrix->K * sizeof *x);
    float *scale = arena_alloc_raw(a, (size_t)job->n_rows, sizeof *scale);

    for (int i = 0; i < job->n_rows; i++) {
        const float *from = job->x + i * job->x_stride;
        float *to = x + (int64_t)i * matrix->K;

        if (matrix->precision == PRECISION_INT8)
            scale[i] = quantise_row(to, from, matrix->K);
        else
            precision_round(matrix->precision, to, from, matrix->K);
    }
    matrix->x_scale = scale;
    job->x = x;
    job->x_stride = matrix->K;
}

/* The same with w, and x, rounded to a lower precision. */
static void run_rounded(struct pass *pass, struct linear_job *job, enum precision precision)
{
    struct arena_mark mark = arena_mark(pass->call);
    struct matrix matrix = *job->w;

    matrix.precision = precision;
    job->w = &matrix;
    if (quantise_block(precision) == 1)
        round_rows(job, &matrix, pass->call);
    run_linear(pass, job);
    arena_reset(pass->call, mark);
}

struct words_job {
    float *to;
    const float *x;
    int64_t x_stride;
    int n_rows, K, words;
    const struct fast_kernel *fast;
};

static void words_task(void *self, int i, struct arena *scratch)
{
    const struct words_job *job = self;
    int first = i * ROW_CHUNK, end = first + stage_rows_of(job->n_rows, i);

    (void)scratch;
    for (int row = first; row < end; row++)
        job->fast->inputs(job->to + (int64_t)row * job->words, job->x + row * job->x_stride,
                          job->K);
}

/* The same in fewer bits, of rows that are rounded once. */
static void run_fast(struct pass *pass, struct linear_job *j, const struct fast_kernel *fast)
{
    struct arena_mark mark = arena_mark(pass->call);
    struct matrix matrix = *j->w;
    struct words_job job = {
        .x = j->x, .x_stride = j->x_stride, .n_rows = j->n_rows, .K = matrix.K,
        .words = fast_words(fast, matrix.K), .fast = fast,
    };

    matrix.fast = fast;
    job.to = stage_floats(pass, (size_t)j->n_rows, (size_t)job.words);
    stage_rows(pass, j->n_rows, words_task, &job);
    j->w = &matrix;
    j->x = job.to;
    j->x_stride = job.words;
    run_linear(pass, j);
    arena_reset(pass->call, mark);
}

/* A linear that is one matrix. */
static void one_linear(struct pass *pass, float *y, int64_t y_stride, const float *x,
                       int64_t x_stride, int n_rows, const struct param *w)
{
    /* Where a panel is packed anew for each task, 512 rows make that cheap. */
    enum { ROWS = 512 };
    struct linear_job job = {
        .y = y, .x = x, .bias = w->bias, .y_stride = y_stride, .x_stride = x_stride,
        .n_rows = n_rows, .n_panels = (w->matrix.N + PANEL - 1) / PANEL,
        .w = &w->matrix,
    };
    enum precision precision = pass_linear_precision(pass, w);
    const struct fast_kernel *fast = pass_fast(pass, w);
    struct meter *meter = par_meter(pass->par);
    int before = meter_enter_linear(meter, n_rows, w->matrix.K, w->matrix.N,
                                    linear_size_bytes(&w->matrix));

    job.rows_per_task = job.n_panels < 4 * par_threads(pass->par) ? ROWS : n_rows;
    if (fast != NULL)
        run_fast(pass, &job, fast);
    else if (precision == PRECISION_F32)
        run_linear(pass, &job);
    else
        run_rounded(pass, &job, precision);
    meter_leave(meter, before);
}

/* Columns of a group of x -> columns of the same group of y. */
static struct param stage_group_of(const struct param *w, int i)
{
    struct param group = *w;

    linear_skip(&group.matrix, (int64_t)i * w->matrix.N * w->matrix.K);
    group.bias = w->bias != NULL ? w->bias + i * w->matrix.N : NULL;
    return group;
}

void stage_linear(struct pass *pass, float *y, int64_t y_stride, const float *x,
                  int64_t x_stride, int n_rows, const struct param *w)
{
    for (int i = 0; i < (w->n_groups > 0 ? w->n_groups : 1); i++) {
        struct param group = stage_group_of(w, i);

        one_linear(pass, y + i * w->matrix.N, y_stride, x + i * w->matrix.K, x_stride, n_rows,
                   &group);
    }
}

struct param stage_part(const struct param *w, int first, int n)
{
    struct param part = *w;

    linear_skip(&part.matrix, first * w->matrix.stride);
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

void stage_rows(struct pass *pass, int n_rows,
                void (*task)(void *self, int i, struct arena *scratch), void *self)
{
    par_for(pass->par, (n_rows + ROW_CHUNK - 1) / ROW_CHUNK, task, self);
}

struct add_job {
    float *y;
    const float *x;
    int n_rows, D;
};

static void add_task(void *self, int i, struct arena *scratch)
{
    const struct add_job *job = self;
    int64_t at = (int64_t)i * ROW_CHUNK * job->D;

    (void)scratch;
    nn_add(job->y + at, job->x + at, (int64_t)stage_rows_of(job->n_rows, i) * job->D);
}

void stage_add(struct pass *pass, float *y, const float *x, int n_rows, int D)
{
    struct add_job job = { y, x, n_rows, D };

    stage_rows(pass, n_rows, add_task, &job);
}

struct scale_job {
    float *y;
    float factor;
    const float *by;
    int n_rows, D;
};

static void scale_task(void *self, int i, struct arena *scratch)
{
    const struct scale_job *job = self;
    float *y = job->y + (int64_t)i * ROW_CHUNK * job->D;
    int n = stage_rows_of(job->n_rows, i);

    (void)scratch;
    for (int64_t k = 0; job->factor > 0 && k < (int64_t)n * job->D; k++)
        y[k] *= job->factor;
    for (int r = 0; job->by != NULL && r < n; r++, y += job->D)
        for (int k = 0; k < job->D; k++)
            y[k] *= job->by[k];
}

void stage_scale(struct pass *pass, float *y, int n_rows, int D, double factor, const float *by)
{
    struct scale_job job = { y, (float)factor, by, n_rows, D };

    if (factor > 0 || by != NULL)
        stage_rows(pass, n_rows, scale_task, &job);
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
    const struct norm_job *job = self;
    int D = job->D, count = stage_rows_of(job->n_rows, i);
    int64_t at = (int64_t)i * ROW_CHUNK * D;
    const struct own_norm *own = job->norm->own;
    float eps = (float)(own != NULL ? own->eps : job->m->config.norm.eps);
    enum norm_kind kind = own != NULL ? own->kind : job->m->family->norm;

    (void)scratch;
    if (job->norm->vector == NULL && job->y != job->x)
        memcpy(job->y + at, job->x + at, (size_t)count * (size_t)D * sizeof(float));
    else if (job->norm->vector != NULL && (kind == NORM_LAYER || kind == NORM_LAYER_PLUS_ONE))
        norm_layer(job->y + at, job->x + at, job->norm->vector, job->norm->bias, eps,
                   count, D);
    else if (job->norm->vector != NULL && kind == NORM_DEVIATION)
        norm_deviation(job->y + at, job->x + at, job->norm->vector, job->norm->bias, eps,
                       count, D);
    else if (job->norm->vector != NULL && kind == NORM_AFFINE)
        norm_affine(job->y + at, job->x + at, job->norm->vector, job->norm->bias, count, D);
    else if (job->norm->vector != NULL)
        norm_rms(job->y + at, job->x + at, job->norm->vector, eps, count, D);
}

void stage_norm(struct pass *pass, float *y, const float *x, int n_rows, int D,
                const struct param *norm)
{
    struct norm_job job = { pass->m, y, x, n_rows, D, norm };
    int before;

    if (norm->vector == NULL && y == x)
        return;
    before = meter_enter(par_meter(pass->par), METER_NORM);
    stage_rows(pass, n_rows, norm_task, &job);
    meter_leave(par_meter(pass->par), before);
}
