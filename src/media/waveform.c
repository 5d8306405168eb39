/* SPDX-License-Identifier: MIT
 * preprocessor_config.json and sound -> samples that a model reads. */
#include "media/waveform.h"

#include <math.h>
#include <string.h>

#include "base/json_field.h"

int waveform_read(const json_t *root, struct waveform *out, struct err *e)
{
    static const char name[] = "Wav2Vec2FeatureExtractor";
    const json_t *kind = json_object_get(root, "feature_extractor_type");
    int one = 1;

    *out = (struct waveform){ .rate = 16000, .normalises = true };
    if (!json_is_object(root))
        return err_set(e, ERR_INPUT, "expected an object");
    if (kind != NULL && (!json_is_string(kind) || strcmp(json_string_value(kind), name) != 0))
        return json_field_wrong("feature_extractor_type", kind, "\"Wav2Vec2FeatureExtractor\"", e);
    if (json_object_get(root, "sampling_rate") != NULL &&
        json_field_int(root, "sampling_rate", 16000, 16000, &out->rate, e) != 0)
        return -1;
    if (json_object_get(root, "feature_size") != NULL &&
        json_field_int(root, "feature_size", 1, 1, &one, e) != 0)
        return -1;
    return json_field_bool(root, "do_normalize", true, &out->normalises, e);
}

void waveform_apply(const struct waveform *waveform, struct sound *sound)
{
    double mean = 0, var = 0, scale;

    if (!waveform->normalises)
        return;
    for (int64_t i = 0; i < sound->n; i++)
        mean += (double)sound->x[i];
    mean /= (double)sound->n;
    for (int64_t i = 0; i < sound->n; i++)
        var += ((double)sound->x[i] - mean) * ((double)sound->x[i] - mean);
    scale = 1 / sqrt(var / (double)sound->n + 1e-7);
    for (int64_t i = 0; i < sound->n; i++)
        sound->x[i] = (float)(((double)sound->x[i] - mean) * scale);
}
