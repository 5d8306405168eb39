/* SPDX-License-Identifier: MIT
 * Zips and .npy headers that lie: each is refused with a message of its own. */
#include "check.h"

#include <zlib.h>

#include "unit/weights_files.h"
#include "weights/npz.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static void refused(struct span bytes, const char *want)
{
    unsigned char *copy = malloc(bytes.size + 1);   /* a sanitiser sees its end */
    struct err e = { 0 };

    memcpy(copy, bytes.data, bytes.size);
    copy = realloc(copy, bytes.size > 0 ? bytes.size : 1);
    if (npz_open_memory(&arena, (struct span){ copy, bytes.size }, "f.npz", &e) != NULL)
        fail_msg("taken, expected \"%s\"", want);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_memory_equal(e.msg, "f.npz: ", 7);
    if (strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
    free(copy);
}

/* ---- .npy ---- */

static struct span npy(int major, const char *dict, size_t n_data)
{
    size_t n_head = strlen(dict), at = major == 1 ? 10 : 12;
    unsigned char *p = arena_alloc(&arena, at + n_head + n_data, 1);

    memcpy(p, "\x93NUMPY", 6);
    p[6] = (unsigned char)major;
    bytes_put(p + 8, n_head, (int)at - 8);
    memcpy(p + at, dict, n_head);
    return (struct span){ p, at + n_head + n_data };
}

#define DICT(descr, order, shape) \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_npy(void **state)
{
    static const struct { const char *dict; size_t n_data; const char *want; } cases[] = {
        { DICT("'|O'", "False", "(1,)"), 8, "holds Python objects (a pickle)" },
        { DICT("'>f4'", "False", "(1,)"), 4, "dtype >f4 is big-endian" },
        { DICT("'<U3'", "False", "(1,)"), 12, "dtype <U3, expected floats or whole" },
        { DICT("[('a', '<f4')]", "False", "(1,)"), 4, "holds records of named fields" },
        { DICT("'<f4'", "True", "(1,)"), 4, "is in Fortran order, expected C order" },
        { DICT("'<f4'", "None", "(1,)"), 4, "found 'N', expected True or False" },
        { DICT("'<f4'", "False", "(2,)"), 4, ".npy holds 4 bytes of data, expected 8" },
        { DICT("'<f4'", "False", "(2,)"), 12, ".npy holds 12 bytes of data, expected 8" },
        { DICT("'<f4'", "False", "(-1,)"), 4, "found '-', expected a number that is not" },
        { DICT("'<f4'", "False", "(1.5,)"), 4, "found '.', expected a whole number" },
        { DICT("'<f4'", "False", "(99999999999999999999,)"), 4, "expected a number below "
          "2^63" },
        { DICT("'<f4'", "False", "(4194305, 4194305, 211106198978564)"), 16,
          "a shape of over 2^63 bytes" },
        { DICT("'<f4'", "False", "(1)"), 4, "found ')', expected ','" },
        { DICT("'<f4'", "False", "(1, 1"), 4, "found '}', expected a whole number in" },
        { DICT("'<f4'", "False", "(1, 1 1)"), 4, "found '1', expected ')'" },
        { DICT("'<f4'", "False", "[1]"), 4, "found '[', expected '('" },
        { DICT("'<f4'", "False", "(1,1,1,1,1,1,1,1,1)"), 4, "over 8 dimensions" },
        { DICT("'<f4\\'", "False", "()"), 4, "found '\\', expected the end of a short string" },
        { DICT("4", "False", "()"), 4, "found '4', expected a string" },
        { "{'descr': '<f4', 'shape': ()}", 4, "has no 'fortran_order'" },
        { "{'descr': '<f4', 'descr': '<f4'}", 4, "descr appears twice" },
        { "{'desc': '<f4'}", 4, "key 'desc', expected descr" },
        { "{'descr' '<f4'}", 4, "found ''', expected ':'" },
        { "{'descr': '<f4' 'shape': ()}", 4, "found ''', expected '}'" },
        { DICT("'<f4'", "False", "()") " + x", 4, "found '+', expected only spaces" },
        { "", 0, "found the end, expected '{'" },
        { "{", 4, "found the end, expected a string" },
        { "{'", 4, "found the end, expected the end of a short string" },
        { "{'descr", 4, "found the end, expected the end of a short string" },
        { "{'a_key_of_more_than_thirty-one_bytes': 1}", 4, "expected the end of a short string" },
        { "{3: 1}", 4, "found '3', expected a string" },
        { "{'fortran_order':", 4, "found the end, expected True or False" },
        { "{'fortran_order': Fals", 4, "found 'F', expected True or False" },
        { DICT("''", "False", "()"), 4, "dtype , expected floats or whole" },
        { DICT("'<U'", "False", "(1,)"), 4, "dtype <U, expected floats or whole" },
        { DICT("'<U3x'", "False", "(1,)"), 4, "dtype <U3x, expected floats or whole" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(npy(i % 2 == 0 ? 1 : 2, cases[i].dict, cases[i].n_data), cases[i].want);
    refused(npy(0, DICT("'<f4'", "False", "()"), 4), ".npy version 0.0, expected 1.0, 2.0");
    refused((struct span){ (const unsigned char *)"\x93NUMPY\1\1\0\0", 10 },
            ".npy version 1.1, expected 1.0, 2.0 or 3.0");
    refused((struct span){ (const unsigned char *)"\x93NUMPY", 6 }, "does not begin with");
    refused(npy(4, DICT("'<f4'", "False", "()"), 4), ".npy version 4.0, expected 1.0, 2.0");
    refused((struct span){ (const unsigned char *)"\x93NUMPY\1\0\xff\xff{", 11 },
            ".npy header of 65535 bytes, but only 1 follow");
    refused((struct span){ (const unsigned char *)"\x93NUMPY\2\0\xff\xff\xff\xff", 12 },
            ".npy header of 4294967295 bytes, expected at most 65535");
    refused((struct span){ (const unsigned char *)"\x93NUMPY\1", 7 }, "does not begin with");
    refused((struct span){ (const unsigned char *)"hello", 5 }, "is neither .npz nor .npy");
    refused((struct span){ (const unsigned char *)"", 0 }, "is neither .npz nor .npy");
}

/* A NUL ends no string of the header. */
static void test_npy_with_nul(void **state)
{
    struct span s = npy(1, "{'descr': '<f4'}", 4);

    (void)state;
    ((unsigned char *)(uintptr_t)s.data)[10 + 4] = '\0';
    refused(s, "found byte 0x00, expected the end of a short string");
}

static void test_npy_accepted(void **state)
{
    static const struct { const char *dict; size_t n_data; } cases[] = {
        { DICT("'<f4'", "False", "()"), 4 },
        { DICT("'<f4'", "False", "(1,)"), 4 },
        { DICT("'<f4'", "False", "(1,1,)"), 4 },
        { "{\"shape\":(2, 0), \"descr\":\"<i8\", \"fortran_order\":False}   \n", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = { 0 };

        if (npz_open_memory(&arena, npy(1, cases[i].dict, cases[i].n_data), "f", &e) == NULL)
            fail_msg("%s: %s", cases[i].dict, e.msg);
    }
}

/* ---- .npz ---- */

/* Two members, "a.npy" of 4 bytes of data and "b.npy" of 3, as our writer lays them. */
static struct span good(void)
{
    static const int64_t one = 1, three = 3;
    FILE *f = tmpfile();
    struct npz *z = npz_new(&arena, f);
    struct err e;
    unsigned char *p;
    size_t n;

    npz_put(z, npz_add(z, "a", DTYPE_F32, 1, &one), 0, "\0\0\x80\x3f", 1);
    npz_put(z, npz_add(z, "b", DTYPE_U8, 1, &three), 0, "abc", 3);
    assert_int_equal(npz_finish(z, &e), 0);
    fseek(f, 0, SEEK_END);
    n = (size_t)ftell(f);
    rewind(f);
    p = arena_alloc(&arena, n, 1);
    assert_int_equal(fread(p, 1, n, f), n);
    fclose(f);
    return (struct span){ p, n };
}

/* Offset of the k-th place (from 0) with these four bytes. */
static size_t find(struct span s, const char *mark, int k)
{
    for (size_t i = 0; i + 4 <= s.size; i++)
        if (memcmp(s.data + i, mark, 4) == 0 && k-- == 0)
            return i;
    fail();
    return 0;
}

static void test_fields(void **state)
{
    static const char L[] = "PK\3\4", C[] = "PK\1\2", E[] = "PK\5\6";
    static const struct {
        const char *mark;       /* the record, */
        int which, at, n;       /* the field in it: offset and width */
        uint64_t value;
        const char *want;
    } cases[] = {
        { E, 0, 0, 4, 0, "zip end record missing" },
        { E, 0, 20, 2, 1, "zip end record missing" },
        { E, 0, 4, 2, 1, "is one part of a split zip" },
        { E, 0, 8, 2, 1, "is one part of a split zip" },
        { E, 0, 12, 4, 5, "of 5 bytes, expected it to end at" },
        { E, 0, 12, 4, 0xffffffff, "of 4294967295 bytes, expected it to end at" },
        { E, 0, 16, 4, 0, "zip directory at 0 of" },
        { E, 0, 16, 4, 0xffffffff, "zip directory at 4294967295 of" },
        { E, 0, 8, 4, 0xffffffff, "too small for 65535 members" },
        { E, 0, 8, 4, 0x10001, "bytes after its 1 entries" },
        { E, 0, 8, 4, 0, "bytes after its 0 entries" },
        { C, 0, 0, 4, 0, "zip directory: no entry at" },
        { C, 1, 0, 4, 0, "zip directory: no entry at" },
        { C, 1, 28, 2, 0xffff, "zip directory: an entry goes past its end" },
        { C, 1, 30, 2, 100, "zip directory: an entry goes past its end" },
        { C, 1, 32, 2, 1, "zip directory: an entry goes past its end" },
        { C, 0, 8, 2, 1, "a.npy: is encrypted" },
        { L, 0, 6, 2, 1, "a.npy: is encrypted" },
        { C, 0, 10, 2, 12, "a.npy: its local header has another name or method" },
        { L, 1, 8, 2, 8, "b.npy: its local header has another name or method" },
        { L, 1, 26, 2, 4, "b.npy: its local header has another name or method" },
        { L, 1, 26, 2, 0xffff, "b.npy: 131 bytes at" },
        { L, 1, 30, 1, 'c', "b.npy: its local header has another name or method" },
        { C, 0, 20, 4, 5, "a.npy: stored, but its two sizes differ: 5 and 132" },
        { C, 0, 24, 4, 5, "a.npy: stored, but its two sizes differ: 132 and 5" },
        { C, 0, 20, 4, 100000, "a.npy: 100000 bytes at 0 go past the end of the data" },
        { C, 0, 20, 4, 0xffffffff, "a.npy: its zip64 sizes are missing or truncated" },
        { C, 0, 42, 4, 0xffffffff, "a.npy: its zip64 sizes are missing or truncated" },
        { C, 0, 42, 4, 7, "a.npy begins at 7, expected at 0" },
        { C, 1, 42, 4, 0, "begins at 0, expected at" },
        { C, 1, 42, 4, 0xfffffff0, "b.npy begins at 4294967280, expected at 167" },
        { C, 0, 46, 1, '/', "member \"/.npy\", expected a plain name" },
        { C, 0, 46, 1, '\\', "member \"\\.npy\", expected a plain name" },
        { C, 0, 46, 1, 0, "member \"\", expected a plain name" },
        { C, 0, 46, 1, 0xff, "member \"\\xff.npy\", expected a plain name" },
        { C, 0, 46, 3, '.' | '.' << 8 | '/' << 16, "member \"../py\", expected a plain name" },
        { C, 0, 28, 2, 0, "member \"\", expected a plain name" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct span s = good();

        bytes_put((unsigned char *)(uintptr_t)s.data + find(s, cases[i].mark, cases[i].which) +
                  cases[i].at, cases[i].value, cases[i].n);
        refused(s, cases[i].want);
    }
}

/* No prefix is taken, and none is read beyond its end. */
static void test_cut(void **state)
{
    struct span s = good();

    (void)state;
    for (size_t n = 0; n < s.size; n++)
        refused((struct span){ s.data, n }, n < 4 ? "neither" : "zip end record missing");
}

/* A hidden member or directory between the rest and the real directory. */
static void test_two_directories(void **state)
{
    struct span s = good();
    size_t end_at = find(s, "PK\5\6", 0), hole = 100;
    unsigned char *p = arena_alloc(&arena, 2 * s.size + hole, 1);
    uint32_t at;

    (void)state;
    /* the whole file twice: the second directory speaks of the first's members */
    memcpy(p, s.data, s.size);
    memcpy(p + s.size, s.data, s.size);
    refused((struct span){ p, 2 * s.size }, "expected it to end at");
    /* the same, made to fit: now the first file is a hole, or lies there twice */
    at = (uint32_t)bytes_get(s.data + end_at + 16, 4);
    at += (uint32_t)s.size;
    bytes_put(p + s.size + end_at + 16, at, 4);
    refused((struct span){ p, 2 * s.size }, "the directory begins at");
}

/* A zip of one member, deflated or so it says. */
static struct span deflated(const char *name, const void *packed, size_t n_packed,
                            uint64_t size, uint32_t crc)
{
    size_t n_name = strlen(name), n = 30 + n_name + n_packed + 46 + n_name + 22;
    unsigned char *p = arena_alloc(&arena, n, 1), *c = p + 30 + n_name + n_packed;
    unsigned char *e = c + 46 + n_name;
    uint64_t directory = (uint64_t)(c - p), n_directory = 46 + n_name;

    memcpy(p, "PK\3\4", 4);
    p[8] = 8;
    bytes_put(p + 26, n_name, 2);
    memcpy(p + 30, name, n_name);
    memcpy(p + 30 + n_name, packed, n_packed);
    memcpy(c, "PK\1\2", 4);
    c[10] = 8;
    bytes_put(c + 16, crc, 4);
    bytes_put(c + 20, n_packed, 4);
    bytes_put(c + 24, size, 4);
    bytes_put(c + 28, n_name, 2);
    memcpy(c + 46, name, n_name);
    memcpy(e, "PK\5\6", 4);
    e[8] = e[10] = 1;
    bytes_put(e + 12, n_directory, 4);
    bytes_put(e + 16, directory, 4);
    return (struct span){ p, n };
}

static size_t squeeze(unsigned char *out, size_t room, const void *in, size_t n)
{
    z_stream s = { .next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)n,
                   .next_out = out, .avail_out = (uInt)room };

    assert_int_equal(deflateInit2(&s, 9, Z_DEFLATED, -MAX_WBITS, 9, 0), Z_OK);
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    deflateEnd(&s);
    return room - s.avail_out;
}

static void test_deflated(void **state)
{
    enum { N = 100000 };
    static unsigned char zeros[N], packed[N];
    size_t n = squeeze(packed, sizeof packed, zeros, N);
    uint32_t crc = (uint32_t)crc32(0, zeros, N);
    struct span s = deflated("z", packed, n, N, crc), got;
    struct err e = { 0 };
    struct weights *w = npz_open_memory(&arena, s, "f", &e);

    (void)state;
    if (w == NULL)
        fail_msg("%s", e.msg);
    got = npz_bytes(w, "z");
    assert_int_equal(got.size, N);
    assert_memory_equal(got.data, zeros, N);
    refused(deflated("z", packed, n, N, crc + 1), "z: its checksum is wrong");
    refused(deflated("z", packed, n, N - 1, crc), "z: its deflated data are damaged");
    refused(deflated("z", packed, n, N + 1, crc), "z: its deflated data are damaged");
    refused(deflated("z", packed, n - 1, N, crc), "z: its deflated data are damaged");
    refused(deflated("z", packed, n + 1, N, crc), "z: its deflated data are damaged");
    refused(deflated("z", "\xff\xff", 2, 3, crc), "z: its deflated data are damaged");
    refused(deflated("z", packed, 0, 0, 0), "z: its deflated data are damaged");
    refused(deflated("z", packed, n, 0x7ffffffe, crc), "more than deflate can do");
    refused(deflated("a.npy", packed, n, N, crc), "a.npy: is not a .npy file");
}

/*
 * Two members of 4 GB each, as much as their packed sizes allow: never unpacked.  The bound
 * is lower where addresses have 32 bits, so that no size wraps there.
 */
static void test_bomb(void **state)
{
    enum { PACKED_SIZE = 4300000, N_MEMBER = 31 + PACKED_SIZE, N_FILE = 2 * (N_MEMBER + 47) + 22 };
    unsigned char *p = arena_alloc(&arena, N_FILE, 1), *c = p + 2 * N_MEMBER;
    struct span one = deflated("z", p, PACKED_SIZE, 0xf0000000, 0);
    uint32_t second = N_MEMBER, directory = 2 * N_MEMBER, n_directory = 2 * 47;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        memcpy(p + i * N_MEMBER, one.data, N_MEMBER);
        memcpy(c + i * 47, one.data + N_MEMBER, 47);
    }
    bytes_put(c + 47 + 42, second, 4);
    c += n_directory;
    memcpy(c, one.data + N_MEMBER + 47, 22);
    c[8] = c[10] = 2;
    bytes_put(c + 12, n_directory, 4);
    bytes_put(c + 16, directory, 4);
    refused((struct span){ p, N_FILE }, SIZE_MAX > UINT32_MAX ?
            "the deflated members hold over 4294967296 bytes" :
            "the deflated members hold over 2147483647 bytes");
}

/* Two arrays of one name, of numbers or of strings. */
static struct span two_arrays(bool strings, bool more_strings)
{
    static unsigned char file[1024];
    static const int64_t one = 1;
    const char *const word = "word";
    FILE *f = tmpfile();
    struct npz *z = npz_new(&arena, f);
    struct err e;
    size_t n;

    for (int i = 0; i < 2; i++)
        if (i == 0 ? strings : more_strings)
            npz_add_strings(z, "a", &word, 1);
        else
            npz_add(z, "a", DTYPE_F32, 1, &one);
    assert_int_equal(npz_finish(z, &e), 0);
    rewind(f);
    n = fread(file, 1, sizeof file, f);
    fclose(f);
    return (struct span){ file, n };
}

static void test_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        refused(two_arrays(i % 2 != 0, i / 2 != 0), "a: appears twice");
}

/* An npz of one member a.npy with n_data bytes, the last four of them `last`. */
static struct span array(const char *dict, size_t n_data, uint32_t last)
{
    static unsigned char packed[1024];
    struct span s = npy(1, dict, n_data);

    if (n_data >= 4)
        bytes_put((unsigned char *)(uintptr_t)s.data + s.size - 4, last, 4);
    return deflated("a.npy", packed, squeeze(packed, sizeof packed, s.data, s.size),
                    (uint32_t)s.size, (uint32_t)crc32(0, s.data, (uInt)s.size));
}

static void check_code_point(uint32_t cp, const char *want)
{
    struct err e = { 0 };
    struct weights *w = npz_open_memory(&arena, array(DICT("'<U3'", "False", "(2,)"), 24, cp),
                                        "f", &e);
    size_t n;
    const char *s = npz_string(npz_strings(w, "a"), 1, &arena, &n, &e);

    if (want != NULL)
        assert_string_equal(s, want);
    else
        assert_true(s == NULL && e.kind == ERR_INPUT);
}

static void test_strings(void **state)
{
    (void)state;
    check_code_point(0, "");
    check_code_point(0xd7ff, "");       /* after two NULs */
    check_code_point(0xd800, NULL);
    check_code_point(0xdfff, NULL);
    check_code_point(0x110000, NULL);
    check_code_point(0xffffffff, NULL);
    refused(array(DICT("'<U3'", "False", "(2,)"), 23, 0), "holds 23 bytes of data, expected 24");
    refused(array(DICT("'<U3'", "False", "()"), 12, 0), "strings in 0 dimensions, expected one");
    refused(array(DICT("'<U3'", "False", "(1,2)"), 24, 0), "strings in 2 dimensions");
    refused(array(DICT("'<U0'", "False", "(1,)"), 0, 0), "dtype <U0, expected");
    refused(array(DICT("'>U3'", "False", "(1,)"), 12, 0), "dtype >U3 is big-endian");
    refused(array(DICT("'<U9999999999'", "False", "(1,)"), 12, 0), "dtype <U9999999999");
    refused(array(DICT("'<U'", "False", "(1,)"), 12, 0), "dtype <U, expected");
    refused(array(DICT("'<U3x'", "False", "(1,)"), 12, 0), "dtype <U3x, expected");
    refused(array(DICT("'<U999999999'", "False", "(9223372036854775807,)"), 12, 0),
            "a shape of over 2^63 bytes");
}

/* ---- shapes alone ---- */

/* The shape of a file with these bytes, "" where it has none; then e says why. */
static const char *shape_of(struct span bytes, struct err *e)
{
    char *dir = new_dir(&arena);
    const char *path = file_join(&arena, dir, "f.npz");
    struct tensor t;
    int rc;

    write_file(path, bytes);
    rc = npz_shape(&arena, path, &t, e);
    drop_dir(&arena, dir);
    if (rc != 0)
        return "";
    assert_null(t.data);
    return tensor_shape(&arena, &t);
}

static void no_shape(struct span bytes, const char *want)
{
    struct err e = { 0 };

    assert_string_equal(shape_of(bytes, &e), "");
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

/* What stands behind the header is not unpacked: neither damage nor a checksum is seen. */
static void test_shapes(void **state)
{
    static unsigned char noise[40000], packed[50000];
    struct span header = npy(1, DICT("'|u1'", "False", "(200, 200)"), sizeof noise), s;
    struct err e = { 0 };
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)(i * i * 2654435761u >> 13);
    memcpy((unsigned char *)(uintptr_t)header.data + header.size - sizeof noise, noise,
           sizeof noise);
    assert_string_equal(shape_of(header, &e), "[200,200]");
    n = squeeze(packed, sizeof packed, header.data, header.size);
    s = deflated("a.npy", packed, n, header.size, 0);
    assert_string_equal(shape_of(s, &e), "[200,200]");
    refused(s, "a.npy: its checksum is wrong");
    memset(packed + n / 2, 0xff, n / 4);
    s = deflated("a.npy", packed, n, header.size, 0);
    assert_string_equal(shape_of(s, &e), "[200,200]");
    no_shape(deflated("z", packed, n, header.size, 0), "/f.npz: holds 0 arrays, expected one");
    no_shape(deflated("a.npy", "\xff\xff", 2, 3, 0), "a.npy: its deflated data are damaged");
    packed[0] ^= 0xff;
    no_shape(deflated("a.npy", packed, n, header.size, 0), "its deflated data are damaged");
    no_shape((struct span){ (const unsigned char *)"x", 1 }, "/f.npz: is neither .npz nor .npy");
}

/* Headers that are cut, or longer than any array's */
static void test_shapes_of_headers(void **state)
{
    static unsigned char packed[200];
    static const struct { const char *bytes; size_t n; const char *want; } cases[] = {
        { "\x93NUM", 4, "is not a .npy file" },
        { "\x93NUMPY\1\0\1", 9, "is not a .npy file" },
        { "\x93NUMPY\1\0\100\0{", 11, ".npy header of 64 bytes, but only 1 follow" },
        { "\x93NUMPY\2\0\0\0\1\0{", 13, ".npy header of 65536 bytes, expected at most 65535" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = squeeze(packed, sizeof packed, cases[i].bytes, cases[i].n);

        no_shape(deflated("a.npy", packed, n, cases[i].n,
                          (uint32_t)crc32(0, (const Bytef *)cases[i].bytes, (uInt)cases[i].n)),
                 cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_npy, begin, end),
        cmocka_unit_test_setup_teardown(test_npy_with_nul, begin, end),
        cmocka_unit_test_setup_teardown(test_npy_accepted, begin, end),
        cmocka_unit_test_setup_teardown(test_fields, begin, end),
        cmocka_unit_test_setup_teardown(test_cut, begin, end),
        cmocka_unit_test_setup_teardown(test_two_directories, begin, end),
        cmocka_unit_test_setup_teardown(test_deflated, begin, end),
        cmocka_unit_test_setup_teardown(test_bomb, begin, end),
        cmocka_unit_test_setup_teardown(test_strings, begin, end),
        cmocka_unit_test_setup_teardown(test_twice, begin, end),
        cmocka_unit_test_setup_teardown(test_shapes, begin, end),
        cmocka_unit_test_setup_teardown(test_shapes_of_headers, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
