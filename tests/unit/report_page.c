/* SPDX-License-Identifier: MIT
 * What a page is made of: its title as text, blocks that come back as they were. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/page.h"

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static char *beginning(bool live, const struct provenance *run)
{
    char *page;
    size_t size;
    FILE *f = open_memstream(&page, &size);

    assert_non_null(f);
    page_begin(f, "</title><script>alert(1)</script> & \"", live, run, &arena);
    fclose(f);
    return page;
}

static void titles_are_text(void **state)
{
    (void)state;
    for (int live = 0; live < 2; live++) {
        char *page = beginning(live, NULL);

        assert_non_null(strstr(page, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; "
                                     "&amp; \"</title>"));
        free(page);
    }
}

static void runs_are_said_or_not(void **state)
{
    static const struct provenance_model model = { "a \"b\"", "bert", "0123456789abcdef" };
    const struct provenance run = { .program = "mha-viz 0", .command = "mha-viz report '<&>'",
                                    .models = { &model, 1 } };
    char *page = beginning(false, &run), *silent = beginning(false, NULL);

    (void)state;
    assert_non_null(strstr(page, "<meta name=\"generator\" content=\"mha-viz 0\">\n"));
    assert_non_null(strstr(page, "<meta name=\"mha-viz:command\" "
                                 "content=\"mha-viz report '&lt;&amp;&gt;'\">\n"));
    assert_non_null(strstr(page, "<meta name=\"mha-viz:model\" content=\"a &quot;b&quot; "
                                 "(bert, 0123456789abcdef)\">\n"));
    assert_null(strstr(page, "<meta name=\"mha-viz:file"));
    assert_null(strstr(silent, "<meta name=\"generator\""));
    assert_null(strstr(silent, "<meta name=\"mha-viz:"));
    free(page);
    free(silent);
}

/* A live page may compile its module and start its worker; another one has neither. */
static void policies_differ(void **state)
{
    static const char more[] = " 'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-";
    char *plain = beginning(false, NULL), *live = beginning(true, NULL);

    (void)state;
    assert_null(strstr(plain, "wasm"));
    assert_null(strstr(plain, "worker"));
    assert_non_null(strstr(live, more));
    free(plain);
    free(live);
}

static void pieces_are_as_they_are_or_packed(void **state)
{
    struct pack *p = pack_new(&arena, PACK_WORDS);
    struct packed packed;
    char *page, *end, *second;
    size_t size;
    FILE *f = open_memstream(&page, &size);

    (void)state;
    assert_non_null(f);
    page_piece(f, 3, 0, NULL, "abcd", 4);
    pack_begin(p, &arena);
    pack_add(p, "abcd", 4);
    packed = pack_end(p);
    page_piece(f, 3, 1, &packed, NULL, 0);
    fclose(f);
    assert_memory_equal(page, "<script type=\"text/plain\" id=\"f3-0\">YWJjZA==</script>\n", 54);
    second = strstr(page, "<script type=\"text/plain\" id=\"f3-1\">");
    assert_non_null(second);
    end = strstr(second, "</script>\n");
    assert_non_null(end);
    assert_int_equal(end[10], '\0');
    free(page);
}

/* base64 -> bytes; returns how many. */
static size_t decode(unsigned char *out, const char *letters)
{
    static const char order[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned v = 0;

    for (int i = 0; letters[i] != '\0' && letters[i] != '='; i++) {
        v = v << 6 | (unsigned)(strchr(order, letters[i]) - order);
        if (i % 4 > 0)
            out[n++] = (unsigned char)(v >> (6 - 2 * (i % 4)));
    }
    return n;
}

/* What is written can be read back. */
static void check_packed(const struct packed *packed, const unsigned char *data, size_t n)
{
    unsigned char *deflated = malloc(2 * n + 200), *back = malloc(n + 1);
    z_stream stream = { .next_in = deflated };
    char *letters;
    size_t size;
    FILE *f = open_memstream(&letters, &size);

    assert_true(f != NULL && deflated != NULL && back != NULL);
    pack_write(packed, f);
    fclose(f);
    stream.avail_in = (unsigned)decode(deflated, letters);
    assert_int_equal(stream.avail_in, packed->size);
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    stream.next_out = back;
    stream.avail_out = (unsigned)n + 1;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, n);
    assert_memory_equal(back, data, n);
    inflateEnd(&stream);
    free(deflated);
    free(back);
    free(letters);
}

/* One after the other; the second time by the same deflater. */
static void check_block(struct pack *p, const unsigned char *data, size_t n)
{
    struct packed packed;

    pack_begin(p, &arena);
    pack_add(p, data, n / 3);
    pack_add(p, data + n / 3, n - n / 3);
    packed = pack_end(p);
    check_packed(&packed, data, n);
}

/* Of parts, some without a byte. */
static void check_parts(struct par *par, const unsigned char *data, size_t n)
{
    struct pack_part part[] = {
        { data, n / 3 }, { data + n / 3, 0 }, { data + n / 3, n / 2 - n / 3 },
        { data + n / 2, n - n / 2 }, { NULL, 0 },
    };
    struct packed packed = pack_parts(&arena, part, sizeof part / sizeof *part, par);

    check_packed(&packed, data, n);
}

static void blocks_come_back(void **state)
{
    static unsigned char data[300000];      /* of noise, more than a chunk of the packer */
    struct pack *p = pack_new(&arena, PACK_WORDS);
    struct err e;
    struct par *par = par_new(2, &e);
    uint32_t x = 1;

    (void)state;
    assert_non_null(par);
    for (size_t i = 0; i < sizeof data; i++) {
        x = x * 1664525u + 1013904223u;
        data[i] = (unsigned char)(x >> 24);
    }
    check_block(p, data, sizeof data);
    check_block(p, data, 1);
    check_block(p, data, 0);
    for (size_t n = 0; n < 40; n++)
        check_parts(par, data, n);
    check_parts(par, data, sizeof data);
    memset(data, 7, sizeof data);
    check_block(p, data, sizeof data);
    check_block(pack_new(&arena, PACK_CODES), data, sizeof data);
    check_parts(par, data, sizeof data);
    par_free(par);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_are_text),
        cmocka_unit_test_setup_teardown(runs_are_said_or_not, setup, teardown),
        cmocka_unit_test(policies_differ),
        cmocka_unit_test_setup_teardown(pieces_are_as_they_are_or_packed, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_come_back, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
