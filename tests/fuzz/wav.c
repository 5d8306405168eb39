/* SPDX-License-Identifier: MIT
 * Any bytes as a .wav: refused with a message, or a second of features that are finite. */
#include "fuzz.h"

#include <math.h>

#include "media/mel.h"

/* Few frames, for the transform is most of the time; its factors are not all alike. */
static const struct mel mel = { 1000, 3, 200, 30, 1 };

static void use(struct arena *a, const struct sound *stored)
{
    struct sound sound;
    const float *x;

    sound_resample(a, stored, mel.rate, &sound);
    assert(sound.n >= 1);
    x = mel_features(&mel, a, &sound);
    for (int i = 0; i < mel_frames(&mel) * mel.n_bins; i++)
        assert(isfinite(x[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    struct sound sound;
    double seconds;
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        if (sound_read(&a, (struct span){ data, size }, 1.0, &sound, &seconds, &e) == 0)
            use(&a, &sound);
        else
            assert(e.kind == ERR_INPUT);
    }
    arena_finish(&a);
    return 0;
}
