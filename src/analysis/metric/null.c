/* SPDX-License-Identifier: MIT
 * Metrics of the model's attention sink, a logit of no key (gpt_oss): its weight, and the row
 * renormalised without it.  Undefined for models without one. */
#include <math.h>

#include "analysis/metric.h"
#include "base/elementary.h"

static bool null_mass(const struct metric_row *row, double *v)
{
    *v = row->null_mass;
    return !isnan(*v);
}

/* What the weights sum to; 0: nothing can be divided by it. */
static double sum_of(const struct metric_row *row)
{
    double sum = 0;

    for (int j = 0; j < row->n_keys && !isnan(row->null_mass); j++)
        sum += (double)row->a[j];
    return sum;
}

static bool entropy_renorm(const struct metric_row *row, double *v)
{
    double sum = sum_of(row);

    *v = 0;
    for (int j = 0; j < row->n_keys && sum > 0; j++)
        if (row->a[j] > 0) {
            double w = (double)row->a[j] / sum;

            *v -= w * elementary_log(w);
        }
    return sum > 0;
}

static bool neff_renorm(const struct metric_row *row, double *v)
{
    bool any = entropy_renorm(row, v);

    *v = elementary_exp(*v);
    return any;
}

static bool max_mean_renorm(const struct metric_row *row, double *v)
{
    double sum = sum_of(row);

    *v = 0;
    for (int j = 0; j < row->n_keys && sum > 0; j++)
        *v = (double)row->a[j] / sum > *v ? (double)row->a[j] / sum : *v;
    return sum > 0;
}

const struct metric_rule metric_null_mass = { .row = null_mass };
const struct metric_rule metric_entropy_renorm = { .row = entropy_renorm };
const struct metric_rule metric_neff_renorm = { .row = neff_renorm };
const struct metric_rule metric_max_mean_renorm = { .row = max_mean_renorm };
