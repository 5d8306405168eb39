/* SPDX-License-Identifier: MIT
 * Pixels, frames of sound or rows -> the rows of the first layer. */
#include "run/special/front_rows.h"

#include <string.h>

#include "model/family_slots.h"
#include "model/quirks.h"
#include "nn/act.h"
#include "run/special/front.h"
#include "run/special/interpolate.h"
#include "run/special/wave.h"
#include "run/special/windows.h"
#include "run/stage.h"

/* Row t of a picture's patches is what it holds, channel by channel. */
static void patch_windows(void *self, int i, struct arena *scratch)
{
    const struct windows *job = self;
    const struct config *config = &job->p->m->config;
    int64_t height = job->n_in, width = job->row_stride;
    int columns = front_patch_columns(job->p->m, width), P = config->front.patch[0],
        Q = config->front.patch[1];

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++) {
        int row = i * ROW_CHUNK + r, patch = job->row0 + row;
        const float *corner = job->x +
                              (int64_t)(patch / columns) * P * width +
                              (int64_t)(patch % columns) * Q;
        float *out = job->to + (int64_t)row * job->K;

        for (int ch = 0; ch < config->front.n_channels; ch++)
            for (int y = 0; y < P; y++, out += Q)
                memcpy(out, corner + ((int64_t)ch * height + y) * width,
                       (size_t)Q * sizeof *out);
    }
}

/* ---- fronts ---- */

static void patches(struct pass *pass, float *out, const struct values *v, int n)
{
    const struct param *slot = pass->m->slot;
    int64_t D = pass->m->config.d_model;

    for (int s = W_CLS; s <= W_CLS_2; s += W_CLS_2 - W_CLS) {
        if (slot[s].weight == NULL)
            continue;
        memcpy(out, slot[s].vector, (size_t)D * sizeof *out);
        out += D;
        n--;
    }
    windows_linear(pass, out, n,
                   (struct windows){ .x = v->x, .n_in = v->dim[1], .row_stride = v->dim[2] },
                   patch_windows, &slot[W_PATCH]);
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

static void conv(struct pass *pass, float *y, int n, struct windows j,
                 const struct param *w)
{
    struct gelu_job gelu = { y, n, w->matrix.N };

    j.width = CONV_WINDOW;
    j.before = 1;
    windows_linear(pass, y, n, j, windows_of_rows, w);
    stage_rows(pass, n, gelu_rows, &gelu);
}

static void mel_conv(struct pass *pass, float *out, const struct values *v, int n)
{
    const struct param *slot = pass->m->slot;
    int frames = 2 * n, D = pass->m->config.d_model;
    struct arena_mark mark = arena_mark(pass->call);
    float *mid = arena_alloc_raw(pass->call, (uint64_t)frames * (uint64_t)D, sizeof *mid);

    conv(pass, mid, frames, (struct windows){
        .x = v->x, .row_stride = 1, .channel_stride = frames, .n_in = frames, .step = 1,
    }, &slot[W_CONV_1]);
    conv(pass, out, n, (struct windows){
        .x = mid, .row_stride = D, .channel_stride = 1, .n_in = frames, .step = 2,
    }, &slot[W_CONV_2]);
    arena_reset(pass->call, mark);
}

void front_rows(struct pass *pass, float *out)
{
    const struct batch *batch = pass->b;
    int64_t D = family_slot_dim(pass->m->family, &pass->m->config, DIM_EMB);

    for (int t = 0; t < batch->n_texts; t++) {
        const struct values *values = &batch->values[t];
        int count = batch->start[t + 1] - batch->start[t];
        float *x = out + batch->start[t] * D;

        switch (pass->m->family->front) {
        case FRONT_PATCH:    patches(pass, x, values, count); break;
        case FRONT_MEL_CONV: mel_conv(pass, x, values, count); break;
        case FRONT_WAVE:     wave_rows(pass, x, values, count); break;
        case FRONT_ROWS:     memcpy(x, values->x, (size_t)(count * D) * sizeof *x); break;
        case FRONT_QKV:      memset(x, 0, (size_t)(count * D) * sizeof *x); break;
        case FRONT_TOKENS:   break;
        }
    }
}

size_t front_rows_room(const struct model *model, int n)
{
    switch (model->family->front) {
    case FRONT_PATCH:
        return windows_room(&model->slot[W_PATCH], n) +
               (quirks_of(model->family)->interpolates ? interpolate_room(model) : 0);
    case FRONT_MEL_CONV:
        return 2 * (size_t)n * (size_t)model->config.d_model +
               windows_room(&model->slot[W_CONV_2], n);
    case FRONT_WAVE:
        return wave_room(model, n) + (size_t)n * (size_t)model->config.d_embed;
    case FRONT_ROWS:
    case FRONT_QKV:
    case FRONT_TOKENS:
        break;
    }
    return 0;
}
