/* SPDX-License-Identifier: MIT
 * A token through the layers as two heatmaps, of its query row and its key column, and the
 * predictions as text. */
#include <math.h>

#include "draw/figure/lines.h"
#include "task/trace/trace.h"

/* The layers that are drawn. */
struct steps {
    int n;
    int *layer;                 /* [n] */
    const char **name;          /* [n] "L3" */
};

/* In the order of -l.  from: 0, or -1 with what the first layer reads. */
static struct steps steps_of(const struct trace_found *found, struct arena *a, int from)
{
    size_t most = (size_t)found->t->m->config.n_layers + 1;
    struct steps steps = { 0, arena_alloc(a, most, sizeof(int)),
                           arena_alloc(a, most, sizeof(char *)) };
    int first;                  /* 1: what the first layer reads comes before all */

    for (int l = from; l < found->t->m->config.n_layers; l++)
        if (trace_shows(found, l))
            steps.layer[steps.n++] = l;
    first = steps.n > 0 && steps.layer[0] < 0;
    figure_order_layers(&found->j->job.s, steps.layer + first, steps.n - first);
    for (int i = 0; i < steps.n; i++)
        steps.name[i] = steps.layer[i] < 0 ? "input" : arena_printf(a, "L%d", steps.layer[i]);
    return steps;
}

/* Layers x tokens of x [L, H, n]. */
static struct panel panel_of(const struct trace_found *found, struct arena *a, const char *title,
                             const struct steps *steps, const float *x, int n)
{
    float *value = arena_alloc(a, (size_t)steps->n, (size_t)n * sizeof *value);

    for (int i = 0; i < steps->n; i++) {
        const double *mean = trace_mean_of(found, a, steps->layer[i], x, n);

        for (int k = 0; k < n; k++)
            value[(size_t)i * (size_t)n + (size_t)k] = (float)mean[k];
    }
    return (struct panel){ .title = title, .n_rows = steps->n, .n_cols = n, .value = value };
}

/* Others than the token itself look at it, as none does at the last one of a causal model. */
static bool is_seen(const struct trace_found *found, const struct panel *panel)
{
    for (int i = 0; i < panel->n_rows * panel->n_cols; i++)
        if (i % panel->n_cols != found->t->at && !isnan(panel->value[i]))
            return true;
    return false;
}

static struct label_list tokens_of(struct arena *a, const struct tokens *tokens)
{
    int *place = arena_alloc(a, (size_t)tokens->n, sizeof *place);

    for (int i = 0; i < tokens->n; i++)
        place[i] = i;
    return figure_labels(a, tokens, place, tokens->n);
}

static const struct lines *predictions(const struct trace_found *found, struct arena *a)
{
    struct lines *lines = arena_alloc(a, 1, sizeof *lines);
    struct steps steps = steps_of(found, a, -1);
    const char **text = arena_alloc(a, (size_t)steps.n, sizeof *text);

    for (int i = 0; i < steps.n; i++)
        text[i] = trace_predicts(found, a, steps.layer[i]);
    *lines = (struct lines){ "predicted after each layer", steps.n, steps.name, text };
    return lines;
}

/* Columns of a pixel each, which square cells would not have room for. */
enum { MOST_COLUMNS = 4000 };

/* So that each layer has its label, however many tokens there are. */
enum { ROW_PX = 12 };

static int plan(const struct trace_found *found, struct figure_plan *plan, struct err *e)
{
    const struct figure_args *figure = &found->j->args->shared.figure;

    if (figure_plan(figure, plan, e) != 0)
        return -1;
    if (plan->pool > 1 && plan->format != DRAW_TERMINAL && figure->width == NULL &&
        plan->n_cols <= MOST_COLUMNS) {
        plan->pool = 1;
        plan->cell_px = 1;
    }
    if (plan->pool > 1)
        return err_set(e, ERR_USAGE, "%d tokens do not fit in a picture; expected fewer, a greater "
                       "--width, or --tsv", plan->n_cols);
    return 0;
}

static int write(const struct trace_found *found, struct arena *a, const struct heatmaps *maps,
                 const struct figure_plan *plan, const char *path, struct err *e)
{
    const struct figure_args *figure = &found->j->args->shared.figure;
    const struct session *s = &found->j->job.s;
    struct part part[2] = { heatmap_part(maps) };
    const char *scale = figure_scale(a, figure, "heatmap", false, maps->clip);
    const char *unseen = found->t->column != NULL && maps->n_panels == 1 ?
                                 "; no other token looks at it" : "";
    const char *caption = arena_printf(a, "%s%s%s; %s%s; scale: %s.", s->model->name,
                                       figure_text(a, found->item), figure_changes(a, s->asked),
                                       trace_lead(found, a), unseen, scale);
    struct sheet sheet = figure_sheet(figure, part, caption,
                                      figure_metadata_run(s, a, found->item));

    sheet.terminal = plan->terminal;
    if (figure_check_numbers(figure, &sheet, plan, a, e) != 0)
        return -1;
    if (found->top > 0)
        part[sheet.n_parts++] = lines_part(predictions(found, a));
    return sheet_write(&sheet, plan->format, path, s->env->warn, e);
}

int trace_draw(const struct trace_found *found, struct arena *a, const char *path, struct err *e)
{
    const struct figure_args *figure = &found->j->args->shared.figure;
    const struct output *output = &found->j->job.results.output;
    const struct trace *t = found->t;
    struct steps steps = steps_of(found, a, 0);
    struct panel panel[2] = {
        panel_of(found, a, figure_title(a, figure, "attention from the token", 0), &steps, t->row,
                 t->S)
    };
    struct figure_plan p = { .format = figure_format(output), .n_rows = steps.n, .n_cols = t->S,
                             .n_panels = 1, .columns = 1, .one_bar = figure->shared_scale,
                             .terminal = &output->terminal };
    struct heatmaps maps;

    if (t->column != NULL) {
        panel[1] = panel_of(found, a, figure_title(a, figure, "attention to the token", 1), &steps,
                            t->column, t->T);
        p.n_panels += is_seen(found, &panel[1]);
    }
    if (plan(found, &p, e) != 0)
        return -1;
    maps = (struct heatmaps){
        .n_panels = p.n_panels, .panels = panel, .columns = 1, .pool = 1,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = NAN, .vmax = NAN, .cell_px = p.cell_px,
        .clip = figure_clip(figure, steps.n, t->S, false), .no_bars = figure->no_bars,
        .numbers = figure->numbers, .row_px = ROW_PX, .row_name = "layer", .col_name = "token",
    };
    if (!figure->no_labels) {
        maps.rows = (struct label_list){ steps.n, steps.name, NULL, NULL };
        maps.cols = tokens_of(a, session_keys(&found->j->job.s, found->item));
    }
    return write(found, a, &maps, &p, path, e);
}
