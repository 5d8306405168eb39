/* SPDX-License-Identifier: MIT
 * How much a row looks at one place: the token before, itself, the next, the first. */
#include "analysis/metric.h"

static bool prev(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, r->query - 1);
    return r->query >= 1 && metric_has(r, r->query - 1);
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
    return r->query <= r->queries->n - 2 && metric_has(r, r->query + 1);
}

static bool first(const struct metric_row *r, const struct metric_opts *o, double *v)
{
    (void)o;
    *v = metric_weight(r, 0);
    return metric_has(r, 0);
}

const struct metric_rule metric_prev = { SCOPE_ROW, prev };
const struct metric_rule metric_self = { SCOPE_ROW, self };
const struct metric_rule metric_next = { SCOPE_ROW, next };
const struct metric_rule metric_first = { SCOPE_ROW, first };
