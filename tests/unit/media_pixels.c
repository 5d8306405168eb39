/* SPDX-License-Identifier: MIT
 * Pictures against what Pillow and transformers make of them (make_media.py), bit for bit;
 * JPEGs within a level, for there are several decoders. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "media/image_processor.h"
#include "weights/npz.h"

#define REF "tests/ref/media/"

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

static int read_file(const char *name, struct pixels *out, struct err *e)
{
    char path[128];
    const struct span *bytes;

    snprintf(path, sizeof path, REF "%s", name);
    bytes = file_hold(&all, path, e);
    assert_non_null(bytes);
    return pixels_read(&all, *bytes, out, e);
}

static struct pixels picture(const char *name)
{
    struct pixels out;
    struct err e = { ERR_NONE, "" };

    if (read_file(name, &out, &e) != 0)
        fail_msg("%s: %s", name, e.msg);
    return out;
}

static void check_picture(const char *name, double tolerance)
{
    struct pixels p = picture(name);
    int64_t n = (int64_t)p.width * p.height * 3;
    const float *want = array("rgb", name, n);
    struct check_worst worst = { 0 };

    for (int64_t i = 0; i < n; i++)
        check_see(&worst, i, p.rgb[i], (double)want[i]);
    check_within(&worst, name, tolerance);
}

static void test_png(void **state)
{
    static const char *const names[] = {
        "rgb.png", "rgba.png", "grey.png", "grey_alpha.png", "palette.png", "bit.png",
        "grey2.png", "deep.png", "interlaced.png", "turned2.png", "turned3.png",
        "turned4.png", "turned5.png", "turned6.png", "turned7.png", "turned8.png",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_picture(names[i], 0.0);
}

static void test_jpeg(void **state)
{
    static const char *const names[] = {
        "rgb.jpg", "half.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "turned.jpg",
    };

    (void)state;
#ifdef MHA_VIZ_JPEG
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_picture(names[i], 1.0);
#else
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pixels p;
        struct err e = { ERR_NONE, "" };

        assert_int_equal(read_file(names[i], &p, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_non_null(strstr(e.msg, "built without libjpeg-turbo"));
    }
#endif
}

/* ---- refused ---- */

static void test_refused(void **state)
{
    static const struct { const char *name, *says; } bad[] = {
        { "bad/grey16.png", "16 bits of grey" },
        { "bad/lies.png", "claims 30000 x 3000 pixels, which 69 bytes cannot hold" },
        { "bad/huge.png", "2147483647 x 2147483647 pixels, expected 1 to 32768" },
        { "bad/zero.png", "0 x 5 pixels" },
        { "bad/few.png", "Not enough image data" },
        { "bad/kind.png", "no PNG that can be read" },
        { "bad/cut.png", "cut short" },
        { "bad/damaged.png", "no PNG that can be read" },
        { "bad/no.jpg", "neither a PNG nor a JPEG" },
#ifdef MHA_VIZ_JPEG
        { "bad/cut.jpg", "Premature end" },
        { "bad/lies.jpg", "claims 4000 x 20000 pixels" },
        { "bad/huge.jpg", "60000 x 60000 pixels" },
        { "bad/twelve.jpg", "precision 12" },
#endif
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pixels p;
        struct err e = { ERR_NONE, "" };

        assert_int_equal(read_file(bad[i].name, &p, &e), -1);
        assert_int_equal(e.kind, ERR_INPUT);
        if (strstr(e.msg, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].name, e.msg);
    }
}

static void test_cut_anywhere(void **state)
{
    const struct span *bytes;
    struct pixels p;
    struct err e = { ERR_NONE, "" };

    (void)state;
    bytes = file_hold(&all, REF "palette.png", &e);
    assert_non_null(bytes);
    for (size_t n = 0; n < bytes->size; n++) {
        e = (struct err){ ERR_NONE, "" };
        assert_int_equal(pixels_read(&all, (struct span){ bytes->data, n }, &p, &e), -1);
        assert_int_equal(e.kind, ERR_INPUT);
    }
}

/* ---- processors ---- */

/* As PROCESSORS of make_media.py. */
static const struct { const char *name, *json; } processors[] = {
    { "vit", "{\"image_processor_type\":\"ViTImageProcessorFast\","
             "\"size\":{\"height\":16,\"width\":24}}" },
    { "old", "{\"feature_extractor_type\":\"ViTFeatureExtractor\",\"size\":20,\"resample\":3,"
             "\"image_mean\":[0.485,0.456,0.406],\"image_std\":[0.229,0.224,0.225]}" },
    { "deit", "{\"image_processor_type\":\"DeiTImageProcessor\","
              "\"size\":{\"height\":26,\"width\":33},\"crop_size\":{\"height\":16,\"width\":24}}" },
    { "shortest", "{\"image_processor_type\":\"DeiTImageProcessor\","
                  "\"size\":{\"shortest_edge\":19},\"crop_size\":{\"height\":16,\"width\":24},"
                  "\"resample\":1}" },
    { "bit", "{\"image_processor_type\":\"BitImageProcessor\","
             "\"size\":{\"shortest_edge\":26},\"crop_size\":{\"height\":24,\"width\":16}}" },
    { "clip", "{\"image_processor_type\":\"CLIPImageProcessor\","
              "\"size\":{\"shortest_edge\":24},\"crop_size\":{\"height\":24,\"width\":20}}" },
    { "siglip", "{\"image_processor_type\":\"SiglipImageProcessorFast\","
                "\"size\":{\"height\":24,\"width\":40}}" },
    { "box", "{\"size\":{\"height\":50,\"width\":7},\"resample\":4}" },
    { "hamming", "{\"size\":{\"height\":13,\"width\":90},\"resample\":5,\"do_normalize\":false}" },
    { "nearest", "{\"size\":{\"height\":37,\"width\":29},\"resample\":0,"
                 "\"rescale_factor\":0.007,\"image_mean\":null}" },
    { "raw", "{\"size\":30,\"do_rescale\":false,\"do_normalize\":false}" },
    { "low", "{\"size\":{\"height\":9,\"width\":41},\"resample\":3}" },
    { "narrow", "{\"size\":{\"height\":24,\"width\":11},\"resample\":1}" },
    { "cut", "{\"image_processor_type\":\"DeiTImageProcessor\",\"do_resize\":false,"
             "\"crop_size\":{\"height\":40,\"width\":24}}" },
    { "whole", "{\"do_resize\":false,\"do_rescale\":false}" },
};

static int read_processor(const char *json, struct image_processor *out, struct err *e)
{
    const json_t *root = json_read(&all, (struct span){ (const void *)json, strlen(json) }, 0, e);

    assert_non_null(root);
    return image_processor_read(root, out, e);
}

static void test_processors(void **state)
{
    struct pixels in = picture("rgb.png");

    (void)state;
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        struct image_processor p;
        struct pixels seen;
        struct err e = { ERR_NONE, "" };
        float *x;
        int64_t n;

        if (read_processor(processors[i].json, &p, &e) != 0 ||
            image_processor_apply(&p, &all, &in, &seen, &x, &e) != 0)
            fail_msg("%s: %s", processors[i].name, e.msg);
        n = (int64_t)seen.width * seen.height * 3;
        check_floats(processors[i].name, x, array("x", processors[i].name, n), n, 0.0);
    }
}

/* A number is the shortest edge of Bit's, and a square elsewhere; Beit crops only where asked. */
static void test_processor_sizes(void **state)
{
    static const struct { const char *json; int height, width; bool crops; } rows[] = {
        { "{\"image_processor_type\":\"BitImageProcessor\",\"size\":12}", 12, 0, true },
        { "{\"image_processor_type\":\"ViTImageProcessor\",\"size\":12}", 12, 12, false },
        { "{\"image_processor_type\":\"BeitImageProcessor\",\"size\":12}", 12, 12, false },
        { "{\"feature_extractor_type\":\"BeitFeatureExtractor\",\"do_center_crop\":true}",
          224, 224, true },
        { "{\"feature_extractor_type\":\"CLIPFeatureExtractor\",\"size\":12}", 12, 0, true },
        { "{\"image_processor_type\":\"SiglipImageProcessor\"}", 224, 224, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image_processor p;
        struct err e = { ERR_NONE, "" };

        assert_int_equal(read_processor(rows[i].json, &p, &e), 0);
        assert_int_equal(p.height, rows[i].height);
        assert_int_equal(p.width, rows[i].width);
        assert_int_equal(p.do_crop, rows[i].crops);
        assert_int_equal(p.crop_height, 224);
        assert_int_equal(p.filter, i == 1 ? RESIZE_BILINEAR : RESIZE_BICUBIC);
        assert_true(p.mean[0] == (i == 0 || i == 4 ? 0.48145466F : 0.5F));
    }
}

static void test_processors_refused(void **state)
{
    static const struct { const char *json, *says; } bad[] = {
        { "[]", "expected an object" },
        { "{\"image_processor_type\":\"FlavaImageProcessor\"}", "found \"FlavaImageProcessor\"" },
        { "{\"image_processor_type\":7}", "found 7" },
        { "{\"size\":0}", "size: found 0" },
        { "{\"size\":8193}", "size: found 8193, expected a whole number from 1 to 8192" },
        { "{\"size\":{\"height\":5}}", "size: width: found nothing" },
        { "{\"size\":{\"longest_edge\":5}}", "size: height: found nothing" },
        { "{\"crop_size\":{\"shortest_edge\":5}}", "crop_size: height: found nothing" },
        { "{\"resample\":6}", "resample: found 6" },
        { "{\"image_mean\":[1,2]}", "image_mean: found [1,2]" },
        { "{\"image_std\":[1,2,0]}", "image_std: found [1,2,0]" },
        { "{\"image_std\":\"x\"}", "image_std: found \"x\"" },
        { "{\"rescale_factor\":0}", "rescale_factor: found 0" },
        { "{\"do_resize\":1}", "do_resize: found 1" },
        { "{\"do_pad\":true}", "do_pad: found true" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct image_processor p;
        struct err e = { ERR_NONE, "" };

        assert_int_equal(read_processor(bad[i].json, &p, &e), -1);
        assert_int_equal(e.kind, ERR_INPUT);
        if (strstr(e.msg, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].json, e.msg);
    }
}

/* A line of pixels whose shape stays would become one of a million. */
static void test_long_line(void **state)
{
    struct image_processor p;
    struct pixels line, seen;
    struct err e = { ERR_NONE, "" };
    float *x;

    (void)state;
    pixels_new(&all, 30000, 1, &line);
    memset(line.rgb, 7, 90000);
    assert_int_equal(read_processor("{\"size\":{\"shortest_edge\":224}}", &p, &e), 0);
    assert_int_equal(image_processor_apply(&p, &all, &line, &seen, &x, &e), -1);
    assert_non_null(strstr(e.msg, "resized: a picture of 6720000 x 224 pixels"));
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
        cmocka_unit_test(test_png),
        cmocka_unit_test(test_jpeg),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_processors),
        cmocka_unit_test(test_processor_sizes),
        cmocka_unit_test(test_processors_refused),
        cmocka_unit_test(test_long_line),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
