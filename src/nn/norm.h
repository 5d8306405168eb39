/* SPDX-License-Identifier: MIT
 *
 * Normalisation of rows. */
#ifndef NN_NORM_H
#define NN_NORM_H

/*
 * y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each row of
 * [T, D] in double, var divided by D.  weight, bias [D] or NULL.  y may be x.
 * Source: Ba et al. 2016, eq. 4.
 */
void norm_layer(float *y, const float *x, const float *weight, const float *bias,
                float eps, int T, int D);

/*
 * y = (x - mean) / (sqrt(sum (x - mean)^2 / (D - 1)) + eps) * weight + bias, in double; weight
 * [D], bias [D] or NULL.  y may be x.
 * Source: Rush 2018, The Annotated Transformer, class LayerNorm.
 */
void norm_deviation(float *y, const float *x, const float *weight, const float *bias,
                    float eps, int T, int D);

/*
 * y = x / sqrt(mean(x^2) + eps) * weight, for each row of [T, D].  weight [D] or NULL.
 * y may be x.
 * Source: Zhang and Sennrich 2019, eq. 4.
 */
void norm_rms(float *y, const float *x, const float *weight, float eps, int T, int D);

/* y = weight x + bias, column by column, without normalisation; weight, bias [D] or NULL. */
void norm_affine(float *y, const float *x, const float *weight, const float *bias, int T, int D);

#endif
