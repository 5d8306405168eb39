/* SPDX-License-Identifier: MIT
 * A text -> the maps of one layer -> a sheet of heatmaps. */
#include "lib/picture.h"

#include <math.h>
#include <string.h>

#include "analysis/map.h"
#include "base/str.h"
#include "draw/heatmap.h"
#include "session/shown.h"
#include "session/texts.h"

/* ---- what is shown ---- */

static int pick_layer(struct picture *p, struct err *e)
{
    const struct session *session = p->s;
    const struct asked_names *names = session_names(session->asked);
    const struct config *config = &session->shown->config;
    int last = config->n_layers - 1, count = 0;
    bool *only = arena_alloc(session->a, (size_t)config->n_layers, sizeof *only);
    bool named = session_names_heads(session->asked),
         given = session->asked->layer != NULL || named;

    p->layer = session_default_layer(session);
    for (int layer = 0; given && layer <= last; layer++)
        if (p->want.layer[layer]) {
            p->layer = layer;
            count++;
        }
    if (count > 1)
        return err_set(e, ERR_USAGE, "%s: '%s' %s %d layers; a heatmap shows one",
                       named ? names->head : names->layer,
                       named ? session->asked->head : session->asked->layer,
                       named ? "names heads of" : "selects", count);
    only[p->layer] = true;
    p->want.layer = only;
    return 0;
}

static void pick_heads(struct picture *p)
{
    int H = p->s->shown->config.n_heads;
    int *head = arena_alloc(p->s->a, (size_t)H, sizeof *head);

    for (int h = 0; h < H; h++)
        if (wanted_head(&p->want, p->layer, h))
            head[p->n_heads++] = h;
    p->head = head;
}

/* The ends of the colours are given, one of them or both. */
static bool is_ranged(const struct picture_look *look)
{
    return !isnan(look->vmin) || !isnan(look->vmax);
}

static int check_look(const struct picture_look *look, struct err *e)
{
    if (figure_check_page(look->figure, e) != 0 || figure_check_clip(look->figure, e) != 0)
        return -1;
    if (look->figure->clip != NULL && strcmp(look->figure->clip, "none") != 0 &&
        is_ranged(look))
        return err_set(e, ERR_USAGE, "--clip %s: --vmin and --vmax give the ends of the "
                       "colours already", look->figure->clip);
    return 0;
}

int picture_plan(struct picture *p, const struct session *s, const struct wanted *want,
                 const struct picture_look *look, struct err *e)
{
    *p = (struct picture){ .s = s, .look = *look, .want = *want,
                           .hinted = arena_alloc(s->a, 1, sizeof *p->hinted) };
    if (check_look(look, e) != 0 || pick_layer(p, e) != 0)
        return -1;
    pick_heads(p);
    return 0;
}

/* ---- one text ---- */

/* Tokens along one side of the maps, less those that are hidden; *kept: how many stay. */
static struct map_axis axis_of(const struct item *item, enum item_side side, int n, int *kept)
{
    const unsigned char *out = item->shown[side].words_out;

    *kept = n;
    for (int i = 0; out != NULL && i < n; i++)
        *kept -= out[i] != 0;
    return (struct map_axis){ n, out };
}

static char *caption(const struct picture *p, struct arena *a, const struct item *item,
                     const char *scale, int pool)
{
    const struct session *session = p->s;
    const char *shown = shown_text(session, a, item);
    bool stacks = session->model->decoder != NULL;
    char *text = arena_printf(a, "%s, %s%slayer %d", session->model->name,
                              stacks ? family_stack_names[session->stack] : "",
                              stacks ? " " : "", p->layer);

    text = arena_printf(a, "%s%s%s; scale: %s", text, figure_text(a, item),
                        figure_changes(a, session->asked), scale);
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the %s of %d x %d weights", text,
                            pool_names[p->look.pool], pool, pool);
    if (shown != NULL)
        text = arena_printf(a, "%s; %s", text, shown);
    if (item->n_cut > 0)
        text = arena_printf(a, "%s; cut to %d token%s", text, item->tokens.n,
                            str_plural(item->tokens.n));
    return arena_printf(a, "%s.", text);
}

static int put(const struct sheet *sheet, const struct picture_place *place,
               const struct warn *warn, struct err *e)
{
    if (place->path != NULL)
        return sheet_write(sheet, place->format, place->path, warn, e);
    return sheet_bytes(sheet, place->format, place->data, place->size, warn, e);
}

/* "Head 3", or "Head 3: induction" */
static const char *head_title(const struct picture *p, struct arena *a, int head)
{
    const char *const *types = p->look.type;
    const char *type = types != NULL ?
                           types[p->layer * p->s->shown->config.n_heads + head] : NULL;

    if (type == NULL)
        return arena_printf(a, "Head %d", head);
    return arena_printf(a, "Head %d: %s", head, type);
}

/* What would show more. */
static void hint(const struct picture *p, const struct heatmaps *maps, struct arena *a)
{
    if (p->s->env->note == NULL || *p->hinted || maps->scale == SCALE_LOG ||
        !heatmap_is_plain(maps, a))
        return;
    *p->hinted = true;
    err_warn(p->s->env->note, "the picture is nearly of one colour; %s--scale log would show "
             "small weights", is_ranged(&p->look) || maps->clip > 0.0 ||
                              maps->scale == SCALE_ROW ? "" : "--clip 99% or ");
}

static int paint(const struct picture *p, struct arena *a, const struct item *item,
                 const struct map *map, struct heatmaps *maps,
                 const struct picture_place *place, struct err *e)
{
    const struct figure_args *figure = p->look.figure;
    struct panel *panels = arena_alloc(a, (size_t)p->n_heads, sizeof *panels);
    const struct part part = heatmap_part(maps);
    const char *scale = figure_scale(a, figure, "head", is_ranged(&p->look), maps->clip);
    struct sheet sheet;

    for (int i = 0; i < p->n_heads; i++)
        panels[i] = (struct panel){
            figure_title(a, figure, head_title(p, a, p->head[i]), i), map->n_rows,
            map->n_cols, map_head(map, p->head[i]) };
    maps->panels = panels;
    hint(p, maps, a);
    sheet = figure_sheet(figure, &part, caption(p, a, item, scale, map->pool),
                         figure_metadata(p->s, a, p->layer, scale));
    sheet.terminal = place->terminal;
    return put(&sheet, place, p->s->env->warn, e);
}

int picture_draw(const struct picture *p, struct arena *a, const struct item *item,
                 const struct picture_place *place, struct err *e)
{
    const struct figure_args *figure = p->look.figure;
    const struct tokens *queries = session_queries(p->s, item), *keys = session_keys(p->s, item);
    int rows, cols;
    struct map_axis row_axis = axis_of(item, session_query_side(p->s), queries->n, &rows);
    struct map_axis col_axis = axis_of(item, session_key_side(p->s), keys->n, &cols);
    struct figure_plan plan = {
        .format = place->format, .n_rows = rows, .n_cols = cols, .n_panels = p->n_heads,
        .one_bar = figure->shared_scale || (!isnan(p->look.vmin) && !isnan(p->look.vmax)),
        .columns = p->look.columns, .terminal = place->terminal,
    };
    struct heatmaps maps;
    struct texts texts;
    struct map *map;
    struct sink sink;

    if (figure_plan(figure, &plan, e) != 0)
        return -1;
    map = map_new(a, 0, p->layer, p->s->shown->config.n_heads, row_axis, col_axis, plan.pool,
                  (enum pool)p->look.pool);
    sink = map_sink(map);
    texts_pack(&texts, a, item, 1);
    if (session_forward(p->s, &texts, &p->want, &sink, 1, a, e) != 0)
        return -1;
    maps = (struct heatmaps){
        .n_panels = p->n_heads, .columns = plan.columns, .pool = map->pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = (float)p->look.vmin,
        .vmax = (float)p->look.vmax, .cell_px = plan.cell_px, .no_bars = figure->no_bars,
        .clip = figure_clip(figure, rows, cols, is_ranged(&p->look)),
    };
    if (!figure->no_labels) {
        maps.rows = figure_labels(a, queries, map->row, rows);
        maps.cols = figure_labels(a, keys, map->col, cols);
        maps.row_name = p->s->stack == STACK_CROSS ? "decoder" : "query";
        maps.col_name = p->s->stack == STACK_CROSS ? "encoder" : "key";
    }
    return paint(p, a, item, map, &maps, place, e);
}
