/* SPDX-License-Identifier: MIT
 *
 * Samples of sound for wav2vec 2.0 and HuBERT, by preprocessor_config.json, like transformers'
 * Wav2Vec2FeatureExtractor. */
#ifndef MEDIA_WAVEFORM_H
#define MEDIA_WAVEFORM_H

#include <jansson.h>
#include <stdbool.h>

#include "media/sound.h"

struct waveform {
    int rate;                   /* samples per second of its input */
    bool normalises;
};

/* Errors (ERR_INPUT, without the file's name): an extractor of another kind, a key with an
 * unsupported value (found, expected). */
int waveform_read(const json_t *root, struct waveform *out, struct err *e);

/* If waveform normalises: all samples become (x - mean) / sqrt(var + 1e-7), computed in double. */
void waveform_apply(const struct waveform *waveform, struct sound *sound);

#endif
