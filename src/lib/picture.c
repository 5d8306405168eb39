/* SPDX-License-Identifier: MIT
 * A text -> maps of heads -> a sheet of heatmaps. */
#include "lib/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/map.h"
#include "base/str.h"
#include "draw/heatmap.h"
#include "draw/page.h"
#include "lib/picture_sound.h"
#include "session/place.h"
#include "session/shown.h"

/* ---- what is shown ---- */

/* Of all that there are where the default is not the layer of one picture. */
static bool is_of_layers(const struct picture *p)
{
    return p->look.average == AVERAGE_LAYERS || p->look.rollout;
}

/* Those that were selected, else the default. */
static void pick_layers(struct picture *p)
{
    const struct session *session = p->s;
    int L = session->shown->config.n_layers, only = session_default_layer(session);
    bool named = session_names_heads(session->asked);
    bool given = session->asked->layer != NULL || named, *layer;

    layer = arena_alloc(session->a, (size_t)L, sizeof *layer);
    for (int l = 0; l < L; l++) {
        layer[l] = given ? wanted_layer(&p->want, l) : is_of_layers(p) || l == only;
        p->n_layers += layer[l];
    }
    p->want.layer = layer;
    p->sheet = p->n_layers > 1 && !named && p->look.average == AVERAGE_NONE && !p->look.rollout;
}

/* Its number stands in the place of all of them: -1. */
static bool is_new(const struct picture *p, struct picture_panel panel)
{
    for (int i = 0; i < p->n_panels; i++)
        if (p->panel[i].layer == panel.layer && p->panel[i].head == panel.head)
            return false;
    return true;
}

static int by_head(const void *x, const void *y)
{
    const struct picture_panel *a = x, *b = y;

    return a->head - b->head;
}

static void pick_panels(struct picture *p)
{
    const struct config *config = &p->s->shown->config;
    struct picture_panel *panel = arena_alloc(p->s->a, (size_t)config->n_layers,
                                              (size_t)config->n_heads * sizeof *panel);

    p->panel = panel;
    for (int l = 0, h = -1; session_next_head(p->s, &p->want, &l, &h);) {
        struct picture_panel next = { l, h };

        if (is_of_layers(p))
            next.layer = -1;
        if (p->look.average == AVERAGE_HEADS || p->look.rollout)
            next.head = -1;
        if ((next.layer >= 0 && next.head >= 0) || is_new(p, next))
            panel[p->n_panels++] = next;
    }
    if (p->look.average == AVERAGE_LAYERS)
        qsort(panel, (size_t)p->n_panels, sizeof *panel, by_head);
    p->per_row = p->sheet ? p->n_panels / p->n_layers : p->n_panels;
}

/* The ends of the colours are given, one of them or both. */
static bool is_ranged(const struct picture_look *look)
{
    return !isnan(look->vmin) || !isnan(look->vmax);
}

static int check_maps(const struct picture *p, struct err *e)
{
    if (!p->look.rollout)
        return 0;
    if (p->look.average != AVERAGE_NONE)
        return err_set(e, ERR_USAGE, "--rollout, --average: only one of them can be given");
    if (p->s->stack == STACK_CROSS)
        return err_set(e, ERR_USAGE, "--rollout: cross-attention reads another text: expected "
                       "-s encoder or -s decoder");
    return 0;
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
    if (check_look(look, e) != 0 || check_maps(p, e) != 0)
        return -1;
    pick_layers(p);
    pick_panels(p);
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
                     const char *over, const char *scale, int pool)
{
    const struct session *session = p->s;
    const char *shown = shown_text(session, a, item);
    bool stacks = session->model->decoder != NULL;
    char *text = arena_printf(a, "%s, %s%s%s", session->model->name,
                              stacks ? family_stack_names[session->stack] : "",
                              stacks ? " " : "", picture_subject(p, a));

    text = arena_printf(a, "%s%s%s%s; scale: %s", text, figure_text(a, item),
                        figure_changes(a, session->asked), over, scale);
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

/* ---- over a picture ---- */

/* What lies over the patches of the picture that a text is: a row of each map; or over the
 * sound: maps with fewer columns. */
struct over {
    bool is, sound;             /* false: the maps themselves are drawn */
    struct picture_bins bins;   /* of sound */
    int at, columns;            /* the row; patches in a row of the picture */
    struct page_picture picture;
};

static int find_over(const struct picture *p, const struct item *item, struct over *out,
                     struct err *e)
{
    const struct pixels *seen = item->seen;

    *out = (struct over){ .is = seen != NULL && !p->look.grid };
    if (p->look.at != NULL && !out->is)
        return err_set(e, ERR_USAGE, "--at requires --image, and no --grid: other maps have rows "
                       "of all tokens");
    if (!out->is)
        return 0;
    if (p->look.at != NULL && (out->at = place_query(p->look.at, "--at", p->s, item, e)) < 0)
        return -1;
    out->columns = front_patch_columns(p->s->model);
    out->picture = (struct page_picture){ seen->width, seen->height, seen->rgb, 0 };
    return 0;
}

/* Each map becomes its row, whose first weight is that of [CLS], patch by patch. */
static void lay_over(const struct over *over, const struct picture *p, int n_tokens,
                     struct picture_maps *m)
{
    for (int i = 0; i < p->n_panels; i++)
        m->value[i] += (size_t)over->at * (size_t)n_tokens + 1;
    m->n_rows = (n_tokens - 1) / over->columns;
    m->n_cols = over->columns;
}

static void lay_over_sound(const struct over *over, const struct picture *p, struct arena *a,
                           int n_keys, struct picture_maps *m)
{
    for (int i = 0; i < p->n_panels; i++)
        m->value[i] = picture_bins_fill(&over->bins, a, m->value[i], m->n_rows, n_keys);
    m->n_cols = over->bins.n;
}

static const char *over_words(struct arena *a, const struct over *over, const struct item *item,
                              enum draw_format format)
{
    if (over->sound)
        return arena_printf(a, "%s; below: the log-mel spectrogram, dark where loud",
                            over->bins.size == 1 ? "" :
                            arena_printf(a, "; a cell is the max of %d positions in time",
                                         over->bins.size));
    if (!over->is)
        return "";
    return arena_printf(a, "; what %s attends to, patch by patch%s",
                        item->tokens.label[over->at], format == DRAW_TERMINAL ? "" :
                        ", the picture in grey over the colours, half of each");
}

/* What would show more. */
static void hint(const struct picture *p, const struct heatmaps *maps, struct arena *a)
{
    if (!*p->hinted && maps->cmap->diverges) {
        *p->hinted = true;
        figure_note_cmap(maps, p->s->env->note);
    }
    if (p->s->env->note == NULL || *p->hinted || maps->scale == SCALE_LOG ||
        !heatmap_is_plain(maps, a))
        return;
    *p->hinted = true;
    err_warn(p->s->env->note, "the picture is nearly of one colour; %s--scale log would show "
             "small weights", is_ranged(&p->look) || maps->clip > 0.0 ||
                              maps->scale == SCALE_ROW ? "" : "--clip 99% or ");
}

/* Panels of a sheet begin a new row with each layer. */
static int place_of(const struct picture *p, int i, int columns)
{
    int rows = columns > 0 ? (p->per_row + columns - 1) / columns : 0;

    return p->sheet && columns > 0 ? i / p->per_row * rows * columns + i % p->per_row : i;
}

static struct panel panel_of(const struct picture *p, struct arena *a, int i, bool one_line)
{
    const struct figure_args *figure = p->look.figure;
    const char *title = figure_title(a, figure, picture_title(p, a, i), i);
    const char *note = figure->no_titles ? NULL : picture_note(p, a, i);

    if (!one_line || note == NULL)
        return (struct panel){ .title = title, .note = note };
    return (struct panel){ .title = arena_printf(a, "%s: %s", title, note) };
}

static int paint(const struct picture *p, struct arena *a, const struct item *item,
                 const struct picture_maps *shown, struct heatmaps *maps, const char *over,
                 const struct picture_place *place, const struct figure_plan *plan,
                 struct err *e)
{
    const struct figure_args *figure = p->look.figure;
    struct panel *panels = arena_alloc(a, (size_t)p->n_panels, sizeof *panels);
    const struct part part = heatmap_part(maps);
    const char *scale = figure_scale(a, figure, picture_unit(p), is_ranged(&p->look),
                                     maps->clip);
    struct sheet sheet;

    for (int i = 0; i < p->n_panels; i++) {
        panels[i] = panel_of(p, a, i, place->format == DRAW_TERMINAL);
        panels[i].place = place_of(p, i, maps->columns);
        panels[i].n_rows = shown->n_rows;
        panels[i].n_cols = shown->n_cols;
        panels[i].value = shown->value[i];
    }
    maps->panels = panels;
    hint(p, maps, a);
    sheet = figure_sheet(figure, &part, caption(p, a, item, over, scale, maps->pool),
                         figure_metadata(p->s, a, picture_layers(p, a), scale));
    sheet.terminal = place->terminal;
    if (figure_check_numbers(figure, &sheet, plan, a, e) != 0)
        return -1;
    return put(&sheet, place, p->s->env->warn, e);
}

/* Bars of their own take more than the maps where many stand in a row. */
static bool has_own_bars(const struct picture *p, bool one_bar)
{
    enum { FEW = 4 };

    return one_bar || !p->sheet || (p->look.columns > 0 ? p->look.columns : p->per_row) <= FEW;
}

static int plan_grid(const struct picture *p, struct figure_plan *plan, struct err *e)
{
    plan->one_bar = p->look.figure->shared_scale ||
                    (!isnan(p->look.vmin) && !isnan(p->look.vmax));
    plan->no_bars = !has_own_bars(p, plan->one_bar);
    plan->columns = p->look.columns;
    plan->n_panels = p->per_row;
    plan->n_rows_of_panels = p->sheet ? p->n_layers : 0;
    return figure_plan(p->look.figure, plan, e);
}

int picture_draw(const struct picture *p, struct arena *a, const struct item *item,
                 const struct picture_place *place, struct err *e)
{
    const struct figure_args *figure = p->look.figure;
    const struct tokens *queries = session_queries(p->s, item), *keys = session_keys(p->s, item);
    int rows, cols;
    struct map_axis row_axis = axis_of(item, session_query_side(p->s), queries->n, &rows);
    struct map_axis col_axis = axis_of(item, session_key_side(p->s), keys->n, &cols);
    struct figure_plan plan = { .format = place->format, .n_rows = rows, .n_cols = cols,
                                .terminal = place->terminal };
    struct picture_maps shown = { .rows = row_axis, .cols = col_axis };
    struct heatmaps maps;
    struct over over;

    if (find_over(p, item, &over, e) != 0)
        return -1;
    over.sound = picture_is_of_sound(p->s) && !p->look.grid && place->format != DRAW_TERMINAL;
    if (over.sound) {
        picture_bins_of(&over.bins, keys->n);
        picture_spectrogram(&over.picture, a, &over.bins, &item->values);
        shown.cols.skip = NULL;
        plan.n_cols = cols = over.bins.n;
    }
    if (over.is) {
        shown.rows.skip = shown.cols.skip = NULL;
        plan.n_rows = rows = (queries->n - 1) / over.columns;
        plan.n_cols = cols = over.columns;
    }
    if (plan_grid(p, &plan, e) != 0)
        return -1;
    shown.pool = over.is || over.sound ? 1 : plan.pool;
    if (picture_fill(p, a, item, &shown, e) != 0)
        return -1;
    if (over.is)
        lay_over(&over, p, queries->n, &shown);
    if (over.sound)
        lay_over_sound(&over, p, a, keys->n, &shown);
    maps = (struct heatmaps){
        .picture = over.is || over.sound ? &over.picture : NULL,
        .n_panels = p->n_panels, .columns = plan.columns, .sheet = p->sheet,
        .group = p->sheet ? p->per_row : 0, .pool = shown.pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = (float)p->look.vmin,
        .vmax = (float)p->look.vmax, .cell_px = plan.cell_px,
        .no_bars = figure->no_bars || plan.no_bars, .numbers = figure->numbers,
        .clip = figure_clip(figure, rows, cols, is_ranged(&p->look)),
    };
    if (!figure->no_labels && !over.is) {
        maps.rows = figure_labels(a, queries, shown.row, rows);
        maps.cols = over.sound ? picture_bins_labels(&over.bins, a, keys) :
                    figure_labels(a, keys, shown.col, cols);
        maps.row_name = p->s->stack == STACK_CROSS ? "decoder" : "query";
        maps.col_name = p->s->stack == STACK_CROSS ? "encoder" : "key";
    }
    return paint(p, a, item, &shown, &maps, over_words(a, &over, item, place->format), place,
                 &plan, e);
}
