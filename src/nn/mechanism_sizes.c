/* SPDX-License-Identifier: MIT
 * Parameters of mechanisms -> the same with open sizes set by the text and the model. */
#include <math.h>

#include "nn/mechanism.h"

int mechanism_groups(const struct mechanism_params *p, int G)
{
    int groups = p->n_groups > 0 ? p->n_groups : G - 1;

    while (p->n_groups == 0 && groups > 0 && G % groups != 0)
        groups--;
    return groups > 0 && groups <= G && G % groups == 0 ? groups : 0;
}

int mechanism_stride(const struct mechanism_params *p, int T)
{
    return p->stride > 0 ? p->stride : (int)ceil(sqrt(T));
}

int mechanism_buckets(const struct mechanism_params *p, int T)
{
    return p->n_buckets > 0 ? p->n_buckets : 2 * ((T + p->chunk - 1) / p->chunk);
}

int mechanism_recent(const struct mechanism_params *p)
{
    int budget = p->budget > 0 ? p->budget : MECHANISM_BUDGET;

    return p->recent > 0 ? p->recent : budget - budget / 2;
}

struct mechanism_params mechanism_params_used(const struct mechanism_params *p, int T, int G)
{
    struct mechanism_params used = *p;

    used.stride = mechanism_stride(p, T);
    used.n_buckets = mechanism_buckets(p, T);
    used.recent = mechanism_recent(p);
    used.n_groups = p->n_groups > 0 ? p->n_groups : mechanism_groups(p, G);
    return used;
}
