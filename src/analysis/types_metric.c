/* SPDX-License-Identifier: MIT
 * The scores of texts that types alone asks for. */
#include "analysis/types_metric.h"

enum { WITHIN = 4, LONG_TEXT = 32 };

/* What local_4 of a row is that looks at all it sees alike. */
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

const struct metric_rule types_local_even = { .row = local_even };
const struct metric_rule types_prev_clark = { .row = prev_clark };
const struct metric_rule types_next_clark = { .row = next_clark };
const struct metric_rule types_near = { .row = near };
const struct metric_rule types_far = { .row = far };

const struct metric types_metrics[N_TYPES_TEXT] = {
#define TEXT_SCORE(id, label, at, one, about) \
    [TYPES_##id] = { .name = label, .heading = label, .unit = "", .kind = METRIC_NUMBER, \
                     .one_axis = one, .group = METRIC_NAMED, .help = about, .rule = &at },
#include "analysis/types_scores.def"
#undef TEXT_SCORE
};
