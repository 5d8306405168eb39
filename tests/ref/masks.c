/* SPDX-License-Identifier: MIT
 * `export` under masks of the user's own against the reference library: the command lines
 * of masks/cases.json, each with the arrays that make_masks.py computed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "weights/npz.h"

enum { MAX_ARGV = 32 };

static json_t *cases;

/* Runs `mha-viz export ARGV... -o FILE`. */
static void export(const json_t *argv, const char *file)
{
    const char *program = getenv("MHA_VIZ") != NULL ? getenv("MHA_VIZ") : "./mha-viz";
    const char *all[MAX_ARGV + 5] = { program, "export", "-o", file };
    pid_t pid;
    int status, n = 4;

    assert_in_range(json_array_size(argv), 1, MAX_ARGV);
    for (size_t i = 0; i < json_array_size(argv); i++)
        all[n++] = json_string_value(json_array_get(argv, i));
    pid = fork();
    if (pid == 0) {
        execv(program, (char *const *)(uintptr_t)all);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static float *values(struct arena *a, const struct tensor *t)
{
    float *v = arena_alloc(a, (size_t)t->n_elements, sizeof *v);

    tensor_read(v, t, 0, t->n_elements);
    return v;
}

static void compare(struct arena *a, const char *name, const struct weights *got,
                    const struct tensor *want, double tolerance)
{
    const struct tensor *t = weights_find(got, want->name);
    float *x, *y;

    if (t == NULL)
        fail_msg("%s: the export has no %s", name, want->name);
    assert_int_equal(t->n_dims, want->n_dims);
    for (int d = 0; d < t->n_dims; d++)
        assert_int_equal(t->shape[d], want->shape[d]);
    x = values(a, t);
    y = values(a, want);
    for (int64_t i = 0; i < t->n_elements; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <= tolerance))
            fail_msg("%s: %s: element %lld is %.9g, want %.9g", name, want->name,
                     (long long)i, (double)x[i], (double)y[i]);
}

static void one_case(void **state)
{
    const json_t *c = *state;
    const char *name = json_string_value(json_object_get(c, "name"));
    char file[] = "/tmp/mha-viz-masks-XXXXXX.npz", want_path[128];
    double tolerance = json_number_value(json_object_get(c, "tolerance"));
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct weights *got, *want;

    assert_true(mkstemps(file, 4) >= 0);
    export(json_object_get(c, "argv"), file);
    arena_init(&a, NULL, NULL);
    snprintf(want_path, sizeof want_path, "tests/ref/masks/%.60s.npz", name);
    got = npz_open(&a, file, &e);
    want = npz_open(&a, want_path, &e);
    if (got == NULL || want == NULL)
        fail_msg("%s", e.msg);
    assert_true(weights_count(want) > 0);
    for (int i = 0; i < weights_count(want); i++)
        compare(&a, name, got, weights_at(want, i), tolerance);
    weights_close(got);
    weights_close(want);
    arena_finish(&a);
    unlink(file);
}

int main(void)
{
    struct CMUnitTest tests[64];
    size_t n;

    cases = json_load_file("tests/ref/masks/cases.json", 0, NULL);
    n = json_array_size(cases);
    if (n == 0 || n > 64) {
        printf("tests/ref/masks/cases.json: no cases\n");
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        json_t *c = json_array_get(cases, i);

        tests[i] = (struct CMUnitTest){ json_string_value(json_object_get(c, "name")),
                                        one_case, NULL, NULL, c };
    }
    return _cmocka_run_group_tests("masks", tests, n, NULL, NULL);
}
