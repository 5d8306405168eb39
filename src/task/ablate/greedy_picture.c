/* SPDX-License-Identifier: MIT
 * The curve of --greedy -> a picture of lines. */
#include <math.h>

#include "task/ablate/record.h"
#include "task/figure/figure_curve.h"

int ablate_greedy_draw(const struct ablate_job *job, struct arena *a, const struct ablate_curve *c,
                       const char *of, const char *path, struct err *e)
{
    const struct session *s = &job->job.s;
    size_t n = (size_t)c->n_points;
    bool hidden = job->measure == ABLATE_HIDDEN;
    double *x = arena_alloc(a, n, sizeof *x), *chosen = arena_alloc(a, n, sizeof *chosen),
           *none = arena_alloc(a, n, sizeof *none), *mean = arena_alloc(a, n, sizeof *mean),
           *low = arena_alloc(a, n, sizeof *low), *high = arena_alloc(a, n, sizeof *high);
    const struct curve_line line[] = {
        { job->args->greedy == GREEDY_EXACT ? "the least worth after those before it first" :
                                            "the least worth by itself first", chosen, none, none },
        { "10 random sets of as many heads of each layer", mean, low, high },
    };
    const struct curve curve = {
        .n = c->n_points, .x = x, .n_lines = 2, .line = line, .x_name = "heads replaced",
        .y_name = hidden ? "relative change of the last hidden state" :
                           "change of the loss (nats)",
    };
    const char *caption;

    for (int i = 0; i < c->n_points; i++) {
        const struct ablate_point *point = &c->point[i];

        x[i] = point->n_heads;
        chosen[i] = point->of[hidden ? ABLATE_CHANGE : ABLATE_DLOSS];
        none[i] = NAN;
        mean[i] = point->mean;
        low[i] = point->low;
        high[i] = point->high;
    }
    caption = arena_printf(a, "%s: heads' outputs replaced by %s, one after the other%s%s; shaded: "
                           "from the least to the largest of 10 random sets.", s->model->name,
                           ablate_with_text(job), of, figure_changes(a, s->asked));
    return figure_draw_curve(s, &job->args->shared.figure, &curve, caption,
                             figure_metadata_run(s, a, NULL), &job->job.results.output, path, a, e);
}
