/* SPDX-License-Identifier: MIT
 * Heatmaps through the library: the bytes of the program's, to a file and to memory. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mhaviz.h"

struct drawn {
    struct mhaviz_model *model;
    struct mhaviz_text *text;
    char dir[64];
};

static int setup(void **state)
{
    static struct drawn d;

    strcpy(d.dir, "/tmp/mhaviz-XXXXXX");
    assert_non_null(mkdtemp(d.dir));
    assert_int_equal(mhaviz_model_open(&d.model, NULL, 2, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(d.model, "the cat saw the dog", NULL, &d.text, NULL),
                     MHAVIZ_OK);
    *state = &d;
    return 0;
}

static int teardown(void **state)
{
    struct drawn *d = *state;

    mhaviz_text_close(&d->text);
    mhaviz_model_close(&d->model);
    rmdir(d->dir);
    return 0;
}

static char *read_file(const char *path, size_t *size)
{
    char *data = malloc(1 << 22);
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    *size = fread(data, 1, 1 << 22, f);
    fclose(f);
    return data;
}

/* Both ways of the library, and the program with these options. */
static void check_same(struct drawn *d, const struct mhaviz_look *look, const char *format,
                       const char *options)
{
    char path[128], command[1024];
    size_t n, m, k;
    void *bytes;
    char *file, *program;

    snprintf(path, sizeof path, "%s/a.%s", d->dir, format);
    assert_int_equal(mhaviz_heatmap(d->model, d->text, look, path, NULL), MHAVIZ_OK);
    file = read_file(path, &n);
    assert_int_equal(mhaviz_heatmap_bytes(d->model, d->text, look, &bytes, &m, NULL),
                     MHAVIZ_OK);
    snprintf(command, sizeof command,
             "%s heatmap --no-metadata --types none -o %s %s 'the cat saw the dog'",
             getenv("MHA_VIZ"), path, options);
    assert_int_equal(system(command), 0);
    program = read_file(path, &k);
    unlink(path);
    assert_true(n == m && n == k && n > 1000);
    assert_memory_equal(file, bytes, n);
    assert_memory_equal(file, program, n);
    free(bytes);
    free(file);
    free(program);
}

static void same_as_the_program(void **state)
{
    struct drawn *d = *state;
    enum { SIZE = sizeof(struct mhaviz_look) };
    const struct mhaviz_selection two = { .struct_size = sizeof two, .layers = "1",
                                          .heads = "0,2" };
    const struct mhaviz_selection three = { .struct_size = sizeof three, .layers = "0-2" };
    const struct mhaviz_selection one = { .struct_size = sizeof one, .heads = "L2H1" };
    const struct mhaviz_look plain = { .struct_size = SIZE };
    const struct mhaviz_look other = {
        .struct_size = SIZE, .selection = &two, .format = "svg", .colours = "magma",
        .title = "a title", .columns = 1, .shared = 1,
    };
    const struct mhaviz_look sheet = { .struct_size = SIZE, .selection = &three };
    const struct mhaviz_look outlines = { .struct_size = SIZE, .format = "svg", .outlines = 1 };
    const struct mhaviz_look fine = { .struct_size = SIZE, .dpi = 150, .selection = &one };

    if (getenv("MHA_VIZ") == NULL)
        skip();
    check_same(d, &plain, "png", "");
    check_same(d, NULL, "png", "");
    check_same(d, &other, "svg", "-l 1 -H 0,2 --cmap magma --title 'a title' -c 1 --shared");
    check_same(d, &sheet, "png", "-l 0-2");
    check_same(d, &outlines, "svg", "--outlines");
    check_same(d, &fine, "png", "-H L2H1 --dpi 150");
}

static void expect(enum mhaviz_status got, enum mhaviz_status expected,
                   const struct mhaviz_error *error, const char *text)
{
    if (got != expected || strstr(error->message, text) == NULL)
        fail_msg("status %d and \"%s\", expected %d and \"%s\"", (int)got, error->message,
                 (int)expected, text);
}

static void refused(void **state)
{
    struct drawn *d = *state;
    enum { SIZE = sizeof(struct mhaviz_look) };
    const struct mhaviz_selection far = { .struct_size = sizeof far, .layers = "0-99" };
    const struct mhaviz_look layers = { .struct_size = SIZE, .selection = &far },
                             bmp = { .struct_size = SIZE, .format = "bmp" },
                             pink = { .struct_size = SIZE, .colours = "pink" },
                             latin = { .struct_size = SIZE, .title = "caf\xe9" },
                             wide = { .struct_size = SIZE, .columns = 65 },
                             coarse = { .struct_size = SIZE, .dpi = 9 };
    struct mhaviz_error e;
    void *data = &e;
    size_t n;

#define DRAW(look) mhaviz_heatmap_bytes(d->model, d->text, look, &data, &n, &e)
    expect(DRAW(&layers), MHAVIZ_USAGE, &e, "layers: 99 is out of range");
    assert_null(data);
    expect(DRAW(&bmp), MHAVIZ_USAGE, &e, "bmp is not a format");
    expect(DRAW(&pink), MHAVIZ_USAGE, &e, "'pink' is not a colour map: expected viridis, "
           "magma, inferno, plasma, cividis, gray, "
             "bluered, Blues, Greys, Reds, viridis_r, magma_r, inferno_r, plasma_r, "
             "cividis_r, gray_r, bluered_r, Blues_r, Greys_r or Reds_r");
    expect(DRAW(&latin), MHAVIZ_USAGE, &e, "the title is not UTF-8");
    expect(DRAW(&wide), MHAVIZ_USAGE, &e, "columns: expected 1 to 64");
    expect(DRAW(&coarse), MHAVIZ_USAGE, &e, "dpi: expected 10 to 1200");
#undef DRAW
    expect(mhaviz_heatmap_bytes(NULL, d->text, NULL, &data, &n, &e), MHAVIZ_USAGE, &e, "model");
    expect(mhaviz_heatmap_bytes(d->model, NULL, NULL, &data, &n, &e), MHAVIZ_USAGE, &e, "text");
    expect(mhaviz_heatmap_bytes(d->model, d->text, NULL, NULL, &n, &e), MHAVIZ_USAGE, &e, "data");
    expect(mhaviz_heatmap_bytes(d->model, d->text, NULL, &data, NULL, &e), MHAVIZ_USAGE, &e,
           "size");
    expect(mhaviz_heatmap(d->model, d->text, NULL, NULL, &e), MHAVIZ_USAGE, &e, "path");
    expect(mhaviz_heatmap(d->model, d->text, NULL, "/nowhere/a.png", &e), MHAVIZ_SYSTEM, &e,
           "/nowhere/a.png");
    expect(mhaviz_heatmap(d->model, d->text, NULL, "a.bmp", &e), MHAVIZ_USAGE, &e,
           "bmp is not a format");
}

/* Standard output is the caller's. */
static void a_file_called_minus(void **state)
{
    struct drawn *d = *state;
    char before[512];

    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(d->dir), 0);
    assert_int_equal(mhaviz_heatmap(d->model, d->text, NULL, "-", NULL), MHAVIZ_OK);
    assert_int_equal(unlink("-"), 0);
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_as_the_program, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_called_minus, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
