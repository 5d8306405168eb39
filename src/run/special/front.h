/* SPDX-License-Identifier: MIT
 *
 * Inputs other than ids: arrays of numbers, from which a model's front (patch embedding,
 * convolutions) makes the rows of the first layer.
 *
 *     FRONT_PATCH       [channels, rows, columns]     0, 1 or 2 + one position per patch; of
 *                                                     any size where positions are interpolated
 *     FRONT_MEL_CONV    [bins, 2 positions]           one position per two frames
 *     FRONT_WAVE        [T]                           one position per step of the convolutions
 *     FRONT_ROWS        [T, D]                        T positions
 *     FRONT_QKV         [T, H d], or [T, H d + G d + G d_v] where keys are not another's */
#ifndef RUN_FRONT_H
#define RUN_FRONT_H

#include "base/err.h"
#include "model/model.h"

struct values {
    int n_dims;
    int64_t dim[4];
    const float *x;         /* finite; the last dimension is the fastest; NULL: no values */
};

/* dim = the shape of one text's array; -1: any length.  Returns the number of its
 * dimensions; 0: the model reads ids. */
int front_dims(const struct model *model, int64_t dim[4]);

/*
 * Number of positions that v yields.
 *
 * Errors (ERR_INPUT): a shape that is not the model's (found, expected); samples too few for a
 * position; positions that cannot be interpolated; -1 then.
 */
int front_positions(const struct model *model, const struct values *v, struct err *e);

/* "[3,224,224]", or "[T,64]" where the model leaves a dimension open. */
void front_shape(const struct model *model, char out[64]);

/* Whether the model reads pictures, or sound. */
bool front_sees(const struct model *model);
bool front_hears(const struct model *model);

enum { FRONT_RATE = 16000 };    /* samples per second of FRONT_WAVE */

/* Seconds of sound from one position to the next; 0: the model reads no sound. */
double front_seconds(const struct model *model);

/* Patches in a row of a picture of this width, or in a column of one of this height, in pixels. */
int front_patch_columns(const struct model *model, int64_t width);
int front_patch_rows(const struct model *model, int64_t height);

/* Whether v's grid of patches is not the model's, so that positions are interpolated. */
bool front_interpolates(const struct model *model, const struct values *v);

/* Number of learned rows before the patches: [CLS], and DeiT's [DIST]; 0 if there are none, or the
 * model reads no pictures. */
int front_learnt_rows(const struct model *model);

#endif
