/* SPDX-License-Identifier: MIT
 * How much a row looks at one place: the token before, itself, the next, the first. */
#include "analysis/metric.h"

static bool prev(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query - 1);
    return r->query >= 1 && metric_has(r, r->query - 1);
}

static bool self(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query);
    return true;
}

static bool next(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query + 1);
    return r->query <= r->queries->n - 2 && metric_has(r, r->query + 1);
}

static bool first(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, 0);
    return metric_has(r, 0);
}

const struct metric_rule metric_prev = { .row = prev };
const struct metric_rule metric_self = { .row = self };
const struct metric_rule metric_next = { .row = next };
const struct metric_rule metric_first = { .row = first };
