/* SPDX-License-Identifier: MIT
 * preprocessor_config.json and sound -> log-mel features. */
#include "media/mel.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/json_field.h"

static const double PI = 3.14159265358979323846;
static const double HIGHEST_HZ = 8000.0;

/* ---- the file ---- */

static int read_int(const json_t *root, const char *key, int lo, int hi, int *out, struct err *e)
{
    return json_object_get(root, key) == NULL ? 0 : json_field_int(root, key, lo, hi, out, e);
}

/* A key that would add noise or sound. */
static int must_be_zero(const json_t *root, const char *key, struct err *e)
{
    const json_t *value = json_object_get(root, key);

    if (value == NULL || (json_is_number(value) && json_number_value(value) == 0.0))
        return 0;
    return json_field_wrong(key, value, "0", e);
}

int mel_read(const json_t *root, struct mel *out, struct err *e)
{
    const json_t *kind = json_object_get(root, "feature_extractor_type");

    *out = (struct mel){ .rate = 16000, .n_bins = 80, .hop = 160, .window = 400, .seconds = 30 };
    if (!json_is_object(root))
        return err_set(e, ERR_INPUT, "expected an object");
    if (kind != NULL && (!json_is_string(kind) ||
                         strcmp(json_string_value(kind), "WhisperFeatureExtractor") != 0))
        return json_field_wrong("feature_extractor_type", kind, "\"WhisperFeatureExtractor\"", e);
    if (read_int(root, "sampling_rate", SOUND_RATE_LEAST, SOUND_RATE_MOST, &out->rate, e) != 0 ||
        read_int(root, "feature_size", 1, 512, &out->n_bins, e) != 0 ||
        read_int(root, "n_fft", 2, 8192, &out->window, e) != 0 ||
        read_int(root, "hop_length", 1, 8192, &out->hop, e) != 0 ||
        read_int(root, "chunk_length", 1, 300, &out->seconds, e) != 0)
        return -1;
    return must_be_zero(root, "dither", e) != 0 || must_be_zero(root, "padding_value", e) != 0
           ? -1 : 0;
}

int mel_frames(const struct mel *mel)
{
    return mel->seconds * mel->rate / mel->hop;
}

/* ---- Fourier ---- */

struct complex { double re, im; };

/* e^(-2 pi i k / n), k = 0 ... n - 1 */
static struct complex *roots_of(struct arena *a, int n)
{
    struct complex *out = arena_alloc_raw(a, (uint64_t)n, sizeof *out);

    for (int k = 0; k < n; k++)
        out[k] = (struct complex){ elementary_cos(2.0 * PI * k / n),
                                   -elementary_sin(2.0 * PI * k / n) };
    return out;
}

static int smallest_factor(int n)
{
    for (int p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

/*
 * out[n] = the transform of in[0], in[step], ...: of every p-th of them each, and of those
 * sums (Cooley and Tukey 1965); n step is the number of roots.  room[n] is scratch.
 */
static void transform(struct complex *out, const double *in, int n, int step,
                      const struct complex *root, struct complex *room)
{
    int p = smallest_factor(n), m = n / p;

    if (n == 1) {
        out[0] = (struct complex){ in[0], 0.0 };
        return;
    }
    for (int r = 0; r < p; r++)
        transform(room + r * m, in + r * step, m, step * p, root, out + r * m);
    for (int k = 0; k < n; k++) {
        struct complex sum = { 0.0, 0.0 };

        for (int r = 0; r < p; r++) {
            struct complex w = root[(int64_t)r * k % n * step], x = room[r * m + k % m];

            sum.re += w.re * x.re - w.im * x.im;
            sum.im += w.re * x.im + w.im * x.re;
        }
        out[k] = sum;
    }
}

/* ---- filters ---- */

static double mel_of(double hz)
{
    return hz < 1000.0 ? hz * 3.0 / 200.0 :
           15.0 + elementary_log(hz / 1000.0) * (27.0 / elementary_log(6.4));
}

static double hz_of(double mel)
{
    return mel < 15.0 ? mel * 200.0 / 3.0 :
           1000.0 * elementary_exp((mel - 15.0) * (elementary_log(6.4) / 27.0));
}

/* [n_bins, window / 2 + 1] */
static double *filters_of(const struct mel *mel, struct arena *a)
{
    int n_freq = mel->window / 2 + 1;
    double *out = arena_alloc(a, (uint64_t)mel->n_bins, (uint64_t)n_freq * sizeof *out);
    double last = mel_of(HIGHEST_HZ);

    for (int b = 0; b < mel->n_bins; b++) {
        double lo = hz_of(last * b / (mel->n_bins + 1));
        double mid = hz_of(last * (b + 1) / (mel->n_bins + 1));
        double hi = hz_of(last * (b + 2) / (mel->n_bins + 1));

        for (int f = 0; f < n_freq; f++) {
            double hz = n_freq > 1 ? mel->rate / 2 * (double)f / (n_freq - 1) : 0.0;
            double up = (hz - lo) / (mid - lo), down = (hi - hz) / (hi - mid);
            double least = up < down ? up : down;

            out[(size_t)b * (size_t)n_freq + (size_t)f] =
                least > 0.0 ? least * 2.0 / (hi - lo) : 0.0;
        }
    }
    return out;
}

/* ---- features ---- */

struct work {
    const struct mel *m;
    int64_t n;                          /* samples, with what is filled up */
    const struct sound *in;
    double *hann, *frame, *filters;     /* [window], [window], filters_of */
    struct complex *root, *spectrum, *room;
};

/* Sample i of the sound, mirrored at its ends, silent where it is filled up. */
static double sample_at(const struct work *work, int64_t i)
{
    if (i < 0)
        i = -i;
    if (i >= work->n)
        i = 2 * (work->n - 1) - i;
    return i >= 0 && i < work->in->n ? (double)work->in->x[i] : 0.0;
}

/* Column t of L. */
static void fill_frame(struct work *work, int t, float *x, int n_frames)
{
    int size = work->m->window, n_freq = size / 2 + 1;
    bool silent = true;

    for (int k = 0; k < size; k++) {
        work->frame[k] = work->hann[k] * sample_at(work, (int64_t)t * work->m->hop + k - size / 2);
        silent &= work->frame[k] == 0.0;
    }
    if (!silent)
        transform(work->spectrum, work->frame, size, 1, work->root, work->room);
    for (int b = 0; b < work->m->n_bins; b++) {
        const double *filter = work->filters + (size_t)b * (size_t)n_freq;
        double sum = 0.0;

        for (int f = 0; !silent && f < n_freq; f++)
            if (filter[f] != 0.0)
                sum += filter[f] * (work->spectrum[f].re * work->spectrum[f].re +
                                    work->spectrum[f].im * work->spectrum[f].im);
        x[(int64_t)b * n_frames + t] = (float)(elementary_log(sum > 1e-10 ? sum : 1e-10) /
                                               elementary_log(10.0));
    }
}

float *mel_features(const struct mel *mel, struct arena *a, const struct sound *in)
{
    int n_frames = mel_frames(mel);
    int64_t n = (int64_t)n_frames * mel->n_bins;
    float *x = arena_alloc(a, (uint64_t)n, sizeof *x), most = -INFINITY;
    size_t size = (size_t)mel->window;
    struct work w = {
        .m = mel, .n = (int64_t)mel->seconds * mel->rate, .in = in,
        .hann = arena_alloc(a, size, sizeof *w.hann), .frame = arena_alloc(a, size,
                                                                           sizeof *w.frame),
        .filters = filters_of(mel, a), .root = roots_of(a, mel->window),
        .spectrum = arena_alloc(a, size, sizeof *w.spectrum),
        .room = arena_alloc(a, size, sizeof *w.room),
    };

    for (int k = 0; k < mel->window; k++)
        w.hann[k] = 0.5 - 0.5 * elementary_cos(2.0 * PI * k / mel->window);
    for (int t = 0; t < n_frames; t++)
        fill_frame(&w, t, x, n_frames);
    for (int64_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int64_t i = 0; i < n; i++)
        x[i] = ((x[i] > most - 8.0F ? x[i] : most - 8.0F) + 4.0F) / 4.0F;
    return x;
}
