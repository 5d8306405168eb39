/* SPDX-License-Identifier: MIT
 * Means of numbers, and intervals.  tests/cli/diff.bats compares intervals with NumPy's. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"

enum { TEXTS = 40, NUMBERS = 2 };

static const struct summary_kind kind = { NUMBERS, 1000, NULL, true };

static double value(int text, int i)
{
    return i == 0 ? sin(text) * 1e-9 - 3e-18 : (text * 37 % 11) / 7.0 - 0.7;
}

/* Adds all texts, from the one numbered first on, step by step. */
static struct summary *all(struct arena *a, int first, int step)
{
    struct summary *s = summary_new(a, &kind);

    for (int k = 0; k < TEXTS; k++) {
        int text = (first + k * step) % TEXTS;
        double values[NUMBERS] = { value(text, 0), value(text, 1) };

        summary_add(s, text, values);
    }
    return s;
}

static void means(void **state)
{
    struct arena a;
    struct summary *s;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = all(&a, 0, 1);
    for (int i = 0; i < NUMBERS; i++) {
        struct summary_estimate x = summary_of(s, i);
        double sum = 0, squares = 0;

        for (int k = 0; k < TEXTS; k++)
            sum += value(k, i);
        for (int k = 0; k < TEXTS; k++)
            squares += pow(value(k, i) - sum / TEXTS, 2);
        assert_int_equal(x.n, TEXTS);
        check_close(x.mean, sum / TEXTS, 1e-19 + fabs(sum) * 1e-14);
        check_close(x.sd, sqrt(squares / (TEXTS - 1)), x.sd * 1e-6);
        /* Student's t of 39 degrees of freedom, from tables */
        check_close(x.high - x.mean, 2.0226909 * x.sd / sqrt(TEXTS), x.sd * 1e-8);
        check_close(x.mean - x.low, x.high - x.mean, x.sd * 1e-12);
        assert_true(x.boot_low < x.mean && x.mean < x.boot_high);
        check_close((x.boot_high - x.boot_low) / (x.high - x.low), 1, 0.1);
    }
    arena_finish(&a);
}

static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* How often a replicate has a text: the header's formula. */
static int weight(int replicate, int text)
{
    uint64_t bits = mixed(mixed(mixed(1) ^ (uint64_t)replicate) ^ (uint64_t)text);
    double u = (double)(bits >> 11) / 9007199254740992.0, share = exp(-1), below = share;
    int k = 0;

    for (; u >= below; below += share)
        share /= ++k;
    return k;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* The quantiles of the replicates' means, linear between the two nearest. */
static void intervals(void **state)
{
    enum { REPLICATES = 1000 };
    double mean[REPLICATES];
    struct summary_estimate x;
    struct arena a;

    (void)state;
    for (int b = 0; b < REPLICATES; b++) {
        double sum = 0, weights = 0;

        for (int k = 0; k < TEXTS; k++) {
            weights += weight(b, k);
            sum += weight(b, k) * value(k, 1);
        }
        mean[b] = sum / weights;
    }
    qsort(mean, REPLICATES, sizeof *mean, by_size);
    arena_init(&a, NULL, NULL);
    x = summary_of(all(&a, 0, 1), 1);
    check_close(x.boot_low, mean[24] + 0.975 * (mean[25] - mean[24]), 1e-12);
    check_close(x.boot_high, mean[974] + 0.025 * (mean[975] - mean[974]), 1e-12);
    assert_true(mean[25] - mean[24] > 1e-6 && mean[975] - mean[974] > 1e-6);
    arena_finish(&a);
}

static void any_order(void **state)
{
    struct arena a;
    struct summary *s, *other;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = all(&a, 0, 1);
    other = all(&a, 17, 7);
    for (int i = 0; i < NUMBERS; i++) {
        struct summary_estimate x = summary_of(s, i), y = summary_of(other, i);

        assert_memory_equal(&x, &y, sizeof x);
    }
    arena_finish(&a);
}

/* Texts in three parts, merged in another order. */
static void merged(void **state)
{
    struct arena a;
    struct summary *parts[3], *whole, *s;

    (void)state;
    arena_init(&a, NULL, NULL);
    whole = all(&a, 0, 1);
    for (int p = 0; p < 3; p++) {
        parts[p] = summary_new(&a, &kind);
        for (int k = p; k < TEXTS; k += 3)
            summary_add(parts[p], k, (double[]){ value(k, 0), value(k, 1) });
    }
    s = summary_new(&a, &kind);
    summary_merge(s, parts[2]);
    summary_merge(s, parts[0]);
    summary_merge(s, parts[1]);
    for (int i = 0; i < NUMBERS; i++) {
        struct summary_estimate x = summary_of(s, i), y = summary_of(whole, i);

        assert_memory_equal(&x, &y, sizeof x);
    }
    arena_finish(&a);
}

/* Heads whose means differ by more than their texts do are alike in all halves. */
static void reliability(void **state)
{
    enum { HEADS = 5 };
    const struct summary_kind of_heads = { HEADS * 2, 0, NULL, true };
    struct summary_reliability sure, unsure, one;
    struct arena a;
    struct summary *s;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = summary_new(&a, &of_heads);
    for (int text = 0; text < TEXTS; text++) {
        double values[HEADS * 2];

        for (int h = 0; h < HEADS; h++) {
            values[2 * h] = h + sin(text * 7 + h) * 1e-3;
            values[2 * h + 1] = sin(text * 77 + h * 13);
        }
        summary_add(s, text, values);
    }
    sure = summary_reliability(s, 0, 2, HEADS);
    unsure = summary_reliability(s, 1, 2, HEADS);
    one = summary_reliability(s, 0, 2, 1);
    assert_true(sure.low > 0.9999 && sure.low <= sure.r && sure.r <= sure.high);
    check_close(sure.whole, 2 * sure.r / (1 + sure.r), 1e-15);
    assert_true(unsure.low < 0 && unsure.high - unsure.low > 0.5);
    assert_true(isnan(one.r) && isnan(one.low) && isnan(one.whole));
    arena_finish(&a);
}

/* Beyond what the sums hold, a number is undefined, and the others are not. */
static void too_large(void **state)
{
    struct summary_estimate x;
    struct arena a;
    struct summary *s;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = summary_new(&a, &kind);
    summary_add(s, 0, (double[]){ 1, 1073741823 });
    assert_true(summary_of(s, 1).mean == 1073741823);
    summary_add(s, 1, (double[]){ 2, 1073741824 });
    summary_add(s, 2, (double[]){ INFINITY, 1 });
    x = summary_of(s, 1);
    assert_true(x.n == 3 && isnan(x.mean) && isnan(x.sd) && isnan(x.low) && isnan(x.boot_low));
    assert_true(isnan(summary_of(s, 0).mean));
    arena_finish(&a);
}

/* What is undefined in a text is left out; one text has no interval. */
static void few(void **state)
{
    const double first[] = { -2.5, NAN }, second[] = { NAN, NAN }, third[] = { -2.5, 1 };
    struct summary_estimate x;
    struct summary *s;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = summary_new(&a, &kind);
    x = summary_of(s, 0);
    assert_true(x.n == 0 && isnan(x.mean) && isnan(x.sd) && isnan(x.low));
    summary_add(s, 0, first);
    summary_add(s, 1, second);
    x = summary_of(s, 0);
    assert_true(x.n == 1 && x.mean == -2.5 && isnan(x.sd) && isnan(x.low) && isnan(x.high));
    summary_add(s, 2, third);
    x = summary_of(s, 0);
    assert_true(x.n == 2 && x.mean == -2.5 && x.sd == 0 && x.low == -2.5 && x.high == -2.5);
    assert_int_equal(summary_of(s, 1).n, 1);
    arena_finish(&a);
}

/* What was put to words and taken from them again, in two halves, is all of it. */
static void words(void **state)
{
    struct arena a;
    uint64_t *word;
    uint64_t n = summary_n_words(&kind);
    struct summary *s, *half[2], *sum;

    (void)state;
    arena_init(&a, NULL, NULL);
    word = arena_alloc(&a, n, sizeof *word);
    s = all(&a, 0, 1);
    sum = summary_new(&a, &kind);
    for (int k = 0; k < 2; k++) {
        half[k] = summary_new(&a, &kind);
        for (int text = k; text < TEXTS; text += 2) {
            double values[NUMBERS] = { value(text, 0), value(text, 1) };

            summary_add(half[k], text, values);
        }
        summary_put(half[k], word);
        assert_true(summary_take(sum, word));
    }
    for (int i = 0; i < NUMBERS; i++) {
        struct summary_estimate x = summary_of(s, i), y = summary_of(sum, i);

        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_true(summary_reliability(s, 0, 1, NUMBERS).r == summary_reliability(sum, 0, 1,
                                                                               NUMBERS).r ||
                isnan(summary_reliability(s, 0, 1, NUMBERS).r));
    arena_finish(&a);
}

/* Counts below 0, and sums that nothing adds up to, are refused. */
static void impossible_words(void **state)
{
    const struct summary_kind one = { 1, 0, NULL, false };
    uint64_t word[8] = { 0 };
    struct arena a;
    struct summary *s;

    (void)state;
    arena_init(&a, NULL, NULL);
    s = summary_new(&a, &one);
    assert_int_equal(summary_n_words(&one), 8);
    assert_true(summary_take(s, word));
    for (int i = 0; i < 8; i++) {
        memset(word, 0, sizeof word);
        word[i] = i == 6 ? (uint64_t)-1 : i == 0 ? (uint64_t)1 << 62 : (uint64_t)1 << 63;
        /* Digits below the point may be any. */
        assert_int_equal(summary_take(s, word), i == 1 || i == 3 || i == 5);
    }
    arena_finish(&a);
}

/* All that both hold. */
static void same_words(struct summary *s, struct summary *other)
{
    uint64_t n = summary_n_words(&kind);
    uint64_t *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);

    assert_non_null(x);
    assert_non_null(y);
    summary_put(s, x);
    summary_put(other, y);
    assert_memory_equal(x, y, n * sizeof *x);
    free(x);
    free(y);
}

/* Numbers of two summaries of the same texts, in one. */
static void placed(void **state)
{
    struct summary_kind one = kind;
    struct arena a;
    struct summary *s, *want, *part[NUMBERS];

    (void)state;
    one.n = 1;
    arena_init(&a, NULL, NULL);
    want = all(&a, 0, 1);
    s = summary_new(&a, &kind);
    for (int i = 0; i < NUMBERS; i++) {
        part[i] = summary_new(&a, &one);
        for (int text = 0; text < TEXTS; text++) {
            double x = value(text, i);

            summary_add(part[i], text, &x);
        }
        summary_place(s, i, part[i]);
    }
    for (int i = 0; i < NUMBERS; i++) {
        struct summary_estimate x = summary_of(s, i), y = summary_of(want, i);
        struct summary_reliability r = summary_reliability(s, i, 1, 1);

        assert_memory_equal(&x, &y, sizeof x);
        assert_true(isnan(r.r));        /* of one head there is no correlation */
    }
    same_words(s, want);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means),
        cmocka_unit_test(words),
        cmocka_unit_test(impossible_words), cmocka_unit_test(intervals),
        cmocka_unit_test(any_order), cmocka_unit_test(merged), cmocka_unit_test(reliability),
        cmocka_unit_test(too_large), cmocka_unit_test(few), cmocka_unit_test(placed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
