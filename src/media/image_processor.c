/* SPDX-License-Identifier: MIT
 * preprocessor_config.json and a picture -> the numbers that a model reads. */
#include "media/image_processor.h"

#include <math.h>
#include <string.h>

#include "base/json_field.h"
#include "media/format.h"

/* ---- the file ---- */

/* The longest side that a picture is resized or cropped to: a picture of any size stays one that
 * fits in memory on the way. */
enum { SIDE_MOST = 1 << 13 };

/* By the beginning of their names: "ViTImageProcessorFast", "ViTFeatureExtractor". */
static const struct { const char *name; struct image_processor defaults; } kinds[] = {
    { "ViT", { true, false, true, true, 224, 224, RESIZE_BILINEAR, 224, 224, 1 / 255.0,
               { 0.5F, 0.5F, 0.5F }, { 0.5F, 0.5F, 0.5F } } },
    { "DeiT", { true, true, true, true, 256, 256, RESIZE_BICUBIC, 224, 224, 1 / 255.0,
                { 0.5F, 0.5F, 0.5F }, { 0.5F, 0.5F, 0.5F } } },
    { "Bit", { true, true, true, true, 224, 0, RESIZE_BICUBIC, 224, 224, 1 / 255.0,
               { 0.48145466F, 0.4578275F, 0.40821073F },
               { 0.26862954F, 0.26130258F, 0.27577711F } } },
    { "CLIP", { true, true, true, true, 224, 0, RESIZE_BICUBIC, 224, 224, 1 / 255.0,
                { 0.48145466F, 0.4578275F, 0.40821073F },
                { 0.26862954F, 0.26130258F, 0.27577711F } } },
    { "Siglip", { true, false, true, true, 224, 224, RESIZE_BICUBIC, 224, 224, 1 / 255.0,
                  { 0.5F, 0.5F, 0.5F }, { 0.5F, 0.5F, 0.5F } } },
    { "Beit", { true, false, true, true, 224, 224, RESIZE_BICUBIC, 224, 224, 1 / 255.0,
                { 0.5F, 0.5F, 0.5F }, { 0.5F, 0.5F, 0.5F } } },
};

static int read_kind(const json_t *root, struct image_processor *out, struct err *e)
{
    const char *key = json_object_get(root, "image_processor_type") != NULL
                      ? "image_processor_type" : "feature_extractor_type";
    const json_t *value = json_object_get(root, key);
    const char *name = json_string_value(value);

    *out = kinds[0].defaults;
    if (value == NULL)
        return 0;
    for (size_t i = 0; name != NULL && i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].name);

        if (strncmp(name, kinds[i].name, n) == 0 &&
            (strncmp(name + n, "ImageProcessor", 14) == 0 ||
             strcmp(name + n, "FeatureExtractor") == 0)) {
            *out = kinds[i].defaults;
            return 0;
        }
    }
    return json_field_wrong(key, value, "\"ViTImageProcessor\", \"DeiTImageProcessor\", "
                            "\"BitImageProcessor\", \"CLIPImageProcessor\", "
                            "\"SiglipImageProcessor\" or \"BeitImageProcessor\"", e);
}

/* "size": 224, {"height":224,"width":160} or {"shortest_edge":224}.  A number is the shortest edge
 * where that is the default: *width is 0. */
static int read_size(const json_t *root, const char *key, int *height, int *width, struct err *e)
{
    const json_t *value = json_object_get(root, key);

    if (value == NULL || json_is_null(value))
        return 0;
    if (json_is_object(value) && json_object_get(value, "shortest_edge") != NULL &&
        json_object_get(value, "longest_edge") == NULL && strcmp(key, "size") == 0) {
        *width = 0;
        return json_field_int(value, "shortest_edge", 1, SIDE_MOST, height, e) != 0
               ? err_under(e, "%s", key) : 0;
    }
    if (json_is_object(value))
        return json_field_int(value, "height", 1, SIDE_MOST, height, e) != 0 ||
               json_field_int(value, "width", 1, SIDE_MOST, width, e) != 0
               ? err_under(e, "%s", key) : 0;
    if (json_value_int(value, key, 1, SIDE_MOST, height, e) != 0)
        return -1;
    *width = *width == 0 ? 0 : *height;
    return 0;
}

/* A number for all channels, or a list of one each. */
static int read_channels(const json_t *root, const char *key, double lo, float out[3],
                         struct err *e)
{
    const json_t *value = json_object_get(root, key);

    if (value == NULL || json_is_null(value))
        return 0;
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
        double x = json_number_value(one);

        if (!json_is_number(one) || !(x >= lo && x <= 1e6) ||
            (json_is_array(value) && json_array_size(value) != 3))
            return json_field_wrong(key, value, lo > 0 ? "a number above 0, or three of them" :
                                                         "a number, or three of them", e);
        out[i] = (float)x;
    }
    return 0;
}

static bool image_processor_is_given(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);

    return value != NULL && !json_is_null(value);
}

static int image_processor_read_numbers(const json_t *root, struct image_processor *out,
                                        struct err *e)
{
    int filter = (int)out->filter;

    if (image_processor_is_given(root, "resample") &&
        json_field_int(root, "resample", 0, N_RESIZE_FILTERS - 1, &filter, e) != 0)
        return -1;
    out->filter = (enum resize_filter)filter;
    if (image_processor_is_given(root, "rescale_factor") &&
        json_field_real(root, "rescale_factor", 1e-6, 1e6, &out->factor, e) != 0)
        return -1;
    return read_channels(root, "image_mean", -1e6, out->mean, e) != 0 ||
           read_channels(root, "image_std", 1e-6, out->std, e) != 0 ? -1 : 0;
}

int image_processor_read(const json_t *root, struct image_processor *out, struct err *e)
{
    bool pad;

    if (!json_is_object(root))
        return err_set(e, ERR_INPUT, "expected an object");
    if (read_kind(root, out, e) != 0 ||
        json_field_bool(root, "do_resize", out->do_resize, &out->do_resize, e) != 0 ||
        json_field_bool(root, "do_center_crop", out->do_crop, &out->do_crop, e) != 0 ||
        json_field_bool(root, "do_rescale", out->do_rescale, &out->do_rescale, e) != 0 ||
        json_field_bool(root, "do_normalize", out->do_normalize, &out->do_normalize, e) != 0 ||
        json_field_bool(root, "do_pad", false, &pad, e) != 0)
        return -1;
    if (pad)
        return json_field_wrong("do_pad", json_object_get(root, "do_pad"), "false", e);
    if (read_size(root, "size", &out->height, &out->width, e) != 0 ||
        read_size(root, "crop_size", &out->crop_height, &out->crop_width, e) != 0)
        return -1;
    return image_processor_read_numbers(root, out, e);
}

/* ---- a picture ---- */

static int resize(const struct image_processor *processor, struct arena *a, struct pixels *picture,
                  struct err *e)
{
    const struct pixels in = *picture;
    int width = processor->width, height = processor->height;

    if (width == 0) {
        int shorter = in.width < in.height ? in.width : in.height;
        int64_t longer = in.width < in.height ? in.height : in.width;
        double size = (double)(processor->height * longer / shorter);

        bool upright = in.width <= in.height;

        if (pixels_check_size(upright ? processor->height : size,
                              upright ? size : processor->height, e) != 0)
            return err_under(e, "resized");
        width = upright ? processor->height : (int)size;
        height = upright ? (int)size : processor->height;
    }
    pixels_resize(a, &in, width, height, processor->filter, picture);
    return 0;
}

static float image_processor_number_of(const struct image_processor *processor,
                                       unsigned char sample, int channel)
{
    float x = processor->do_rescale ? (float)(sample * processor->factor) : (float)sample;

    return processor->do_normalize ? (x - processor->mean[channel]) / processor->std[channel] : x;
}

int image_processor_apply(const struct image_processor *processor, struct arena *a,
                          const struct pixels *in, struct pixels *seen, float **x,
                          struct err *e)
{
    size_t n;
    float *out;

    *seen = *in;
    if (processor->do_resize && resize(processor, a, seen, e) != 0)
        return -1;
    if (processor->do_crop) {
        struct pixels whole = *seen;

        pixels_crop(a, &whole, processor->crop_width, processor->crop_height, seen);
    }
    n = (size_t)seen->width * (size_t)seen->height;
    *x = out = arena_alloc_raw(a, (uint64_t)n * 3, sizeof *out);
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++)
            *out++ = image_processor_number_of(processor, seen->rgb[3 * i + (size_t)c], c);
    return 0;
}
