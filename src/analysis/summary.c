/* SPDX-License-Identifier: MIT
 * Values of texts -> exact sums, of all texts, bootstrap replicates and halves -> means, intervals.
 * */
#include "analysis/summary.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/student.h"

enum { SEED = 1, SPLITS = 100 };

/* Sums of one number over texts that count, each as often as a weight says. */
struct summary_part {
    struct fixed sum;
    int64_t weight;
};

struct sums {
    struct fixed value;
    struct fixed square, rest;  /* of squares; of what is left of them below 2^-64, in
                                   units of that */
    int64_t n;
    int64_t beyond;             /* 1: too large for these sums */
};

struct summary {
    struct summary_kind kind;
    struct sums *sums;          /* [n] */
    struct summary_part **replicate;    /* [n] of [n_replicates]; NULL: none are kept of it */
    struct summary_part *half;          /* [n, SPLITS] of the first half of each; NULL: not kept */
    unsigned char *weight;      /* [n_replicates] of the text that is added */
    unsigned char *is_first;    /* [SPLITS] the same */
    struct arena *a;
};

static bool is_replicated(const struct summary_kind *kind, int i)
{
    return kind->n_replicates > 0 && (kind->replicated == NULL || kind->replicated[i]);
}

static uint64_t count_replicated(const struct summary_kind *kind)
{
    uint64_t count = 0;

    for (int i = 0; i < kind->n; i++)
        count += is_replicated(kind, i);
    return count;
}

struct summary *summary_new(struct arena *a, const struct summary_kind *kind)
{
    struct summary *s = arena_alloc(a, 1, sizeof *s);
    uint64_t n = (uint64_t)kind->n, n_replicates = (uint64_t)kind->n_replicates;
    struct summary_part *part;

    *s = (struct summary){ .kind = *kind, .a = a };
    s->sums = arena_alloc(a, n, sizeof *s->sums);
    s->replicate = arena_alloc(a, n, sizeof *s->replicate);
    part = arena_alloc(a, count_replicated(kind) * n_replicates, sizeof *part);
    for (int i = 0; i < kind->n; i++)
        if (is_replicated(kind, i)) {
            s->replicate[i] = part;
            part += n_replicates;
        }
    s->weight = arena_alloc(a, n_replicates, 1);
    if (kind->halves) {
        s->half = arena_alloc(a, n * SPLITS, sizeof *s->half);
        s->is_first = arena_alloc(a, SPLITS, 1);
    }
    return s;
}

/* ---- chance ---- */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Of one replicate, or split, and one text. */
static uint64_t chance(int turn, int64_t text)
{
    return mix(mix(mix(SEED) ^ (uint64_t)turn) ^ (uint64_t)text);
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

static void summary_draw(struct summary *summary, int64_t text)
{
    for (int b = 0; b < summary->kind.n_replicates; b++)
        summary->weight[b] = (unsigned char)poisson((double)(chance(b, text) >> 11) * 0x1p-53);
    for (int r = 0; summary->half != NULL && r < SPLITS; r++)
        summary->is_first[r] = (chance(r, text) & 1) == 0;
}

/* ---- sums ---- */

static void add_square(struct sums *sums, double square)
{
    fixed_add(&sums->square, fixed_of(square));
    fixed_add(&sums->rest, fixed_rest(square));
}

static void summary_add_part(struct summary_part *part, struct fixed value, int weight)
{
    for (int i = 0; i < weight; i++)
        fixed_add(&part->sum, value);
    part->weight += weight;
}

/* A sum below this can grow by a square, or be doubled, and does not overflow. */
static void summary_check_size(struct sums *sums)
{
    if (sums->square.whole >= (int64_t)1 << 61)
        sums->beyond = 1;
}

static void add_value(struct summary *summary, int i, double value)
{
    struct sums *sums = &summary->sums[i];
    struct fixed fixed;

    sums->n++;
    if (!(fabs(value) < 0x1p30))
        sums->beyond = 1;
    if (sums->beyond != 0)
        return;
    fixed = fixed_of(value);
    fixed_add(&sums->value, fixed);
    add_square(sums, value * value);
    summary_check_size(sums);
    for (int b = 0; summary->replicate[i] != NULL && b < summary->kind.n_replicates; b++)
        summary_add_part(&summary->replicate[i][b], fixed, summary->weight[b]);
    for (int r = 0; summary->half != NULL && r < SPLITS; r++)
        summary_add_part(&summary->half[(int64_t)i * SPLITS + r], fixed, summary->is_first[r]);
}

void summary_add(struct summary *summary, int64_t text, const double *value)
{
    summary_draw(summary, text);
    for (int i = 0; i < summary->kind.n; i++)
        if (!isnan(value[i]))
            add_value(summary, i, value[i]);
}

static void merge_parts(struct summary_part *part, const struct summary_part *other, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        fixed_add(&part[i].sum, other[i].sum);
        part[i].weight += other[i].weight;
    }
}

static void merge_sums(struct sums *sums, const struct sums *other)
{
    sums->n += other->n;
    sums->beyond |= other->beyond;
    if (sums->beyond != 0)
        return;
    fixed_add(&sums->value, other->value);
    fixed_add(&sums->square, other->square);
    fixed_add(&sums->rest, other->rest);
    summary_check_size(sums);
}

void summary_merge(struct summary *summary, const struct summary *other)
{
    int64_t n = summary->kind.n;

    for (int i = 0; i < n; i++) {
        merge_sums(&summary->sums[i], &other->sums[i]);
        if (summary->replicate[i] != NULL)
            merge_parts(summary->replicate[i], other->replicate[i], summary->kind.n_replicates);
    }
    if (summary->half != NULL)
        merge_parts(summary->half, other->half, n * SPLITS);
}

void summary_place(struct summary *summary, int first, const struct summary *other)
{
    int64_t n = other->kind.n;

    for (int i = 0; i < n; i++) {
        merge_sums(&summary->sums[first + i], &other->sums[i]);
        if (summary->replicate[first + i] != NULL)
            merge_parts(summary->replicate[first + i], other->replicate[i],
                        summary->kind.n_replicates);
    }
    if (summary->half != NULL)
        merge_parts(summary->half + (int64_t)first * SPLITS, other->half, n * SPLITS);
}

/* ---- as words ---- */

static void part_words(struct words *words, struct summary_part *part, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        words_fixed(words, &part[i].sum);
        words_count(words, &part[i].weight);
    }
}

static void all_words(struct words *words, struct summary *summary)
{
    for (int i = 0; i < summary->kind.n; i++) {
        struct sums *sums = &summary->sums[i];

        words_fixed(words, &sums->value);
        words_fixed(words, &sums->square);
        words_fixed(words, &sums->rest);
        words_count(words, &sums->n);
        words_count(words, &sums->beyond);
        if (summary->replicate[i] != NULL)
            part_words(words, summary->replicate[i], summary->kind.n_replicates);
    }
    if (summary->half != NULL)
        part_words(words, summary->half, (int64_t)summary->kind.n * SPLITS);
}

uint64_t summary_n_words(const struct summary_kind *kind)
{
    uint64_t sums = 8, part = 3, n = (uint64_t)kind->n;

    return n * sums + count_replicated(kind) * (uint64_t)kind->n_replicates * part +
           (kind->halves ? n * SPLITS * part : 0);
}

void summary_put(struct summary *summary, uint64_t *words)
{
    struct words all = { .to = words };

    all_words(&all, summary);
}

bool summary_take(struct summary *summary, const uint64_t *words)
{
    struct arena_mark mark = arena_mark(summary->a);
    struct summary *other = summary_new(summary->a, &summary->kind);
    struct words all = { .from = words };

    all_words(&all, other);
    if (!all.impossible)
        summary_merge(summary, other);
    arena_reset(summary->a, mark);
    return !all.impossible;
}

void summary_words(struct words *words, struct summary *summary)
{
    uint64_t n = summary_n_words(&summary->kind);

    if (words->to != NULL)
        summary_put(summary, words->to + words->n);
    if (words->from != NULL)
        words->impossible |= !summary_take(summary, words->from + words->n);
    words->n += n;
}

/* ---- estimates ---- */

double summary_total(const struct summary *summary, int i)
{
    return summary->sums[i].beyond != 0 ? NAN : fixed_real(summary->sums[i].value);
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Of x[n], n > 0, which it sorts. */
static double quantile(double *x, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;

    qsort(x, (size_t)n, sizeof *x, by_size);
    return i + 1 < n ? x[i] + (at - i) * (x[i + 1] - x[i]) : x[i];
}

static void set_bootstrap(struct summary_estimate *x, const struct summary *summary, int i)
{
    struct arena_mark mark = arena_mark(summary->a);
    const struct summary_part *replicate = summary->replicate[i];
    double *mean = arena_alloc(summary->a, (uint64_t)summary->kind.n_replicates, sizeof *mean);
    int count = 0;

    for (int b = 0; replicate != NULL && b < summary->kind.n_replicates; b++)
        if (replicate[b].weight > 0)
            mean[count++] = fixed_real(replicate[b].sum) / (double)replicate[b].weight;
    if (count > 0) {
        x->boot_low = quantile(mean, count, 0.025);
        x->boot_high = quantile(mean, count, 0.975);
    }
    arena_reset(summary->a, mark);
}

struct summary_estimate summary_of(const struct summary *summary, int i)
{
    const struct sums *sums = &summary->sums[i];
    struct summary_estimate x = { NAN, NAN, NAN, NAN, NAN, NAN, sums->n };
    double sum = fixed_real(sums->value), half;
    double squares = fixed_real(sums->square) + fixed_real(sums->rest) * 0x1p-64;

    if (sums->n == 0 || sums->beyond != 0)
        return x;
    x.mean = sum / (double)sums->n;
    if (sums->n < 2)
        return x;
    x.sd = sqrt(fmax(0, (squares - sum * x.mean) / (double)(sums->n - 1)));
    half = student_quantile(0.05, (double)(sums->n - 1)) * x.sd / sqrt((double)sums->n);
    x.low = x.mean - half;
    x.high = x.mean + half;
    set_bootstrap(&x, summary, i);
    return x;
}

/* ---- halves ---- */

/* The means of number i over both halves; false: one of them lacks it. */
static bool half_means(const struct summary *summary, int i, int split, double mean[2])
{
    const struct sums *all = &summary->sums[i];
    const struct summary_part *first = &summary->half[(int64_t)i * SPLITS + split];
    struct fixed rest = all->value;
    int64_t n = all->n - first->weight;

    if (all->beyond != 0 || first->weight == 0 || n == 0)
        return false;
    fixed_add(&rest, fixed_negative(first->sum));
    mean[0] = fixed_real(first->sum) / (double)first->weight;
    mean[1] = fixed_real(rest) / (double)n;
    return true;
}

/* Pearson's r of x[n] and y[n]; NaN where one of them does not vary. */
static double summary_correlation(const double *x, const double *y, int n)
{
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;

    for (int i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    /* Rounding alone gives means that are equal a variance of this size. */
    if (!(xx > 1e-28 * n * mean_x * mean_x) || !(yy > 1e-28 * n * mean_y * mean_y))
        return NAN;
    return fmax(-1, fmin(1, xy / (sqrt(xx) * sqrt(yy))));
}

struct summary_reliability summary_reliability(const struct summary *summary, int first, int step,
                                               int count)
{
    struct arena_mark mark = arena_mark(summary->a);
    struct summary_reliability result = { NAN, NAN, NAN, NAN };
    double *x = arena_alloc(summary->a, (uint64_t)count, sizeof *x);
    double *y = arena_alloc(summary->a, (uint64_t)count, sizeof *y);
    double r[SPLITS];
    int n_splits = 0;

    for (int split = 0; split < SPLITS; split++) {
        int n = 0;
        double mean[2];

        for (int k = 0; k < count; k++)
            if (half_means(summary, first + k * step, split, mean)) {
                x[n] = mean[0];
                y[n++] = mean[1];
            }
        r[n_splits] = n > 1 ? summary_correlation(x, y, n) : NAN;
        n_splits += !isnan(r[n_splits]);
    }
    arena_reset(summary->a, mark);
    if (n_splits == 0)
        return result;
    result.r = quantile(r, n_splits, 0.5);
    result.low = quantile(r, n_splits, 0.05);
    result.high = quantile(r, n_splits, 0.95);
    result.whole = 2 * result.r / (1 + result.r);
    return result;
}
