/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

static bool is_zero(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)p)[i] != 0)
            return false;
    return true;
}

static int setup(void **state)
{
    static struct arena a;

    arena_init(&a, NULL, NULL);
    *state = &a;
    return 0;
}

static int teardown(void **state)
{
    arena_finish(*state);
    return 0;
}

/* ---- memory that runs out ---- */

struct trap {
    jmp_buf back;
    size_t asked;
};

static void spring(void *self, size_t size_bytes)
{
    struct trap *t = self;

    t->asked = size_bytes;
    longjmp(t->back, 1);
}

static void what_the_system_refused_is_not_passed_over(void **state)
{
    const struct err none = { ERR_NONE, "" }, input = { ERR_INPUT, "" };
    const struct err refused = { ERR_SYSTEM, "" };
    struct arena a;
    struct trap t = { .asked = 1 };

    (void)state;
    arena_init(&a, spring, &t);
    arena_pass_over(&a, &none);
    arena_pass_over(&a, &input);
    assert_int_equal(t.asked, 1);
    if (setjmp(t.back) == 0) {
        arena_pass_over(&a, &refused);
        fail();
    }
    assert_int_equal(t.asked, 0);
    arena_finish(&a);
}

static void no_memory_goes_to_the_handler(void **state)
{
    struct arena a;
    struct trap t = { .asked = 0 };
    char *before;

    (void)state;
    arena_init(&a, spring, &t);
    before = arena_strdup(&a, "kept");
    if (setjmp(t.back) == 0) {
        arena_alloc(&a, SIZE_MAX - 4096, 1);
        fail();
    }
    assert_true(t.asked >= SIZE_MAX - 4096);
    assert_string_equal(before, "kept");
    assert_non_null(arena_alloc(&a, 10, 1));    /* and the arena still works */
    arena_finish(&a);
}

/* What can be done without is NULL; the handler, which would abort, is not called. */
static void no_memory_can_be_asked_about(void **state)
{
    struct arena *a = *state;
    struct arena_mark mark = arena_mark(a);
    unsigned char *small = arena_try_raw(a, 300, 1024);

    memset(small, 7, 300 * 1024);
    assert_null(arena_try_raw(a, SIZE_MAX - 4096, 1));
    assert_null(arena_try_raw(a, SIZE_MAX / 4, SIZE_MAX / 4));
    assert_null(arena_try_raw(a, SIZE_MAX, 1));
    assert_true(is_zero(arena_alloc(a, 300, 1024), 300 * 1024));
    arena_reset(a, mark);
    assert_int_equal((uintptr_t)arena_try_raw(a, 0, 1) % 64, 0);
}

static void a_product_that_overflows_goes_to_the_handler(void **state)
{
    static const size_t product[][2] = {
        { SIZE_MAX, 2 }, { SIZE_MAX / 2 + 1, 2 }, { SIZE_MAX / 4, SIZE_MAX / 4 },
        { SIZE_MAX, 1 }, { SIZE_MAX - 10, 1 },
    };
    struct arena a;
    struct trap t;
    volatile size_t caught = 0;

    (void)state;
    arena_init(&a, spring, &t);
    for (volatile size_t i = 0; i < sizeof product / sizeof product[0]; i++)
        if (setjmp(t.back) == 0) {
            arena_alloc(&a, product[i][0], product[i][1]);
            fail();
        } else {
            caught++;
        }
    assert_int_equal(caught, sizeof product / sizeof product[0]);
    arena_finish(&a);
}

static void an_impossible_size_apart_goes_to_the_handler(void **state)
{
    static const size_t product[][2] = {
        { SIZE_MAX, 2 }, { SIZE_MAX - 10, 1 }, { SIZE_MAX / 2 + 99, 1 },
    };
    struct arena a;
    struct trap t;
    volatile size_t caught = 0;

    (void)state;
    arena_init(&a, spring, &t);
    for (volatile size_t i = 0; i < sizeof product / sizeof product[0]; i++)
        if (setjmp(t.back) == 0) {
            arena_alloc_apart(&a, product[i][0], product[i][1]);
            fail();
        } else {
            caught++;
        }
    assert_int_equal(caught, sizeof product / sizeof product[0]);
    arena_finish(&a);
}

/* Blocks are kept for the next allocations, each for one that fits it best. */
static void blocks_are_kept(void **state)
{
    enum { SMALL = 300 * 1024, LARGE = 900 * 1024 };
    struct arena *a = *state;
    struct arena_mark mark = arena_mark(a);
    unsigned char *small = arena_alloc(a, SMALL, 1), *large = arena_alloc(a, LARGE, 1);

    memset(large, 7, LARGE);
    memset(small, 7, SMALL);
    for (int k = 0; k < 2; k++) {
        bool first = k == 0;
        unsigned char *again;

        arena_reset(a, mark);
        again = arena_alloc(a, first ? LARGE : SMALL, 1);
        assert_ptr_equal(again, first ? large : small);
        assert_true(is_zero(again, first ? LARGE : SMALL));
        again = arena_alloc(a, first ? SMALL : LARGE, 1);
        assert_ptr_equal(again, first ? small : large);
    }
    arena_reset(a, mark);
    assert_int_equal(a->spare_size, SMALL + LARGE);
}

/* One that fits no longer is given back when more is asked for, and nothing is without bound. */
static void a_need_that_grows_leaves_nothing(void **state)
{
    enum { MIB = 1024 * 1024 };
    struct arena *a = *state;
    struct arena_mark mark = arena_mark(a);

    for (int size = 1; size <= 8; size++) {
        assert_true(is_zero(arena_alloc(a, (uint64_t)size, MIB), (size_t)size * MIB));
        assert_int_equal(arena_since(a, mark), size * MIB);
        assert_int_equal(a->spare_size, 0);
        arena_reset(a, mark);
        assert_int_equal(a->spare_size, size * MIB);
    }
    for (int i = 0; i < 9; i++)
        arena_alloc(a, 10, MIB);
    arena_reset(a, mark);
    assert_int_equal(a->spare_size, 60 * MIB);
    arena_alloc(a, 100, MIB);
    arena_reset(a, mark);
    assert_int_equal(a->spare_size, 100 * MIB);         /* the largest, alone */
    arena_alloc(a, 10, MIB);
    arena_alloc(a, 80, MIB);
    arena_reset(a, mark);
    assert_true(a->spare_size <= 100 * MIB);
}

/* A block that was made for much is used for little as one that was made for it. */
static void what_was_before_is_not_counted(void **state)
{
    enum { MIB = 1024 * 1024 };
    struct arena *a = *state;
    struct arena_mark mark = arena_mark(a);
    size_t fresh;

    arena_alloc(a, 1, 1);
    fresh = arena_since(a, mark);
    arena_finish(a);
    mark = arena_mark(a);
    arena_alloc(a, 20, MIB);
    arena_reset(a, mark);
    for (int k = 0; k < 2; k++) {
        for (int i = 1; i <= 3; i++) {
            unsigned char *p = arena_alloc(a, fresh - 64, 1);

            assert_true(is_zero(p, fresh - 64));
            memset(p, 7, fresh - 64);
            assert_int_equal(arena_since(a, mark), (size_t)i * fresh);
        }
        arena_reset(a, mark);
        assert_in_range(a->spare_size, 20 * MIB, 21 * MIB);     /* all of it */
        memset(arena_alloc(a, 20, MIB), 7, 20 * MIB);
        assert_int_equal(arena_since(a, mark), 20 * MIB);
        arena_reset(a, mark);
    }
}

/* ---- what goes with the arena ---- */

static char order[8];

static void note(void *what)
{
    size_t n = strlen(order);

    order[n] = *(const char *)what;
    order[n + 1] = '\0';
}

/* Newest first, each once: at its release, at a reset, at the end. */
static void what_is_owned_is_released_once(void **state)
{
    char names[] = "abcde";
    struct arena_mark mark;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    order[0] = '\0';
    arena_own(&a, note, &names[0]);
    arena_own(&a, note, &names[1]);
    mark = arena_mark(&a);
    arena_own(&a, note, &names[2]);
    arena_own(&a, note, &names[3]);
    arena_release(&a, &names[1]);       /* below the mark, which stays of use */
    arena_release(&a, &names[1]);
    arena_release(&a, &names[4]);
    assert_string_equal(order, "b");
    arena_reset(&a, mark);
    assert_string_equal(order, "bdc");
    arena_own(&a, note, &names[4]);
    arena_finish(&a);
    assert_string_equal(order, "bdcea");
}

/* ---- what is handed out ---- */

static void zeroed_and_aligned(void **state)
{
    for (size_t n = 0; n < 300; n++) {
        unsigned char *p = arena_alloc(*state, n, 7);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_true(is_zero(p, 7 * n));
        memset(p, 0xaa, 7 * n);
    }
}

static void pieces_do_not_overlap(void **state)
{
    enum { N = 2000 };
    static unsigned char *p[N];
    size_t size[N];

    for (int i = 0; i < N; i++) {
        size[i] = (size_t)(i * 37 % 1500) + 1;
        p[i] = arena_alloc_raw(*state, size[i], 1);
        memset(p[i], i & 0xff, size[i]);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(p[i][k], i & 0xff);
}

static void large_blocks(void **state)
{
    size_t n = (size_t)3 << 20;
    unsigned char *p = arena_alloc(*state, n, 1), *q;

    assert_true(is_zero(p, n));
    memset(p, 1, n);
    q = arena_alloc(*state, n, 1);
    assert_true(is_zero(q, n));
    assert_int_equal(p[n - 1], 1);
}

/* ---- mark and reset ---- */

static void what_was_reset_is_zero_again(void **state)
{
    struct arena *a = *state;
    unsigned char *first = arena_alloc(a, 100, 1);

    memset(first, 7, 100);
    for (int round = 0; round < 5; round++) {
        struct arena_mark mark = arena_mark(a);

        for (size_t n = 1; n < (size_t)1 << 20; n *= 3) {
            unsigned char *p = arena_alloc(a, n, 1);

            assert_true(is_zero(p, n));
            memset(p, 0xff, n);
        }
        arena_reset(a, mark);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(first[i], 7);
}

/* A block that goes back to the spare one holds what was written to it before. */
static void a_spare_block_is_cleared(void **state)
{
    struct arena *a = *state;

    for (int round = 0; round < 3; round++) {
        struct arena_mark mark = arena_mark(a);
        unsigned char *p = arena_alloc_raw(a, 400000, 1);

        memset(p, 0x55, 400000);
        arena_reset(a, mark);
        p = arena_alloc(a, 500, 1);
        assert_true(is_zero(p, 500));
        memset(p, 0x55, 500);
        p = arena_alloc(a, 399000, 1);
        assert_true(is_zero(p, 399000));
        arena_reset(a, mark);
    }
}

static void marks_nest(void **state)
{
    struct arena *a = *state;
    char *one = arena_strdup(a, "one"), *two;
    struct arena_mark outer = arena_mark(a), inner;

    two = arena_strdup(a, "two");
    inner = arena_mark(a);
    arena_alloc(a, (size_t)1 << 20, 1);
    arena_alloc(a, (size_t)1 << 20, 1);
    arena_reset(a, inner);
    assert_string_equal(two, "two");
    arena_reset(a, outer);
    assert_string_equal(one, "one");
}

static void a_mark_of_an_empty_arena(void **state)
{
    struct arena *a = *state;
    struct arena_mark mark = arena_mark(a);

    memset(arena_alloc(a, 1000, 1), 1, 1000);
    arena_reset(a, mark);
    assert_true(is_zero(arena_alloc(a, 1000, 1), 1000));
}

/* ---- strings, growing ---- */

static void strings(void **state)
{
    struct arena *a = *state;
    char *s = arena_strndup(a, "a\0b", 3);

    assert_memory_equal(s, "a\0b\0", 4);
    assert_string_equal(arena_strndup(a, "abc", 0), "");
    assert_string_equal(arena_strndup(a, NULL, 0), "");
    assert_string_equal(arena_printf(a, "%d-%s", 42, "x"), "42-x");
    s = arena_printf(a, "%0*d", 5000, 1);
    assert_int_equal(strlen(s), 5000);
}

static void growing_keeps_and_clears(void **state)
{
    int *p = arena_grow(*state, NULL, 0, 4, sizeof *p), *q;

    for (int i = 0; i < 4; i++) {
        assert_int_equal(p[i], 0);
        p[i] = i + 1;
    }
    q = arena_grow(*state, p, 4, 1000, sizeof *q);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(q[i], i < 4 ? i + 1 : 0);
    assert_int_equal(p[3], 4);
}

/* ---- one byte too far ---- */

#ifdef __has_feature
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined __SANITIZE_ADDRESS__ || HAS(address_sanitizer)
enum { WATCHED = true };
#else
enum { WATCHED = false };
#endif

/* What was given back is no longer counted, and the rest stays as it was. */
static void what_is_large_is_given_back(void **state)
{
    enum { N = 1 << 20 };
    struct arena *a = *state;
    struct arena_mark begin = arena_mark(a), later;
    char *small = arena_strdup(a, "kept"), *large = arena_alloc(a, N, 1), *larger;

    memset(large, 7, N);
    later = arena_mark(a);
    larger = arena_regrow(a, large, N, 2 * N, 1);
    assert_true(larger[0] == 7 && larger[N - 1] == 7 && is_zero(larger + N, N));
    assert_in_range(arena_since(a, begin), 2 * N, 3 * N - 1);
    assert_int_equal(arena_since(a, later), N);
    arena_reset(a, later);              /* to a block that is gone */
    assert_in_range(arena_since(a, begin), 0, N - 1);
    assert_int_equal(arena_since(a, later), 0);     /* it is less than at the mark */
    assert_true(is_zero(arena_alloc(a, 100, 1), 100));
    assert_non_null(arena_alloc(a, 0, 1));
    assert_string_equal(small, "kept");
}

/* Nor does anything else go with it. */
static void what_shares_its_block_stays(void **state)
{
    enum { N = 1 << 20 };
    struct arena *a = *state;
    char *large = arena_alloc_apart(a, N, 1);
    struct arena_mark mark = arena_mark(a);
    char *part, *tail;

    arena_give_back(a, large + 64, N - 64, 1);
    large[N - 1] = 1;
    arena_give_back(a, "small", 5, 1);
    arena_alloc(a, 4 * N, 1);
    arena_reset(a, mark);               /* leaves a spare block that is larger */
    part = arena_alloc(a, N, 1);
    tail = arena_strdup(a, "tail");
    arena_give_back(a, part, N, 1);     /* all of that block, which nothing shares */
    assert_string_equal(tail, "tail");
    assert_in_range(arena_since(a, mark), 1, N - 1);
}

/* Whether AddressSanitizer ends a process that writes there. */
static bool is_seen(volatile char *p)
{
    int status, child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO);
        *p = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void a_byte_too_far_is_seen(void **state)
{
    static const size_t sizes[] = { 0, 1, 10, 63, 64, 65, 128, 1 << 20 };
    struct arena_mark mark;
    char *p;

    if (!WATCHED)
        skip();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p = arena_alloc(*state, sizes[i], 1);
        arena_alloc(*state, 8, 1);
        assert_true(is_seen(p + sizes[i]));
        assert_false(sizes[i] > 0 && is_seen(p + sizes[i] - 1));
    }
    mark = arena_mark(*state);
    p = arena_alloc(*state, 100, 1);
    assert_false(is_seen(p));
    arena_reset(*state, mark);
    assert_true(is_seen(p));
    assert_ptr_equal(arena_alloc_raw(*state, 100, 1), p);
    assert_false(is_seen(p));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(no_memory_goes_to_the_handler), TEST(no_memory_can_be_asked_about),
        TEST(what_the_system_refused_is_not_passed_over),
        TEST(a_product_that_overflows_goes_to_the_handler),
        TEST(an_impossible_size_apart_goes_to_the_handler), TEST(blocks_are_kept),
        TEST(a_need_that_grows_leaves_nothing), TEST(what_was_before_is_not_counted),
        TEST(zeroed_and_aligned), TEST(pieces_do_not_overlap), TEST(large_blocks),
        TEST(what_was_reset_is_zero_again), TEST(a_spare_block_is_cleared),
        TEST(marks_nest), TEST(a_mark_of_an_empty_arena), TEST(strings),
        TEST(growing_keeps_and_clears), TEST(what_is_owned_is_released_once),
        TEST(what_is_large_is_given_back), TEST(what_shares_its_block_stays),
        TEST(a_byte_too_far_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
