/* SPDX-License-Identifier: MIT
 *
 * Sound: a .wav -> samples, and samples at another rate.
 *
 * RIFF: "RIFF", size, "WAVE", then chunks of a name, a size and that many bytes, padded to an
 * even number.  "fmt ": format (1: integers, 3: floats, 0xfffe: the format stands 24 bytes in),
 * channels, rate, bytes a second, bytes a frame, bits a sample.  "data": frames, channel by
 * channel, little-endian; 8 bits are unsigned. */
#ifndef MEDIA_SOUND_H
#define MEDIA_SOUND_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

enum { SOUND_RATE_LEAST = 1000, SOUND_RATE_MOST = 192000, SOUND_CHANNELS_MOST = 64 };

struct sound {
    int rate;                   /* samples per second */
    int64_t n;
    float *x;                   /* [n] the mean of the channels, -1 to 1 */
};

/*
 * Reads the first most_seconds of a .wav with integers of 8, 16, 24 or 32 bits, divided by
 * 2^(bits - 1), or floats of 32 or 64.  *seconds: length of the whole.
 *
 * Errors (ERR_INPUT, without the file's name): not a .wav, another format, an inconsistent
 * header, data that are cut short or absent, a sample that is not finite.
 */
int sound_read(struct arena *a, struct span bytes, double most_seconds, struct sound *out,
               double *seconds, struct err *e);

/*
 * Resamples to another rate: with p / q = rate / in->rate in lowest terms, p - 1 zeros after each
 * sample, a low-pass filter, every q-th of the result:
 *
 *     h[k] = p sinc(c (k - N)) c kaiser(k), k = 0 ... 2 N, N = 10 max(p, q), c = 1 / max(p, q),
 *     divided by their sum, times p; kaiser: I0(5 sqrt(1 - (k / N - 1)^2)) / I0(5)
 *
 * ceil(n p / q) samples.  The same as scipy.signal.resample_poly(x, p, q), within 1e-6.
 */
void sound_resample(struct arena *a, const struct sound *in, int rate, struct sound *out);

#endif
