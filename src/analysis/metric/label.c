/* SPDX-License-Identifier: MIT
 * What labels of heads are decided by: fixed offsets, what uniform rows have, near and far. */
#include <stdlib.h>

#include "analysis/metric.h"

enum { WITHIN = 4, LONG_TEXT = 32 };

/* What each key has of a row that looks at all it sees alike. */
static bool key_even(const struct metric_row *r, double *v)
{
    *v = 1. / r->n_visible;
    return true;
}

/* And local_4. */
static bool local_even(const struct metric_row *r, double *v)
{
    int count = 0;

    for (int j = r->query - WITHIN; j <= r->query + WITHIN; j++)
        count += metric_sees(r, j);
    *v = (double)count / r->n_visible;
    return true;
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
    return r->keys->n > LONG_TEXT && metric_local_4.row(r, v);
}

static bool far(const struct metric_row *r, double *v)
{
    bool defined = r->keys->n > LONG_TEXT && metric_local_16.row(r, v);

    if (defined)
        *v = r->mass - *v;
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
