/* SPDX-License-Identifier: MIT
 * Signals that wait: for the end of a few lines, or of a piece of work. */
#include "check.h"

#include "base/signals.h"

/* The last one that was not put off, which would have ended the program; 0: none. */
static volatile sig_atomic_t ended_by;

static void on_signal(int sig)
{
    if (!signals_is_put_off(sig))
        ended_by = sig;
}

static int raised(int sig)
{
    ended_by = 0;
    raise(sig);
    return ended_by;
}

static int setup(void **state)
{
    (void)state;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGHUP, on_signal);
    return 0;
}

static void nothing_waits_before_it_is_said(void **state)
{
    (void)state;
    assert_int_equal(raised(SIGINT), SIGINT);
    assert_int_equal(raised(SIGTERM), SIGTERM);
    assert_int_equal(signals_put_off_one(), 0);
}

/* The first is kept, and raised at the end; a second one ends the program. */
static void the_first_one_waits(void **state)
{
    static const int both[] = { SIGINT, SIGTERM };

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int second = 0; second < 2; second++) {
            signals_put_off();
            assert_int_equal(signals_put_off_one(), 0);
            assert_int_equal(raised(both[i]), 0);
            assert_int_equal(signals_put_off_one(), both[i]);
            assert_int_equal(raised(both[second]), both[second]);
            assert_int_equal(signals_put_off_one(), both[i]);
            ended_by = 0;
            signals_put_off_end();
            assert_int_equal(ended_by, both[i]);
            assert_int_equal(signals_put_off_one(), 0);
            assert_int_equal(raised(both[i]), both[i]);
        }
}

static void others_do_not_wait(void **state)
{
    (void)state;
    signals_put_off();
    assert_int_equal(raised(SIGHUP), SIGHUP);
    assert_int_equal(signals_put_off_one(), 0);
    ended_by = 0;
    signals_put_off_end();
    assert_int_equal(ended_by, 0);          /* none came that waited */
}

/* What came in an earlier piece of work is not of this one. */
static void a_beginning_forgets(void **state)
{
    (void)state;
    signals_put_off();
    assert_int_equal(raised(SIGTERM), 0);
    signals_put_off();
    assert_int_equal(signals_put_off_one(), 0);
    assert_int_equal(raised(SIGINT), 0);
    ended_by = 0;
    signals_put_off_end();
    assert_int_equal(ended_by, SIGINT);
}

/* Held signals come when they are let; a fault comes at once. */
static void a_few_lines_are_one(void **state)
{
    sigset_t before, after;

    (void)state;
    signal(SIGBUS, on_signal);              /* cmocka has one of its own for each test */
    signals_hold(&before);
    assert_int_equal(raised(SIGTERM), 0);
    assert_int_equal(raised(SIGBUS), SIGBUS);
    ended_by = 0;
    signals_let(&before);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(ended_by, SIGTERM);
    assert_int_equal(sigismember(&after, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_waits_before_it_is_said),
        cmocka_unit_test(the_first_one_waits),
        cmocka_unit_test(others_do_not_wait),
        cmocka_unit_test(a_beginning_forgets),
        cmocka_unit_test(a_few_lines_are_one),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
