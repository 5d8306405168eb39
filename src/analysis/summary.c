/* SPDX-License-Identifier: MIT
 * Values of texts -> exact sums, and the same of bootstrap replicates. */
#include "analysis/summary.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { REPLICATES = 1000, SEED = 1 };

/* whole + part 2^-64: sums of it do not round. */
struct fixed {
    int64_t whole;
    uint64_t part;
};

struct sums {
    struct fixed value;
    struct fixed square, rest;  /* of squares; of what is left of them below 2^-64, in
                                   units of that */
    int64_t n;
    struct fixed *replicate;    /* [REPLICATES] of weight times value */
    int64_t *weight;            /* [REPLICATES] of weights */
};

struct summary {
    int n;
    struct sums *sums;          /* [n] */
    unsigned char *weight;      /* [REPLICATES] of the text that is added */
    struct arena *a;
};

struct summary *summary_new(struct arena *a, int n)
{
    struct summary *summary = arena_alloc(a, 1, sizeof *summary);

    *summary = (struct summary){ .n = n, .a = a };
    summary->sums = arena_alloc(a, (size_t)n, sizeof *summary->sums);
    summary->weight = arena_alloc(a, REPLICATES, 1);
    for (int i = 0; i < n; i++) {
        struct sums *sums = &summary->sums[i];

        sums->replicate = arena_alloc(a, REPLICATES, sizeof *sums->replicate);
        sums->weight = arena_alloc(a, REPLICATES, sizeof *sums->weight);
    }
    return summary;
}

/* ---- sums ---- */

static struct fixed negative(struct fixed x)
{
    return (struct fixed){ ~x.whole + (x.part == 0), ~x.part + 1 };
}

/* Digits below 2^-64 are cut off. */
static struct fixed fixed_of(double x)
{
    double size = fabs(x), whole = floor(size);
    struct fixed fixed = { (int64_t)whole, (uint64_t)((size - whole) * 0x1p64) };

    assert(size < 0x1p62);
    return x < 0 ? negative(fixed) : fixed;
}

static void add(struct fixed *sum, struct fixed x)
{
    sum->part += x.part;
    sum->whole += x.whole + (sum->part < x.part);
}

static double real(struct fixed x)
{
    if (x.whole < 0)
        return -real(negative(x));
    return (double)x.whole + (double)x.part * 0x1p-64;
}

/* ---- weights ---- */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The least k with u < P(X <= k), X of Poisson(1); beyond 18 the sum is 1. */
static int poisson(double u)
{
    double share = 0x1.78b56362cef38p-2, sum = share;      /* 1 / e */
    int k = 0;

    while (u >= sum && k < 18) {
        share /= ++k;
        sum += share;
    }
    return k;
}

static void draw_weights(unsigned char *weight, int64_t text)
{
    for (int b = 0; b < REPLICATES; b++) {
        uint64_t bits = mix(mix(mix(SEED) ^ (uint64_t)b) ^ (uint64_t)text);

        weight[b] = (unsigned char)poisson((double)(bits >> 11) * 0x1p-53);
    }
}

static void add_square(struct sums *s, double square)
{
    struct fixed fixed = fixed_of(square);

    add(&s->square, fixed);
    add(&s->rest, fixed_of((square - real(fixed)) * 0x1p64));
}

static void add_value(struct sums *s, const unsigned char *weight, double value)
{
    struct fixed fixed = fixed_of(value);

    add(&s->value, fixed);
    add_square(s, value * value);
    s->n++;
    for (int b = 0; b < REPLICATES; b++) {
        s->weight[b] += weight[b];
        for (int i = 0; i < weight[b]; i++)
            add(&s->replicate[b], fixed);
    }
}

void summary_add(struct summary *s, int64_t text, const double *value)
{
    draw_weights(s->weight, text);
    for (int i = 0; i < s->n; i++)
        if (!isnan(value[i]))
            add_value(&s->sums[i], s->weight, value[i]);
}

/* ---- estimates ---- */

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;

    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static void set_interval(struct summary_estimate *x, const struct sums *s, struct arena *a)
{
    struct arena_mark mark = arena_mark(a);
    double *mean = arena_alloc(a, REPLICATES, sizeof *mean);
    int count = 0;

    for (int b = 0; b < REPLICATES; b++)
        if (s->weight[b] > 0)
            mean[count++] = real(s->replicate[b]) / (double)s->weight[b];
    assert(count > 0);
    qsort(mean, (size_t)count, sizeof *mean, by_size);
    x->low = quantile(mean, count, 0.025);
    x->high = quantile(mean, count, 0.975);
    arena_reset(a, mark);
}

struct summary_estimate summary_of(const struct summary *s, int i)
{
    const struct sums *sums = &s->sums[i];
    struct summary_estimate estimate = { NAN, NAN, NAN, NAN, sums->n };
    double sum = real(sums->value);
    double squares = real(sums->square) + real(sums->rest) * 0x1p-64;

    if (sums->n > 0)
        estimate.mean = sum / (double)sums->n;
    if (sums->n < 2)
        return estimate;
    estimate.sd = sqrt(fmax(0, (squares - sum * estimate.mean) / (double)(sums->n - 1)));
    set_interval(&estimate, sums, s->a);
    return estimate;
}
