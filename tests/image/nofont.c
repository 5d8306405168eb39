/* SPDX-License-Identifier: MIT
 * A machine without a single font: a picture all the same, and one warning. */
#include "image/figure.h"
#include "image/png_read.h"

static void test_no_font(void **state)
{
    struct heard heard = { 0, "" };
    struct warn w = { hear, &heard };
    struct err e = { ERR_NONE, "" };
    struct box box[MAX_PANELS];
    struct picture p;
    struct sample s;
    struct folder d;
    struct arena a;
    double width, height;

    (void)state;
    folder_init(&d);
    arena_init(&a, NULL, NULL);
    sample_init(&s, 2, 6, 6, true);
    sample_labels(&s, 6, "我喜欢");
    s.sheet.title = "title";
    s.sheet.caption = "caption";
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        heard.n = 0;
        if (sample_write(&s, (enum draw_format)i, folder_file(&d, "a"), &w, &e) != 0)
            fail_msg("%s", e.msg);
        assert_int_equal(heard.n, 1);
        assert_non_null(strstr(heard.last, "no font is installed"));
        assert_non_null(strstr(heard.last, "fonts-dejavu-core"));
    }
    /* Pango's measures without a font are whatever the memory held. */
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        char *one, *two;
        size_t n, m;

        draw_ok(&s, (enum draw_format)i, folder_file(&d, "a"));
        one = slurp(folder_file(&d, "a"), &n);
        draw_ok(&s, (enum draw_format)i, folder_file(&d, "a"));
        two = slurp(folder_file(&d, "a"), &m);
        assert_int_equal(n, m);
        assert_memory_equal(one, two, n);
        free(one);
        free(two);
    }
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a"));
    sample_boxes(&s, &a, box, &width, &height);
    assert_int_equal(picture_read(&p, folder_file(&d, "a")), 0);
    assert_int_equal(p.w, (int)width);
    assert_int_equal(picture_at(&p, (int)box[1].x + (int)box[1].w - 1, (int)box[1].y),
                     0xd0d0d0);                 /* masked: the upper right cell */
    picture_free(&p);
    sample_finish(&s);
    arena_finish(&a);
    assert_int_equal(folder_finish(&d), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_font) };

    use_fonts("fonts_none.conf");
    return cmocka_run_group_tests_name("image nofont", tests, NULL, NULL);
}
