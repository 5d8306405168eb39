/* SPDX-License-Identifier: MIT
 * Metrics for the labels of heads (analysis/types.h): fixed offsets, values of uniform rows, near
 * and far keys. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"

enum { WITHIN = 4 };

/* What each key has of a row that looks at all it sees alike. */
static bool key_even(const struct metric_row *row, double *v)
{
    *v = 1. / row->n_visible;
    return true;
}

/* Whether a key is where local_4 has it. */
static bool is_local(const struct metric_row *row, int j)
{
    if (metric_in_plane(row))
        return metric_is_patch(row, j) && metric_plane_away(row, row->query, j) <= WITHIN;
    return abs(j - row->query) <= WITHIN;
}

/* And local_4. */
static bool local_even(const struct metric_row *row, double *v)
{
    int count = 0;

    for (int j = row->key0; j < row->key0 + row->n_keys; j++)
        count += metric_sees(row, j) && is_local(row, j);
    *v = (double)count / row->n_visible;
    return !metric_in_plane(row) || metric_is_patch(row, row->query);
}

/* The diagonals as Clark et al. 2019 count them: rows without such a key are 0. */
static bool prev_clark(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, row->query - 1);
    return true;
}

static bool next_clark(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, row->query + 1);
    return true;
}

/* In a short text all is near. */
static bool near(const struct metric_row *row, double *v)
{
    return row->keys->n > METRIC_LONG_TEXT && metric_local_4.row(row, v);
}

/* The weight on what local_16 is of: all keys, or, of a picture, its patches. */
static double local_mass(const struct metric_row *row)
{
    double mass = 0;

    if (!metric_in_plane(row))
        return isnan(row->null_mass) ? 1 : 1 - row->null_mass;
    for (int j = row->key0; j < row->key0 + row->n_keys; j++)
        if (metric_is_patch(row, j) && metric_has(row, j))
            mass += metric_weight(row, j);
    return mass;
}

static bool far(const struct metric_row *row, double *v)
{
    bool defined = row->keys->n > METRIC_LONG_TEXT && metric_local_16.row(row, v);

    if (defined)
        *v = local_mass(row) - *v;
    return defined;
}

/* Of the rows that have a token so many places away; in a text of few such rows, one key that all
 * look at stands so far away too often. */
static bool away(const struct metric_row *row, int offset, double *v)
{
    int key = row->query + offset;

    *v = metric_weight(row, key);
    return key >= 0 && key < row->keys->n && metric_has(row, key) && row->keys->n > 2 * abs(offset);
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
