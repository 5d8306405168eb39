/* SPDX-License-Identifier: MIT
 *
 * Samples of sound -> the rows of the first layer (wav2vec 2.0): convolutions without padding, each
 * followed by an optional norm and the activation.
 *
 *     rows(0) = samples,   rows(i + 1) = floor((rows(i) - width(i)) / step(i)) + 1
 *
 * If only the first has a norm, it is that of each channel over all rows:
 *     (y - mean) / sqrt(var + eps) w + b, in double.
 *
 * Source: Baevski et al. 2020; transformers, Wav2Vec2FeatureEncoder. */
#ifndef RUN_WAVE_H
#define RUN_WAVE_H

#include "run/pass.h"

/* Number of rows for n samples; 0 if they are too few. */
int64_t wave_rows_of(const struct config *config, int64_t n_samples);

/* Samples that one row depends on, and samples from one row to the next. */
int64_t wave_samples(const struct config *config);
int64_t wave_step(const struct config *config);

/* out[n, E] = the rows of one text's samples. */
void wave_rows(struct pass *pass, float *out, const struct values *v, int n);

/* Floats of scratch memory for n rows: at most those of a block, however many rows there are. */
size_t wave_room(const struct model *model, int n);

#endif
