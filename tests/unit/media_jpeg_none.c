/* SPDX-License-Identifier: MIT
 * Pictures in a build without libjpeg-turbo: a JPEG is refused with what is missing, a PNG is read.
 * The jpeg.c of this program is the one of such a build. */
#undef MHA_VIZ_JPEG
#include "media/jpeg.c"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "check.h"

static int read_picture(struct arena *a, const char *path, struct pixels *pixels, struct err *e)
{
    const struct span *bytes = file_hold(a, path, e);

    assert_non_null(bytes);
    return pixels_read(a, *bytes, pixels, e);
}

static void says_what_is_missing(void **state)
{
    static const char *const jpegs[] = { "rgb.jpg", "grey.jpg", "cmyk.jpg", "bad/cut.jpg" };
    struct pixels pixels;
    struct arena a;
    char path[64];

    (void)state;
    arena_init(&a, NULL, NULL);
    for (size_t i = 0; i < sizeof jpegs / sizeof *jpegs; i++) {
        struct err e = { ERR_NONE, "" };

        snprintf(path, sizeof path, "tests/ref/media/%s", jpegs[i]);
        assert_int_equal(read_picture(&a, path, &pixels, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_non_null(strstr(e.msg, "built without libjpeg-turbo: expected a PNG"));
        assert_non_null(strstr(e.msg, "libjpeg-dev"));
    }
    arena_finish(&a);
}

static void reads_png(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct pixels pixels;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(read_picture(&a, "tests/ref/media/rgb.png", &pixels, &e), 0);
    assert_true(pixels.width > 0 && pixels.height > 0);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_missing), cmocka_unit_test(reads_png),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
