/* SPDX-License-Identifier: MIT
 * Work within work, and the share of it that is done.
 * file_tags=threads */
#include "check.h"

#include <stdatomic.h>

#include "base/par.h"
#include "base/progress.h"

struct heard {
    int n, n_levels;
    double share;
};

static void hear(void *self, const struct progress *p)
{
    struct heard *heard = self;

    heard->n++;
    heard->n_levels = p->n;
    heard->share = progress_share(p);
}

static void is_the_share_of_all_levels(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    progress_begin(&p, "head", 4);
    assert_float_equal(heard.share, 0, 0);
    progress_step(&p);
    progress_begin(&p, "layer", 2);
    assert_float_equal(heard.share, 0.25, 1e-12);
    progress_step(&p);
    assert_float_equal(heard.share, 0.375, 1e-12);
    progress_step(&p);
    progress_end(&p);
    progress_step(&p);
    assert_float_equal(heard.share, 0.5, 1e-12);
    progress_end(&p);
    assert_int_equal(heard.n_levels, 0);
    assert_true(isnan(heard.share));
}

/* Texts of a file: how many there are is not known, but how many bytes are read. */
static void knows_a_share_without_a_number(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    progress_begin(&p, "text", 0);
    assert_true(isnan(heard.share));
    progress_reach(&p, 0, 0, 0.5);
    progress_begin(&p, "layer", 2);
    progress_step(&p);
    assert_float_equal(heard.share, 0.25, 1e-12);
    progress_end(&p);
    progress_reach(&p, 7, 0.5, (double)NAN);
    assert_int_equal(p.level[0].done, 7);
    progress_begin(&p, "layer", 2);
    progress_step(&p);
    assert_float_equal(heard.share, 0.5, 1e-12);
    progress_end(&p);
    progress_end(&p);
}

/* The share of the outer levels stands where that of an inner one is not known. */
static void an_inner_level_without_a_number(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    progress_begin(&p, "text", 4);
    progress_step(&p);
    progress_begin(&p, "token", 0);
    assert_int_equal(heard.n_levels, 2);
    assert_float_equal(heard.share, 0.25, 1e-12);
    progress_end(&p);
    progress_end(&p);
}

/* Outside of all work there is nothing to count; that it waits is told all the same. */
static void nothing_is_counted_outside(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    progress_step(&p);
    progress_reach(&p, 3, 0.5, 1);
    progress_end(&p);
    assert_int_equal(heard.n, 0);
    assert_int_equal(p.n, 0);
    progress_wait(&p, true);
    assert_true(p.waiting);
    assert_int_equal(heard.n, 1);
    progress_wait(&p, false);
    assert_false(p.waiting);
    assert_int_equal(heard.n, 2);
}

static void keeps_no_more_levels_than_it_has(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    for (int i = 0; i < PROGRESS_LEVELS + 3; i++)
        progress_begin(&p, "level", 2);
    progress_step(&p);
    assert_float_equal(heard.share, 0, 0);
    for (int i = 0; i < 4; i++)
        progress_end(&p);
    progress_step(&p);
    assert_true(heard.share > 0);
    for (int i = 0; i < PROGRESS_LEVELS; i++)
        progress_end(&p);
    assert_int_equal(p.n, 0);
}

static void counts_the_tokens_of_the_outermost(void **state)
{
    struct progress p = { .tell = NULL };

    (void)state;
    progress_tokens(NULL, 3);
    progress_begin(NULL, "text", 1);
    progress_step(NULL);
    progress_wait(NULL, true);
    progress_reach(NULL, 1, 0, 1);
    progress_end(NULL);
    progress_begin(&p, "text", 2);
    progress_tokens(&p, 3);
    progress_begin(&p, "layer", 2);
    progress_tokens(&p, 4);
    assert_float_equal(p.n_tokens, 7, 0);
    progress_end(&p);
    progress_end(&p);
    progress_begin(&p, "text", 2);
    assert_float_equal(p.n_tokens, 0, 0);
}

static void nothing(void *self, int i, struct arena *scratch)
{
    (void)self;
    (void)i;
    (void)scratch;
}

/* Only the thread that began the work says so, whatever thread does it. */
static void is_told_between_tasks(void **state)
{
    (void)state;
    for (int t = 1; t <= 3; t += 2) {
        struct heard heard = { 0 };
        struct progress p = { .tell = hear, .self = &heard };
        struct err e;
        struct par *par = par_new(t, &e);

        assert_non_null(par);
        assert_null(par_progress(par));
        par_for(par, 100, nothing, NULL);
        par_tell(par, &p);
        assert_ptr_equal(par_progress(par), &p);
        par_for(par, 100, nothing, NULL);
        assert_true(t == 1 ? heard.n == 100 : heard.n <= 100);
        par_free(par);
    }
}

/* A long computation tells after so many steps, whatever parts it says them in. */
static void is_told_of_steps(void **state)
{
    struct heard heard = { 0 };
    struct progress p = { .tell = hear, .self = &heard };

    (void)state;
    progress_ran(NULL, PROGRESS_STEPS);
    progress_ran(&p, PROGRESS_STEPS - 1);
    assert_int_equal(heard.n, 0);
    progress_ran(&p, 1);
    assert_int_equal(heard.n, 1);
    for (int i = 0; i < 40; i++)
        progress_ran(&p, PROGRESS_STEPS / 4);
    assert_int_equal(heard.n, 11);
    progress_ran(&p, 9 * (int64_t)PROGRESS_STEPS);
    assert_int_equal(heard.n, 12);
}

struct parts {
    struct par *par;
    atomic_int n;               /* parts that were begun */
};

/* A task of a thousand parts. */
static void in_parts(void *self, int i, struct arena *scratch)
{
    struct parts *parts = self;

    (void)i;
    for (int k = 0; k < 1000 && !par_leaves(parts->par, scratch); k++)
        atomic_fetch_add(&parts->n, 1);
}

static void leave_at_3(void *self, const struct progress *p)
{
    struct heard *heard = self;

    heard->n++;
    if (heard->n >= 3)
        ((struct progress *)p)->leaving = p->busy;
}

/* Who leaves within a task ends it there, on one thread after the second part. */
static void tasks_are_left_in_parts(void **state)
{
    (void)state;
    for (int t = 1; t <= 3; t += 2) {
        struct heard heard = { 0 };
        struct progress p = { .tell = leave_at_3, .self = &heard };
        struct err e;
        struct parts parts = { .par = par_new(t, &e) };

        assert_non_null(parts.par);
        par_for(parts.par, 8, in_parts, &parts);
        assert_int_equal(parts.n, 8000);
        par_tell(parts.par, &p);
        atomic_store(&parts.n, 0);
        par_for(parts.par, t == 1 ? 8 : 64, in_parts, &parts);
        if (t == 1)
            assert_int_equal(parts.n, 2);
        par_tell(parts.par, NULL);
        atomic_store(&parts.n, 0);
        par_for(parts.par, 8, in_parts, &parts);
        assert_int_equal(parts.n, 8000);
        par_free(parts.par);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_share_of_all_levels),
        cmocka_unit_test(knows_a_share_without_a_number),
        cmocka_unit_test(an_inner_level_without_a_number),
        cmocka_unit_test(nothing_is_counted_outside),
        cmocka_unit_test(keeps_no_more_levels_than_it_has),
        cmocka_unit_test(counts_the_tokens_of_the_outermost),
        cmocka_unit_test(is_told_between_tasks), cmocka_unit_test(is_told_of_steps),
        cmocka_unit_test(tasks_are_left_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
