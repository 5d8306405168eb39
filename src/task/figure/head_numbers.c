/* SPDX-License-Identifier: MIT
 * One number per head -> a picture of cells. */
#include "task/figure/head_numbers.h"

#include <math.h>

#include "task/figure/format.h"

/* Layers or heads that are wanted, in the order of the picture. */
struct side {
    int n;
    int *number;                /* [n] */
    int *place;                 /* of each layer or head of the model among them */
};

static struct side head_numbers_side_of(const struct head_numbers *numbers, struct arena *a,
                                        bool heads)
{
    const struct session *s = numbers->s;
    int n = heads ? s->shown->config.n_heads : s->shown->config.n_layers;
    struct side side = { 0, arena_alloc(a, (size_t)n, sizeof(int)),
                         arena_alloc(a, (size_t)n, sizeof(int)) };
    bool *has = arena_alloc(a, (size_t)n, sizeof *has);

    for (int l = 0, h = -1; session_next_head(s, numbers->want, &l, &h);)
        has[heads ? h : l] = true;
    for (int i = 0; i < n; i++)
        if (has[i])
            side.number[side.n++] = i;
    (heads ? figure_order_heads : figure_order_layers)(s, side.number, side.n);
    for (int i = 0; i < side.n; i++)
        side.place[side.number[i]] = i;
    return side;
}

/* value[layers->n, heads->n], NaN where a head is not wanted; returns the largest magnitude. */
static float head_numbers_fill(const struct head_numbers *numbers, const struct side *layers,
                               const struct side *heads, float *value)
{
    float largest = 0;

    for (int i = 0; i < layers->n * heads->n; i++)
        value[i] = NAN;
    for (int l = 0, h = -1; session_next_head(numbers->s, numbers->want, &l, &h);) {
        float x = (float)numbers->value(numbers->of, l, h);

        value[layers->place[l] * heads->n + heads->place[h]] = x;
        largest = fmaxf(largest, fabsf(x));     /* NaN: passed over */
    }
    return largest;
}

int head_numbers_draw(const struct head_numbers *numbers, const struct figure_args *figure,
                      const char *caption, const struct metadata *metadata,
                      const struct output *output, const char *path, struct arena *a,
                      struct err *e)
{
    struct side layers = head_numbers_side_of(numbers, a, false),
                heads = head_numbers_side_of(numbers, a, true);
    float *value = arena_alloc(a, (size_t)layers.n, (size_t)heads.n * sizeof *value);
    float largest = head_numbers_fill(numbers, &layers, &heads, value);
    float most = numbers->most > 0 ? (float)numbers->most : largest > 0 ? largest : 1e-6f;
    struct panel panel = { numbers->title, layers.n, heads.n, value };
    struct figure_plan plan = { .format = figure_format(output), .n_rows = layers.n,
                                .n_cols = heads.n, .n_panels = 1, .columns = 1,
                                .terminal = &output->terminal };
    struct heatmaps maps;
    struct part part;
    struct sheet sheet;

    if (figure_check_page(figure, e) != 0 || figure_plan(figure, &plan, e) != 0)
        return -1;
    if (plan.pool > 1)
        return err_set(e, ERR_USAGE, "%d x %d heads do not fit in a picture", layers.n, heads.n);
    maps = (struct heatmaps){
        .n_panels = 1, .panels = &panel, .columns = 1,
        .rows = figure_numbered(a, 'L', layers.number, layers.n),
        .cols = figure_numbered(a, 'H', heads.number, heads.n),
        .pool = 1, .cmap = cmap_find(numbers->is_signed ? "bluered" : "viridis"),
        .vmin = numbers->is_signed ? -most : 0, .vmax = most, .cell_px = plan.cell_px,
    };
    part = heatmap_part(&maps);
    sheet = figure_sheet(figure, &part, caption, metadata);
    sheet.terminal = plan.terminal;
    return sheet_write(&sheet, plan.format, path, numbers->s->env->warn, e);
}
