/* SPDX-License-Identifier: MIT
 * Where the time goes, by a clock that the test sets. */
#include "check.h"

#include "base/meter.h"

static struct meter_time at;

static struct meter_time read_at(void)
{
    return at;
}

/* So much later, while two processors worked. */
static void pass_s(double seconds)
{
    at.wall_s += seconds;
    at.cpu_s += 2 * seconds;
}

static struct meter *begun(struct meter *m)
{
    *m = (struct meter){ .now = read_at };
    meter_begin(m);
    return m;
}

static void inner_parts_are_not_counted_in_outer_ones(void **state)
{
    struct meter meter, *m = begun(&meter);
    int output, tokens;

    (void)state;
    pass_s(1);
    output = meter_enter(m, METER_OUTPUT);
    pass_s(2);
    tokens = meter_enter(m, METER_TOKENS);
    pass_s(4);
    meter_leave(m, tokens);
    pass_s(8);
    meter_leave(m, output);
    pass_s(16);
    meter_end(m);
    assert_float_equal(m->parts.row[METER_OTHER].wall_s, 17, 1e-12);
    assert_float_equal(m->parts.row[METER_OUTPUT].wall_s, 10, 1e-12);
    assert_float_equal(m->parts.row[METER_OUTPUT].cpu_s, 20, 1e-12);
    assert_float_equal(m->parts.row[METER_TOKENS].wall_s, 4, 1e-12);
    assert_int_equal(m->parts.row[METER_OUTPUT].calls, 1);
    assert_float_equal(meter_total(&m->parts).wall_s, 31, 1e-12);
    assert_float_equal(meter_total(&m->parts).cpu_s, 62, 1e-12);
}

static void what_threads_say_goes_to_the_statistics(void **state)
{
    struct meter meter, *m = begun(&meter);
    int before = meter_enter(m, METER_ATTENTION);

    (void)state;
    meter_flop(m, 1000);
    meter_flop(m, 24);
    m->within_ns = 500000000;       /* of 4 seconds of processors */
    m->within_calls = 3;
    pass_s(2);
    meter_leave(m, before);
    assert_float_equal(m->parts.row[METER_STATISTICS].cpu_s, 0.5, 1e-9);
    assert_float_equal(m->parts.row[METER_STATISTICS].wall_s, 0.25, 1e-9);
    assert_float_equal(m->parts.row[METER_ATTENTION].cpu_s, 3.5, 1e-9);
    assert_float_equal(m->parts.row[METER_ATTENTION].wall_s, 1.75, 1e-9);
    assert_float_equal(m->parts.row[METER_ATTENTION].flop, 1024, 0);
    assert_int_equal(m->parts.row[METER_STATISTICS].calls, 3);
    assert_true(m->within_ns == 0 && m->within_calls == 0 && m->flop == 0);
}

/* By the clock, threads that wait for a processor take longer than there was. */
static void statistics_never_take_more_than_there_is(void **state)
{
    struct meter meter, *m = begun(&meter);
    int before = meter_enter(m, METER_ATTENTION);

    (void)state;
    m->within_ns = 9000000000;
    pass_s(1);
    meter_leave(m, before);
    assert_float_equal(m->parts.row[METER_STATISTICS].cpu_s, 2, 1e-9);
    assert_float_equal(m->parts.row[METER_ATTENTION].cpu_s, 0, 1e-9);
    before = meter_enter(m, METER_ATTENTION);
    m->within_ns = 1;
    meter_leave(m, before);         /* no time passed */
    assert_float_equal(m->parts.row[METER_STATISTICS].cpu_s, 2, 1e-9);
}

static void shapes_of_linears_have_rows_of_their_own(void **state)
{
    struct meter meter, *m = begun(&meter);

    (void)state;
    for (int i = 0; i < 2; i++) {
        int before = meter_enter_linear(m, 10, 3, 7, 84);

        pass_s(1);
        meter_leave(m, before);
    }
    meter_leave(m, meter_enter_linear(m, 1, 7, 3, 84));
    meter_leave(m, meter_enter_linear(m, 1, 3, 8, 96));
    assert_int_equal(m->parts.n, N_METER_PART + 3);
    assert_int_equal(m->parts.row[N_METER_PART].part, METER_LINEAR);
    assert_int_equal(m->parts.row[N_METER_PART].calls, 2);
    assert_float_equal(m->parts.row[N_METER_PART].flop, 2 * 2 * 10 * 3 * 7, 0);
    assert_float_equal(m->parts.row[N_METER_PART].bytes, 168, 0);
    assert_float_equal(m->parts.row[N_METER_PART].wall_s, 2, 1e-12);
}

static void shapes_beyond_the_rows_share_one(void **state)
{
    struct meter meter, *m = begun(&meter);

    (void)state;
    for (int i = 1; i <= 2 * METER_ROWS; i++)
        meter_leave(m, meter_enter_linear(m, 1, i, 1, 4.0 * i));
    assert_int_equal(m->parts.n, METER_ROWS);
    assert_int_equal(m->parts.row[METER_LINEAR].calls, METER_ROWS + N_METER_PART);
    assert_int_equal(m->parts.row[METER_LINEAR].N, 0);
}

static void real_clocks_go_on(void **state)
{
    struct meter meter = { .now = NULL };
    int64_t since;

    (void)state;
    meter_begin(&meter);
    since = meter_within_begin(&meter);
    meter_within_end(&meter, since);
    meter_end(&meter);
    assert_int_equal(meter.parts.row[METER_STATISTICS].calls, 1);
    assert_true(meter_total(&meter.parts).wall_s >= 0 && meter_total(&meter.parts).cpu_s >= 0);
}

static void nobody_needs_to_measure(void **state)
{
    (void)state;
    assert_int_equal(meter_enter(NULL, METER_LOAD), 0);
    assert_int_equal(meter_enter_linear(NULL, 1, 1, 1, 4), 0);
    meter_leave(NULL, 0);
    meter_flop(NULL, 1);
    meter_within_end(NULL, meter_within_begin(NULL));
    meter_end(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_parts_are_not_counted_in_outer_ones),
        cmocka_unit_test(what_threads_say_goes_to_the_statistics),
        cmocka_unit_test(statistics_never_take_more_than_there_is),
        cmocka_unit_test(shapes_of_linears_have_rows_of_their_own),
        cmocka_unit_test(shapes_beyond_the_rows_share_one),
        cmocka_unit_test(real_clocks_go_on),
        cmocka_unit_test(nobody_needs_to_measure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
