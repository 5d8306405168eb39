/* SPDX-License-Identifier: MIT
 *
 * What a safetensors file may hold, and what it may not: each hostile one is
 * refused with a message of its own.  Both lists follow what the reference
 * library (0.8.0) takes and refuses, but for the lines marked "stricter". */
#include "check.h"

#include <sys/resource.h>

#include "unit/weights_files.h"
#include "weights/weights.h"

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

static struct weights *open_header(const char *header, size_t n_data, struct err *e)
{
    return weights_open_memory(&arena, st_bytes(&arena, header, strlen(header), n_data),
                               "f.safetensors", e);
}

/* ---- right ---- */

static void test_order_and_alignment(void **state)
{
    static const char header[] =
        " {\"b\":{\"shape\":[2,1],\"data_offsets\":[ 5 , 13 ],\"dtype\":\"F32\"},"
        "\"__metadata__\" : {\"format\":\"pt\",\"n\\u0000\":\"\\ud83d\\ude00\"},\n"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"\\u00e9\\n\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[1,5]}} \t ";
    struct span bytes = st_bytes(&arena, header, strlen(header), 13);
    unsigned char *data = (unsigned char *)(uintptr_t)bytes.data + 8 + strlen(header);
    static const float values[] = { 0.5f, -2, 3 };
    struct err e;
    struct weights *w;
    const struct tensor *t;
    float got[2];

    (void)state;
    bytes_copy(data + 1, values, 3, sizeof *values);
    w = weights_open_memory(&arena, bytes, "f.safetensors", &e);
    assert_non_null(w);
    assert_int_equal(weights_count(w), 3);
    assert_string_equal(weights_at(w, 0)->name, "a");
    assert_string_equal(weights_at(w, 1)->name, "b");
    assert_string_equal(weights_at(w, 2)->name, "\xc3\xa9\n");
    t = weights_find(w, "b");
    assert_ptr_equal(t, weights_at(w, 1));
    assert_int_equal(t->n_dims, 2);
    assert_int_equal(t->n_elements, 2);
    assert_string_equal(tensor_shape(&arena, t), "[2,1]");
    assert_string_equal(t->file, "f.safetensors");
    tensor_read(got, t, 0, 2);
    assert_true(got[0] == -2 && got[1] == 3);
    t = weights_at(w, 2);
    assert_int_equal(t->n_dims, 0);
    assert_int_equal(t->n_elements, 1);
    tensor_read(got, t, 0, 1);
    assert_true(got[0] == 0.5f);
    assert_null(weights_find(w, ""));
    assert_null(weights_find(w, "aa"));
    weights_close(w);
}

#define T(name, dtype, shape, b, e) \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape \
    ",\"data_offsets\":[" #b "," #e "]}"

static void test_accepted(void **state)
{
    static const struct { const char *header; size_t n_data; int n; } accepted[] = {
        { "{}", 0, 0 },
        { "{\"__metadata__\":{}}", 0, 0 },
        { "{\"__metadata__\": null}", 0, 0 },
        { "{" T("", "F32", "[1]", 0, 4) "}", 4, 1 },
        /* tensors without elements, several at one place */
        { "{" T("a", "F32", "[0]", 0, 0) "," T("b", "F32", "[3,0]", 0, 0) "}", 0, 2 },
        { "{" T("c", "F32", "[1]", 0, 4) "," T("a", "F32", "[0]", 4, 4) ","
          T("z", "F64", "[0]", 4, 4) "," T("b", "F32", "[1]", 4, 8) "}", 8, 4 },
        { "{" T("c", "F32", "[1]", 0, 4) "," T("b", "F16", "[0]", 4, 4) "}", 4, 2 },
        { "{" T("a", "F32", "[0,4611686018427387904,4611686018427387904]", 0, 0) "}", 0, 1 },
        { "{" T("a", "I8", "[1,1,1,1,1,1,1,1]", 0, 1) "}", 1, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct err e = { 0 };
        struct weights *w = open_header(accepted[i].header, accepted[i].n_data, &e);

        if (w == NULL)
            fail_msg("%s: %s", accepted[i].header, e.msg);
        assert_int_equal(weights_count(w), accepted[i].n);
        for (int k = 0; k < weights_count(w); k++)
            assert_ptr_equal(weights_find(w, weights_at(w, k)->name), weights_at(w, k));
        weights_close(w);
    }
}

/* Notes are found by their keys; one with a NUL, which a string of C cannot hold, is not. */
static void test_notes(void **state)
{
    struct err e = { 0 };
    struct weights *w = open_header("{\"__metadata__\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\","
                                    "\"d\":\"4\",\"e\":\"5\",\"f\":\"6\\u0000\",\"g\":\"\"}}",
                                    0, &e);

    (void)state;
    assert_non_null(w);
    for (char c = 'a'; c <= 'e'; c++) {
        const char key[] = { c, '\0' }, *value = weights_note(w, key);

        assert_non_null(value);
        assert_int_equal(value[0], '1' + (c - 'a'));
    }
    assert_null(weights_note(w, "f"));
    assert_string_equal(weights_note(w, "g"), "");
    assert_null(weights_note(w, ""));
}

static void test_every_dtype(void **state)
{
    (void)state;
    for (int i = 0; i < N_DTYPE && dtype_table[i].block == 1; i++) {
        const struct dtype_row *d = &dtype_table[i];
        char *header = arena_printf(&arena, "{\"a\":{\"dtype\":\"%s\",\"shape\":[3],"
                                    "\"data_offsets\":[0,%d]}}", d->name,
                                    3 * d->size_bytes);
        struct err e;
        struct weights *w = open_header(header, 3 * (size_t)d->size_bytes, &e);

        assert_non_null(w);
        assert_int_equal(weights_at(w, 0)->dtype, i);
        weights_close(w);
    }
}

/* ---- wrong ---- */

static const struct {
    const char *header;
    size_t n_data;
    const char *want;           /* part of the message, told apart from all others */
} hostile[] = {
    { "{" T("a", "F32", "[1]", 0, 4) " " T("b", "F32", "[1]", 4, 8) "}", 8,
      "header: at byte 54: found '\"', expected '}'" },
    { "{\"__metadata__\":", 0, "__metadata__: at byte 16: found the end, expected an object" },
    { "{\"__metadata__\":nul", 0, "__metadata__: at byte 16: found 'n', expected an object" },
    { "{\"__metadata__\":{3:\"a\"}}", 0, "__metadata__: at byte 17: found '3', expected a "
      "string" },
    { "{\"__metadata__\":{\"a\" \"b\"}}", 0, "found '\"', expected ':'" },
    { "[]", 0, "header: at byte 0: found '[', expected '{'" },
    { "  ", 0, "header: at byte 2: found the end, expected '{'" },
    { "{ ", 0, "header: at byte 2: found the end, expected a string" },
    { "{\"a", 0, "header: at byte 3: found the end, expected the end of a string" },
    { "{\"a\"", 0, "header: at byte 4: found the end, expected ':'" },
    { "{\"a\":", 0, "a: at byte 5: found the end, expected '{'" },
    { "{\"a\":{}}", 0, "a: has no dtype" },
    { "{\"a\":{\"dtype\":\"F32\"}}", 0, "a: has no shape" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, "a: has no data_offsets" },
    { "{\"a\":[]}", 0, "a: at byte 5: found '[', expected '{'" },
    { "{\"a\":{\"x\":1}}", 0,
      "a: key \"x\", expected dtype, shape or data_offsets" },  /* stricter */
    { "{\"a\":{\"dtype\\u0000\":1}}", 0, "a: a NUL in the string that ends at byte 19" },
    { "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "a: dtype appears twice" },
    { "{\"a\":{\"dtype\":3}}", 0, "a: at byte 14: found '3', expected a string" },
    { "{" T("a", "F32", "[1]", 0, 4) "} x", 4, "found 'x', expected only spaces" },
    { "{" T("a", "F32", "[1]", 0, 4) ",}", 4, "found '}', expected a string" },
    { "{" T("a", "F32", "[1]", 0, 4) "}\x01", 4, "found byte 0x01, expected only" },
    { "\xef\xbb\xbf{}", 0, "header: at byte 0: found byte 0xef, expected '{'" },
    { "{" T("a", "F32", "[1]", 0, 4) "," T("a", "F32", "[1]", 4, 8) "}", 8,
      "f.safetensors: a: appears twice" },
    { "{\"__metadata__\":3}", 0, "__metadata__: at byte 16: found '3', expected an object" },
    { "{\"__metadata__\":\"x\"}", 0, "found '\"', expected an object of strings" },
    { "{\"__metadata__\":{\"a\":3}}", 0, "__metadata__: at byte 21: found '3', expected a "
      "string" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__: appears twice" },
    { "{" T("a\\u0000b", "F32", "[1]", 0, 4) "}", 4,
      "header: a NUL in the string that ends at byte 11" },    /* stricter */
    { "{\"a\x1f\":", 0, "found byte 0x1f, expected no control character in a string" },
    { "{\"\\x\":", 0, "found 'x', expected an escape of JSON" },
    { "{\"\\u12g4\":", 0, "found 'g', expected four hexadecimal digits" },
    { "{\"\\ud800x\":", 0, "found 'x', expected both halves of a surrogate pair" },
    { "{\"\\udc00\":", 0, "found '\"', expected both halves of a surrogate pair" },
    { "{\"\\ud800\\u0041\":", 0, "byte 14: found '\"', expected both halves" },
    { "{\"\xed\xa0\x80\":", 0, "found byte 0xed, expected UTF-8" },
    { "{" T("a", "F8_E8M0", "[1]", 0, 1) "}", 1,
      "a: dtype \"F8_E8M0\", expected one of F64 F32 F16 BF16 I64" },             /* stricter */
    { "{" T("a", "f32", "[1]", 0, 1) "}", 1, "a: dtype \"f32\", expected one of" },
    { "{" T("a", "I8", "[1,1,1,1,1,1,1,1,1]", 0, 1) "}", 1,
      "a: shape has over 8 dimensions, expected at most 8" },                    /* stricter */
    { "{" T("a", "F32", "1", 0, 4) "}", 4, "found '1', expected '['" },
    { "{" T("a", "F32", "[-1]", 0, 4) "}", 4,
      "a: shape: at byte 29: found '-', expected a number that is not negative" },
    { "{" T("a", "F32", "[1.0]", 0, 4) "}", 4, "a: shape: at byte 30: found '.', expected "
      "a whole" },
    { "{" T("a", "F32", "[1e0]", 0, 4) "}", 4, "a: shape: at byte 30: found 'e', expected "
      "a whole" },
    { "{" T("a", "F32", "[01]", 0, 4) "}", 4, "found '0', expected a whole number in decimal" },
    { "{" T("a", "F32", "[null]", 0, 4) "}", 4, "found 'n', expected a whole number in "
      "decimal" },
    { "{" T("a", "F32", "[123456789012345678901234567890]", 0, 4) "}", 4,
      "shape: at byte 29: found '1', expected a number below 2^63" },
    { "{" T("a", "F32", "[1]", 0, 123456789012345678901234567890) "}", 4,
      "data_offsets: at byte 50: found '1', expected a number below 2^63" },
    { "{" T("a", "F32", "[1]", -4, 0) "}", 4, "data_offsets: at byte 48: found '-', expected" },
    { "{\"a\":{\"data_offsets\":[0]}}", 0, "data_offsets: at byte 23: found ']', expected "
      "','" },
    { "{\"a\":{\"data_offsets\":[0,4,4]}}", 0, "data_offsets: at byte 25: found ',', "
      "expected ']'" },
    { "{" T("a", "F32", "[1]", 8, 4) "}", 8, "a: data_offsets [8,4] end before they begin" },
    { "{" T("a", "F32", "[2]", 0, 8) "}", 4,
      "a: data_offsets [0,8] lie past the end: the file holds 4 bytes of data" },
    { "{" T("a", "F32", "[2]", 0, 9223372036854775807) "}", 4, "[0,9223372036854775807] lie past" },
    { "{" T("a", "F32", "[2,3]", 0, 8) "}", 8,
      "a: data_offsets [0,8] hold 8 bytes, expected 24 for shape [2,3] of F32" },
    { "{" T("a", "F32", "[4194305,4194305,211106198978564]", 0, 16) "}", 16,
      "a: shape [4194305,4194305,211106198978564] of F32 takes over 2^63 bytes" },
    { "{" T("a", "Q8_0", "[2,33]", 0, 68) "}", 68,
      "a: shape [2,33] of Q8_0, expected rows of a multiple of 32" },
    { "{" T("a", "F64", "[1152921504606846976]", 0, 0) "}", 0,
      "a: shape [1152921504606846976] of F64 takes over" },
    { "{" T("a", "F32", "[4611686018427387904,4611686018427387904,0]", 0, 0) "}", 0,
      "a: shape [4611686018427387904,4611686018427387904,0] of F32 takes over" },
    { "{" T("b", "F32", "[2]", 0, 8) "," T("a", "F32", "[1]", 4, 8) "}", 8,
      "a: data begin at 4, inside those of b, which end at 8" },
    { "{" T("b", "F32", "[2]", 0, 8) "," T("c", "F32", "[2]", 0, 8) "}", 8,
      "data begin at 0, inside those of" },
    { "{" T("b", "F32", "[2]", 0, 8) "," T("a", "F32", "[0]", 4, 4) "}", 8,
      "a: data begin at 4, inside those of b" },
    { "{" T("a", "F32", "[1]", 0, 4) "," T("b", "F32", "[1]", 8, 12) "}", 12,
      "b: data begin at 8, which leaves a hole: expected 4" },
    { "{" T("a", "F32", "[1]", 4, 8) "}", 8, "a: data begin at 4, which leaves a hole: "
      "expected 0" },
    { "{" T("a", "F32", "[1]", 0, 4) "}", 8, "the tensors end at 4 of 8 bytes of data" },
    { "{}", 8, "the tensors end at 0 of 8 bytes of data" },
};

static void test_hostile(void **state)
{
    int n_bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct err e = { 0 };
        struct weights *w = open_header(hostile[i].header, hostile[i].n_data, &e);

        if (w != NULL)
            fail_msg("taken: %s", hostile[i].header);
        assert_int_equal(e.kind, ERR_INPUT);
        assert_memory_equal(e.msg, "f.safetensors: ", 15);
        if (strstr(e.msg, hostile[i].want) != NULL)
            continue;
        print_error("%s: \"%s\", expected \"%s\"\n", hostile[i].header, e.msg, hostile[i].want);
        n_bad++;
    }
    assert_int_equal(n_bad, 0);
}

/* The first 8 bytes alone. */
static void test_header_length(void **state)
{
    static const struct { uint64_t length; size_t n_file; const char *want; } cases[] = {
        { 2, 0, ": 0 bytes, expected at least 8" },
        { 2, 7, ": 7 bytes, expected at least 8" },
        { 0, 10, "header of 0 bytes, expected at least \"{}\"" },
        { 3, 10, "header of 3 bytes goes past the end of the file (10 bytes)" },
        { 100000000, 10, "header of 100000000 bytes goes past the end" },
        { 100000001, 10, "header of 100000001 bytes, expected at most 100000000" },
        { UINT64_MAX, 10, "header of 18446744073709551615 bytes, expected at most" },
        { UINT64_MAX - 7, 10, "header of 18446744073709551608 bytes, expected at most" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[10] = "........{}";
        struct err e = { 0 };

        bytes_put(file, cases[i].length, 8);
        assert_null(weights_open_memory(&arena, (struct span){ file, cases[i].n_file },
                                        "f", &e));
        if (strstr(e.msg, cases[i].want) == NULL)
            fail_msg("\"%s\", expected \"%s\"", e.msg, cases[i].want);
    }
}

/* Every prefix of a good file is refused, none is read beyond its end. */
static void test_cut(void **state)
{
    static const char header[] = "{" T("a", "F32", "[1,2]", 0, 8) ",\"__metadata__\":"
                                 "{\"k\":\"\\ud83d\\ude00\xe6\x88\x91\"}}";
    struct span whole = st_bytes(&arena, header, strlen(header), 8);

    (void)state;
    for (size_t n = 0; n <= whole.size; n++) {
        unsigned char *copy = malloc(n > 0 ? n : 1);
        uint64_t shorter;
        struct err e = { 0 };
        struct weights *w;

        memcpy(copy, whole.data, n);
        w = weights_open_memory(&arena, (struct span){ copy, n }, "f", &e);
        assert_true((w != NULL) == (n == whole.size));
        /* the same where the length claims that this was all */
        if (n >= 8 && n < 8 + strlen(header)) {
            shorter = n - 8;
            bytes_put(copy, shorter, 8);
            assert_null(weights_open_memory(&arena, (struct span){ copy, n }, "f", &e));
        }
        free(copy);
    }
}

/* A name neither speaks to the terminal nor hides the rest of the message. */
static void test_nasty_names(void **state)
{
    static const char escape[] = "{" T("\\u001b]0;x\\u0007\\n\\u202e", "F9", "[1]", 0, 4) "}";
    size_t n = 1 << 20;
    char *name = arena_alloc(&arena, n + 1, 1);
    struct err e;

    (void)state;
    assert_null(open_header(escape, 4, &e));
    assert_non_null(strstr(e.msg, "\\x1b]0;x\\x07\\n\\u202e: dtype \"F9\""));
    for (size_t i = 0; i + 1 < n; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    assert_null(open_header(arena_printf(&arena, "{\"%s\":{\"dtype\":\"%s\"}}", name, name),
                            0, &e));
    assert_non_null(strstr(e.msg, "\xc3\xa9\xe2\x80\xa6: dtype \"\xc3\xa9"));
    assert_non_null(strstr(e.msg, "expected one of F64"));
    assert_null(strstr(e.msg, "\\x"));          /* cut between two characters */
    assert_non_null(open_header(arena_printf(&arena, "{\"%s\":{\"dtype\":\"F32\",\"shape\""
                                             ":[0],\"data_offsets\":[0,0]}}", name), 0, &e));
}

/* ---- a million tensors ---- */

static struct span many(int n)
{
    char *header = arena_alloc_raw(&arena, (size_t)n * 70 + 3, 1), *p = header;

    *p++ = '{';
    for (int i = 0; i < n; i++)         /* in an order far from that of the names */
        p += sprintf(p, "%s\"t%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}",
                     i > 0 ? "," : "", (int)((int64_t)i * 7919 % n));
    *p++ = '}';
    return st_bytes(&arena, header, (size_t)(p - header), 0);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITISED = 1 };
#elif defined __has_feature
enum { SANITISED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITISED = 0 };
#endif

static void test_million(void **state)
{
    enum { N = 1000000 };
    struct span bytes = many(N);
    struct rusage before, after;
    struct err e;
    struct weights *w;
    long kib;

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    w = weights_open_memory(&arena, bytes, "f", &e);
    getrusage(RUSAGE_SELF, &after);
    kib = after.ru_maxrss - before.ru_maxrss;
    assert_non_null(w);
    assert_int_equal(weights_count(w), N);
    assert_non_null(weights_find(w, "t999999"));
    assert_null(weights_find(w, "t1000000"));
    /* 104 bytes a tensor, its name, 16 for sorting; a tree of JSON takes 1 GB */
    if (!SANITISED)
        assert_true(kib < 200 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_and_alignment, begin, end),
        cmocka_unit_test_setup_teardown(test_accepted, begin, end),
        cmocka_unit_test_setup_teardown(test_notes, begin, end),
        cmocka_unit_test_setup_teardown(test_every_dtype, begin, end),
        cmocka_unit_test_setup_teardown(test_hostile, begin, end),
        cmocka_unit_test_setup_teardown(test_header_length, begin, end),
        cmocka_unit_test_setup_teardown(test_cut, begin, end),
        cmocka_unit_test_setup_teardown(test_nasty_names, begin, end),
        cmocka_unit_test_setup_teardown(test_million, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
