/* SPDX-License-Identifier: MIT
 * Pixels, frames of sound or rows -> the rows of the first layer. */
#include "run/front_rows.h"

#include <string.h>

#include "nn/act.h"
#include "run/front.h"
#include "run/stage.h"

/* ---- windows: what the linear of a kernel reads ---- */

/*
 * Row t of a picture's patches or of a convolution is what its window holds, channel by
 * channel.  windows has n_rows rows of width K; the first is that of row row0.
 */
struct window_job {
    const struct pass *p;
    const float *x;
    float *windows;
    int row0, n_rows, K;
    int64_t row_stride, channel_stride;     /* of x: convolutions */
    int n_in, step;                         /* rows of x, and how many a window moves by */
};

static void patch_windows(void *self, int i, struct arena *scratch)
{
    const struct window_job *job = self;
    const struct config *config = &job->p->m->config;
    int columns = front_patch_columns(job->p->m), P = config->front.patch[0],
        Q = config->front.patch[1];

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++) {
        int row = i * ROW_CHUNK + r, patch = job->row0 + row;
        const float *corner = job->x +
                              (int64_t)(patch / columns) * P * config->front.image[1] +
                              (int64_t)(patch % columns) * Q;
        float *out = job->windows + (int64_t)row * job->K;

        for (int ch = 0; ch < config->front.n_channels; ch++)
            for (int y = 0; y < P; y++, out += Q)
                memcpy(out,
                       corner + ((int64_t)ch * config->front.image[0] + y) *
                                    config->front.image[1],
                       (size_t)Q * sizeof *out);
    }
}

static void conv_windows(void *self, int i, struct arena *scratch)
{
    const struct window_job *job = self;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++) {
        int row = i * ROW_CHUNK + r;
        int64_t first = (int64_t)(job->row0 + row) * job->step - 1; /* padded by one */
        float *out = job->windows + (int64_t)row * job->K;

        for (int ch = 0; ch < job->K / CONV_WINDOW; ch++)
            for (int k = 0; k < CONV_WINDOW; k++)
                *out++ = first + k < 0 || first + k >= job->n_in ? 0 :
                         job->x[(first + k) * job->row_stride + ch * job->channel_stride];
    }
}

/* y[n, D] = the windows' linear, MLP_ROWS of them at a time. */
static void through(struct pass *p, float *y, int n, struct window_job j,
                    void (*fill)(void *self, int i, struct arena *scratch),
                    const struct param *w)
{
    int64_t D = w->matrix.N;
    struct arena_mark mark = arena_mark(p->call);

    j.p = p;
    j.K = w->matrix.K;
    j.windows = arena_alloc_raw(p->call, (uint64_t)(n < MLP_ROWS ? n : MLP_ROWS) *
                                (uint64_t)j.K, sizeof *j.windows);
    for (j.row0 = 0; j.row0 < n; j.row0 += MLP_ROWS) {
        j.n_rows = n - j.row0 < MLP_ROWS ? n - j.row0 : MLP_ROWS;
        stage_rows(p, j.n_rows, fill, &j);
        stage_linear(p, y + j.row0 * D, D, j.windows, j.K, j.n_rows, w);
    }
    arena_reset(p->call, mark);
}

/* ---- fronts ---- */

static void patches(struct pass *p, float *out, const struct values *v, int n)
{
    const struct param *slot = p->m->slot;
    int64_t D = p->m->config.d_model;

    memcpy(out, slot[W_CLS].vector, (size_t)D * sizeof *out);
    out += D;
    n--;
    if (slot[W_CLS_2].weight != NULL) {
        memcpy(out, slot[W_CLS_2].vector, (size_t)D * sizeof *out);
        out += D;
        n--;
    }
    through(p, out, n, (struct window_job){ .x = v->x }, patch_windows, &slot[W_PATCH]);
}

struct gelu_job {
    float *y;
    int n_rows;
    int64_t width;
};

static void gelu_rows(void *self, int i, struct arena *scratch)
{
    const struct gelu_job *job = self;

    (void)scratch;
    act_apply(ACT_GELU, job->y + (int64_t)i * ROW_CHUNK * job->width,
              stage_rows_of(job->n_rows, i) * job->width);
}

static void conv(struct pass *p, float *y, int n, struct window_job j,
                 const struct param *w)
{
    struct gelu_job gelu = { y, n, w->matrix.N };

    through(p, y, n, j, conv_windows, w);
    stage_rows(p, n, gelu_rows, &gelu);
}

static void mel_conv(struct pass *p, float *out, const struct values *v, int n)
{
    const struct param *slot = p->m->slot;
    int frames = 2 * n, D = p->m->config.d_model;
    struct arena_mark mark = arena_mark(p->call);
    float *mid = arena_alloc_raw(p->call, (uint64_t)frames * (uint64_t)D, sizeof *mid);

    conv(p, mid, frames, (struct window_job){
        .x = v->x, .row_stride = 1, .channel_stride = frames, .n_in = frames, .step = 1,
    }, &slot[W_CONV_1]);
    conv(p, out, n, (struct window_job){
        .x = mid, .row_stride = D, .channel_stride = 1, .n_in = frames, .step = 2,
    }, &slot[W_CONV_2]);
    arena_reset(p->call, mark);
}

void front_rows(struct pass *p, float *out)
{
    const struct batch *batch = p->b;
    int64_t D = p->m->config.d_model;

    for (int t = 0; t < batch->n_texts; t++) {
        const struct values *values = &batch->values[t];
        int count = batch->start[t + 1] - batch->start[t];
        float *x = out + batch->start[t] * D;

        switch (p->m->family->front) {
        case FRONT_PATCH:    patches(p, x, values, count); break;
        case FRONT_MEL_CONV: mel_conv(p, x, values, count); break;
        case FRONT_ROWS:     memcpy(x, values->x, (size_t)(count * D) * sizeof *x); break;
        case FRONT_QKV:      memset(x, 0, (size_t)(count * D) * sizeof *x); break;
        case FRONT_TOKENS:   break;
        }
    }
}

size_t front_rows_room(const struct model *m, int n)
{
    size_t mel = 2 * (size_t)n * (size_t)m->config.d_model;
    size_t rows = n < MLP_ROWS ? (size_t)n : MLP_ROWS;

    if (m->family->front == FRONT_PATCH)
        return rows * (size_t)m->slot[W_PATCH].matrix.K;
    return m->family->front == FRONT_MEL_CONV
           ? mel + rows * (size_t)m->slot[W_CONV_2].matrix.K : 0;
}
