/* SPDX-License-Identifier: MIT
 *
 * Log-mel features of sound for Whisper, by preprocessor_config.json, like transformers'
 * WhisperFeatureExtractor. */
#ifndef MEDIA_MEL_H
#define MEDIA_MEL_H

#include <jansson.h>

#include "media/sound.h"

struct mel {
    int rate;                   /* samples per second of its input */
    int n_bins;                 /* mel bins, from 0 to 8000 Hz */
    int hop, window;            /* samples between frames, and of a frame */
    int seconds;                /* longer sound is cut, shorter filled with silence */
};

/*
 * Errors (ERR_INPUT, without the file's name): an extractor of another kind, a key with an
 * unsupported value (found, expected), dither, another padding_value than 0.
 */
int mel_read(const json_t *root, struct mel *out, struct err *e);

/* Number of frames, the same for every sound: seconds rate / hop. */
int mel_frames(const struct mel *mel);

/*
 * x[n_bins, frames] for sound of mel's rate, padded or cut; w: a Hann window, mirrored ends
 *
 *     P[f] = |sum over k of w[k] s[k] e^(-2 pi i f k / window)|^2        f = 0 ... window / 2
 *     L = log10(max(1e-10, M P)),   x = (max(L, max over all of L - 8) + 4) / 4
 *
 * M: triangles of area 1 on Slaney's scale, linear to 1000 Hz, then 27 steps to 6400 Hz.
 * Within 1e-4 of the reference, which computes in single precision.
 *
 * Source: Radford et al. 2022; Slaney 1998 (Auditory Toolbox).
 */
float *mel_features(const struct mel *mel, struct arena *a, const struct sound *in);

#endif
