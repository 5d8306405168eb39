/* SPDX-License-Identifier: MIT
 *
 * Samples as wav2vec2 and hubert read them, and preprocessor_config.json, which says how: as
 * transformers' Wav2Vec2FeatureExtractor. */
#ifndef MEDIA_WAVEFORM_H
#define MEDIA_WAVEFORM_H

#include <jansson.h>
#include <stdbool.h>

#include "media/sound.h"

struct waveform {
    int rate;                   /* samples a second that it takes */
    bool normalises;
};

/* Errors (ERR_INPUT, without the file's name): an extractor of another kind, a key with another
 * value than it may have (found, expected). */
int waveform_read(const json_t *root, struct waveform *out, struct err *e);

/* (x - mean) / sqrt(var + 1e-7) of all samples, in double, where w normalises. */
void waveform_apply(const struct waveform *w, struct sound *s);

#endif
