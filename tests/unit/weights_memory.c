/* SPDX-License-Identifier: MIT
 * Arrays and weights where memory ends at any allocation, or the disk at any write. */
#include "denied.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "unit/weights_files.h"
#include "weights/npz.h"
#include "weights/safetensors.h"

static void leave(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

/* ---- arrays ---- */

/* Rows from both ends, so that none continues another: their list has to grow. */
static enum outcome write_rows(void *self)
{
    enum { ROWS = 100 };
    static const int64_t shape[] = { ROWS, 2 };
    const float row[] = { 1, 2 };
    struct err e = { ERR_NONE, "" };
    FILE *f = self;
    struct npz *volatile z = NULL;
    struct arena a;
    jmp_buf border;
    bool good;

    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        if (z != NULL)
            npz_abort(z);
        arena_finish(&a);
        return REFUSED;
    }
    z = npz_new(&a, f);
    npz_add(z, "rows", DTYPE_F32, 2, shape);
    for (int i = ROWS - 1; i >= 0; i--)
        npz_put(z, 0, 2 * i, row, 2);
    good = npz_finish(z, &e) == 0;
    arena_finish(&a);
    if (good)
        return WORKED;
    return e.kind == ERR_SYSTEM && strstr(e.msg, "Cannot allocate memory") != NULL ? REFUSED :
                                                                                     WRONG;
}

static void arrays_that_are_written(void **state)
{
    FILE *f = tmpfile();

    (void)state;
    assert_non_null(f);
    assert_true(deny_each("an npz", write_rows, f, 2000) >= 3);
    fclose(f);
}

/* A member that is deflated: zlib asks for memory of its own. */
static enum outcome read_deflated(void *self)
{
    /* "abc", as zip writes it */
    static const unsigned char zip[] =
        "PK\3\4\24\0\0\0\10\0\0\0!\0\302A$5\5\0\0\0\3\0\0\0\1\0\0\0a"
        "KLJ\6\0"
        "PK\1\2\24\3\24\0\0\0\10\0\0\0!\0\302A$5\5\0\0\0\3\0\0\0"
        "\1\0\0\0\0\0\0\0\0\0\0\0\200\1\0\0\0\0a"
        "PK\5\6\0\0\0\0\1\0\1\0\57\0\0\0\44\0\0\0\0";
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    struct arena a;
    jmp_buf border;
    bool good;

    (void)self;
    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return REFUSED;
    }
    w = npz_open_memory(&a, (struct span){ zip, sizeof zip }, "f", &e);
    good = w != NULL && memcmp(npz_bytes(w, "a").data, "abc", 3) == 0;
    arena_finish(&a);
    return good ? WORKED : WRONG;
}

static void arrays_that_are_inflated(void **state)
{
    (void)state;
    assert_true(deny_each("a deflated member", read_deflated, NULL, 2000) >= 3);
}

/* ---- safetensors ---- */

static const struct tensor one = { .name = "one", .dtype = DTYPE_F32, .n_dims = 1,
                                   .shape = { 4 } };

/* A header that is larger than what is buffered, and a small one: failed writes are seen at the
 * end. */
static void begins(const char *path, int n)
{
    struct tensor *t = calloc((size_t)n, sizeof *t);
    struct err e = { ERR_NONE, "" };
    FILE *f = fopen(path, "wb");
    bool failed;

    assert_non_null(f);
    for (int i = 0; i < n; i++)
        t[i] = one;
    assert_int_equal(safetensors_begin(f, t, n, NULL, 0, &e), 0);
    failed = ferror(f) != 0;
    assert_true(fclose(f) != 0 || failed);
    free(t);
}

static void headers_that_cannot_be_written(void **state)
{
    (void)state;
    begins("/dev/full", 1);
    begins("/dev/full", 1000);
}

/* A pipe cannot be sought. */
static void headers_to_a_pipe(void **state)
{
    unsigned char bytes[200];
    struct err e = { ERR_NONE, "" };
    int ends[2];
    FILE *f;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    f = fdopen(ends[1], "wb");
    assert_int_equal(safetensors_begin(f, &one, 1, NULL, 0, &e), 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(read(ends[0], bytes, sizeof bytes), 128);
    assert_int_equal(bytes_get(bytes, 8), 120);
    close(ends[0]);
}

/* Names that are longer than what is buffered */
static enum outcome write_begin(void *self)
{
    enum { N = 200 };
    static char name[N][100];
    struct tensor t[N];
    struct err e = { ERR_NONE, "" };
    FILE *f = self;

    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "%090d", i);
        t[i] = one;
        t[i].name = name[i];
    }
    rewind(f);
    if (safetensors_begin(f, t, N, NULL, 0, &e) == 0)
        return ftell(f) == 29504 ? WORKED : WRONG;
    return ftell(f) == 0 && e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void headers_without_memory(void **state)
{
    FILE *f = tmpfile();

    (void)state;
    assert_non_null(f);
    fputc('x', f);              /* the stream has its buffer */
    assert_true(deny_each("a header", write_begin, f, 2000) >= 5);
    fclose(f);
}

/* A disk that is full from some byte on: seen at the end, by the stream's own mark. */
static void disks_that_become_full(void **state)
{
    struct rlimit before, small;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t room = 0; room <= 130; room++) {
        struct err e = { ERR_NONE, "" };
        FILE *f = tmpfile();
        bool failed;
        int rc;

        assert_non_null(f);
        setvbuf(f, NULL, _IONBF, 0);
        small = (struct rlimit){ room, before.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        rc = safetensors_begin(f, &one, 1, NULL, 0, &e);
        failed = ferror(f) != 0;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(rc, 0);
        assert_true(failed == (room < 128));
        fclose(f);
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* What is written can be read, whatever the names are. */
static void names_and_notes(void **state)
{
    static const struct note notes[] = {
        { "a \"quoted\" \\ key", "1\n\x1f" }, { "\xc3\xa9", "" },
    };
    const struct tensor t[] = {
        { .name = "\"", .dtype = DTYPE_F16, .n_dims = 2, .shape = { 2, 3 } },
        { .name = "\t", .dtype = DTYPE_U8, .n_dims = 0 },
    };
    static unsigned char bytes[1000];
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    struct arena a;
    FILE *f = tmpfile();
    size_t n;

    (void)state;
    assert_non_null(f);
    arena_init(&a, NULL, NULL);
    assert_int_equal(safetensors_begin(f, t, 2, notes, 2, &e), 0);
    fwrite("0123456789abc", 1, 13, f);
    rewind(f);
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    w = weights_open_memory(&a, (struct span){ bytes, n }, "f", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_string_equal(weights_note(w, notes[0].key), notes[0].value);
    assert_string_equal(weights_note(w, notes[1].key), notes[1].value);
    assert_string_equal(tensor_shape(&a, weights_find(w, "\"")), "[2,3]");
    assert_int_equal(weights_find(w, "\t")->data[0], 'c');
    arena_finish(&a);
}

/* Sizes that no file can have: of one tensor, and of all together */
static void headers_of_too_much(void **state)
{
    struct tensor t[] = {
        { .name = "a", .dtype = DTYPE_U8, .n_dims = 1, .shape = { INT64_MAX - 10 } },
        { .name = "b", .dtype = DTYPE_U8, .n_dims = 1, .shape = { 10 } },
        { .name = "c", .dtype = DTYPE_U8, .n_dims = 1, .shape = { 1 } },
        { .name = "d", .dtype = DTYPE_F32, .n_dims = 2, .shape = { INT64_MAX, 2 } },
    };
    struct err e = { ERR_NONE, "" };
    FILE *f = tmpfile();

    (void)state;
    assert_non_null(f);
    assert_int_equal(safetensors_begin(f, t, 2, NULL, 0, &e), 0);
    assert_int_equal(safetensors_begin(f, t, 3, NULL, 0, &e), -1);
    assert_string_equal(e.msg, "c: takes over 2^63 bytes");
    assert_int_equal(safetensors_begin(f, t + 3, 1, NULL, 0, &e), -1);
    assert_string_equal(e.msg, "d: takes over 2^63 bytes");
    fclose(f);
}

/* It can begin anywhere in a file: lengths and alignment count from there. */
static void headers_that_begin_later(void **state)
{
    unsigned char bytes[200];
    struct err e = { ERR_NONE, "" };
    FILE *f = tmpfile();

    (void)state;
    assert_non_null(f);
    fputs("before", f);
    assert_int_equal(safetensors_begin(f, &one, 1, NULL, 0, &e), 0);
    assert_int_equal(ftell(f), 6 + 128);
    rewind(f);
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), 6 + 128);
    assert_int_equal(bytes_get(bytes + 6, 8), 120);
    assert_int_equal(bytes[14], '{');
    fclose(f);
}

/* ---- rounded weights ---- */

static enum outcome round_weights(void *self)
{
    const struct span *file = self;
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    struct arena a;
    jmp_buf border;
    bool good;

    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return REFUSED;
    }
    w = weights_open_memory(&a, *file, "f", &e);
    good = w != NULL && weights_round(w, HELD_F16, &e) == 0 &&
           weights_find(w, "matrix")->dtype == DTYPE_F16;
    arena_finish(&a);
    return good ? WORKED : e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void weights_rounded_without_memory(void **state)
{
    static const struct tensor matrix = { .name = "matrix", .dtype = DTYPE_F32, .n_dims = 2,
                                          .shape = { 2, 32 } };
    static const float zeros[2 * 32];
    static unsigned char bytes[1000];
    struct span file = { bytes, 0 };
    struct err e = { ERR_NONE, "" };
    FILE *f = fmemopen(bytes, sizeof bytes, "w");

    (void)state;
    assert_int_equal(safetensors_begin(f, &matrix, 1, NULL, 0, &e), 0);
    fwrite(zeros, sizeof zeros, 1, f);
    file.size = (size_t)ftell(f);
    fclose(f);
    assert_true(deny_each("rounded weights", round_weights, &file, 2000) >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_that_are_written), cmocka_unit_test(arrays_that_are_inflated),
        cmocka_unit_test(headers_that_cannot_be_written), cmocka_unit_test(headers_to_a_pipe),
        cmocka_unit_test(headers_without_memory),
        cmocka_unit_test(disks_that_become_full),
        cmocka_unit_test(names_and_notes), cmocka_unit_test(headers_of_too_much),
        cmocka_unit_test(headers_that_begin_later),
        cmocka_unit_test(weights_rounded_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
