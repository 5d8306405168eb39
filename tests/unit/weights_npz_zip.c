/* SPDX-License-Identifier: MIT
 * Zips as other programs write them, and as nobody should: zip64's records, extra fields,
 * data descriptors, names, methods. */
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

/* ---- a zip of one member, "abc" ---- */

struct zip {
    unsigned char *p;
    size_t size;
    unsigned char *local, *central, *extra;
    unsigned char *end64, *locator;     /* NULL: there are none */
    unsigned char *end;
};

/* The end records, of a directory of n_directory bytes at `directory`. */
static void lay_ends(struct zip *z, uint64_t directory, uint64_t n_directory)
{
    memcpy(z->end, "PK\5\6", 4);
    z->end[8] = z->end[10] = 1;
    bytes_put(z->end + 12, n_directory, 4);
    bytes_put(z->end + 16, directory, 4);
    if (z->end64 == NULL)
        return;
    memcpy(z->end64, "PK\6\6", 4);
    z->end64[24] = z->end64[32] = 1;
    bytes_put(z->end64 + 40, n_directory, 8);
    bytes_put(z->end64 + 48, directory, 8);
    memcpy(z->locator, "PK\6\7", 4);
    bytes_put(z->locator + 8, (uint64_t)(z->end64 - z->p), 8);
}

/* n_extra bytes of room in its entry of the directory; gap: after its data. */
static struct zip lay(const char *name, size_t n_extra, size_t gap, bool zip64)
{
    size_t n_name = strlen(name), n_local = 30 + n_name + 3 + gap;
    size_t n_central = 46 + n_name + n_extra;
    struct zip z = { .size = n_local + n_central + (zip64 ? 76 : 0) + 22 };

    z.p = z.local = arena_alloc(&arena, z.size, 1);
    z.central = z.local + n_local;
    z.extra = z.central + 46 + n_name;
    z.end = z.p + z.size - 22;
    if (zip64) {
        z.end64 = z.central + n_central;
        z.locator = z.end64 + 56;
    }
    memcpy(z.local, "PK\3\4", 4);
    bytes_put(z.local + 26, n_name, 2);
    memcpy(z.local + 30, name, n_name);
    memcpy(z.local + 30 + n_name, "abc", 3);
    memcpy(z.central, "PK\1\2", 4);
    bytes_put(z.central + 16, crc32(0, (const Bytef *)"abc", 3), 4);
    z.central[20] = z.central[24] = 3;
    bytes_put(z.central + 28, n_name, 2);
    bytes_put(z.central + 30, n_extra, 2);
    memcpy(z.central + 46, name, n_name);
    lay_ends(&z, n_local, n_central);
    return z;
}

static void refused(struct zip z, const char *want)
{
    struct err e = { 0 };

    if (npz_open_memory(&arena, (struct span){ z.p, z.size }, "f.npz", &e) != NULL)
        fail_msg("taken, expected \"%s\"", want);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "f.npz: ", 7) != 0 || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

static void taken(struct zip z, const char *name)
{
    struct err e = { 0 };
    struct weights *w = npz_open_memory(&arena, (struct span){ z.p, z.size }, "f.npz", &e);
    struct span got;

    if (w == NULL)
        fail_msg("%s: %s", name, e.msg);
    got = npz_bytes(w, name);
    assert_int_equal(got.size, 3);
    assert_memory_equal(got.data, "abc", 3);
    assert_null(npz_bytes(w, "none").data);
}

/* ---- names ---- */

/* What could leave a folder is refused; what only looks like it is not. */
static void names(void **state)
{
    static const char *const plain[] = {
        "a", "..a", "a..", "a../b", "a/..b", ".", "./a", "a/./b", "...", "a/...", "a.b",
        "\xc3\xa9",
    };
    static const char *const climbing[] = {
        "..", "../a", "a/..", "a/../b", "/a", "a\\b", "\xc3",
    };

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        taken(lay(plain[i], 0, 0, false), plain[i]);
    for (size_t i = 0; i < sizeof climbing / sizeof *climbing; i++)
        refused(lay(climbing[i], 0, 0, false), "expected a plain name");
}

/* ---- zip64's end ---- */

/* The end has its numbers, or all ones where they stand in zip64's. */
static void two_ends_that_agree(void **state)
{
    struct zip z = lay("a", 0, 0, true);

    (void)state;
    taken(z, "a");
    memset(z.end + 8, 0xff, 12);
    taken(z, "a");
}

static void two_ends_that_disagree(void **state)
{
    static const int at[] = { 24, 32, 40, 48 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct zip z = lay("a", 0, 0, true);

        z.end64[at[i]]++;
        refused(z, "has two directories that disagree: zip64 end and end");
    }
}

static void a_locator_that_leads_elsewhere(void **state)
{
    struct zip z = lay("a", 0, 0, true);

    (void)state;
    z.locator[8]--;
    refused(z, "has two directories that disagree: zip64 end at");
    z = lay("a", 0, 0, true);
    z.end64[3] = 0;
    refused(z, "has two directories that disagree: zip64 end at");
    z = lay("a", 0, 0, true);
    z.locator[3] = 0;               /* no locator: a gap after the directory */
    refused(z, "expected it to end at");
}

/* The sum of place and size wraps. */
static void a_directory_without_bounds(void **state)
{
    struct zip z = lay("a", 0, 0, true);

    (void)state;
    memset(z.end + 8, 0xff, 12);
    bytes_put(z.end64 + 48, UINT64_MAX - 10, 8);
    refused(z, "zip directory at 18446744073709551605 of");
}

/* No end record within the last 64 KiB, and one that is found behind a comment. */
static void an_end_that_is_far(void **state)
{
    struct zip z = lay("a", 0, 0, false), far;

    (void)state;
    for (int n = 0xffff; n <= 0x10000; n++) {
        far = z;
        far.size = z.size + (size_t)n;
        far.p = arena_alloc(&arena, far.size, 1);
        memcpy(far.p, z.p, z.size);
        bytes_put(far.p + z.size - 2, (uint64_t)n & 0xffff, 2);
        if (n == 0xffff)
            taken(far, "a");
        else
            refused(far, "zip end record missing");
    }
}

/* ---- extra fields ---- */

/* size, packed and offset, each where its field is all ones */
static void sizes_in_the_extra_field(void **state)
{
    static const uint64_t value[] = { 3, 3, 0 };
    static const int at[] = { 24, 20, 42 };

    (void)state;
    for (int mask = 0; mask < 8; mask++) {
        int n = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1);
        struct zip z = lay("a", 5 + 4 + 8 * (size_t)n, 0, false);
        unsigned char *p = z.extra + 5 + 4;

        z.extra[0] = 7;             /* another program's, of one byte */
        z.extra[2] = 1;
        z.extra[5] = 1;
        z.extra[7] = (unsigned char)(8 * n);
        for (int i = 0; i < 3; i++)
            if (mask >> i & 1) {
                memset(z.central + at[i], 0xff, 4);
                bytes_put(p, value[i], 8);
                p += 8;
            }
        taken(z, "a");
        if (n == 0)
            continue;
        z.extra[7]--;               /* a byte less than the sizes take */
        refused(z, "a: its zip64 sizes are missing or truncated");
        z.extra[7] = 0xff;          /* more than there is */
        refused(z, "a: its zip64 sizes are missing or truncated");
        z.extra[5] = 7;             /* of another kind: there are none */
        z.extra[7] = (unsigned char)(8 * n);
        refused(z, "a: its zip64 sizes are missing or truncated");
    }
}

/* ---- members ---- */

static void data_descriptors(void **state)
{
    (void)state;
    for (size_t gap = 0; gap <= 25; gap++) {
        struct zip z = lay("a", 0, gap, false);

        if (gap > 0)
            refused(z, "the directory begins at");
        z.central[8] = z.local[6] = 8;
        if (gap <= 24)
            taken(z, "a");
        else
            refused(z, "the directory begins at 59, expected at 34");
    }
}

static void methods_and_places(void **state)
{
    struct zip z = lay("a", 0, 0, false);

    (void)state;
    z.central[10] = z.local[8] = 12;
    refused(z, "a: packed by method 12, expected 0 (stored) or 8 (deflated)");
    z = lay("a", 0, 24, false);         /* too near to the directory for a header */
    z.central[42] = 40;
    refused(z, "a begins at 40, expected at 0");
    z = lay("a", 0, 0, false);
    z.local[3] = 0;
    refused(z, "a: no zip member at 0");
    z = lay("a", 0, 0, false);          /* one entry where two should be */
    z.end[8] = z.end[10] = 2;
    refused(z, "too small for 2 members");
    z = lay("a", 60, 0, false);
    z.end[8] = z.end[10] = 2;
    refused(z, "zip directory: no entry at");
}

/* A member that begins where the one before may have a descriptor, but too late for one of
 * its own. */
static void a_member_without_room(void **state)
{
    struct zip one = lay("a", 0, 0, false), z = { .size = 34 + 2 * 47 + 22 };

    (void)state;
    z.p = z.local = arena_alloc(&arena, z.size, 1);
    z.central = z.p + 34;
    z.end = z.p + z.size - 22;
    memcpy(z.p, one.p, 34 + 47);
    memcpy(z.central + 47, one.central, 47);
    z.central[8] = z.local[6] = 8;
    z.central[47 + 46] = 'b';
    lay_ends(&z, 34, 94);
    z.end[8] = z.end[10] = 2;
    z.central[47 + 42] = 34;            /* where the directory begins */
    refused(z, "b: no zip member at 34");
    z.central[47 + 42] = 35;
    refused(z, "b: no zip member at 35");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names, begin, end),
        cmocka_unit_test_setup_teardown(two_ends_that_agree, begin, end),
        cmocka_unit_test_setup_teardown(two_ends_that_disagree, begin, end),
        cmocka_unit_test_setup_teardown(a_locator_that_leads_elsewhere, begin, end),
        cmocka_unit_test_setup_teardown(a_directory_without_bounds, begin, end),
        cmocka_unit_test_setup_teardown(an_end_that_is_far, begin, end),
        cmocka_unit_test_setup_teardown(sizes_in_the_extra_field, begin, end),
        cmocka_unit_test_setup_teardown(data_descriptors, begin, end),
        cmocka_unit_test_setup_teardown(methods_and_places, begin, end),
        cmocka_unit_test_setup_teardown(a_member_without_room, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
