/* SPDX-License-Identifier: MIT
 * Differences between groups of texts: Welch's interval, permutations, false discoveries. */
#include "analysis/contrast.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/student.h"

struct contrast contrast_of(const struct summary_estimate *first,
                            const struct summary_estimate *second)
{
    struct contrast x = { second->mean - first->mean, NAN, NAN, NAN, NAN };
    double n[2] = { (double)first->n, (double)second->n };
    double of_first = first->sd * first->sd / n[0], of_second = second->sd * second->sd / n[1];
    double s = sqrt(of_first + of_second), nu, half;

    if (!(s > 0))
        return x;
    nu = s * s * s * s / (of_first * of_first / (n[0] - 1) + of_second * of_second / (n[1] - 1));
    half = student_quantile(0.05, nu) * s;
    x.low = x.difference - half;
    x.high = x.difference + half;
    x.p = student_tail(fabs(x.difference) / s, nu);
    return x;
}

/* ---- permutations ---- */

static int keep_defined(double *dst, const double *x, int n)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        if (!isnan(x[i]))
            dst[count++] = x[i];
    return count;
}

/* sum[set] of the values whose bits are in the set, for sets of n values. */
static void sum_sets(double *sum, const double *value, int n)
{
    sum[0] = 0;
    for (int i = 0; i < n; i++)
        for (int set = 0; set < 1 << i; set++)
            sum[set | 1 << i] = sum[set] + value[i];
}

/* The next larger number with as many bits. */
static uint32_t next_set(uint32_t set)
{
    uint32_t lowest = set & (~set + 1), carried = set + lowest;

    return carried | (((set ^ carried) >> 2) / lowest);
}

double contrast_exact(const double *first, int n_first, const double *second, int n_second)
{
    enum { HALF = CONTRAST_FEW / 2, SETS = 1 << HALF };
    double value[CONTRAST_FEW], low[SETS], high[SETS], all, mean;
    int n_chosen, n, n_low;
    int64_t n_ways = 0, n_large = 0;
    double given, limit;

    assert(n_first + n_second <= CONTRAST_FEW);
    n_chosen = keep_defined(value, first, n_first);
    n = n_chosen + keep_defined(value + n_chosen, second, n_second);
    if (n_chosen == 0 || n_chosen == n)
        return NAN;
    n_low = n < HALF ? n : HALF;
    sum_sets(low, value, n_low);
    sum_sets(high, value + n_low, n - n_low);
    all = low[(1 << n_low) - 1] + high[(1 << (n - n_low)) - 1];
    /* Means of both groups differ as much as the sum of one does from its share of all. */
    mean = all * n_chosen / n;
    given = 0;
    for (uint32_t set = ((uint32_t)1 << n_chosen) - 1; set < (uint32_t)1 << n;
         set = next_set(set)) {
        double away = fabs(low[set & ((1u << n_low) - 1)] + high[set >> n_low] - mean);

        if (n_ways++ == 0)
            given = away;       /* the groups as they are */
        limit = given - 1e-12 * (given + fabs(all));
        n_large += away >= limit;
    }
    return (double)n_large / (double)n_ways;
}

/* ---- many at once ---- */

static int by_p(const void *x, const void *y)
{
    const struct contrast *a = *(struct contrast *const *)x, *b = *(struct contrast *const *)y;

    return (a->p > b->p) - (a->p < b->p);
}

void contrast_adjust(struct arena *a, struct contrast **x, int count)
{
    struct arena_mark mark = arena_mark(a);
    struct contrast **order = arena_alloc(a, (uint64_t)count, sizeof *order);
    double least = 1;
    int n = 0;

    for (int i = 0; i < count; i++)
        if (!isnan(x[i]->p))
            order[n++] = x[i];
    qsort(order, (size_t)n, sizeof(struct contrast *), by_p);
    for (int i = n - 1; i >= 0; i--) {
        least = fmin(least, order[i]->p * n / (i + 1));
        order[i]->q = least;
    }
    arena_reset(a, mark);
}
