/* SPDX-License-Identifier: MIT
 * `export` under options that change the pass, against the reference library: the command
 * lines of masks/cases.json (make_masks.py), diff/dtype.json (make_diff.py),
 * quantised/cases.json (make_quantised.py), heads/cases.json
 * (make_heads.py) and precomputed/cases.json (make_precomputed.py), each with the arrays that were
 * computed, by every kernel. */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "nn/nn.h"
#include "weights/npz.h"

enum { MAX_ARGV = 32 };

/* Attention and hidden states: as the cases of exact.c. */
#define TOLERANCE 2e-5

static const char *const folders[][2] = { { "masks", "cases" }, { "diff", "dtype" },
                                          { "quantised", "cases" }, { "heads", "cases" },
                                          { "precomputed", "cases" } };
enum { N_FOLDERS = sizeof folders / sizeof *folders, MAX_CASES = 128 };

struct export_case {
    const char *folder;
    const json_t *json;
};

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
                    const struct tensor *want)
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
    check_floats(want->name, x, y, t->n_elements, TOLERANCE);
}

static void by_this_kernel(const struct export_case *c)
{
    const char *name = json_string_value(json_object_get(c->json, "name"));
    char file[] = "/tmp/mha-viz-export-XXXXXX.npz", want_path[128];
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct weights *got, *want;

    assert_true(mkstemps(file, 4) >= 0);
    export(json_object_get(c->json, "argv"), file);
    arena_init(&a, NULL, NULL);
    snprintf(want_path, sizeof want_path, "tests/ref/%s/%.60s.npz", c->folder, name);
    got = npz_open(&a, file, &e);
    want = npz_open(&a, want_path, &e);
    if (got == NULL || want == NULL)
        fail_msg("%s", e.msg);
    assert_true(weights_count(want) > 0);
    for (int i = 0; i < weights_count(want); i++)
        compare(&a, name, got, weights_at(want, i));
    weights_close(got);
    weights_close(want);
    arena_finish(&a);
    unlink(file);
}

static void one_case(void **state)
{
    for (int k = 0; k < N_KERNEL; k++) {
        const char *kernel = nn_kernel_name((enum kernel)k);

        if (nn_choose_kernel(kernel) != 0)
            continue;
        setenv("MHA_VIZ_KERNEL", kernel, 1);
        by_this_kernel(*state);
    }
}

static json_t *load(int i)
{
    char path[128];

    snprintf(path, sizeof path, "tests/ref/%s/%s.json", folders[i][0], folders[i][1]);
    return json_load_file(path, 0, NULL);
}

/* Appends the cases of folder i; returns how many there are now. */
static size_t add_cases(int i, const json_t *all, struct export_case *cases,
                        struct CMUnitTest *tests, size_t n)
{
    const json_t *c;
    size_t k;

    if (json_array_size(all) == 0 || n + json_array_size(all) > MAX_CASES) {
        printf("%s: no cases, or too many\n", folders[i][0]);
        exit(1);
    }
    json_array_foreach(all, k, c) {
        cases[n] = (struct export_case){ folders[i][0], c };
        tests[n] = (struct CMUnitTest){ json_string_value(json_object_get(c, "name")),
                                        one_case, NULL, NULL, &cases[n] };
        n++;
    }
    return n;
}

int main(void)
{
    struct export_case cases[MAX_CASES];
    struct CMUnitTest tests[MAX_CASES];
    json_t *all[N_FOLDERS];
    size_t n = 0;
    int failed;

    for (int i = 0; i < N_FOLDERS; i++) {
        all[i] = load(i);
        n = add_cases(i, all[i], cases, tests, n);
    }
    failed = _cmocka_run_group_tests("export", tests, n, NULL, NULL);
    for (int i = 0; i < N_FOLDERS; i++)
        json_decref(all[i]);
    return failed;
}
