/* SPDX-License-Identifier: MIT
 * Metrics for the labels of heads (analysis/types.h): fixed offsets, values of uniform rows, near
 * and far keys. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"

enum { WITHIN = 4 };

/* What each key has of a row that looks at all it sees alike. */
static bool key_even(const struct metric_row *r, double *v)
{
    *v = 1. / r->n_visible;
    return true;
}

/* Whether a key is where local_4 has it. */
static bool is_local(const struct metric_row *r, int j)
{
    if (metric_in_plane(r))
        return metric_is_patch(r, j) && metric_plane_away(r, r->query, j) <= WITHIN;
    return abs(j - r->query) <= WITHIN;
}

/* And local_4. */
static bool local_even(const struct metric_row *r, double *v)
{
    int count = 0;

    for (int j = r->key0; j < r->key0 + r->n_keys; j++)
        count += metric_sees(r, j) && is_local(r, j);
    *v = (double)count / r->n_visible;
    return !metric_in_plane(r) || metric_is_patch(r, r->query);
}

/* The diagonals as Clark et al. 2019 count them: rows without such a key are 0. */
static bool prev_clark(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query - 1);
    return true;
}

static bool next_clark(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query + 1);
    return true;
}

/* In a short text all is near. */
static bool near(const struct metric_row *r, double *v)
{
    return r->keys->n > METRIC_LONG_TEXT && metric_local_4.row(r, v);
}

/* The weight on what local_16 is of: all keys, or, of a picture, its patches. */
static double local_mass(const struct metric_row *r)
{
    double mass = 0;

    if (!metric_in_plane(r))
        return isnan(r->null_mass) ? 1 : 1 - r->null_mass;
    for (int j = r->key0; j < r->key0 + r->n_keys; j++)
        if (metric_is_patch(r, j) && metric_has(r, j))
            mass += metric_weight(r, j);
    return mass;
}

static bool far(const struct metric_row *r, double *v)
{
    bool defined = r->keys->n > METRIC_LONG_TEXT && metric_local_16.row(r, v);

    if (defined)
        *v = local_mass(r) - *v;
    return defined;
}

/* Of the rows that have a token so many places away; in a text of few such rows, one key that all
 * look at stands so far away too often. */
static bool away(const struct metric_row *r, int offset, double *v)
{
    int key = r->query + offset;

    *v = metric_weight(r, key);
    return key >= 0 && key < r->keys->n && metric_has(r, key) && r->keys->n > 2 * abs(offset);
}

#define OFFSET(id, k) \
    static bool id(const struct metric_row *r, double *v) \
    { \
        return away(r, k, v); \
    } \
    const struct metric_rule metric_##id = { .row = id };
#include "analysis/offsets.def"
#undef OFFSET

const struct metric_rule metric_key_even = { .row = key_even };
const struct metric_rule metric_local_even = { .row = local_even };
const struct metric_rule metric_prev_clark = { .row = prev_clark };
const struct metric_rule metric_next_clark = { .row = next_clark };
const struct metric_rule metric_near = { .row = near };
const struct metric_rule metric_far = { .row = far };
