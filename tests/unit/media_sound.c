/* SPDX-License-Identifier: MIT
 * Sound against what scipy and transformers make of it (make_media.py). */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "media/mel.h"
#include "media/waveform.h"
#include "weights/npz.h"

#define REF "tests/ref/media/"

/* Sums of doubles, rounded to floats: the last bit of samples up to 1. */
#define SAMPLE_TOLERANCE 1.2e-7
/* The reference is in single precision; its own two ways differ by 1e-5. */
#define FEATURE_TOLERANCE 1e-4

static struct weights *expected;
static struct arena all;

static const float *array(const char *prefix, const char *name, int64_t n)
{
    char full[64];
    const struct tensor *t;
    float *x;

    snprintf(full, sizeof full, "%s.%s", prefix, name);
    t = weights_find(expected, full);
    assert_non_null(t);
    assert_int_equal(t->n_elements, n);
    x = arena_alloc(&all, (uint64_t)n, sizeof *x);
    tensor_read(x, t, 0, n);
    return x;
}

static int read_file(const char *name, double seconds, struct sound *out, double *has,
                     struct err *e)
{
    char path[128];
    const struct span *bytes;

    snprintf(path, sizeof path, REF "%s", name);
    bytes = file_hold(&all, path, e);
    assert_non_null(bytes);
    return sound_read(&all, *bytes, seconds, out, has, e);
}

static struct sound at_16000(const char *name)
{
    struct sound stored, out;
    struct err e = { ERR_NONE, "" };
    double has;

    if (read_file(name, 1.0, &stored, &has, &e) != 0)
        fail_msg("%s: %s", name, e.msg);
    sound_resample(&all, &stored, 16000, &out);
    return out;
}

static void test_samples(void **state)
{
    static const char *const names[] = {
        "voice.wav", "u8.wav", "i24.wav", "i32.wav", "f32.wav", "f64.wav", "stereo.wav",
        "at44100.wav", "at8000.wav", "at11025.wav", "at48000.wav", "long.wav",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sound s = at_16000(names[i]);

        assert_int_equal(s.rate, 16000);
        check_floats(names[i], s.x, array("x", names[i], s.n), s.n, SAMPLE_TOLERANCE);
    }
}

static void test_seconds(void **state)
{
    struct sound s;
    struct err e = { ERR_NONE, "" };
    double has;

    (void)state;
    assert_int_equal(read_file("long.wav", 1.0, &s, &has, &e), 0);
    assert_int_equal(s.n, 8000);
    check_close(has, 1.5, 0.0);
}

static void test_features(void **state)
{
    static const struct { const char *name; int n_bins; } files[] = {
        { "voice.wav", 80 }, { "stereo.wav", 20 }, { "at44100.wav", 20 }, { "long.wav", 20 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct sound s = at_16000(files[i].name);
        struct mel mel = { 16000, files[i].n_bins, 160, 400, 1 };
        int64_t n = (int64_t)mel_frames(&mel) * mel.n_bins;

        assert_int_equal(mel_frames(&mel), 100);
        check_floats(files[i].name, mel_features(&mel, &all, &s),
                     array("mel", files[i].name, n), n, FEATURE_TOLERANCE);
    }
}

/* ---- refused ---- */

static void test_refused(void **state)
{
    static const struct { const char *name, *says; } bad[] = {
        { "bad/cut.wav", "cut short: it holds 750 frames" },
        { "bad/lies.wav", "cut short: it holds 800 frames" },
        { "bad/frame.wav", "frames of 3 bytes, expected 2" },
        { "bad/form.wav", "format 85" }, { "bad/bits.wav", "integers of 12 bits" },
        { "bad/slow.wav", "1 samples a second" }, { "bad/empty.wav", "holds no samples" },
        { "bad/no.wav", "is no .wav" }, { "bad/nan.wav", "sample 1 is NaN" },
        { "bad/nodata.wav", "holds 0 frames" }, { "bad/nofmt.wav", "without a format" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sound s;
        struct err e = { ERR_NONE, "" };
        double has;

        assert_int_equal(read_file(bad[i].name, 1.0, &s, &has, &e), -1);
        assert_int_equal(e.kind, ERR_INPUT);
        if (strstr(e.msg, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].name, e.msg);
    }
}

static void test_cut_anywhere(void **state)
{
    const struct span *bytes;
    struct sound s;
    struct err e = { ERR_NONE, "" };
    double has;

    (void)state;
    bytes = file_hold(&all, REF "u8.wav", &e);
    assert_non_null(bytes);
    for (size_t n = 0; n < bytes->size; n++)
        assert_int_equal(sound_read(&all, (struct span){ bytes->data, n }, 1.0, &s, &has, &e),
                         -1);
}

static void test_extractor(void **state)
{
    static const struct { const char *json, *says; } cases[] = {
        { "{}", NULL },
        { "{\"feature_extractor_type\":\"WhisperFeatureExtractor\",\"dither\":0.0,"
          "\"padding_value\":0,\"mel_filters\":[[1]]}", NULL },
        { "[]", "expected an object" },
        { "{\"feature_extractor_type\":\"EncodecFeatureExtractor\"}", "found \"Encodec" },
        { "{\"chunk_length\":0}", "chunk_length: found 0" },
        { "{\"feature_size\":\"80\"}", "feature_size: found \"80\"" },
        { "{\"n_fft\":1}", "n_fft: found 1" }, { "{\"hop_length\":0}", "hop_length: found 0" },
        { "{\"sampling_rate\":1}", "sampling_rate: found 1" },
        { "{\"dither\":0.5}", "dither: found 0.5" },
        { "{\"padding_value\":1}", "padding_value: found 1" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct span bytes = { (const void *)cases[i].json, strlen(cases[i].json) };
        struct err e = { ERR_NONE, "" };
        struct mel mel;
        int status = mel_read(json_read(&all, bytes, 0, &e), &mel, &e);

        assert_int_equal(status, cases[i].says == NULL ? 0 : -1);
        if (cases[i].says != NULL && strstr(e.msg, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].json, e.msg);
    }
}

static void test_waveform(void **state)
{
    static const struct { const char *json, *says; } cases[] = {
        { "{}", NULL },
        { "{\"feature_extractor_type\":\"Wav2Vec2FeatureExtractor\",\"feature_size\":1,"
          "\"do_normalize\":true,\"sampling_rate\":16000,\"padding_value\":0.0}", NULL },
        { "[]", "expected an object" },
        { "{\"feature_extractor_type\":\"WhisperFeatureExtractor\"}", "found \"Whisper" },
        { "{\"feature_extractor_type\":1}", "found 1" },
        { "{\"feature_size\":2}", "feature_size: found 2" },
        { "{\"sampling_rate\":8000}", "sampling_rate: found 8000" },
        { "{\"do_normalize\":1}", "do_normalize: found 1" },
    };
    float x[] = { 1, 3, 5, 7 }, same[] = { 1, 3, 5, 7 }, flat[] = { 2, 2 };
    /* mean 4, variance 5 */
    double want[] = { -3 / sqrt(5 + 1e-7), -1 / sqrt(5 + 1e-7), 1 / sqrt(5 + 1e-7),
                      3 / sqrt(5 + 1e-7) };
    struct sound s = { 16000, 4, x }, other = { 16000, 4, same }, even = { 16000, 2, flat };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct span bytes = { (const void *)cases[i].json, strlen(cases[i].json) };
        struct err e = { ERR_NONE, "" };
        struct waveform w;
        int status = waveform_read(json_read(&all, bytes, 0, &e), &w, &e);

        assert_int_equal(status, cases[i].says == NULL ? 0 : -1);
        if (cases[i].says != NULL && strstr(e.msg, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].json, e.msg);
        assert_true(status != 0 || (w.normalises && w.rate == 16000));
    }
    waveform_apply(&(struct waveform){ 16000, true }, &s);
    check_doubles("samples", x, want, 4, 1e-7);
    waveform_apply(&(struct waveform){ 16000, false }, &other);
    assert_true(same[0] == 1 && same[3] == 7);
    waveform_apply(&(struct waveform){ 16000, true }, &even);
    assert_true(flat[0] == 0 && flat[1] == 0);
}

static int open_all(void **state)
{
    struct err e = { ERR_NONE, "" };

    (void)state;
    arena_init(&all, NULL, NULL);
    expected = npz_open(&all, REF "expected.npz", &e);
    return expected == NULL ? -1 : 0;
}

static int close_all(void **state)
{
    (void)state;
    weights_close(expected);
    arena_finish(&all);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_extractor),
        cmocka_unit_test(test_waveform),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
