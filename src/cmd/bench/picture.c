/* SPDX-License-Identifier: MIT
 * The time of each part of a run -> a picture of bars. */
#include <math.h>

#include "cmd/bench/bench.h"
#include "draw/figure/bars.h"
#include "task/figure/format.h"

static const char *bench_picture_name_of(const struct profile_row *row, struct arena *a)
{
    return row->shape != NULL ? arena_printf(a, "%s %d → %d", row->part, row->inputs,
                                             row->outputs) : row->part;
}

static const char *bench_picture_value_of(const struct profile_row *row, struct arena *a)
{
    const char *time = row->wall_ms < 1e3 ? arena_printf(a, "%.3g ms", row->wall_ms) :
                                            arena_printf(a, "%.3g s", 1e-3 * row->wall_ms);

    return isnan(row->of_peak) ? time : arena_printf(a, "%s, %.0f %%", time, 100 * row->of_peak);
}

int bench_draw(const struct bench_job *job, const struct output *output, struct err *e)
{
    const struct figure_args *figure = &job->args->shared.figure;
    const struct session *s = &job->job.s;
    const struct limits *limits = &job->limits;
    int n;
    const struct profile_row *row = profile_rows(&job->best, limits->peak, s->a, &n);
    struct bar *bar = arena_alloc(s->a, (size_t)n, sizeof *bar);
    struct bars bars = { n, bar, figure->no_labels };
    struct part part = bars_part(&bars);
    struct sheet sheet;

    for (int i = 0; i < n; i++)
        bar[i] = (struct bar){ bench_picture_name_of(&row[i], s->a),
                               bench_picture_value_of(&row[i], s->a), row[i].wall_ms,
                               isnan(row[i].of_peak) ? 0 : row[i].of_peak * row[i].wall_ms };
    sheet = figure_sheet(figure, &part, arena_printf(
        s->a, "%s%s%s. Dark: the time that the products would take at the %.0f GFLOP/s that the "
        "threads reach without memory.", bench_what(job, s->a),
        limits->processor != NULL ? ", " : "",
        limits->processor != NULL ? limits->processor : "", 1e-9 * limits->peak),
        figure_metadata_run(s, s->a, NULL));
    sheet.terminal = &output->terminal;
    return sheet_write(&sheet, figure_format(output), output->path, s->env->warn, e);
}
