/* SPDX-License-Identifier: MIT
 * Metrics of the size of scores before positions, masks and caps: scale q.k of visible pairs. */
#include <math.h>

#include "analysis/metric.h"
#include "run/mechanism.h"    /* visible() */

struct scores { double most, most_absolute; int n; };

static size_t scores_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct scores);
}

static void scores_look(void *state, const struct qkv_view *view, int head)
{
    struct scores *all = state;
    const struct attend *at = &view->at[head];
    const float *q = view->q + view->q_at[head],
                *keys = view->kv + view->k_at[head / (view->H / view->G)];

    for (int i = 0; i < view->T; i++, q += view->q_stride)
        for (int j = 0; j < view->S; j++) {
            const float *k = keys + j * view->kv_stride;
            double score = 0;

            if (!visible(at, i, j))
                continue;
            for (int c = 0; c < at->d; c++)
                score += (double)q[c] * (double)k[c];
            score *= (double)at->scale;
            all->most = all->n == 0 ? score : fmax(all->most, score);
            all->most_absolute = fmax(all->most_absolute, fabs(score));
            all->n = 1;
        }
}

/* Rows have no scores. */
static void scores_take(void *state, const struct metric_row *rows, int n)
{
    (void)state;
    (void)rows;
    (void)n;
}

static bool max_logit(const void *state, int layer, int head, double *v)
{
    const struct scores *all = state;

    (void)layer;
    (void)head;
    *v = all->most;
    return all->n > 0;
}

static bool max_abs_logit(const void *state, int layer, int head, double *v)
{
    const struct scores *all = state;

    (void)layer;
    (void)head;
    *v = all->most_absolute;
    return all->n > 0;
}

static const struct metric_state scores = { SCOPE_HEAD, scores_size, scores_take,
                                            .look = scores_look };

const struct metric_rule metric_max_logit = { .state = &scores, .value = max_logit };
const struct metric_rule metric_max_abs_logit = { .state = &scores, .value = max_abs_logit };

/* ---- by the weights alone ---- */

struct bound { const double *of; int n_heads; };

static size_t bound_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct bound);
}

static void bound_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    (void)a;
    *(struct bound *)state = (struct bound){ shape->opts->spectral, shape->n_heads };
}

static bool spectral(const void *state, int layer, int head, double *v)
{
    const struct bound *bound = state;

    if (bound->of == NULL)
        return false;
    *v = bound->of[layer * bound->n_heads + head];
    return !isnan(*v);
}

static const struct metric_state bound = { SCOPE_HEAD, bound_size, scores_take,
                                           .start = bound_start };

const struct metric_rule metric_spectral = { .state = &bound, .value = spectral };
