/* SPDX-License-Identifier: MIT
 * The points of curves -> a picture of lines. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "draw/figure/curve.h"
#include "session/shown/average.h"
#include "session/shown/shown.h"
#include "task/curve/curve.h"
#include "task/figure/figure_curve.h"

static const char *const axis_names[] = { "layer", "position of the query", "distance (tokens)",
                                          "generated token", "model" };
static const char *const over_names[] = { "layers", "positions", "distances",
                                          "generated tokens", "models" };

/* ---- lines ---- */

/* The numbers of a line, which it shows. */
struct numbers { double *y, *low, *high; };

static void set_place(const struct curve_job *job, const struct numbers *to, int place,
                      const struct summary *summary, int i)
{
    struct summary_estimate found = summary_of(summary, i);

    to->y[place] = found.mean;
    curve_interval(job, &found, &to->low[place], &to->high[place]);
}

static double *curve_picture_undefined(struct arena *a, int n)
{
    double *v = arena_alloc(a, (uint64_t)n, sizeof *v);

    for (int i = 0; i < n; i++)
        v[i] = NAN;
    return v;
}

/* Those of a job; with --over model its only place is that of the model. */
static void set_lines(const struct curve_job *job, struct curve_line *line,
                      const struct numbers *to, int model)
{
    for (int i = 0; i < job->n_lines; i++) {
        const char *name = job->args->models.n > 1 && model < 0 ? job->job.s.name : job->name[i];

        line[i] = (struct curve_line){ name, to[i].y, to[i].low, to[i].high };
        for (int place = 0; place < job->sums.n; place++)
            set_place(job, &to[i], model >= 0 ? model : place, job->sums.at[place], i);
    }
}

static int count_places(const struct curve_job *jobs, int n)
{
    int most = 1;

    if (jobs->args->over == OVER_MODEL)
        return n;
    for (int k = 0; k < n; k++)
        most = jobs[k].sums.n > most ? jobs[k].sums.n : most;
    return most;
}

static void curve_picture_set_places(const struct curve_job *jobs, int n, struct curve *curve,
                                     struct arena *a)
{
    int first = jobs->args->over == OVER_STEP ? 1 : 0;
    double *x;
    const char **label;

    curve->n = count_places(jobs, n);
    x = arena_alloc(a, (uint64_t)curve->n, sizeof *x);
    label = arena_alloc(a, (uint64_t)curve->n, sizeof *label);
    for (int i = 0; i < curve->n; i++)
        x[i] = first + i;
    for (int k = 0; k < n && jobs->args->over == OVER_MODEL; k++)
        label[k] = jobs[k].job.s.name;
    curve->x = x;
    curve->x_label = jobs->args->over == OVER_MODEL ? label : NULL;
}

static int curve_picture_check_same(const struct curve_job *first, const struct curve_job *other,
                                    struct err *e)
{
    if (first->n_lines != other->n_lines)
        return err_set(e, ERR_INPUT, "%s: found %d lines of heads, expected %d as in %s",
                       other->job.s.name, other->n_lines, first->n_lines, first->job.s.name);
    for (int i = 0; i < first->n_lines; i++)
        if (strcmp(first->name[i], other->name[i]) != 0)
            return err_set(e, ERR_INPUT, "%s: found %s, expected %s as in %s",
                           other->job.s.name, other->name[i], first->name[i],
                           first->job.s.name);
    return 0;
}

static int make_lines(const struct curve_job *jobs, int n, struct curve *curve, struct arena *a,
                      struct err *e)
{
    bool of_models = jobs->args->over == OVER_MODEL;
    struct curve_line *line;
    struct numbers *to;

    for (int k = 1; k < n && of_models; k++)
        if (curve_picture_check_same(&jobs[0], &jobs[k], e) != 0)
            return -1;
    curve->n_lines = of_models ? jobs->n_lines : 0;
    for (int k = 0; k < n && !of_models; k++)
        curve->n_lines += jobs[k].n_lines;
    line = arena_alloc(a, (uint64_t)curve->n_lines, sizeof *line);
    to = arena_alloc(a, (uint64_t)curve->n_lines, sizeof *to);
    for (int i = 0; i < curve->n_lines; i++)
        to[i] = (struct numbers){ curve_picture_undefined(a, curve->n),
                                  curve_picture_undefined(a, curve->n),
                                  curve_picture_undefined(a, curve->n) };
    curve->line = line;
    for (int k = 0, at = 0; k < n; k++) {
        set_lines(&jobs[k], line + at, to + at, of_models ? k : -1);
        at += of_models ? 0 : jobs[k].n_lines;
    }
    return 0;
}

/* The axis begins with the first layer that is shown. */
static void leave_out_layers(const struct curve_job *jobs, int n, struct curve *curve,
                             struct arena *a)
{
    int first = curve->n - 1;
    struct curve_line *line = arena_alloc(a, (uint64_t)curve->n_lines, sizeof *line);

    if (jobs->args->over != OVER_LAYER)
        return;
    for (int k = 0; k < n; k++)
        if (jobs[k].n_heads > 0 && jobs[k].head[0].layer < first)
            first = jobs[k].head[0].layer;
    for (int i = 0; i < curve->n_lines; i++) {
        const struct curve_line *from = &curve->line[i];

        line[i] = (struct curve_line){ from->name, from->y + first, from->low + first,
                                       from->high + first };
    }
    curve->line = line;
    curve->x += first;
    curve->n -= first;
}

static void set_dots(const struct curve_job *job, struct curve *curve, struct arena *a)
{
    struct curve_dot *dot = arena_alloc(a, (uint64_t)job->n_heads, sizeof *dot);

    if (job->heads == NULL)
        return;
    for (int i = 0; i < job->n_heads; i++) {
        double mean = summary_of(job->heads, i).mean;

        if (!isnan(mean))
            dot[curve->n_dots++] = (struct curve_dot){ job->head[i].layer, mean };
    }
    curve->dot = dot;
}

/* ---- bins ---- */

/* Beside a terminal's plot: numbers and the axis. */
enum { AXIS_COLUMNS = 8 };

/* For how many bins there is room: of a few pixels at 100 dpi each, more where lines cross each
 * other everywhere; or of a column. */
static double curve_picture_room_of(const struct curve_job *job, const struct curve *curve)
{
    const struct output *output = &job->job.results.output;
    double width = figure_sheet(&job->args->shared.figure, NULL, NULL, NULL).width_px;

    if (figure_format(output) == DRAW_TERMINAL && output->terminal.way < TERMINAL_SIXEL)
        return output->terminal.columns - AXIS_COLUMNS;
    return (width > 0.0 ? width : CURVE_PLOT_W) /
           (curve_is_of_few(curve) ? CURVE_BIN_W : CURVE_BIN_W_MANY);
}

/* Positions and steps of a long text, of which a line each would be a surface; the weight on
 * distances falls within the first few, which bins would hide.  Returns the places of a bin. */
static int take_together(const struct curve_job *job, struct curve *curve)
{
    struct arena *a = job->job.s.a;
    int size = 1;

    if (job->args->over == OVER_POSITION || job->args->over == OVER_STEP)
        size = curve_bin_size(curve->n, curve_picture_room_of(job, curve));
    if (size == 1)
        return 1;
    *curve = curve_in_bins(curve, size, a);
    curve->x_name = arena_printf(a, "%s (bins of %d)", curve->x_name, size);
    return size;
}

/* ---- the caption ---- */

static const char *metric_text(const struct curve_job *job, struct arena *a)
{
    const struct metric *metric = &metric_table[job->metric];

    return metric->unit[0] != '\0' ? arena_printf(a, "%s (%s)", metric->name, metric->unit) :
                                     metric->name;
}

/* ", mean of 12 texts of FILE; shaded: 95% interval of the mean, Student's t". */
static const char *texts_text(const struct curve_job *job, const struct curve *curve,
                              struct arena *a)
{
    const char *file = input_name(job->job.in), *shaded = "shaded", *of_few = "";
    bool on_terminal = figure_format(&job->job.results.output) == DRAW_TERMINAL;
    const char *mean;

    if (job->n_texts < 2)
        return job->first;
    mean = arena_printf(a, ", mean of %lld texts of %s", (long long)job->n_texts,
                        file != NULL ? file : "the input");
    if (job->n_texts < CURVE_LEAST_TEXTS)
        return arena_printf(a, "%s; no intervals of fewer than %d texts", mean, CURVE_LEAST_TEXTS);
    if (on_terminal && !curve_is_of_few(curve))
        return mean;
    if (job->args->over == OVER_POSITION || job->args->over == OVER_DISTANCE ||
        job->args->over == OVER_STEP)
        of_few = arena_printf(a, ", where there are %d texts", CURVE_LEAST_TEXTS);
    if (on_terminal)
        shaded = "colons";
    return arena_printf(a, "%s; %s: 95%% interval of the mean, %s%s", mean, shaded,
                        job->args->bootstrap > 0 ?
                            arena_printf(a, "bootstrap of %d replicates", job->args->bootstrap) :
                            "Student's t", of_few);
}

/* "; a point: mean of up to 20 positions; shaded: from the least of them to the largest". */
static const char *bins_text(const struct curve_job *job, const struct curve *curve, int bin,
                             struct arena *a)
{
    bool on_terminal = figure_format(&job->job.results.output) == DRAW_TERMINAL;
    const char *text;

    if (bin == 1)
        return "";
    text = arena_printf(a, "; a point: mean of up to %d %s", bin, over_names[job->args->over]);
    if (curve->whole)
        return arena_printf(a, "%s; %s: from the least of them to the largest", text,
                            on_terminal ? "colons" : "shaded");
    return curve_has_intervals(curve) ? arena_printf(a, "%s, and of their intervals", text) : text;
}

/* What a line stands for. */
static const char *lines_text(const struct curve_job *job, struct arena *a)
{
    static const char *const each[] = { "", "a line per head", "mean over the heads of each layer",
                                        "mean over heads" };
    const char *mean = average_text(&job->job.s, a);

    if (mean == NULL)
        return each[job->each];
    if (!session_averages(&job->job.s, AVERAGE_HEADS))
        return arena_printf(a, "%s, %s", each[job->each], mean);
    return job->each == EACH_MEAN || job->n_lines < 2 ? mean :
               arena_printf(a, "a line per layer, %s", mean);
}

static const char *curve_picture_caption(const struct curve_job *jobs, int n,
                                         const struct curve *curve, int bin, struct arena *a)
{
    const struct session *s = &jobs->job.s;
    const char *shown = shown_asked(s, a, SHOWN_NUMBERS);
    const char *name = n > 1 ? arena_printf(a, "%d models", n) : s->name;

    return arena_printf(a, "%s: %s over %s, %s%s%s%s%s%s%s%s.", name, metric_text(jobs, a),
                        over_names[jobs->args->over], lines_text(jobs, a),
                        texts_text(jobs, curve, a), bins_text(jobs, curve, bin, a),
                        curve->n_dots > 0 ? "; dots: heads" : "",
                        curve_has_legend(curve) ? "" : arena_printf(
                            a, "; %d lines, more than can be told apart", curve->n_lines),
                        figure_changes(a, s->asked), shown != NULL ? "; " : "",
                        shown != NULL ? shown : "");
}

int curve_draw(struct curve_job *jobs, int n, struct err *e)
{
    const struct curve_job *first = &jobs[0];
    const struct output *output = &first->job.results.output;
    const struct session *s = &first->job.s;
    struct curve curve = { .x_name = axis_names[first->args->over],
                           .y_name = metric_text(first, s->a) };
    int bin;

    curve_picture_set_places(jobs, n, &curve, s->a);
    if (make_lines(jobs, n, &curve, s->a, e) != 0)
        return -1;
    leave_out_layers(jobs, n, &curve, s->a);
    if (output_is_report(output))
        return curve_write(jobs, &curve, e);
    set_dots(first, &curve, s->a);
    bin = take_together(first, &curve);
    return figure_draw_curve(s, &first->args->shared.figure, &curve,
                             curve_picture_caption(jobs, n, &curve, bin, s->a),
                             figure_metadata_run(s, s->a, NULL), output, output->path, s->a, e);
}
