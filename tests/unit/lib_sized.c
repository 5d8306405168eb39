/* SPDX-License-Identifier: MIT
 * Structures of programs that were compiled with another mhaviz.h, or that do not say their
 * size. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lib.h"

static int take_nothing(void *self, const struct mhaviz_rows *rows)
{
    (void)self;
    assert_int_equal(rows->struct_size, sizeof *rows);
    return 0;
}

static int watch(void *self, const struct mhaviz_progress *progress)
{
    (void)self;
    assert_int_equal(progress->struct_size, sizeof *progress);
    return 0;
}

/* A structure that grew: the members that a caller does not have are 0, not what lies behind. */
static void sizes_of_other_versions(void **state)
{
    enum { W = sizeof(size_t) };
    static const size_t sizes[] = { 2 * W, 3 * W };
    static const struct sized type = { "thing", sizes, 2 };
    size_t given[4] = { 2 * W, 7, 8, 9 }, out[4] = { 1, 1, 1, 1 };
    char want[80];
    struct err e;

    (void)state;
    assert_int_equal(sized_take(&type, out, given, &e), 0);
    assert_true(out[0] == 2 * W && out[1] == 7 && out[2] == 0 && out[3] == 1);
    given[0] = 3 * W;
    assert_int_equal(sized_take(&type, out, given, &e), 0);
    assert_true(out[0] == 3 * W && out[2] == 8 && out[3] == 1);
    for (size_t size = 0; size < 5 * W; size++) {
        given[0] = size;
        assert_int_equal(sized_size(&type, given, &e), size == 2 * W || size == 3 * W ? size : 0);
    }
    given[0] = 3 * W - 1;
    assert_int_equal(sized_take(&type, out, given, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    snprintf(want, sizeof want, "thing->struct_size: is %d, expected %d, sizeof(struct "
             "mhaviz_thing)", 3 * W - 1, 3 * W);
    assert_string_equal(e.msg, want);
}

struct handles {
    struct mhaviz_model *model;
    struct mhaviz_text *text;
};

/* Each function with a structure that is right but for its size. */
static enum mhaviz_status call(const struct handles *x, int which, size_t size,
                               struct mhaviz_error *e)
{
    struct mhaviz_files files = { .struct_size = size };
    struct mhaviz_arrays arrays = { .struct_size = size };
    struct mhaviz_array array = { .struct_size = size };
    struct mhaviz_arrays with = { .struct_size = sizeof with, .array = &array, .n = 1 };
    struct mhaviz_description description = { .struct_size = size };
    struct mhaviz_input input = { .struct_size = size, .text = "my own text" };
    struct mhaviz_selection selection = { .struct_size = size };
    struct mhaviz_look look = { .struct_size = size };
    struct mhaviz_task task = { .struct_size = size, .name = "stats" };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_stats *stats = NULL;
    enum mhaviz_status status = MHAVIZ_OK;
    void *data = NULL;
    size_t n;

    switch (which) {
    case 0: status = mhaviz_model_open_files(&model, &files, 1, e); break;
    case 1: status = mhaviz_model_open_arrays(&model, &arrays, 1, e); break;
    case 2: status = mhaviz_model_open_attention(&model, &with, 1, e); break;
    case 3: status = mhaviz_model_describe(x->model, &description, e); break;
    case 4: status = mhaviz_text_open_input(x->model, &input, &text, e); break;
    case 5: status = mhaviz_run(x->model, x->text, &selection, take_nothing, NULL, e); break;
    case 6: status = mhaviz_stats_open(x->model, x->text, &selection, &stats, e); break;
    case 7: status = mhaviz_heatmap_bytes(x->model, x->text, &look, &data, &n, e); break;
    default: status = mhaviz_make(x->model, x->text, &task, &data, &n, e);
    }
    free(data);
    mhaviz_stats_close(&stats);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    return status;
}

static void sizes_that_are_none(void **state)
{
    static const struct { const char *name; size_t size; } of[] = {
        { "files", sizeof(struct mhaviz_files) }, { "arrays", sizeof(struct mhaviz_arrays) },
        { "array", sizeof(struct mhaviz_array) },
        { "description", sizeof(struct mhaviz_description) },
        { "input", sizeof(struct mhaviz_input) }, { "selection", sizeof(struct mhaviz_selection) },
        { "selection", sizeof(struct mhaviz_selection) }, { "look", sizeof(struct mhaviz_look) },
        { "task", sizeof(struct mhaviz_task) },
    };
    struct handles x = { NULL, NULL };
    struct mhaviz_error e;
    char begin[64];

    (void)state;
    assert_int_equal(mhaviz_model_open(&x.model, "tests/ref/bert", 1, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_model_watch(x.model, watch, NULL, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(x.model, "the cat", NULL, &x.text, NULL), MHAVIZ_OK);
    for (int i = 0; i < (int)(sizeof of / sizeof of[0]); i++) {
        const size_t wrong[] = { 0, 1, sizeof(size_t), of[i].size - sizeof(int), of[i].size - 1,
                                 of[i].size + 1, of[i].size + 8, SIZE_MAX };

        snprintf(begin, sizeof begin, "%s->struct_size: is ", of[i].name);
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            assert_int_equal(call(&x, i, wrong[k], &e), MHAVIZ_USAGE);
            if (strncmp(e.message, begin, strlen(begin)) != 0)
                fail_msg("\"%s\", expected \"%s...\"", e.message, begin);
        }
        call(&x, i, of[i].size, &e);
        assert_null(strstr(e.message, "struct_size"));
    }
    mhaviz_text_close(&x.text);
    mhaviz_model_close(&x.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_other_versions), cmocka_unit_test(sizes_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
