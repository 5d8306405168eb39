/* SPDX-License-Identifier: MIT
 * The rows of one head under each mechanism -> a picture. */
#include <math.h>

#include "analysis/map.h"
#include "task/mechanisms/mechanisms.h"

/* Covered, and not refused. */
static bool is_shown(const struct mechanisms_text *text, int layer, int id)
{
    return mechanisms_covers(text->c->opts, (enum mechanism_id)id) &&
           mechanisms_at(text->c, layer, (enum mechanism_id)id)->refused == NULL;
}

static const char *mechanisms_picture_caption(const struct mechanisms_text *t, struct arena *a,
                                              int layer, const char *scale, int pool)
{
    struct mechanism_params used = mechanisms_used(t);
    bool shown[N_MECHANISM];
    const char *params;
    char *text = arena_printf(a, "%s, %s layer %d, head %d%s%s; scale: %s",
                              t->s->model->name, family_stack_names[t->s->stack], layer,
                              t->kept_head, figure_text(a, t->item),
                              figure_changes(a, t->s->asked), scale);

    for (int id = 0; id < N_MECHANISM; id++)
        shown[id] = is_shown(t, layer, id);
    params = mechanisms_params_text(&used, shown, a);
    if (*params != '\0')
        text = arena_printf(a, "%s; %s", text, params);
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the max of %d x %d weights", text, pool,
                            pool);
    return arena_printf(a, "%s.", text);
}

/* A panel for each mechanism that did not refuse; returns how many. */
static int fill_panels(const struct mechanisms_text *text, struct arena *a, int layer,
                       const struct figure_args *figure, struct map *map, struct panel *panels)
{
    const size_t size = (size_t)map->n_queries * (size_t)map->n_keys;
    int count = 0;

    for (int id = 0; id < N_MECHANISM; id++) {
        if (!is_shown(text, layer, id))
            continue;
        map_fill(map, count, text->c->kept + (size_t)id * size);
        panels[count] = (struct panel){
            figure_title(a, figure, mechanism_names[id], count), map->n_rows, map->n_cols,
            map_head(map, count) };
        count++;
    }
    return count;
}

int mechanisms_picture(const struct mechanisms_text *text, struct arena *a, int layer,
                       const struct figure_args *figure, int columns,
                       const struct output *output, const char *path, struct err *e)
{
    const struct tokens *queries = session_queries(text->s, text->item);
    const struct tokens *keys = session_keys(text->s, text->item);
    double clip = figure_clip(figure, queries->n, keys->n, false);
    const char *scale = figure_scale(a, figure, "mechanism", false, clip);
    struct panel *panels = arena_alloc(a, N_MECHANISM, sizeof *panels);
    struct figure_plan plan = {
        .format = figure_format(output), .n_rows = queries->n, .n_cols = keys->n,
        .n_panels = N_MECHANISM,
        .one_bar = figure->shared_scale, .columns = columns, .terminal = &output->terminal
    };
    struct map *map;
    struct heatmaps maps;
    struct part part;
    struct sheet sheet;
    int count;

    if (figure_plan(figure, &plan, e) != 0)
        return -1;
    map = map_new(a, 0, layer, N_MECHANISM, (struct map_axis){ queries->n, NULL },
                  (struct map_axis){ keys->n, NULL }, plan.pool, POOL_MAX);
    count = fill_panels(text, a, layer, figure, map, panels);
    maps = (struct heatmaps){
        .n_panels = count, .panels = panels, .columns = columns < count ? columns : count,
        .pool = plan.pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = NAN, .vmax = NAN, .cell_px = plan.cell_px,
        .no_bars = figure->no_bars, .clip = clip, .numbers = figure->numbers,
    };
    if (!figure->no_labels) {
        maps.rows = figure_labels(a, queries, map->row, queries->n);
        maps.cols = figure_labels(a, keys, map->col, keys->n);
    }
    figure_note_cmap(&maps, text->s->env->note);
    part = heatmap_part(&maps);
    sheet = figure_sheet(
        figure, &part, mechanisms_picture_caption(text, a, layer, scale, plan.pool),
        figure_metadata_map(text->s, a, text->item, arena_printf(a, "%d", layer), scale));
    sheet.terminal = plan.terminal;
    if (figure_check_numbers(figure, &sheet, &plan, a, e) != 0)
        return -1;
    return sheet_write(&sheet, plan.format, path, text->s->env->warn, e);
}
