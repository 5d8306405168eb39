/* SPDX-License-Identifier: MIT
 * Rows of runs with noise, and outputs -> their changes, by a sink that compares with the run
 * without noise. */
#include "analysis/stability.h"

#include <math.h>

#include "analysis/divergence.h"
#include "run/row.h"

struct sums {
    double js;
    int64_t n_rows, n_kept;
};

struct stability {
    int H;
    struct sums *sums;          /* [L, H] */
};

struct stability *stability_new(struct arena *a, const struct model *model)
{
    struct stability *stability = arena_alloc(a, 1, sizeof *stability);

    stability->H = model->config.n_heads;
    stability->sums = arena_alloc(a, (uint64_t)model->config.n_layers * (uint64_t)stability->H,
                                  sizeof *stability->sums);
    return stability;
}

/* Row blocks of one text see the same keys in every run. */
static void stability_take(void *self, const struct rows *rows, int n)
{
    struct stability *stability = self;
    struct sums *sums = &stability->sums[rows->layer * stability->H + rows->head];
    int n_keys = rows->n_keys;

    for (int r = 1; r < n; r++)
        for (int t = 0; t < rows->n_rows; t++) {
            const float *p = rows[0].weight + (size_t)t * rows[0].stride;
            const float *q = rows[r].weight + (size_t)t * rows[r].stride;

            if (rows[0].n_visible[t] == 0)
                continue;
            sums->js += divergence_js(p, q, n_keys);
            sums->n_kept += row_strongest(p, n_keys) == row_strongest(q, n_keys);
            sums->n_rows++;
        }
}

struct sink stability_sink(struct stability *stability)
{
    return (struct sink){ SINK_TEXTS, stability_take, NULL, stability };
}

struct head_change stability_head(const struct stability *stability, int layer, int head)
{
    const struct sums *sums = &stability->sums[layer * stability->H + head];
    double n = (double)sums->n_rows;

    return (struct head_change){ sums->js / n, (double)sums->n_kept / n };
}

static double variance(const float *y, int64_t n)
{
    double mean = 0, sum = 0;

    for (int64_t i = 0; i < n; i++)
        mean += (double)y[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        sum += ((double)y[i] - mean) * ((double)y[i] - mean);
    return sum / (double)n;
}

struct stability_output stability_output(const float *y, int64_t n, int n_runs)
{
    struct stability_output output = { 0 };
    double own = variance(y, n);

    for (int r = 1; r <= n_runs; r++) {
        double sum = 0;

        for (int64_t i = 0; i < n; i++) {
            double d = (double)y[r * n + i] - (double)y[i];

            sum += d * d;
        }
        sum /= (double)n;
        output.mean_variance += sum / n_runs;
        output.max_variance = sum > output.max_variance ? sum : output.max_variance;
    }
    output.relative = own > 0 ? output.mean_variance / own : (double)NAN;
    return output;
}
