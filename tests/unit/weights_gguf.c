/* SPDX-License-Identifier: MIT
 * GGUF files, right ones and attacks on readers of them that really happened. */
#include "check.h"

#include "unit/gguf_bytes.h"
#include "unit/weights_files.h"

static struct arena arena;
static struct bytes b;

static struct weights *open_b(struct err *e)
{
    return weights_open_memory(&arena, (struct span){ b.v, b.n }, "f.gguf", e);
}

static void good(int n_tensors)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = open_b(&e);

    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), n_tensors);
}

/* Refused, and without taking much memory. */
static void refused(const char *want)
{
    struct err e = { ERR_NONE, "" };
    struct arena_mark before = arena_mark(&arena);

    assert_null(open_b(&e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "f.gguf: ", 8) != 0 || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
    arena_reset(&arena, before);
}

/* ---- right ---- */

static void put_every_type(void)
{
    put_head(&b, 3, 0, 13);
    put_key(&b, "i8", GGUF_I8);
    put(&b, "\xff", 1);
    put_key(&b, "u8", GGUF_U8);
    put(&b, "\xff", 1);
    put_key(&b, "i16", GGUF_I16);
    put(&b, "\xfe\xff", 2);
    put_key(&b, "u16", GGUF_U16);
    put(&b, "\xfe\xff", 2);
    put_key(&b, "i32", GGUF_I32);
    put_u32(&b, (uint32_t)-3);
    put_key_u32(&b, "u32", (uint32_t)-3);
    put_key(&b, "i64", GGUF_I64);
    put_u64(&b, (uint64_t)-4);
    put_key(&b, "u64", GGUF_U64);
    put_u64(&b, UINT64_MAX);
    put_key(&b, "small", GGUF_U64);
    put_u64(&b, UINT64_C(1) << 40);
    put_key(&b, "bool", GGUF_BOOL);
    put(&b, "\2", 1);
    put_key(&b, "f32", GGUF_F32);
    put_numbers(&b, &(float){ 0.5f }, 1, 4);
    put_key(&b, "f64", GGUF_F64);
    put_numbers(&b, &(double){ 0.1 }, 1, 8);
    put_array(&b, "words", GGUF_STRING, 3);
    put_string(&b, "one");
    put_string(&b, "");
    put_string(&b, "three");
}

static int64_t int_of(const struct gguf *g, const char *key)
{
    const struct gguf_value *v = gguf_find(g, key);

    assert_non_null(v);
    assert_true(gguf_is_int(v) && !gguf_is_real(v) && v->n == 1);
    return gguf_int(v, 0);
}

static void test_values(void **state)
{
    struct err e;
    const struct gguf *g;
    struct gguf_strings all;
    struct span s;

    (void)state;
    put_every_type();
    g = gguf_read(&arena, (struct span){ b.v, b.n }, "f", &e);
    assert_non_null(g);
    assert_int_equal(int_of(g, "i8"), -1);
    assert_int_equal(int_of(g, "u8"), 255);
    assert_int_equal(int_of(g, "i16"), -2);
    assert_int_equal(int_of(g, "u16"), 65534);
    assert_int_equal(int_of(g, "i32"), -3);
    assert_int_equal(int_of(g, "u32"), 4294967293);
    assert_int_equal(int_of(g, "i64"), -4);
    assert_true(int_of(g, "u64") == INT64_MAX);
    assert_true(int_of(g, "small") == INT64_C(1) << 40);
    assert_int_equal(int_of(g, "bool"), 1);
    assert_true(gguf_real(gguf_find(g, "f32"), 0) == 0.5);
    assert_true(gguf_real(gguf_find(g, "f64"), 0) == 0.1);
    assert_true(gguf_is_real(gguf_find(g, "f32")) && gguf_is_real(gguf_find(g, "f64")));
    assert_false(gguf_is_int(gguf_find(g, "f64")) || gguf_is_int(gguf_find(g, "words")));
    assert_null(gguf_find(g, "none"));
    assert_string_equal(gguf_kind(&arena, gguf_find(g, "words")), "an array of 3 STRING");
    assert_string_equal(gguf_kind(&arena, gguf_find(g, "u32")), "a U32");
    all = gguf_strings(gguf_find(g, "words"));
    assert_true(gguf_next(&all, &s) && s.size == 3 && memcmp(s.data, "one", 3) == 0);
    assert_true(gguf_next(&all, &s) && s.size == 0);
    assert_true(gguf_next(&all, &s) && s.size == 5 && memcmp(s.data, "three", 5) == 0);
    assert_false(gguf_next(&all, &s));
}

static void test_tensors(void **state)
{
    struct err e;
    struct weights *w;
    const struct tensor *t;
    float x[2];

    (void)state;
    put_head(&b, 2, 2, 1);
    put_key_u32(&b, "general.alignment", 64);
    put_tensor(&b, "b", 32, 3, 2, 64);
    put_tensor(&b, "a", 5, 2, 24, 0);
    put_data(&b, 64, 64 + 3 * 18);
    w = open_b(&e);
    assert_non_null(w);
    assert_int_equal(weights_count(w), 2);
    t = weights_at(w, 0);
    assert_string_equal(t->name, "a");
    assert_string_equal(tensor_shape(&arena, t), "[2,5]");
    tensor_read(x, t, 8, 2);
    assert_true(x[0] == 8 && x[1] == 9);
    t = weights_find(w, "b");
    assert_int_equal(t->dtype, DTYPE_Q4_0);
    assert_string_equal(tensor_shape(&arena, t), "[3,32]");
    assert_int_equal(t->data[0], 64);
    assert_non_null(gguf_find(weights_gguf(w), "general.alignment"));
}

static void check_cuts(size_t all)
{
    for (b.n = 0; b.n < all; b.n++) {
        unsigned char *copy = malloc(b.n > 0 ? b.n : 1);
        struct err e = { ERR_NONE, "" };

        memcpy(copy, b.v, b.n);
        assert_null(weights_open_memory(&arena, (struct span){ copy, b.n }, "f", &e));
        assert_int_equal(e.kind, ERR_INPUT);
        free(copy);
    }
}

/* Cut after every byte: always refused, nothing read beyond the end. */
static void test_cut(void **state)
{
    (void)state;
    put_every_type();
    b.v[8] = 1;                             /* one tensor */
    put_tensor(&b, "t", 2, 2, 0, 0);
    put_data(&b, 32, 16);
    good(1);
    check_cuts(b.n);
    put_head(&b, 3, 1, 0);                  /* within its description, too */
    put_tensor(&b, "a name that is longer than all that follows it", 2, 2, 0, 0);
    put_data(&b, 32, 16);
    good(1);
    check_cuts(b.n);
}

/* ---- wrong: head and keys ---- */

static void test_head(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 0);
    good(0);
    put_head(&b, 1, 0, 0);
    refused("is GGUF version 1, expected 2 or 3");
    put_head(&b, 4, 0, 0);
    refused("is GGUF version 4, expected 2 or 3");
    put_head(&b, 3u << 24, 0, 0);
    refused("is a big-endian GGUF");
    put_head(&b, 3, 0, UINT64_C(1) << 63);
    refused("9223372036854775808 keys in a file of 24 bytes");
    put_head(&b, 3, UINT64_C(1) << 63, 0);
    refused("9223372036854775808 tensors in a file of 24 bytes");
    put_head(&b, 3, 100000000, 0);
    refused("100000000 tensors in a file of 24 bytes");
}

static void test_lengths(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 1);
    put_u64(&b, UINT64_C(1) << 63);
    put_data(&b, 1, 11);                    /* 43 bytes */
    assert_int_equal(b.n, 43);
    refused("key 0: a string of 9223372036854775808 bytes, but the file has 11 left");
    put_head(&b, 3, 0, 1);
    put_key(&b, "s", GGUF_STRING);
    put_u64(&b, UINT64_MAX);
    refused("s: a string of 18446744073709551615 bytes");
    put_head(&b, 3, 0, 1);
    put_array(&b, "a", GGUF_U8, 1 << 30);
    put_data(&b, 1, 20);
    refused("a: 1073741824 elements of type U8, but the file has 20 bytes left");
    put_head(&b, 3, 0, 1);
    put_array(&b, "a", GGUF_STRING, UINT64_C(1) << 62);
    refused("a: 4611686018427387904 elements of type STRING");
    put_head(&b, 3, 0, 1);
    put_array(&b, "a", GGUF_U64, (UINT64_C(1) << 61) + 1);      /* x 8 wraps to 8 */
    put_data(&b, 1, 8);
    refused("a: 2305843009213693953 elements of type U64");
    put_head(&b, 3, 0, 1);
    put_array(&b, "a", GGUF_F64, UINT64_MAX);
    refused("a: an array of 18446744073709551615 elements");
}

static void test_types(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 1);
    put_key(&b, "k", 256);
    put_data(&b, 1, 40);
    refused("k: type 256, expected 0 to 12");
    put_head(&b, 3, 0, 1);
    put_array(&b, "k", 13, 1);
    put_data(&b, 1, 40);
    refused("k: type 13, expected 0 to 12");
    put_head(&b, 3, 0, 1);
    put_array(&b, "k", GGUF_ARRAY, 1);
    put_data(&b, 1, 40);
    refused("k: an array of arrays is not supported");
}

static void test_names(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 2);
    put_key_u32(&b, "twice", 1);
    put_key_u32(&b, "twice", 2);
    refused("twice: appears twice");
    put_head(&b, 3, 0, 1);
    put_key_u32(&b, "", 1);
    refused("key 0: a name of 0 bytes");
    put_head(&b, 3, 0, 1);
    put_u64(&b, 3);
    put(&b, "a\0b", 3);
    put_data(&b, 1, 8);
    refused("key 0: a name of 3 bytes with a NUL");
    put_head(&b, 3, 0, 1);
    put_key(&b, "a\n\033[2J", 99);
    put_data(&b, 1, 8);
    refused("a\\n\\x1b[2J: type 99");
}

/* The longest that a name may be, and one byte more */
static void test_long_names(void **state)
{
    static char name[65537];

    (void)state;
    memset(name, 'x', 65535);
    put_head(&b, 3, 0, 1);
    put_key_u32(&b, name, 1);
    good(0);
    name[65535] = 'x';
    put_head(&b, 3, 0, 1);
    put_key_u32(&b, name, 1);
    refused("key 0: a name of 65536 bytes, expected 1 to 65535 and no NUL");
}

static void test_alignment(void **state)
{
    static const uint32_t bad[] = { 0, 3, 1 << 30, 1u << 31, 33 };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_head(&b, 3, 0, 1);
        put_key_u32(&b, "general.alignment", bad[i]);
        refused("expected a power of two of at most 65536");
    }
    put_head(&b, 3, 0, 1);
    put_key(&b, "general.alignment", GGUF_U64);
    put_u64(&b, 32);
    refused("general.alignment: is a U64, expected a U32");
    put_head(&b, 3, 0, 1);
    put_array(&b, "general.alignment", GGUF_U32, 0);
    refused("general.alignment: is an array of 0 U32, expected a U32");
    put_head(&b, 3, 0, 1);
    put_key_string(&b, "general.alignment", "32");
    refused("general.alignment: is a STRING, expected a U32");
}

/* ---- wrong: tensors ---- */

static void one_tensor(uint64_t fast, uint64_t slow, uint32_t type, uint64_t offset,
                       size_t n_data)
{
    put_head(&b, 3, 1, 0);
    put_tensor(&b, "t", fast, slow, type, offset);
    put_data(&b, 32, n_data);
}

static void test_shapes(void **state)
{
    (void)state;
    one_tensor(0, 4, 0, 0, 64);
    refused("t: dimension 0 is 0, expected at least 1");
    one_tensor(UINT64_MAX, 1, 0, 0, 64);
    refused("t: dimension 0 is 18446744073709551615");
    one_tensor((UINT64_C(1) << 42) + 1, UINT64_C(1) << 22, 0, 0, 64);
    refused("t: is too large");
    one_tensor((UINT64_C(1) << 42) + 32, 1, 2, 0, 64);
    refused("t: 2473901162514 bytes at 0, but the file has 64");
    one_tensor(4194305, UINT64_C(4398042316801), 0, 0, 64);     /* x 4 wraps */
    refused("t: is too large");
    one_tensor(48, 1, 2, 0, 64);
    refused("t: rows of 48 elements, expected a multiple of 32 for Q4_0");
    one_tensor(32, 8, 12, 0, 144);          /* as many elements as a block, not as long */
    refused("t: rows of 32 elements, expected a multiple of 256 for Q4_K");
    put_head(&b, 3, 1, 0);
    put_string(&b, "t");
    put_u32(&b, 5);
    put_data(&b, 1, 100);
    refused("t: 5 dimensions, expected 1 to 4");
    put_head(&b, 3, 1, 0);
    put_string(&b, "t");
    put_u32(&b, 0);
    put_data(&b, 1, 100);
    refused("t: 0 dimensions, expected 1 to 4");
}

static void test_element_types(void **state)
{
    (void)state;
    one_tensor(256, 1, 16, 0, 66);
    refused("t: weights of type IQ2_XXS are not supported");
    one_tensor(256, 1, 40, 0, 66);
    refused("t: weights of type NVFP4 are not supported");
    one_tensor(256, 1, 4, 0, 66);           /* Q4_2, which was given up */
    refused("t: weights of unknown type 4");
    one_tensor(256, 1, UINT32_MAX, 0, 66);
    refused("t: weights of unknown type 4294967295");
}

static void test_offsets(void **state)
{
    (void)state;
    one_tensor(4, 2, 0, 0, 32);
    good(1);
    one_tensor(4, 2, 0, 0, 31);
    refused("t: 32 bytes at 0, but the file has 31");
    one_tensor(4, 2, 0, 8, 64);
    refused("t: begins at 8, expected a multiple of 32");
    one_tensor(4, 2, 0, 64, 64);
    refused("t: 32 bytes at 64, but the file has 64");
    one_tensor(4, 2, 0, UINT64_MAX - 31, 64);
    refused("t: 32 bytes at 18446744073709551584");
    put_head(&b, 3, 2, 0);
    put_tensor(&b, "s", 4, 3, 0, 0);
    put_tensor(&b, "t", 4, 2, 0, 32);
    put_data(&b, 32, 64);
    refused("the data of s and t overlap");
    put_head(&b, 3, 2, 0);
    put_tensor(&b, "t", 4, 2, 0, 32);
    put_tensor(&b, "t", 4, 2, 0, 0);
    put_data(&b, 32, 64);
    refused("t: appears twice");
}

/* Descriptions without end: as many as fit are read. */
static void test_many(void **state)
{
    enum { N = 300000 };
    size_t n = 24 + N * (8 + 7 + 4 + 8 + 4 + 8);
    unsigned char *p = malloc(n + 64 + 32 * (size_t)N);
    struct err e = { ERR_NONE, "" };
    struct weights *w;

    (void)state;
    put_head(&b, 3, N, 0);
    memcpy(p, b.v, 24);
    for (size_t i = 0; i < N; i++) {
        char name[8];

        b.n = 0;
        snprintf(name, sizeof name, "t%06zu", i);
        put_tensor(&b, name, 1, 0, 0, 32 * (N - 1 - i));
        memcpy(p + 24 + i * b.n, b.v, b.n);
    }
    memset(p + n, 0, 64 + 32 * (size_t)N);
    w = weights_open_memory(&arena, (struct span){ p, n + 64 + 32 * (size_t)N }, "f", &e);
    assert_non_null(w);
    assert_int_equal(weights_count(w), N);
    free(p);
}

/* ---- experts ---- */

/* slow is the first of the three dimensions that the shape has. */
static void put_cube(const char *name, uint64_t fast, uint64_t middle, uint64_t slow,
                     uint32_t type, uint64_t offset)
{
    put_string(&b, name);
    put_u32(&b, 3);
    put_u64(&b, fast);
    put_u64(&b, middle);
    put_u64(&b, slow);
    put_u32(&b, type);
    put_u64(&b, offset);
}

/* One matrix an expert, between other tensors, of numbers and of blocks. */
static void test_experts(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    const struct tensor *t;

    (void)state;
    put_head(&b, 3, 4, 0);
    put_tensor(&b, "a", 4, 2, 24, 0);
    put_cube("blk.0.ffn_up_exps.weight", 8, 2, 3, 24, 32);
    put_cube("blk.1.ffn_up_exps.weight", 32, 1, 2, 2, 96);
    put_tensor(&b, "z", 4, 2, 24, 160);
    put_data(&b, 32, 200);
    w = open_b(&e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), 7);
    assert_non_null(weights_find(w, "a"));
    assert_non_null(weights_find(w, "z"));
    assert_null(weights_find(w, "blk.0.ffn_up_exps.weight"));
    for (int i = 0; i < 3; i++) {
        t = weights_find(w, arena_printf(&arena, "blk.0.ffn_up.%d.weight", i));
        assert_non_null(t);
        assert_string_equal(tensor_shape(&arena, t), "[2,8]");
        assert_int_equal(t->n_elements, 16);
        assert_int_equal(t->data[0], 32 + 16 * i);
    }
    for (int i = 0; i < 2; i++) {
        t = weights_find(w, arena_printf(&arena, "blk.1.ffn_up.%d.weight", i));
        assert_non_null(t);
        assert_string_equal(tensor_shape(&arena, t), "[1,32]");
        assert_int_equal(t->data[0], 96 + 18 * i);
    }
}

/* Their biases, which are rows; of less than four elements they are left as they are. */
static void test_expert_biases(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    const struct tensor *t;

    (void)state;
    put_head(&b, 3, 2, 0);
    put_tensor(&b, "blk.0.ffn_up_exps.bias", 4, 3, 24, 0);
    put_tensor(&b, "blk.1.ffn_up_exps.bias", 3, 3, 24, 32);
    put_data(&b, 32, 100);
    w = open_b(&e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), 4);
    assert_non_null(weights_find(w, "blk.1.ffn_up_exps.bias"));
    for (int i = 0; i < 3; i++) {
        t = weights_find(w, arena_printf(&arena, "blk.0.ffn_up.%d.bias", i));
        assert_non_null(t);
        assert_string_equal(tensor_shape(&arena, t), "[4]");
        assert_int_equal(t->data[0], 4 * i);
    }
}

/* What is not a matrix an expert stays as it is. */
static void left_whole(const char *name, uint64_t fast, uint64_t middle, uint64_t slow,
                       size_t n_data)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w;

    put_head(&b, 3, 1, 0);
    put_cube(name, fast, middle, slow, 24, 0);
    put_data(&b, 32, n_data);
    w = open_b(&e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), 1);
    assert_string_equal(weights_at(w, 0)->name, name);
    assert_int_equal(weights_at(w, 0)->n_dims, 3);
}

static void test_no_experts(void **state)
{
    struct err e = { ERR_NONE, "" };
    unsigned char *large;
    size_t n = ((size_t)16 << 16) + 16;

    (void)state;
    left_whole("ffn_up_exps.bias", 8, 2, 3, 48);
    left_whole("ffn_up_exps.weight", 5, 3, 3, 45);      /* a few bytes each */
    put_head(&b, 3, 1, 0);
    put_tensor(&b, "ffn_up_exps.weight", 16, 2, 24, 0);
    put_data(&b, 32, 32);
    good(1);                                            /* two dimensions */
    put_head(&b, 3, 1, 0);                              /* more than 2^16 of them */
    put_cube("ffn_up_exps.weight", 16, 1, (1 << 16) + 1, 24, 0);
    put_data(&b, 32, 0);
    large = calloc(1, b.n + n);
    assert_non_null(large);
    memcpy(large, b.v, b.n);
    assert_int_equal(weights_count(weights_open_memory(&arena, (struct span){ large, b.n + n },
                                                       "f.gguf", &e)), 1);
    free(large);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_cut), cmocka_unit_test(test_head),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_types),
        cmocka_unit_test(test_names), cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_element_types),
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_many),
        cmocka_unit_test(test_long_names), cmocka_unit_test(test_experts),
        cmocka_unit_test(test_no_experts), cmocka_unit_test(test_expert_biases),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
