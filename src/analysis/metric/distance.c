/* SPDX-License-Identifier: MIT
 * How far from itself a row looks, in tokens. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"

static bool distance(const struct metric_row *r, double *v)
{
    *v = metric_scan(r).distance;
    return true;
}

/* Source: Vig and Belinkov 2019, eq. 6, with no token left out. */
static bool distance_abs(const struct metric_row *r, double *v)
{
    *v = metric_scan(r).distance_abs;
    return true;
}

static int distance_block(const struct metric_block *b, double *sum)
{
    *sum = b->sums.distance;
    return b->n_rows;
}

static int distance_abs_block(const struct metric_block *b, double *sum)
{
    *sum = b->sums.distance_abs;
    return b->n_rows;
}

const struct metric_rule metric_distance = { .row = distance, .block = distance_block };
const struct metric_rule metric_distance_abs = { .row = distance_abs,
                                                 .block = distance_abs_block };

/* ---- spread, and shares of what is near ---- */

/* Two passes: sqrt(sum a (d - m)^2 / sum a), m = sum a d / sum a. */
static bool distance_sd(const struct metric_row *r, double *v)
{
    double mean = metric_scan(r).distance / r->mass, sum = 0;

    for (int j = 0; j < r->n_keys; j++) {
        double away = r->key0 + j - r->query - mean;

        sum += (double)r->a[j] * away * away;
    }
    *v = sqrt(sum / r->mass);
    return true;
}

/* The distance to the farthest key that the row sees. */
static int farthest(const struct metric_row *r)
{
    int low = r->key0, high = r->key0 + r->n_keys - 1;

    while (!metric_sees(r, low))
        low++;
    while (!metric_sees(r, high))
        high--;
    return abs(low - r->query) > abs(high - r->query) ? abs(low - r->query) :
                                                        abs(high - r->query);
}

static bool distance_norm(const struct metric_row *r, double *v)
{
    int most = farthest(r);

    *v = metric_scan(r).distance_abs / (most > 1 ? most : 1);
    return true;
}

static double near(const struct metric_row *r, int within)
{
    double sum = 0;

    for (int j = r->query - within; j <= r->query + within; j++)
        sum += metric_weight(r, j);
    return sum;
}

#define LOCAL(within) \
    static bool local_##within(const struct metric_row *r, double *v) \
    { \
        *v = near(r, within); \
        return true; \
    } \
    const struct metric_rule metric_local_##within = { .row = local_##within };
LOCAL(1)
LOCAL(2)
LOCAL(4)
LOCAL(8)
LOCAL(16)
#undef LOCAL

const struct metric_rule metric_distance_sd = { .row = distance_sd };
const struct metric_rule metric_distance_norm = { .row = distance_norm };

/* ---- of all rows at once ---- */

struct back { double distance, mass; };

static size_t back_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct back);
}

/* The keys up to the query, without the first. */
static void back_take(void *state, const struct metric_row *rows, int n)
{
    struct back *back = state;

    (void)n;
    for (int j = 1; j <= rows->query; j++) {
        back->distance += metric_weight(rows, j) * (rows->query - j);
        back->mass += metric_weight(rows, j);
    }
}

/* Source: Vig and Belinkov 2019, eq. 6, of one text. */
static bool distance_vig(const void *state, int layer, int head, double *v)
{
    const struct back *back = state;

    (void)layer;
    (void)head;
    *v = back->distance / back->mass;
    return back->mass > 0;
}

static const struct metric_state back = { SCOPE_HEAD, back_size, back_take };

const struct metric_rule metric_distance_vig = { .state = &back, .value = distance_vig };
