/* SPDX-License-Identifier: MIT
 * Facts of rows: by hand, and of every kernel against plain C, short rows and long ones. */
#include "nn_check.h"

#include "nn/facts.h"

enum { LONGEST = 2 * FACTS_MOST + 70 };

static struct facts_room room;

/* Rows that sum to 1: some of few keys, the last without its last keys. */
static struct facts_rows make_rows(int n_rows, int n, int *n_visible, float *largest)
{
    size_t stride = (size_t)n + 5;
    float *w = nan_floats(stride * (size_t)n_rows);

    for (int t = 0; t < n_rows; t++) {
        float *row = w + (size_t)t * stride;
        double sum = 0;

        n_visible[t] = t % 3 == 2 ? (n + 1) / 2 : n;
        largest[t] = 0;
        for (int j = 0; j < n; j++) {
            double x = 1 + (double)random_float() / 1.0001;

            row[j] = j < n_visible[t] ? (float)(t % 2 == 0 ? x : x * x * x * x * x) : 0;
            sum += (double)row[j];
        }
        for (int j = 0; j < n; j++) {
            row[j] = (float)((double)row[j] / sum);
            largest[t] = row[j] > largest[t] ? row[j] : largest[t];
        }
    }
    room.is_made = false;
    return (struct facts_rows){ w, stride, n_rows, n, n % 2 * 32, n / 3, n_visible, largest,
                                &room };
}

/* Of plain C. */
static struct facts_shape want_shape;
static struct facts_top want_top;
static double want_mixed[ATTEND_ROWS];

static void compare(const char *what, int n, const double *got, const double *want, int n_rows)
{
    for (int t = 0; t < n_rows; t++)
        kernel_near(what, n, got[t], want[t], 1e-12 * (1 + fabs(want[t])));
}

/* What facts.h states: a mix of 1.01e-4 in place of 1e-4 is off by more. */
static void compare_mixed(int n, const double *got, const double *want, int n_rows)
{
    for (int t = 0; t < n_rows; t++)
        kernel_near("mixed entropy", n, got[t], want[t], 2.5e-7 * (1 + fabs(want[t])));
}

/* Sums of columns are the same bits; what stood there is added to. */
static void check_columns(const struct facts_rows *rows)
{
    double want[LONGEST + 1], got[LONGEST + 1];

    for (int j = 0; j <= rows->n; j++)
        want[j] = got[j] = j / 3.0;
    facts_c.columns(want, rows);
    facts_columns(got, rows);
    assert_memory_equal(got, want, (size_t)(rows->n + 1) * sizeof *got);
}

static void check_block(int n_rows, int n)
{
    int n_visible[ATTEND_ROWS];
    float largest[ATTEND_ROWS];
    struct facts_rows rows = make_rows(n_rows, n, n_visible, largest);
    struct facts_shape shape;
    struct facts_top top;
    double mixed[ATTEND_ROWS];

    facts_c.shape(&want_shape, &rows);
    facts_c.mixed_entropy(want_mixed, &rows, 1e-4);
    facts_shape(&shape, &rows);
    facts_mixed_entropy(mixed, &rows, 1e-4);
    compare("mass", n, shape.mass, want_shape.mass, n_rows);
    compare("squares", n, shape.squares, want_shape.squares, n_rows);
    compare("uneven", n, shape.uneven, want_shape.uneven, n_rows);
    compare("distance", n, shape.distance, want_shape.distance, n_rows);
    compare("|distance|", n, shape.distance_abs, want_shape.distance_abs, n_rows);
    compare("spread", n, shape.spread, want_shape.spread, n_rows);
    compare("back", n, shape.back, want_shape.back, n_rows);
    compare("back mass", n, shape.back_mass, want_shape.back_mass, n_rows);
    compare_mixed(n, mixed, want_mixed, n_rows);
    assert_memory_equal(shape.low, want_shape.low, (size_t)n_rows * sizeof *shape.low);
    assert_memory_equal(shape.small, want_shape.small, (size_t)n_rows * sizeof *shape.small);
    check_columns(&rows);
    if (n <= FACTS_MOST) {
        facts_c.top(&want_top, &rows, 0.9);
        facts_top(&top, &rows, 0.9);
        for (int k = 0; k < FACTS_TOPS; k++)
            assert_memory_equal(top.mass[k], want_top.mass[k], (size_t)n_rows * sizeof(double));
        assert_memory_equal(top.enough, want_top.enough, (size_t)n_rows * sizeof(int));
    }
    free((float *)rows.w);
}

static void lengths(void)
{
    for (int n = 1; n <= 90; n++)
        check_block(1 + n * 7 % ATTEND_ROWS, n);
    for (int n_rows = 1; n_rows <= ATTEND_ROWS; n_rows++)
        check_block(n_rows, 38);
    check_block(ATTEND_ROWS, FACTS_MOST - 1);
    check_block(19, FACTS_MOST);
    check_block(5, FACTS_MOST + 1);
    check_block(ATTEND_ROWS, LONGEST);
}

/* Rows 1/2 1/4 1/4 0 of keys 0 to 3, of which the last is not seen, and 0 0 0 1; queries 1
 * and 2. */
static void by_hand(void)
{
    static const float w[8] = { 0.5f, 0.25f, 0.25f, 0, 0, 0, 0, 1 };
    static const int n_visible[2] = { 3, 4 };
    static const float largest[2] = { 0.5f, 1 };
    const struct facts_rows rows = { w, 4, 2, 4, 0, 1, n_visible, largest, &room };
    struct facts_shape s;
    struct facts_top top;
    double mixed[2], columns[4] = { 0, 1, 0, -1 };

    room.is_made = false;
    facts_shape(&s, &rows);
    check_close(s.mass[0], 1, 1e-15);
    check_close(s.squares[0], 0.375, 1e-15);
    check_close(s.uneven[0], 1 / 6.0 + 2 / 12.0, 1e-15);
    check_close(s.uneven[1], 1.5, 1e-15);
    check_close(s.distance[0], -0.25, 1e-15);
    check_close(s.distance_abs[0], 0.75, 1e-15);
    check_close(s.spread[0], 0.5 * 0.5625 + 0.25 * 0.0625 + 0.25 * 1.5625, 1e-15);
    check_close(s.spread[1], 0, 1e-15);
    check_close(s.back_mass[0], 0.25, 1e-15);
    check_close(s.back[0], 0, 1e-15);
    check_close(s.back_mass[1], 0, 1e-15);
    assert_int_equal(s.low[0], 0);
    assert_int_equal(s.low[1], 3);
    assert_int_equal(s.small[0], 0);
    assert_int_equal(s.small[1], 3);
    facts_mixed_entropy(mixed, &rows, 0.4);
    check_close(mixed[1], -(0.7 * log(0.7) + 3 * 0.1 * log(0.1)), 2.5e-7);
    facts_columns(columns, &rows);
    check_close(columns[0], 0.5, 0);
    check_close(columns[1], 1.25, 0);
    check_close(columns[3], 0, 0);
    facts_top(&top, &rows, 0.75);
    check_close(top.mass[0][0], 0.5, 0);
    check_close(top.mass[1][0], 0.75, 0);
    check_close(top.mass[4][0], 1, 0);
    assert_int_equal(top.enough[0], 2);
    assert_int_equal(top.enough[1], 1);
}

KERNEL_TEST(lengths)
KERNEL_TEST(by_hand)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
