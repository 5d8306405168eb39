/* SPDX-License-Identifier: MIT
 * file_tags=threads */
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/par.h"

enum { N = 1000 };

struct job {
    atomic_int calls[N];
    int dirty;                  /* scratch that was not zero, or not aligned */
};

static void count(void *self, int i, struct arena *scratch)
{
    struct job *j = self;
    size_t n = (size_t)(i % 50) * 100 + 1;
    unsigned char *p = arena_alloc(scratch, n, 1);

    for (size_t k = 0; k < n; k++)
        if (p[k] != 0)
            j->dirty = 1;
    memset(p, 0xff, n);
    atomic_fetch_add(&j->calls[i], 1);
}

/* Each index once, whatever the number of threads, again and again. */
static void each_index_once(void **state)
{
    static const int threads[] = { 1, 2, 3, 8 }, sizes[] = { 0, 1, 2, 7, N };

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        struct err e;
        struct par *p = par_new(threads[t], &e);

        assert_non_null(p);
        assert_int_equal(par_threads(p), threads[t]);
        for (int round = 0; round < 40; round++) {
            static struct job j;
            int n = sizes[round % 5];

            memset(&j, 0, sizeof j);
            par_for(p, n, count, &j);
            for (int i = 0; i < N; i++)
                assert_int_equal(j.calls[i], i < n ? 1 : 0);
            assert_int_equal(j.dirty, 0);
        }
        par_free(p);
    }
}

static void unused_pools_end(void **state)
{
    struct err e;

    (void)state;
    par_free(par_new(4, &e));
    par_free(NULL);
    assert_true(par_default_threads() >= 1);
}

/* ---- scratch that runs out ---- */

struct border {
    jmp_buf back;
    size_t asked;
};

static void spring(void *self, size_t size_bytes)
{
    struct border *border = self;

    border->asked = size_bytes;
    longjmp(border->back, 1);
}

struct hungry {
    atomic_int begun, released;
    int who;                    /* the index that asks for too much; -1: all */
};

static void release(void *what)
{
    atomic_fetch_add((atomic_int *)what, 1);
}

static void eat(void *self, int i, struct arena *scratch)
{
    struct hungry *hungry = self;

    atomic_fetch_add(&hungry->begun, 1);
    arena_own(scratch, release, &hungry->released);
    if (hungry->who < 0 || i == hungry->who)
        arena_alloc(scratch, SIZE_MAX - 4096, 1);
}

/* Runs the job; true where its scratch ran out. */
static bool runs_out(struct par *p, struct border *border, struct hungry *hungry, int n)
{
    if (setjmp(border->back) != 0)
        return true;
    par_for(p, n, eat, hungry);
    return false;
}

/* The handler hears of it on the caller's thread, and the pool goes on working. */
static void scratch_that_runs_out_reaches_the_caller(void **state)
{
    static const int threads[] = { 1, 2, 5 };

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        struct err e;
        struct border border;
        struct arena like;
        struct par *p = par_new(threads[t], &e);

        assert_non_null(p);
        arena_init(&like, spring, &border);
        par_on_full(p, &like);
        for (int who = -1; who < 40; who++) {
            struct hungry hungry = { .who = who };

            assert_true(runs_out(p, &border, &hungry, 40));
            assert_true(border.asked >= SIZE_MAX - 4096);
            assert_int_equal(hungry.begun, hungry.released);
            hungry = (struct hungry){ .who = 1000 };
            assert_false(runs_out(p, &border, &hungry, 40));
            assert_int_equal(hungry.begun, 40);
            assert_int_equal(hungry.released, 40);
        }
        par_free(p);
    }
}

/* ---- who is told, and leaves ---- */

struct leaver {
    struct progress progress;
    jmp_buf back;
    int told, after;            /* leaves at this call; -1: never */
};

static void tell(void *self, const struct progress *p)
{
    struct leaver *leaver = self;

    if (++leaver->told == leaver->after)
        leaver->progress.leaving = true;
    if (leaver->progress.leaving && !p->busy)
        longjmp(leaver->back, 1);
}

/* Whether it was left. */
static bool is_left(struct par *p, struct leaver *leaver, struct job *j, int n)
{
    if (setjmp(leaver->back) != 0)
        return true;
    par_for(p, n, count, j);
    return false;
}

/* No call begins once the caller knows, none is at work when it is left, and the pool works on. */
static void who_is_told_may_leave(void **state)
{
    static const int threads[] = { 1, 2, 5 };

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        struct err e;
        struct par *p = par_new(threads[t], &e);
        static struct job j;

        assert_non_null(p);
        for (int after = 1; after < 20; after++) {
            struct leaver leaver = { .progress = { tell, &leaver }, .after = after };
            int begun = 0;

            memset(&j, 0, sizeof j);
            par_tell(p, &leaver.progress);
            if (is_left(p, &leaver, &j, N)) {
                assert_int_equal(leaver.told, after + 1);
                for (int i = 0; i < N; i++)
                    begun += j.calls[i];
                assert_true(begun >= after && (threads[t] > 1 || begun == after));
            } else {                    /* the others were quicker */
                assert_true(threads[t] > 1 && leaver.told < after);
            }
            par_tell(p, NULL);
            memset(&j, 0, sizeof j);
            par_for(p, N, count, &j);
            for (int i = 0; i < N; i++)
                assert_int_equal(j.calls[i], 1);
        }
        par_free(p);
    }
}

/* ---- why it is slower ---- */

static void hear(void *self, const char *message)
{
    strcat(self, message);
    strcat(self, "; ");
}

static void each_reason_is_given_once(void **state)
{
    static const char *const why[] = { "first", "second" };
    char heard[256] = "";
    const struct warn note = { hear, heard };
    struct err e;
    struct par *p = par_new(1, &e);

    (void)state;
    assert_non_null(p);
    par_explain(p, &note);
    for (int i = 0; i < 4; i++)
        par_slower(p, why[i % 2]);
    assert_string_equal(heard, "first: slower, with the same results; "
                               "second: slower, with the same results; ");
    par_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_once), cmocka_unit_test(unused_pools_end),
        cmocka_unit_test(scratch_that_runs_out_reaches_the_caller),
        cmocka_unit_test(who_is_told_may_leave), cmocka_unit_test(each_reason_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
