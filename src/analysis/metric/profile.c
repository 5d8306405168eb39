/* SPDX-License-Identifier: MIT
 * Metrics of the profile, the weight at each distance relative to uniform rows, and its peaks.  A
 * distance is |i - j|; in a decoder i - j; in a picture that between patches. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"
#include "base/elementary.h"

enum { ENOUGH = 32 };           /* entries at a distance whose lift is one of many */

struct profile {
    int n;                      /* distances up to the farthest that any row sees */
    struct distance {
        double mass, even;      /* sums over its entries, even: of 1 / n(i) */
        int n;                  /* entries: visible pairs of query and key */
    } at[];
};

static int distance_count(const struct metric_shape *shape)
{
    return shape->n_queries > shape->n_keys ? shape->n_queries : shape->n_keys;
}

static size_t profile_size(const struct metric_shape *shape)
{
    return sizeof(struct profile) + (size_t)distance_count(shape) * sizeof(struct distance);
}

/* Of a picture to the nearest whole number of patches; -1: not between patches. */
static int away(const struct metric_row *row, int key)
{
    if (!metric_in_plane(row))
        return abs(key - row->query);
    return metric_is_patch(row, row->query) && metric_is_patch(row, key) ?
               (int)lround(metric_plane_away(row, row->query, key)) : -1;
}

static void profile_take(void *state, const struct metric_row *rows, int n)
{
    struct profile *all = state;

    (void)n;
    for (int j = rows->key0; j < rows->key0 + rows->n_keys; j++) {
        int d = away(rows, j);

        if (d < 0 || !metric_sees(rows, j))
            continue;
        all->at[d].mass += metric_weight(rows, j);
        all->at[d].even += 1.0 / rows->n_visible;
        all->at[d].n++;
        all->n = d >= all->n ? d + 1 : all->n;
    }
}

static double lift_at(const struct profile *all, int d)
{
    return all->at[d].n > 0 ? all->at[d].mass / all->at[d].even : (double)NAN;
}

static int list_profile(const void *state, int layer, int head, double *v)
{
    const struct profile *all = state;

    (void)layer;
    (void)head;
    for (int d = 0; d < all->n; d++)
        v[d] = all->at[d].n > 0 ? all->at[d].mass / all->at[d].n : (double)NAN;
    return all->n > 0 ? all->n : -1;
}

static int list_lift(const void *state, int layer, int head, double *v)
{
    const struct profile *all = state;

    (void)layer;
    (void)head;
    for (int d = 0; d < all->n; d++)
        v[d] = lift_at(all, d);
    return all->n > 0 ? all->n : -1;
}

/* The distance, but 0, of the largest lift; of equal ones the smallest. */
static bool peak(const struct profile *all, double *v)
{
    int best = 0;

    for (int d = 1; d < all->n; d++)
        if (all->at[d].n >= ENOUGH && (best == 0 || lift_at(all, d) > lift_at(all, best)))
            best = d;
    *v = best;
    return best > 0;
}

/* The least distance within which half of all weight lies. */
static bool half(const struct profile *all, double *v)
{
    double sum = 0, so_far = 0;
    int d = 0;

    for (int i = 0; i < all->n; i++)
        sum += all->at[i].mass;
    for (; d + 1 < all->n; d++) {
        so_far += all->at[d].mass;
        if (so_far >= sum / 2)
            break;
    }
    *v = d;
    return all->n > 0;
}

/* ---- period ---- */

struct series { const struct profile *all; int n; double mean; };

static double deviation(const struct series *series, int d)
{
    return elementary_log(lift_at(series->all, d)) - series->mean;
}

static double profile_correlation(const struct series *series, int lag)
{
    double sum = 0;

    for (int d = 0; d + lag < series->n; d++)
        sum += deviation(series, d) * deviation(series, d + lag);
    return sum;
}

/* ln lift of the distances from 0 on that have entries enough; n 0: one of them has none. */
static struct series series_of(const struct profile *all)
{
    struct series s = { all, 0, 0 };

    for (; s.n < all->n && all->at[s.n].n >= ENOUGH; s.n++) {
        if (all->at[s.n].mass <= 0)
            return (struct series){ all, 0, 0 };
        s.mean += elementary_log(lift_at(all, s.n));
    }
    s.mean /= s.n > 0 ? s.n : 1;
    return s;
}

/* The lag of the highest local maximum of the autocorrelation. */
static bool period(const struct profile *all, double *v)
{
    const struct series s = series_of(all);
    double before = profile_correlation(&s, 1), here = profile_correlation(&s, 2), best = 0;
    int lag = 0;

    for (int k = 2; k + 1 < s.n; k++) {
        double after = profile_correlation(&s, k + 1);

        if (here > before && here >= after && (lag == 0 || here > best)) {
            best = here;
            lag = k;
        }
        before = here;
        here = after;
    }
    *v = lag;
    return lag > 0;
}

static const struct metric_state profile = { SCOPE_HEAD, profile_size, profile_take };

const struct metric_rule metric_profile = { .state = &profile, .list = list_profile,
                                            .length = distance_count };
const struct metric_rule metric_profile_lift = { .state = &profile, .list = list_lift,
                                                 .length = distance_count };

#define PROFILE(id) \
    static bool value_##id(const void *state, int layer, int head, double *v) \
    { \
        (void)layer; \
        (void)head; \
        return id(state, v); \
    } \
    const struct metric_rule metric_profile_##id = { .state = &profile, .value = value_##id };
PROFILE(peak)
PROFILE(half)
#undef PROFILE

static bool value_period(const void *state, int layer, int head, double *v)
{
    (void)layer;
    (void)head;
    return period(state, v);
}

const struct metric_rule metric_period = { .state = &profile, .value = value_period };
