/* SPDX-License-Identifier: MIT
 * What deflate_runs makes is read by zlib: bytes of any spread, runs of any length, in parts. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/deflate.h"

static struct arena arena;
static uint32_t seed;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    seed = 1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static uint32_t random_bits(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* In two parts, the first of n_first; returns how many bytes both came to. */
static size_t check_parts(const unsigned char *data, size_t n, size_t n_first)
{
    size_t room = (size_t)(deflate_bound(n_first) + deflate_bound(n - n_first)), size;
    unsigned char *out = malloc(room), *back = malloc(n + 1);
    z_stream stream = { .next_in = out, .next_out = back, .avail_out = (unsigned)n + 1 };

    assert_true(out != NULL && back != NULL);
    size = deflate_runs(out, data, n_first, false, &arena);
    assert_true(size <= deflate_bound(n_first));
    size += deflate_runs(out + size, data + n_first, n - n_first, true, &arena);
    assert_true(size <= room);
    stream.avail_in = (unsigned)size;
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, n);
    assert_memory_equal(back, data, n);
    inflateEnd(&stream);
    free(out);
    free(back);
    return size;
}

/* Of noise no byte is gained, of one byte nearly all are. */
static void sizes(void **state)
{
    enum { N = 200000 };
    unsigned char *data = malloc(N);

    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)random_bits();
    for (size_t n = 0; n < 50; n++)
        check_parts(data, n, n / 2);
    assert_true(check_parts(data, N, 0) <= N + 30);
    check_parts(data, 2 * DEFLATE_BLOCK, DEFLATE_BLOCK);
    check_parts(data, DEFLATE_BLOCK + 1, 0);
    memset(data, 200, N);
    assert_true(check_parts(data, N, 0) < 600);
    free(data);
}

/* Runs of 1 to 600 bytes, of few and of many. */
static void runs(void **state)
{
    enum { N = 600 * 601 / 2 };
    unsigned char *data = malloc(N);

    (void)state;
    assert_non_null(data);
    for (int kinds = 2; kinds <= 256; kinds += 127) {
        size_t n = 0;

        for (size_t run = 1; run <= 600; n += run++)
            memset(data + n, (int)(run % (size_t)kinds), run);
        assert_int_equal(n, N);
        assert_true(check_parts(data, n, n / 7) < 12000);
    }
    free(data);
}

/* Bytes half, a quarter, ... as often: no code may be longer than 15 bits. */
static void skewed(void **state)
{
    unsigned char *data = malloc(DEFLATE_BLOCK);
    size_t n = 0;
    int a = 1, b = 1;

    (void)state;
    assert_non_null(data);
    for (int byte = 0; n + (size_t)b < DEFLATE_BLOCK; byte++) {
        for (int i = 0; i < b; i++, n++)
            data[n] = (unsigned char)byte;
        b += a;
        a = b - a;
    }
    for (size_t i = n; i-- > 1; ) {         /* no runs */
        size_t other = random_bits() % (i + 1);
        unsigned char byte = data[i];

        data[i] = data[other];
        data[other] = byte;
    }
    assert_true(check_parts(data, n, 0) < n / 2);
    free(data);
}

/*
 * Codes as of weights: no more than a hundredth more bytes than zlib's, which looks for runs too.
 */
static void as_small_as_zlib(void **state)
{
    enum { N = 90000 };
    unsigned char *data = malloc(N), *out = malloc(2 * N);
    z_stream stream = { .next_in = data, .avail_in = N, .next_out = out, .avail_out = 2 * N };

    (void)state;
    assert_true(data != NULL && out != NULL);
    for (size_t i = 0; i < N; i++) {
        uint32_t x = random_bits() & 255, y = random_bits() & 255;

        data[i] = (unsigned char)(i % 300 > i / 300 ? 0 : x * y >> 8);
    }
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_RLE), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    assert_true(check_parts(data, N, 0) <= stream.total_out * 101 / 100);
    free(data);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(runs, setup, teardown),
        cmocka_unit_test_setup_teardown(skewed, setup, teardown),
        cmocka_unit_test_setup_teardown(as_small_as_zlib, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
