/* SPDX-License-Identifier: MIT
 * A text -> its strongest links -> a sheet of lines. */
#include <math.h>

#include "analysis/strong.h"
#include "base/str.h"
#include "draw/figure/links.h"
#include "draw/figure/stroke.h"
#include "session/shown/average.h"
#include "session/shown/region.h"
#include "session/shown/shown.h"
#include "task/links/links.h"

/* ---- words ---- */

/* "Head 3", or "L2H3" where there are several layers, with its type. */
static const char *head_name(const struct links_job *job, struct arena *a, const struct head_id *id)
{
    const char *type = job->type == NULL ? NULL :
                           job->type[id->layer * job->job.s.shown->config.n_heads + id->head];
    const struct head_id named = records_head(&job->job.s, *id);
    const char *name = job->n_layers > 1 || job->job.s.average != NULL ?
                           records_head_name(a, &named) : arena_printf(a, "Head %d", id->head);

    return type != NULL ? arena_printf(a, "%s: %s", name, type) : name;
}

/* Which links are drawn, and how. */
static const char *rule_text(const struct links_job *job, struct arena *a,
                             const struct strong_links *links)
{
    const struct links_args *args = job->args;
    const char *text = arena_printf(a, "%lld link%s", (long long)links->n_all,
                                    str_plural(links->n_all));

    if (links->n < links->n_all)
        text = arena_printf(a, "the %d strongest of %s", links->n, text);
    if (args->between != LINKS_ALL)
        text = arena_printf(a, "%s from text %c to text %c", text,
                            links_betweens[args->between][0], links_betweens[args->between][2]);
    if (links_share(args) < 100.0)
        text = arena_printf(a, "%s, which hold %g%% of %seach row", text, links_share(args),
                            args->between != LINKS_ALL || job->job.s.asked->to != NULL ?
                                "that part of " : "");
    if (!isnan(args->min_weight))
        text = arena_printf(a, "%s, of at least %g", text, args->min_weight);
    text = arena_printf(a, "%s; the wider and darker, the greater the weight", text);
    if (args->arcs)
        text = arena_printf(a, "%s; a dot is where a link ends", text);
    if (links_has_sink(job))
        text = arena_printf(a, "%s; last place: what a sink takes that is not a key", text);
    else if (links->sink_share > 0.0)
        text = arena_printf(a, "%s; not shown: a sink that is not a key, which takes on average "
                            "%.2g of a row", text, links->sink_share);
    if (job->n_heads > STROKE_MOST)
        text = arena_printf(a, "%s; %d heads in one ink", text, job->n_heads);
    return text;
}

/* "0-3, 5" */
static const char *layers_text(const struct links_job *job, struct arena *a)
{
    const char *text = "";

    for (int i = 0, end; i < job->n_heads; i = end) {
        int first = job->head[i].layer, last = first;

        for (end = i + 1; end < job->n_heads && job->head[end].layer <= last + 1; end++)
            last = job->head[end].layer;
        text = arena_printf(a, last > first ? "%s%s%d-%d" : "%s%s%d", text, i > 0 ? ", " : "",
                            first, last);
    }
    return text;
}

/* "layers 0-3, 5, mean of heads 0-3" */
static const char *subject(const struct links_job *job, struct arena *a)
{
    const char *mean = average_text(&job->job.s, a);
    const char *layers = arena_printf(a, "layer%s %s", str_plural(job->n_layers),
                                      layers_text(job, a));

    if (job->job.s.asked->chosen != NULL)
        return arena_printf(a, "%s, %s", layers, job->job.s.asked->chosen);
    if (mean == NULL || session_averages(&job->job.s, AVERAGE_LAYERS))
        return mean != NULL ? mean : layers;
    return arena_printf(a, "%s, %s", layers, mean);
}

static const char *links_picture_caption(const struct links_job *job, struct arena *a,
                                         const struct item *item, const struct strong_links *links)
{
    const struct session *s = &job->job.s;
    const char *shown = shown_text(s, a, item, SHOWN_WEIGHTS);
    const char *stack = s->model->decoder != NULL ?
                            arena_printf(a, "%s ", family_stack_names[s->stack]) : "";
    char *text = arena_printf(a, "%s, %s%s%s%s; %s", s->model->name, stack, subject(job, a),
                              figure_text(a, item), figure_changes(a, s->asked),
                              rule_text(job, a, links));

    if (shown != NULL)
        text = arena_printf(a, "%s; %s", text, shown);
    if (region_text(s, a) != NULL)
        text = arena_printf(a, "%s; %s", text, region_text(s, a));
    if (item->n_cut > 0)
        text = arena_printf(a, "%s; cut to %d token%s", text, item->tokens.n,
                            str_plural(item->tokens.n));
    return arena_printf(a, "%s.", text);
}

/* ---- one text ---- */

static const struct links_line *links_picture_lines_of(const struct links_job *job, struct arena *a,
                                                       const struct strong_links *links)
{
    struct links_line *line = arena_alloc(a, (size_t)links->n, sizeof *line);

    for (int i = 0; i < links->n; i++)
        line[i] = (struct links_line){ links->link[i].query, links->link[i].key,
                                       job->place[links->link[i].head], links->link[i].weight };
    return line;
}

static void name_heads(const struct links_job *job, struct arena *a, struct links_figure *figure)
{
    const char **name = arena_alloc(a, (size_t)job->n_heads, sizeof *name);
    const char **title = arena_alloc(a, (size_t)job->n_heads, sizeof *title);

    for (int i = 0; i < job->n_heads; i++) {
        int place = job->place[i];

        name[place] = head_name(job, a, &job->head[i]);
        title[place] = figure_title(a, &job->args->shared.figure, name[place], place);
    }
    figure->n_heads = job->n_heads;
    figure->name = name;
    figure->title = title;
}

/* Of a page's height, A4's, in pixels at 100 dpi. */
static const double TALLEST = 297.0 * 100.0 / 25.4;

static double mm(double px)
{
    return ceil(px * 25.4 / 100.0);
}

/* With so many columns, or more where there is room for them. */
static bool is_on_a_page(const struct sheet *sheet, struct links_figure *figure, struct arena *a)
{
    int columns = figure->columns;
    double least;

    while (links_plan_page(figure, sheet->width_px, sheet->font_px, &columns, &least) == 0) {
        figure->columns = columns;
        if (sheet_height(sheet, a) <= TALLEST)
            return true;
        if (columns++ == figure->n_heads)
            break;
    }
    return false;
}

/* A width at which the panels would be, in millimetres; 0: at none that is found. */
static int wide_enough(const struct sheet *sheet, struct links_figure *figure, struct arena *a)
{
    enum { STEP = 5, WIDEST = 500 };
    struct sheet wider = *sheet;

    for (int width = (int)mm(sheet->width_px) / STEP * STEP + STEP; width <= WIDEST;
         width += STEP) {
        figure->columns = 0;
        wider.width_px = width * 100.0 / 25.4;
        if (is_on_a_page(&wider, figure, a))
            return width;
    }
    return 0;
}

/* Panels below each other that no page has room for are what nobody wants by default. */
static int check_height(const struct figure_args *args, const struct sheet *sheet,
                        struct links_figure *figure, struct arena *a, struct err *e)
{
    int columns = figure->columns, width;
    double height;

    if (is_on_a_page(sheet, figure, a))
        return 0;
    figure->columns = columns;
    height = sheet_height(sheet, a);
    width = wide_enough(sheet, figure, a);
    return err_set(e, ERR_USAGE, "--width %s: %d panels would be %.0fmm high, a page is 297mm; "
                   "expected %sfewer heads, or --columns %d to have them that high", args->width,
                   figure->n_heads, mm(height),
                   width > 0 ? arena_printf(a, "at least %dmm, ", width) : "", columns);
}

static int plan_page(const struct figure_args *args, const struct sheet *sheet,
                     struct links_figure *figure, struct arena *a, struct err *e)
{
    bool chosen = figure->columns > 0;
    double least;

    if (args->width == NULL) {
        figure->columns = chosen ? figure->columns : FIGURE_COLUMNS;
        return 0;
    }
    if (links_plan_page(figure, sheet->width_px, sheet->font_px, &figure->columns, &least) != 0)
        return err_set(e, ERR_USAGE, "--width %s: labels leave no room for lines in %d panel%s "
                       "side by side; expected at least %.0fmm, a smaller --font-size, or "
                       "--no-labels", args->width, figure->columns, str_plural(figure->columns),
                       mm(least));
    return figure->panels && !chosen ? check_height(args, sheet, figure, a, e) : 0;
}

static int links_picture_put(struct links_job *job, struct arena *a, const struct item *item,
                             const char *path, struct links_figure *figure,
                             const struct strong_links *links, struct err *e)
{
    const struct figure_args *f = &job->args->shared.figure;
    const struct session *s = &job->job.s;
    const struct part part = links_part(figure);
    const struct metadata *metadata = figure_metadata_map(s, a, item, layers_text(job, a),
                                                          rule_text(job, a, links));
    const struct output *output = &job->job.results.output;
    struct sheet sheet = figure_sheet(f, &part, links_picture_caption(job, a, item, links),
                                      metadata);

    sheet.terminal = &output->terminal;
    if (plan_page(f, &sheet, figure, a, e) != 0)
        return -1;
    return sheet_write(&sheet, figure_format(output), path, s->env->warn, e);
}

int links_draw(struct links_job *job, struct arena *a, const struct item *item, const char *path,
               struct err *e)
{
    const struct links_args *args = job->args;
    struct links_found found;
    const struct links_side *queries = &found.queries, *keys = &found.keys;
    struct links_figure figure = {
        .panels = args->panels, .arcs = args->arcs, .columns = args->columns,
        .row_name = job->job.s.stack == STACK_CROSS ? "decoder" : "query",
        .col_name = job->job.s.stack == STACK_CROSS ? "encoder" : "key",
    };

    if (links_find(job, a, item, &found, e) != 0)
        return -1;
    figure.n_rows = queries->n_shown;
    figure.n_cols = keys->n_shown;
    *(args->arcs ? &figure.n_rows : &figure.n_cols) += links_has_sink(job);
    figure.n = found.links.n;
    figure.line = links_picture_lines_of(job, a, &found.links);
    name_heads(job, a, &figure);
    if (!args->shared.figure.no_labels) {
        figure.rows = figure_labels(a, queries->tokens, queries->place, queries->n_shown);
        figure.cols = figure_labels(a, keys->tokens, keys->place, keys->n_shown);
        if (links_has_sink(job))
            label_add(a, args->arcs ? &figure.rows : &figure.cols, "sink");
    }
    return links_picture_put(job, a, item, path, &figure, &found.links, e);
}
