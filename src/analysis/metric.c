/* SPDX-License-Identifier: MIT
 * The table of metrics and their formulas, in the notation of one row i:
 * a_j its weights, j the keys. */
#include "analysis/metric.h"

#include <math.h>
#include <stdlib.h>

double metric_weight(const struct metric_row *r, int j)
{
    return j < r->key0 || j >= r->key0 + r->n_keys ? 0 : (double)r->a[j - r->key0];
}

/* Source: Clark et al. 2019, section 3; 0 ln 0 = 0. */
static bool entropy(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    *v = r->entropy;
    if (o->entropy_eps == 0)
        return true;
    *v = 0;
    for (int j = 0; j < r->n_keys; j++)
        *v -= (double)r->a[j] * log((double)r->a[j] + o->entropy_eps);
    return true;
}

static bool entropy_norm(const struct metric_row *r, const struct metric_opts *o,
                         double *v)
{
    double h;

    if (r->n_visible < 2)       /* 0 / ln 1 */
        return false;
    entropy(r, o, &h);
    *v = h / log(r->n_visible);
    return true;
}

/* Source: Voita et al. 2019, "confidence", with no token left out. */
static bool max_mean(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = r->max;
    return true;
}

/* Four sums side by side, since one would wait for each addition to end. */
static double mean_distance(const struct metric_row *r, bool absolute)
{
    double sum[4] = { 0 };

    for (int j = 0; j < r->n_keys; j++) {
        int away = r->key0 + j - r->query;

        sum[(r->key0 + j) & 3] += (double)r->a[j] * (absolute ? abs(away) : away);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static bool distance(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = mean_distance(r, false);
    return true;
}

/* Source: Vig and Belinkov 2019, eq. 6, with no token left out. */
static bool distance_abs(const struct metric_row *r, const struct metric_opts *o,
                         double *v)
{
    (void)o;
    *v = mean_distance(r, true);
    return true;
}

static bool prev(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, r->query - 1);
    return r->query >= 1;
}

static bool self(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, r->query);
    return true;
}

static bool next(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, r->query + 1);
    return r->query <= r->n_queries - 2;
}

static bool first(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, 0);
    return true;
}

const struct metric metric_table[N_METRIC] = {
#define METRIC(name, heading, unit, lo, hi, one_axis, help) \
    [METRIC_##name] = { #name, heading, unit, lo, hi, one_axis, help, name },
#include "analysis/metrics.def"
#undef METRIC
};

const char *const metric_names[] = {
#define METRIC(name, ...) #name,
#include "analysis/metrics.def"
#undef METRIC
    NULL
};
