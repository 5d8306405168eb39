/* SPDX-License-Identifier: MIT
 * The shapes of a front's inputs, and the number of positions that they yield. */
#include "run/special/front.h"

#include "base/str.h"
#include "model/family_slots.h"
#include "model/quirks.h"
#include "run/special/wave.h"

#include <stdio.h>

/* Whisper's frames begin every 10 ms; a position is two of them. */
static const double SECONDS_A_POSITION = 0.02;

int front_dims(const struct model *model, int64_t dim[4])
{
    const struct config *config = &model->config;

    switch (model->family->front) {
    case FRONT_PATCH:
        dim[0] = config->front.n_channels;
        dim[1] = config->front.image[0];
        dim[2] = config->front.image[1];
        return 3;
    case FRONT_MEL_CONV:
        dim[0] = config->front.n_mel;
        dim[1] = 2 * (int64_t)config->n_positions;
        return 2;
    case FRONT_WAVE:
        dim[0] = -1;
        return 1;
    case FRONT_ROWS:
        dim[0] = -1;
        dim[1] = config->d_model;
        return 2;
    case FRONT_QKV:
        dim[0] = -1;
        dim[1] = model->family->stack_id == STACK_CROSS ? config->n_heads * config->d_head
                                                        : model->place.width;
        return 2;
    case FRONT_TOKENS:
        break;
    }
    return 0;
}

static void print_shape(char out[64], const int64_t *dim, int n)
{
    size_t at = 0;

    for (int i = 0; i < n && at < 64; i++) {
        const char *before = i > 0 ? "," : "[";

        at += (size_t)(dim[i] < 0 ? snprintf(out + at, 64 - at, "%sT", before)
                                  : snprintf(out + at, 64 - at, "%s%lld", before,
                                             (long long)dim[i]));
    }
    if (at < 64)
        snprintf(out + at, 64 - at, n > 0 ? "]" : "[]");
}

void front_shape(const struct model *model, char out[64])
{
    int64_t dim[4];

    print_shape(out, dim, front_dims(model, dim));
}

bool front_sees(const struct model *model)
{
    return model->family->front == FRONT_PATCH;
}

bool front_hears(const struct model *model)
{
    return model->family->front == FRONT_MEL_CONV || model->family->front == FRONT_WAVE;
}

double front_seconds(const struct model *model)
{
    return model->family->front == FRONT_WAVE ? (double)wave_step(&model->config) / FRONT_RATE :
           model->family->front == FRONT_MEL_CONV ? SECONDS_A_POSITION : 0;
}

int front_patch_columns(const struct model *model, int64_t width)
{
    return (int)(width / model->config.front.patch[1]);
}

int front_patch_rows(const struct model *model, int64_t height)
{
    return (int)(height / model->config.front.patch[0]);
}

bool front_interpolates(const struct model *model, const struct values *v)
{
    return quirks_of(model->family)->interpolates &&
           (front_patch_rows(model, v->dim[1]) != family_grid(&model->config, 0) ||
            front_patch_columns(model, v->dim[2]) != family_grid(&model->config, 1));
}

int front_learnt_rows(const struct model *model)
{
    return model->family->front != FRONT_PATCH ? 0 :
           (model->slot[W_CLS].weight != NULL) + (model->slot[W_CLS_2].weight != NULL);
}

/* The rows of n samples. */
static int wave_positions(const struct model *model, int64_t n, struct err *e)
{
    int64_t rows = wave_rows_of(&model->config, n);

    if (rows < 1)
        return err_set(e, ERR_INPUT, "%lld sample%s, of which the convolutions make no row: "
                       "expected at least %lld", (long long)n, str_plural(n),
                       (long long)wave_samples(&model->config));
    if (rows > model->max_tokens)
        return err_set(e, ERR_INPUT, "%lld samples make %lld rows, expected at most %d",
                       (long long)n, (long long)rows, model->max_tokens);
    return (int)rows;
}

/* The rows of a picture of whatever size: a patch at least, and no side beyond what a file of
 * a picture can have. */
static int picture_positions(const struct model *model, const struct values *v, struct err *e)
{
    enum { MOST_SIDE = 1 << 16 };
    const struct config *config = &model->config;
    const int *patch = config->front.patch;
    int64_t n;

    if (v->dim[1] < patch[0] || v->dim[2] < patch[1] || v->dim[1] > MOST_SIDE ||
        v->dim[2] > MOST_SIDE)
        return err_set(e, ERR_INPUT, "%lld x %lld pixels, expected %d x %d to %d x %d",
                       (long long)v->dim[1], (long long)v->dim[2], patch[0], patch[1], MOST_SIDE,
                       MOST_SIDE);
    n = (int64_t)front_patch_rows(model, v->dim[1]) * front_patch_columns(model, v->dim[2]) +
        front_learnt_rows(model);
    if (n > model->max_tokens)
        return err_set(e, ERR_INPUT, "%lld x %lld pixels make %lld rows, expected at most %d",
                       (long long)v->dim[1], (long long)v->dim[2], (long long)n, model->max_tokens);
    if (front_interpolates(model, v) && family_grid(config, 0) != family_grid(config, 1))
        return err_set(e, ERR_INPUT, "%lld x %lld pixels: positions are those of %d x %d patches, "
                       "and only a square of them can be interpolated", (long long)v->dim[1],
                       (long long)v->dim[2], family_grid(config, 0), family_grid(config, 1));
    return (int)n;
}

int front_positions(const struct model *model, const struct values *v, struct err *e)
{
    char found[64], expected[64];
    int64_t dim[4];
    int count = front_dims(model, dim);
    bool same = count > 0 && v->n_dims == count;

    for (int i = 0; same && i < count; i++)
        same = v->dim[i] == dim[i] || dim[i] < 0 ||
               (i > 0 && quirks_of(model->family)->interpolates);
    if (!same) {
        print_shape(found, v->dim, v->n_dims);
        print_shape(expected, dim, count);
        return err_set(e, ERR_INPUT, "shape %s, expected %s", found, expected);
    }
    if (model->family->front == FRONT_WAVE)
        return wave_positions(model, v->dim[0], e);
    if (quirks_of(model->family)->interpolates)
        return picture_positions(model, v, e);
    if (model->family->front != FRONT_ROWS && model->family->front != FRONT_QKV)
        return model->config.n_positions;
    if (v->dim[0] < 1 || v->dim[0] > model->max_tokens)
        return err_set(e, ERR_INPUT, "%lld row%s, expected 1 to %d", (long long)v->dim[0],
                       str_plural(v->dim[0]), model->max_tokens);
    return (int)v->dim[0];
}
