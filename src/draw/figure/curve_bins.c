/* SPDX-License-Identifier: MIT
 * A curve with more points than there is room for -> bins: means of the lines, and bands around
 * them. */
#include <math.h>

#include "draw/figure/curve.h"

enum { LEAST_BINS = 10 };

static int count_bins(int n, int size)
{
    return n / size + (n % size > 0);
}

int curve_bin_size(int n, double most)
{
    static const int round[] = { 1, 2, 5 };

    for (int power = 1; ; power *= 10)
        for (int i = 0; i < 3; i++)
            if (count_bins(n, round[i] * power) <= fmax(most, LEAST_BINS))
                return round[i] * power;
}

/* Of a line over bins. */
struct binned { double *y, *low, *high; };

static void fill_bin(const struct binned *to, int bin, const struct curve_line *line, int first,
                     int end, bool spread)
{
    double sum = 0.0, low = 0.0, high = 0.0, least = INFINITY, most = -INFINITY;
    int n = 0, n_intervals = 0;

    for (int k = first; k < end; k++) {
        if (isnan(line->y[k]))
            continue;
        n++;
        sum += line->y[k];
        least = fmin(least, line->y[k]);
        most = fmax(most, line->y[k]);
        if (isnan(line->low[k]))
            continue;
        n_intervals++;
        low += line->low[k];
        high += line->high[k];
    }
    to->y[bin] = n > 0 ? sum / n : (double)NAN;
    to->low[bin] = to->high[bin] = NAN;
    if (n > 0 && spread) {
        to->low[bin] = least;
        to->high[bin] = most;
    } else if (n > 0 && n_intervals == n) {
        to->low[bin] = low / n;
        to->high[bin] = high / n;
    }
}

static struct curve_line bin_line(const struct curve *curve, const struct curve_line *line,
                                  int size, bool spread, struct arena *a)
{
    int n = count_bins(curve->n, size);
    struct binned to = { arena_alloc(a, (size_t)n, sizeof(double)),
                         arena_alloc(a, (size_t)n, sizeof(double)),
                         arena_alloc(a, (size_t)n, sizeof(double)) };

    for (int bin = 0; bin < n; bin++) {
        int first = bin * size;

        fill_bin(&to, bin, line, first, size < curve->n - first ? first + size : curve->n,
                 spread);
    }
    return (struct curve_line){ line->name, to.y, to.low, to.high };
}

bool curve_has_intervals(const struct curve *curve)
{
    for (int i = 0; i < curve->n_lines; i++)
        for (int k = 0; k < curve->n; k++)
            if (!isnan(curve->line[i].low[k]))
                return true;
    return false;
}

struct curve curve_in_bins(const struct curve *curve, int size, struct arena *a)
{
    struct curve binned = *curve;
    bool spread = !curve_has_intervals(curve) && curve_is_of_few(curve);
    double *x = arena_alloc(a, (size_t)curve->n, sizeof *x);
    struct curve_line *line = arena_alloc(a, (size_t)curve->n_lines, sizeof *line);

    binned.n = count_bins(curve->n, size);
    for (int bin = 0; bin < binned.n; bin++) {
        int last = size < curve->n - bin * size ? (bin + 1) * size - 1 : curve->n - 1;

        x[bin] = (curve->x[bin * size] + curve->x[last]) / 2.0;
    }
    for (int i = 0; i < curve->n_lines; i++)
        line[i] = bin_line(curve, &curve->line[i], size, spread, a);
    binned.x = x;
    binned.line = line;
    binned.whole = spread;
    return binned;
}
