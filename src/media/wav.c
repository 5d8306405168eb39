/* SPDX-License-Identifier: MIT
 * .wav -> samples of one channel. */
#include <math.h>
#include <string.h>

#include "media/sound.h"

enum { PCM = 1, FLOATS = 3, EXTENSIBLE = 0xfffe, FORMAT_BYTES = 16, EXTENSION_AT = 24 };

struct format {
    int kind, channels, bits;
    int64_t rate, frame_bytes;
};

static uint32_t wav_number(const unsigned char *p, int n)
{
    uint32_t out = 0;

    for (int i = 0; i < n; i++)
        out |= (uint32_t)p[i] << 8 * i;
    return out;
}

/* The bytes of a chunk; false: there is none.  Data that go on to the end of a stream claim
 * 2^32 - 1 bytes; *cut: it claims more than there are. */
static bool find_chunk(struct span file, const char *name, struct span *out, bool *cut)
{
    size_t at = 12;

    while (file.size - at >= 8) {
        uint32_t size = wav_number(file.data + at + 4, 4);
        size_t left = file.size - at - 8;

        *cut = size > left;
        if (memcmp(file.data + at, name, 4) == 0) {
            *out = (struct span){ file.data + at + 8, *cut ? left : size };
            return true;
        }
        if (*cut || left - size < (size & 1))
            return false;
        at += 8 + size + (size & 1);
    }
    return false;
}

/* ---- the header ---- */

static int check_format(const struct format *format, struct err *e)
{
    bool ints = format->kind == PCM && (format->bits == 8 || format->bits == 16 ||
                                        format->bits == 24 || format->bits == 32);
    bool floats = format->kind == FLOATS && (format->bits == 32 || format->bits == 64);

    if (format->kind != PCM && format->kind != FLOATS)
        return err_set(e, ERR_INPUT, "has format %d, expected 1 (integers) or 3 (floats)",
                       format->kind);
    if (!ints && !floats)
        return err_set(e, ERR_INPUT, "has %s of %d bits, expected %s",
                       format->kind == PCM ? "integers" : "floats", format->bits,
                       format->kind == PCM ? "8, 16, 24 or 32" : "32 or 64");
    if (format->channels < 1 || format->channels > SOUND_CHANNELS_MOST)
        return err_set(e, ERR_INPUT, "has %d channels, expected 1 to %d", format->channels,
                       SOUND_CHANNELS_MOST);
    if (format->rate < SOUND_RATE_LEAST || format->rate > SOUND_RATE_MOST)
        return err_set(e, ERR_INPUT, "has %lld samples a second, expected %d to %d",
                       (long long)format->rate, SOUND_RATE_LEAST, SOUND_RATE_MOST);
    if (format->frame_bytes != format->channels * format->bits / 8)
        return err_set(e, ERR_INPUT,
                       "has frames of %lld bytes, expected %d for %d channel%s of "
                       "%d bits",
                       (long long)format->frame_bytes, format->channels * format->bits / 8,
                       format->channels, format->channels == 1 ? "" : "s", format->bits);
    return 0;
}

static int read_format(struct span file, struct format *format, struct err *e)
{
    struct span chunk;
    bool cut;

    if (file.size < 12 || memcmp(file.data, "RIFF", 4) != 0 ||
        memcmp(file.data + 8, "WAVE", 4) != 0)
        return err_set(e, ERR_INPUT, "is no .wav: expected RIFF and WAVE at its start");
    if (!find_chunk(file, "fmt ", &chunk, &cut) || cut || chunk.size < FORMAT_BYTES)
        return err_set(e, ERR_INPUT, "is a .wav without a format (fmt)");
    *format = (struct format){
        .kind = (int)wav_number(chunk.data, 2), .channels = (int)wav_number(chunk.data + 2, 2),
        .rate = wav_number(chunk.data + 4, 4), .frame_bytes = wav_number(chunk.data + 12, 2),
        .bits = (int)wav_number(chunk.data + 14, 2),
    };
    if (format->kind == EXTENSIBLE && chunk.size >= EXTENSION_AT + 2)
        format->kind = (int)wav_number(chunk.data + EXTENSION_AT, 2);
    return check_format(format, e);
}

/* ---- samples ---- */

static double float_of(const unsigned char *p, int bits)
{
    uint64_t wide = wav_number(p, 4);
    uint32_t narrow = (uint32_t)wide;
    float single;
    double x;

    if (bits == 32) {
        memcpy(&single, &narrow, sizeof single);
        return (double)single;
    }
    wide |= (uint64_t)wav_number(p + 4, 4) << 32;
    memcpy(&x, &wide, sizeof x);
    return x;
}

static double sample_of(const struct format *format, const unsigned char *p)
{
    if (format->kind == FLOATS)
        return float_of(p, format->bits);
    if (format->bits == 8)
        return (p[0] - 128) / 128.0;
    /* Its sign is the highest bit of 32. */
    return (double)(int32_t)(wav_number(p, format->bits / 8) << (32 - format->bits)) / 2147483648.0;
}

static double mean_of(const struct format *format, const unsigned char *frame)
{
    double sum = 0.0;

    for (int c = 0; c < format->channels; c++)
        sum += sample_of(format, frame + c * (format->bits / 8));
    return sum / format->channels;
}

int sound_read(struct arena *a, struct span bytes, double most_seconds, struct sound *out,
               double *seconds, struct err *e)
{
    struct format f = { 0 };
    struct span data;
    bool cut;
    int64_t n;

    if (read_format(bytes, &f, e) != 0)
        return -1;
    if (!find_chunk(bytes, "data", &data, &cut))
        return err_set(e, ERR_INPUT, "is a .wav without samples (data)");
    n = (int64_t)data.size / f.frame_bytes;
    if (cut)
        return err_set(e, ERR_INPUT, "is cut short: it holds %lld frames, and claims more",
                       (long long)n);
    if (n < 1)
        return err_set(e, ERR_INPUT, "holds no samples");
    *seconds = (double)n / (double)f.rate;
    out->rate = (int)f.rate;
    out->n = *seconds > most_seconds ? (int64_t)(most_seconds * (double)f.rate) : n;
    out->x = arena_alloc_raw(a, (uint64_t)out->n, sizeof *out->x);
    for (int64_t i = 0; i < out->n; i++) {
        double x = mean_of(&f, data.data + i * f.frame_bytes);

        if (!(fabs(x) <= 1e6))
            return err_set(e, ERR_INPUT, "sample %lld is %s, expected numbers from -1 to 1",
                           (long long)i, isnan(x) ? "NaN" : "too large");
        out->x[i] = (float)x;
    }
    return 0;
}
