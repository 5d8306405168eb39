/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdatomic.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_once), cmocka_unit_test(unused_pools_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
