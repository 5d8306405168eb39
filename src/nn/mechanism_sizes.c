/* SPDX-License-Identifier: MIT
 * Parameters of mechanisms -> the same with open sizes set by the text and the model. */
#include <math.h>

#include "nn/mechanism.h"

int mechanism_groups(const struct mechanism_params *params, int G)
{
    int groups = params->n_groups > 0 ? params->n_groups : G - 1;

    while (params->n_groups == 0 && groups > 0 && G % groups != 0)
        groups--;
    return groups > 0 && groups <= G && G % groups == 0 ? groups : 0;
}

int mechanism_stride(const struct mechanism_params *params, int T)
{
    return params->stride > 0 ? params->stride : (int)ceil(sqrt(T));
}

int mechanism_buckets(const struct mechanism_params *params, int T)
{
    return params->n_buckets > 0 ? params->n_buckets :
           2 * ((T + params->chunk - 1) / params->chunk);
}

int mechanism_recent(const struct mechanism_params *params)
{
    int budget = params->budget > 0 ? params->budget : MECHANISM_BUDGET;

    return params->recent > 0 ? params->recent : budget - budget / 2;
}

struct mechanism_params mechanism_params_used(const struct mechanism_params *params, int T, int G)
{
    struct mechanism_params used = *params;

    used.stride = mechanism_stride(params, T);
    used.n_buckets = mechanism_buckets(params, T);
    used.recent = mechanism_recent(params);
    used.n_groups = params->n_groups > 0 ? params->n_groups : mechanism_groups(params, G);
    return used;
}
