/* SPDX-License-Identifier: MIT
 * How widely a row looks: entropy and its share of the largest possible. */
#include "analysis/metric.h"
#include "base/elementary.h"

/* Source: Clark et al. 2019, section 3; 0 ln 0 = 0. */
static bool entropy(const struct metric_row *r, double *v)
{
    *v = r->entropy;
    if (r->opts->entropy_eps == 0)
        return true;
    *v = 0;
    for (int j = 0; j < r->n_keys; j++) {
        double w = (double)r->a[j] / r->mass;

        *v -= w * elementary_log(w + r->opts->entropy_eps);
    }
    return true;
}

static bool entropy_norm(const struct metric_row *r, double *v)
{
    double h;

    if (r->n_visible < 2)       /* 0 / ln 1 */
        return false;
    entropy(r, &h);
    *v = h / elementary_log(r->n_visible);
    return true;
}

const struct metric_rule metric_entropy = { .row = entropy, .divided = true };
const struct metric_rule metric_entropy_norm = { .row = entropy_norm, .divided = true };
