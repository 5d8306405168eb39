/* SPDX-License-Identifier: MIT
 *
 * Samples of sound -> the rows of the first layer: convolutions without padding, each of them
 * normed or not, through the activation.
 *
 *     rows(0) = samples,   rows(i + 1) = floor((rows(i) - width(i)) / step(i)) + 1
 *
 * The norm of the first alone is that of each channel over all rows:
 *     (y - mean) / sqrt(var + eps) w + b, in double.
 *
 * Source: Baevski et al. 2020; transformers, Wav2Vec2FeatureEncoder. */
#ifndef RUN_WAVE_H
#define RUN_WAVE_H

#include "run/pass.h"

/* Rows that n samples make; 0: they are too few. */
int64_t wave_rows_of(const struct config *c, int64_t n_samples);

/* Samples that one row reads, and from the first of a row to that of the next. */
int64_t wave_samples(const struct config *c);
int64_t wave_step(const struct config *c);

/* out[n, E] = the rows of one text's samples. */
void wave_rows(struct pass *p, float *out, const struct values *v, int n);

/* Floats that it takes for n rows: no more than for a block of them, however many there are. */
size_t wave_room(const struct model *m, int n);

#endif
