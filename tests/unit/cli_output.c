/* SPDX-License-Identifier: MIT
 *
 * The rule of -o and --format, and files per text. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"

static char dir[] = "/tmp/cli_output.XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) != NULL && chdir(dir) == 0 && mkdir("out", 0700) == 0 &&
           mkdir("out.tsv", 0700) == 0 && mkfifo("pipe", 0600) == 0 &&
           mkfifo("pipe.odd", 0600) == 0 ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return system("rm -rf \"$PWD\"") == 0 ? 0 : -1;     /* it is the folder of make_dir */
}

/* What --format NAME is in args; 0 where name is NULL. */
static int number_of(const struct output_set *set, const char *name)
{
    int i = 0;

    while (name != NULL && strcmp(set->formats[i], name) != 0)
        i++;
    return i;
}

struct planned {
    struct arena a;
    struct output o;
    struct err e;
    int rc;
};

static void plan(struct planned *p, const struct output_set *set, const char *path,
                 const char *format, const char *name)
{
    const struct output_args args = { path, number_of(set, format) };

    arena_init(&p->a, NULL, NULL);
    p->e = (struct err){ ERR_NONE, "" };
    p->rc = output_plan(&p->o, &args, set, name, &p->a, &p->e);
}

static void good(const struct output_set *set, const char *path, const char *format,
                 enum output_format want)
{
    struct planned p;

    plan(&p, set, path, format, NULL);
    assert_string_equal(p.e.msg, "");
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.o.format, want);
    arena_finish(&p.a);
}

static void bad(const struct output_set *set, const char *path, const char *message)
{
    struct planned p;

    plan(&p, set, path, NULL, NULL);
    assert_int_equal(p.rc, -1);
    assert_int_equal(p.e.kind, ERR_USAGE);
    assert_string_equal(p.e.msg, message);
    arena_finish(&p.a);
}

/* ---- which format ---- */

static void test_extension(void **state)
{
    (void)state;
    good(&output_reports, "x.txt", NULL, OUTPUT_TABLE);
    good(&output_reports, "x.tsv", NULL, OUTPUT_TSV);
    good(&output_reports, "a.b/x.JSON", NULL, OUTPUT_JSON);
    good(&output_reports, "x.tsv.jsonl", NULL, OUTPUT_JSON);
    good(&output_pictures, "x.svg", NULL, OUTPUT_SVG);
    good(&output_all, "x.pdf", NULL, OUTPUT_PDF);
    good(&output_all, "x.tsv", NULL, OUTPUT_TSV);
    good(&output_arrays, "x.npy", NULL, OUTPUT_NPY);
    good(&output_layer, "x.safetensors", NULL, OUTPUT_SAFETENSORS);
}

static void test_format_wins(void **state)
{
    (void)state;
    good(&output_reports, "x.json", "tsv", OUTPUT_TSV);
    good(&output_reports, "x.csv", "table", OUTPUT_TABLE);
    good(&output_reports, "-", "json", OUTPUT_JSON);
    good(&output_reports, NULL, "json", OUTPUT_JSON);
    good(&output_pictures, "out/", "pdf", OUTPUT_PDF);
}

/* Names that say nothing of a format. */
static void test_default(void **state)
{
    static const char *const names[] = {
        NULL, "-", "x", "a.b/x", "/dev/null", "/dev/fd/63", "out", "out/",
        "out.tsv", "new.csv/", "pipe", "pipe.odd"
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        good(&output_reports, names[i], NULL, OUTPUT_TABLE);
    good(&output_pictures, "x", NULL, OUTPUT_PNG);
    good(&output_arrays, "-", NULL, OUTPUT_NPZ);
}

static void test_unknown(void **state)
{
    (void)state;
    bad(&output_reports, "x.ods", "-o x.ods: unknown file extension; known are .txt, .tsv, "
        ".csv, .json, .jsonl; or give --format");
    bad(&output_reports, "x.png", "-o x.png: unknown file extension; known are .txt, .tsv, "
        ".csv, .json, .jsonl; or give --format");
    bad(&output_pictures, "x.", "-o x.: unknown file extension; known are .png, .svg, .pdf; "
        "or give --format");
    bad(&output_all, "x.npz", "-o x.npz: unknown file extension; known are .txt, .tsv, "
        ".csv, .json, .jsonl, .png, .svg, .pdf; or give --format");
    bad(&output_layer, "x.bin", "-o x.bin: unknown file extension; known is .safetensors");
    bad(&output_reports, "/dev/odd.ods", "-o /dev/odd.ods: unknown file extension; known are "
        ".txt, .tsv, .csv, .json, .jsonl; or give --format");
    bad(&output_arrays, NULL, "-o FILE is required");
}

/* ---- which file ---- */

static void test_name(void **state)
{
    struct planned p;

    (void)state;
    plan(&p, &output_pictures, NULL, "svg", "heatmap");
    assert_string_equal(p.o.path, "heatmap.svg");
    assert_string_equal(output_name(&p.o, &p.a, 4, 0), "heatmap.svg");
    arena_finish(&p.a);
    plan(&p, &output_reports, "out", NULL, NULL);
    assert_true(p.o.folder);
    assert_string_equal(output_name(&p.o, &p.a, 0, 0), "out/000001.txt");
    arena_finish(&p.a);
    plan(&p, &output_reports, "new/", "json", NULL);
    assert_true(p.o.folder);
    assert_string_equal(output_name(&p.o, &p.a, 41, 0), "new/000042.json");
    assert_string_equal(output_name(&p.o, &p.a, 41, 7), "new/000042-0007.json");
    arena_finish(&p.a);
}

static void text_is(const char *path, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, want);
}

static void write_texts(struct planned *p, int n)
{
    assert_int_equal(output_open(&p->o, &p->e), 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(output_begin(&p->o, &p->a, i, 0, &p->e), 0);
        fprintf(p->o.out.file, "text %d\n", i);
        assert_int_equal(output_end(&p->o, &p->e), 0);
    }
}

static void test_one_file(void **state)
{
    struct planned p;

    (void)state;
    plan(&p, &output_reports, "both.tsv", NULL, NULL);
    write_texts(&p, 2);
    assert_int_not_equal(access("both.tsv", F_OK), 0);
    assert_int_equal(output_close(&p.o, 0, &p.e), 0);
    text_is("both.tsv", "text 0\ntext 1\n");
    arena_finish(&p.a);
}

static void test_file_per_text(void **state)
{
    struct planned p;

    (void)state;
    plan(&p, &output_reports, "out/", "tsv", NULL);
    write_texts(&p, 2);
    assert_int_equal(output_close(&p.o, 0, &p.e), 0);
    text_is("out/000001.tsv", "text 0\n");
    text_is("out/000002.tsv", "text 1\n");
    arena_finish(&p.a);
}

/* A text that failed leaves the files of those before it, and none of its own. */
static void test_failure(void **state)
{
    struct planned p;

    (void)state;
    plan(&p, &output_reports, "out/", "json", NULL);
    write_texts(&p, 1);
    assert_int_equal(output_begin(&p.o, &p.a, 1, 0, &p.e), 0);
    assert_int_equal(output_close(&p.o, -1, &p.e), -1);
    text_is("out/000001.json", "text 0\n");
    assert_int_not_equal(access("out/000002.json", F_OK), 0);
    arena_finish(&p.a);
    plan(&p, &output_reports, "missing/", NULL, NULL);
    assert_int_equal(output_open(&p.o, &p.e), 0);
    assert_int_equal(output_begin(&p.o, &p.a, 0, 0, &p.e), -1);
    assert_int_equal(p.e.kind, ERR_SYSTEM);
    arena_finish(&p.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extension),
        cmocka_unit_test(test_format_wins),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_one_file),
        cmocka_unit_test(test_file_per_text),
        cmocka_unit_test(test_failure),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
