/* SPDX-License-Identifier: MIT
 * What is written reads back: by our reader, by zip's own checksums, by NumPy.
 * file_tags=threads */
#include "check.h"

#include <sys/stat.h>
#include <zlib.h>

#include "base/par.h"
#include "unit/npz_files.h"

/*
 * Runs a Python program with the file's name as argument; skips the test where
 * there is no Python with NumPy (PYTHON names another one).
 */
static void numpy(const char *program, const char *file)
{
    const char *python = getenv("PYTHON");

    if (python == NULL)
        python = "python3";
    if (system(arena_printf(&arena, "%s -c 'import numpy' 2>/dev/null", python)) != 0) {
        print_message("skipped: %s has no NumPy; PYTHON names one that has\n", python);
        skip();
    }
    write_text(in("check.py"), arena_printf(&arena, "import sys, io, zipfile\n"
                                            "import numpy as np\nfile = sys.argv[1]\n%s",
                                            program));
    assert_int_equal(system(arena_printf(&arena, "%s %s %s", python, in("check.py"),
                                         in(file))), 0);
}

/* ---- writing ---- */

static void write_types(const char *name)
{
    static const int64_t cube[] = { 2, 1, 3 }, none[] = { 0, 4 };
    static const float f32[] = { 0.5f, -1, INFINITY, 1e-45f, 4, 5 };
    static const double f64[] = { 0.1, -0.0 };
    static const uint16_t f16[] = { 0x3c00, 0x0001, 0xfc00 };
    static const int64_t i64[] = { INT64_MIN, 7 };
    static const int32_t i32[] = { -3 };
    static const int16_t i16[] = { -2, 2 };
    static const int8_t i8[] = { -128 };
    static const uint8_t u8[] = { 255 }, boolean[] = { 1, 0 };
    static char longer[2 * NPZ_STRING_MAX + 1];
    const char *const names[] = { "a\xe6\x88\x91", "", longer, "\xff\xf0\x9f\x98\x80" };
    const int64_t one = 1, two = 2, three = 3;
    FILE *f;
    struct npz *z = create(name, &f);

    memset(longer, 'x', sizeof longer - 1);
    npz_put(z, npz_add(z, "f32", DTYPE_F32, 3, cube), 0, f32, 6);
    npz_put(z, npz_add(z, "f64", DTYPE_F64, 1, &two), 0, f64, 2);
    npz_put(z, npz_add(z, "f16", DTYPE_F16, 1, &three), 0, f16, 3);
    npz_put(z, npz_add(z, "i64", DTYPE_I64, 1, &two), 0, i64, 2);
    npz_add_strings(z, "tokens", names, 4);
    npz_add_strings(z, "nothing", NULL, 0);
    npz_put(z, npz_add(z, "i32", DTYPE_I32, 0, NULL), 0, i32, 1);
    npz_put(z, npz_add(z, "i16", DTYPE_I16, 1, &two), 0, i16, 2);
    npz_put(z, npz_add(z, "i8", DTYPE_I8, 1, &one), 0, i8, 1);
    npz_put(z, npz_add(z, "u8", DTYPE_U8, 1, &one), 0, u8, 1);
    npz_put(z, npz_add(z, "bool", DTYPE_BOOL, 1, &two), 0, boolean, 2);
    npz_put(z, npz_add(z, "none", DTYPE_F32, 2, none), 0, NULL, 0);
    npz_put(z, npz_add(z, "\xe6\x88\x91", DTYPE_U8, 1, &one), 0, u8, 1);
    finish(z, f);
}

static void check_strings(const struct weights *w)
{
    const struct tensor *t = npz_strings(w, "tokens");
    struct err e = { 0 };
    size_t n;

    assert_null(weights_find(w, "tokens"));
    assert_null(npz_strings(w, "f32"));
    assert_int_equal(npz_strings(w, "nothing")->shape[0], 0);
    assert_int_equal(t->shape[0], 4);
    assert_int_equal(t->shape[1], NPZ_STRING_MAX);
    assert_string_equal(npz_string(t, 0, &arena, &n, &e), "a\xe6\x88\x91");
    assert_int_equal(n, 4);
    assert_string_equal(npz_string(t, 1, &arena, &n, &e), "");
    assert_int_equal(strlen(npz_string(t, 2, &arena, &n, &e)), NPZ_STRING_MAX);
    assert_string_equal(npz_string(t, 3, &arena, &n, &e), "\xef\xbf\xbd\xf0\x9f\x98\x80");
}

static void test_types(void **state)
{
    struct weights *w;
    const struct tensor *t;
    float got[6];

    (void)state;
    write_types("t.npz");
    w = reopen("t.npz");
    assert_int_equal(weights_count(w), 11);
    t = weights_find(w, "f32");
    assert_int_equal(t->n_dims, 3);
    assert_string_equal(tensor_shape(&arena, t), "[2,1,3]");
    tensor_read(got, t, 0, 6);
    assert_true(got[0] == 0.5f && isinf(got[2]) && got[3] == 1e-45f && got[5] == 5);
    t = weights_find(w, "i32");
    assert_int_equal(t->n_dims, 0);
    tensor_read(got, t, 0, 1);
    assert_true(got[0] == -3);
    t = weights_find(w, "none");
    assert_int_equal(t->n_elements, 0);
    assert_string_equal(tensor_shape(&arena, t), "[0,4]");
    assert_non_null(weights_find(w, "\xe6\x88\x91"));
    assert_null(npz_bytes(w, "f32.npy").data);
    check_strings(w);
    weights_close(w);
    numpy("z = np.load(file)\n"
          "want = {'f32': np.array([.5, -1, np.inf, 1e-45, 4, 5], 'f4').reshape(2, 1, 3),\n"
          "        'f64': np.array([.1, -0.]), 'f16': np.array([1, 2**-24, -np.inf], 'f2'),\n"
          "        'i64': np.array([-2**63, 7]), 'i32': np.array(-3, 'i4'),\n"
          "        'i16': np.array([-2, 2], 'i2'), 'i8': np.array([-128], 'i1'),\n"
          "        'u8': np.array([255], 'u1'), 'bool': np.array([True, False]),\n"
          "        'none': np.zeros((0, 4), 'f4'), '\\u6211': np.array([255], 'u1'),\n"
          "        'tokens': np.array(['a\\u6211', '', 'x' * 256, '\\ufffd\\U0001f600']),\n"
          "        'nothing': np.array([], '<U1')}\n"
          "assert sorted(z.files) == sorted(want), z.files\n"
          "for k, v in want.items():\n"
          "    a = z[k]\n"
          "    assert a.dtype == v.dtype and a.shape == v.shape, k\n"
          "    assert a.tobytes() == v.tobytes(), k\n"
          "assert zipfile.ZipFile(file).testzip() is None\n", "t.npz");
}

/* ---- any order, several threads ---- */

enum { HEADS = 12, ROWS = 97, COLUMNS = 101 };

struct job {
    struct npz *z;
    int array[HEADS];
    const float *values;
    int step;                   /* rows are put in steps of this, modulo ROWS */
};

static void put_head(void *self, int h, struct arena *scratch)
{
    const struct job *j = self;

    (void)scratch;
    for (int i = 0; i < ROWS; i++) {
        int row = i * j->step % ROWS;
        /* a head in two arrays: halves by different calls */
        int64_t at = ((int64_t)(h % 6) * ROWS + row) * COLUMNS;

        npz_put(j->z, j->array[h / 6], at, j->values + (h / 6 * 6 * ROWS) * COLUMNS + at,
                COLUMNS);
    }
}

static void write_threaded(const char *name, int n_threads, int step, const float *values)
{
    static const int64_t shape[] = { 6, ROWS, COLUMNS };
    struct err e;
    FILE *f;
    struct job j = { .z = create(name, &f), .values = values, .step = step };
    struct par *p = par_new(n_threads, &e);

    assert_non_null(p);
    j.array[0] = npz_add(j.z, "attn.0", DTYPE_F32, 3, shape);
    j.array[1] = npz_add(j.z, "attn.1", DTYPE_F32, 3, shape);
    par_for(p, HEADS, put_head, &j);
    par_free(p);
    finish(j.z, f);
}

static void test_threads(void **state)
{
    size_t n = HEADS * ROWS * COLUMNS;
    float *values = arena_alloc(&arena, n, sizeof *values);
    struct span a, b;
    struct err e;

    (void)state;
    for (size_t i = 0; i < n; i++)
        values[i] = (float)i;
    write_threaded("a.npz", 1, 1, values);
    assert_int_equal(file_map(in("a.npz"), &a, &e), 0);
    for (int step = 1; step < ROWS; step += 19) {
        write_threaded("b.npz", 4, step, values);
        assert_int_equal(file_map(in("b.npz"), &b, &e), 0);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.data, b.data, a.size);
        file_unmap(b);
    }
    file_unmap(a);
    numpy("z = np.load(file)\n"
          "for i in 0, 1:\n"
          "    a = np.arange(6 * 97 * 101, dtype='f4').reshape(6, 97, 101) + i * 6 * 97 * 101\n"
          "    assert (z[f'attn.{i}'] == a).all()\n", "b.npz");
}

/* The checksum of what was left out, against one over all the bytes. */
static void test_gaps(void **state)
{
    static const unsigned char ones[3] = { 1, 1, 1 };
    static const int64_t sizes[] = { 1, 2, 3, 1000003 };
    struct span s;
    struct err e;
    FILE *f;

    (void)state;
    for (int i = 0; i < 4 * 3; i++) {
        struct npz *z = create("g.npz", &f);
        int64_t n = sizes[i / 3], at = i % 3 == 1 ? n / 2 : n - 1;
        uint32_t crc, size;

        npz_add(z, "g", DTYPE_U8, 1, &n);
        if (i % 3 > 0)
            npz_put(z, 0, at, ones, 1);
        finish(z, f);
        assert_int_equal(file_map(in("g.npz"), &s, &e), 0);
        crc = (uint32_t)bytes_get(s.data + 14, 4);
        size = (uint32_t)bytes_get(s.data + 22, 4);
        assert_int_equal(size, 128 + n);
        assert_int_equal(crc, crc32_z(0, s.data + 30 + strlen("g.npy"), size));
        file_unmap(s);
    }
}

static void test_empty(void **state)
{
    struct weights *w;
    FILE *f;
    struct npz *z = create("e.npz", &f);

    (void)state;
    finish(z, f);
    w = reopen("e.npz");
    assert_int_equal(weights_count(w), 0);
    assert_null(weights_find(w, "a"));
    weights_close(w);
}

/* More members than fit 16 bits: zip64's end record. */
static void test_many_members(void **state)
{
    enum { N = 66000 };
    static const int64_t one = 1;
    struct weights *w;
    FILE *f;
    struct npz *z = create("m.npz", &f);

    (void)state;
    for (int i = 0; i < N; i++) {
        unsigned char v = (unsigned char)i;

        npz_put(z, npz_add(z, arena_printf(&arena, "a%d", i), DTYPE_U8, 1, &one), 0, &v, 1);
    }
    finish(z, f);
    w = reopen("m.npz");
    assert_int_equal(weights_count(w), N);
    assert_int_equal(*weights_find(w, "a65999")->data, 65999 & 0xff);
    weights_close(w);
    numpy("z = zipfile.ZipFile(file)\n"
          "assert len(z.namelist()) == 66000\n"
          "assert np.load(io.BytesIO(z.read('a259.npy')))[0] == 3\n", "m.npz");
}

/* Sizes and offsets beyond 32 bits; nearly all of the file is a hole.  It cannot be mapped
 * where addresses have 32 bits: there it is refused. */
static void check_zip64(const unsigned char last[3], int64_t n)
{
    struct weights *w;
    const struct tensor *t;
    struct err e = { 0 };
    float got[2];

    if (SIZE_MAX == UINT32_MAX) {
        assert_null(npz_open(&arena, in("z.npz"), &e));
        assert_non_null(strstr(e.msg, "z.npz: holds 45"));
        assert_non_null(strstr(e.msg, "more than the 2147483647 that this processor can map"));
        return;
    }
    w = reopen("z.npz");
    t = weights_find(w, "large");
    assert_int_equal(t->n_elements, n);
    assert_memory_equal(t->data + n - 3, last, 3);
    assert_int_equal(t->data[n / 2], 0);
    tensor_read(got, weights_find(w, "behind"), 0, 2);
    assert_true(got[0] == 1.5f && got[1] == -2);
    weights_close(w);
}

/* Whether the file system leaves out zeros that nobody wrote. */
static bool has_holes(void)
{
    enum { SIZE = 16 << 20 };
    FILE *f = fopen(in("hole"), "wb");
    struct stat info;

    assert_non_null(f);
    assert_int_equal(fseek(f, SIZE, SEEK_SET), 0);
    assert_int_equal(fputc(1, f), 1);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(stat(in("hole"), &info), 0);
    return info.st_blocks < SIZE / 2 / 512;
}

static void test_zip64(void **state)
{
    const int64_t n = (int64_t)4300 << 20, two = 2;
    static const unsigned char last[] = { 7, 8, 9 };
    static const float behind[] = { 1.5f, -2 };
    struct stat info;
    struct npz *z;
    FILE *f;

    (void)state;
    if (!has_holes()) {
        print_message("# test_zip64: files have no holes here, and 4.5 GB are too much\n");
        skip();
    }
    z = create("z.npz", &f);
    npz_add(z, "large", DTYPE_U8, 1, &n);
    npz_put(z, 0, n - 3, last, 3);
    npz_put(z, npz_add(z, "behind", DTYPE_F32, 1, &two), 0, behind, 2);
    finish(z, f);
    assert_int_equal(stat(in("z.npz"), &info), 0);
    assert_true(info.st_blocks < (16 << 20) / 512);     /* zeros are not written */
    check_zip64(last, n);
    numpy("z = zipfile.ZipFile(file)\n"
          "a, b = z.infolist()\n"
          "assert a.file_size == 4300 * 2**20 + 128, a\n"
          "assert b.header_offset > 2**32, b\n"
          "assert np.load(file)['behind'].tolist() == [1.5, -2]\n", "z.npz");
    if (getenv("MHA_VIZ_SLOW") != NULL)
        numpy("assert zipfile.ZipFile(file).testzip() is None\n", "z.npz");
}

/* ---- npy ---- */

static void test_npy(void **state)
{
    static const float values[] = { 1, 2, 3, 4, 5, 6 };
    static const int64_t shapes[][3] = { { 6, 1, 1 }, { 2, 3, 1 }, { 1, 2, 3 } };

    (void)state;
    for (int n_dims = 1; n_dims <= 3; n_dims++) {
        const int64_t *shape = shapes[n_dims - 1];
        FILE *f = fopen(in("a.npy"), "wb");
        float got[6];
        struct err e;
        struct weights *w;
        const struct tensor *t;

        assert_int_equal(npy_write(f, DTYPE_F32, n_dims, shape, values, &e), 0);
        fclose(f);
        w = reopen("a.npy");
        assert_int_equal(weights_count(w), 1);
        t = weights_find(w, "");
        assert_int_equal(t->n_dims, n_dims);
        assert_memory_equal(t->shape, shape, (size_t)n_dims * sizeof *shape);
        tensor_read(got, t, 0, t->n_elements);
        assert_memory_equal(got, values, sizeof values);
        assert_int_equal((uintptr_t)t->data % 64, 0);
        weights_close(w);
    }
    numpy("a = np.load(file)\n"
          "assert a.dtype == '<f4' and a.tolist() == [[[1, 2, 3], [4, 5, 6]]]\n", "a.npy");
}

/* ---- what NumPy wrote ---- */

static void test_from_numpy(void **state)
{
    struct weights *w;
    float got[6];

    (void)state;
    numpy("a = np.arange(6, dtype='f4').reshape(2, 3)\n"
          "np.savez(file, a=a, b=np.float64(.5), c=np.zeros((0, 2), 'i8'),\n"
          "         d=np.arange(4, dtype='f2'))\n"
          "np.savez_compressed(file[:-4] + '2.npz', a=a, z=np.zeros(100000, 'f8'))\n"
          "np.lib.format.write_array(open(file[:-4] + '.npy', 'wb'), a, version=(3, 0))\n",
          "n.npz");
    w = reopen("n.npz");
    assert_int_equal(weights_count(w), 4);
    tensor_read(got, weights_find(w, "a"), 0, 6);
    assert_true(got[0] == 0 && got[5] == 5);
    assert_int_equal(weights_find(w, "b")->n_dims, 0);
    assert_int_equal(weights_find(w, "d")->dtype, DTYPE_F16);
    weights_close(w);
    w = reopen("n2.npz");
    tensor_read(got, weights_find(w, "a"), 0, 6);
    assert_true(got[0] == 0 && got[5] == 5);
    assert_int_equal(weights_find(w, "z")->n_elements, 100000);
    weights_close(w);
    w = reopen("n.npy");
    tensor_read(got, weights_at(w, 0), 0, 6);
    assert_true(got[4] == 4);
    weights_close(w);
}

/* Attention of a golden case: every row sums to 1. */
static void test_golden(void **state)
{
    const char *shared = getenv("MHA_VIZ_SHARED");
    const char *path = arena_printf(&arena, "%s/goldens/bert/expected.npz",
                                    shared != NULL ? shared : "../shared");
    struct err e = { 0 };
    struct weights *w;
    const struct tensor *t;

    (void)state;
    if (!file_exists(path)) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    w = npz_open(&arena, path, &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    t = weights_find(w, "r0.attn.0");
    assert_non_null(t);
    assert_int_equal(t->n_dims, 3);
    for (int64_t row = 0; row < t->shape[0] * t->shape[1]; row++) {
        float *a = arena_alloc(&arena, (size_t)t->shape[2], sizeof *a);
        double sum = 0;

        tensor_read(a, t, row * t->shape[2], t->shape[2]);
        for (int64_t i = 0; i < t->shape[2]; i++)
            sum += (double)a[i];
        check_close(sum, 1, 1e-6);
    }
    weights_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, begin, end),
        cmocka_unit_test_setup_teardown(test_threads, begin, end),
        cmocka_unit_test_setup_teardown(test_gaps, begin, end),
        cmocka_unit_test_setup_teardown(test_empty, begin, end),
        cmocka_unit_test_setup_teardown(test_many_members, begin, end),
        cmocka_unit_test_setup_teardown(test_zip64, begin, end),
        cmocka_unit_test_setup_teardown(test_npy, begin, end),
        cmocka_unit_test_setup_teardown(test_from_numpy, begin, end),
        cmocka_unit_test_setup_teardown(test_golden, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
