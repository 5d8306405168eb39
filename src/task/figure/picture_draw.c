/* SPDX-License-Identifier: MIT
 * Texts -> their heatmaps, side by side if there are several -> a sheet. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/map.h"
#include "base/str.h"
#include "draw/figure/beside.h"
#include "session/shown/region.h"
#include "session/shown/shown.h"
#include "task/figure/picture_view.h"

/* ---- words ---- */

/* All of them, where they are few. */
static const char *picture_draw_texts_of(struct arena *a, const struct item *items, int n)
{
    enum { FEW = 4 };
    const char *texts = "";

    if (n > FEW)
        return arena_printf(a, ", %d texts", n);
    for (int i = 0; i < n; i++)
        texts = arena_printf(a, "%s%s", texts, figure_text(a, &items[i]));
    return texts;
}

/* "linear, each head its own range"; of several texts, whose heads. */
static const char *scale_of(const struct picture *picture, struct arena *a, int n_texts,
                            double clip)
{
    bool each = n_texts > 1 && picture->n_panels == 1;
    const char *of = each ? "text" : n_texts == 1 || !picture->look.figure->shared_scale ?
                     picture_unit(picture) :
                     arena_printf(a, "%ss of all text", picture_unit(picture));

    return figure_scale(a, picture->look.figure, of, picture_is_ranged(picture), clip);
}

static char *picture_draw_caption(const struct picture *picture, struct arena *a,
                                  const struct item *items, int n, const char *over,
                                  const char *scale, int pool)
{
    const struct session *session = picture->s;
    const char *shown = shown_text(session, a, items, SHOWN_WEIGHTS);
    bool stacks = session->model->decoder != NULL;
    char *text = arena_printf(a, "%s, %s%s%s", session->model->name,
                              stacks ? family_stack_names[session->stack] : "",
                              stacks ? " " : "", picture_subject(picture, a));

    text = arena_printf(a, "%s%s%s%s; scale: %s", text, picture_draw_texts_of(a, items, n),
                        figure_changes(a, session->asked), over, scale);
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the %s of %d x %d weights", text,
                            pool_names[picture->look.pool], pool, pool);
    if (shown != NULL)
        text = arena_printf(a, "%s; %s", text, shown);
    if (region_text(session, a) != NULL && (items->seen == NULL || picture->look.grid))
        text = arena_printf(a, "%s; %s", text, region_text(session, a));
    for (int i = 0; i < n; i++)
        if (items[i].n_cut > 0)
            text = arena_printf(a, "%s; %scut to %d token%s", text,
                                n > 1 ? arena_printf(a, "text %d ", i + 1) : "",
                                items[i].tokens.n, str_plural(items[i].tokens.n));
    return arena_printf(a, "%s.", text);
}

/* No query of any panel sees a key. */
static bool picture_draw_is_hidden(const struct heatmaps *maps)
{
    for (int i = 0; i < maps->n_panels; i++)
        for (int k = 0; k < maps->panels[i].n_rows * maps->panels[i].n_cols; k++)
            if (!isnan(maps->panels[i].value[k]))
                return false;
    return true;
}

/* What would show more. */
static void hint(const struct picture *picture, const struct heatmaps *maps, struct arena *a)
{
    if (!*picture->hinted && picture_draw_is_hidden(maps)) {
        *picture->hinted = true;
        err_warn(picture->s->env->note,
                 "none of these queries sees any of these keys: every cell is "
                 "hidden");
    }
    if (!*picture->hinted && maps->cmap->diverges) {
        *picture->hinted = true;
        figure_note_cmap(maps, picture->s->env->note);
    }
    if (picture->s->env->note == NULL || *picture->hinted || maps->scale == SCALE_LOG ||
        !heatmap_is_plain(maps, a))
        return;
    *picture->hinted = true;
    err_warn(picture->s->env->note, "the picture is nearly of one colour; %s--scale log would show "
             "small weights", picture_is_ranged(picture) || maps->clip > 0.0 ||
                              maps->scale == SCALE_ROW ? "" : "--clip 99% or ");
}

/* ---- the sheet ---- */

/* Bars of their own take more than the maps where many stand in a row. */
static bool has_own_bars(const struct picture *picture, bool one_bar)
{
    enum { FEW = 4 };

    return one_bar || !picture->sheet ||
           (picture->look.columns > 0 ? picture->look.columns : picture->per_row) <= FEW;
}

static int plan_grid(const struct picture *picture, struct figure_plan *plan, struct err *e)
{
    plan->one_bar = picture->look.figure->shared_scale ||
                    (!isnan(picture->look.vmin) && !isnan(picture->look.vmax));
    plan->no_bars = !has_own_bars(picture, plan->one_bar);
    plan->columns = picture->look.columns;
    plan->n_panels = picture->per_row;
    plan->n_rows_of_panels = picture->sheet ? picture->n_layers : 0;
    return figure_plan(picture->look.figure, plan, e);
}

static int picture_draw_put(const struct sheet *sheet, const struct picture_place *place,
                            const struct warn *warn, struct err *e)
{
    if (place->path != NULL)
        return sheet_write(sheet, place->format, place->path, warn, e);
    return sheet_bytes(sheet, place->format, place->data, place->size, warn, e);
}

/* Above each text's heads: itself, as captions have it. */
static const char *const *headings_of(const struct picture *picture, struct arena *a,
                                      const struct item *items, int n)
{
    const char **heading = arena_alloc(a, (size_t)n, sizeof *heading);

    for (int i = 0; i < n; i++) {
        const char *text = figure_text(a, &items[i]);

        text += text[0] == ',' ? strlen(", ") : 0;
        heading[i] = figure_title(a, picture->look.figure,
                                  text[0] != '\0' ? text : arena_printf(a, "text %d", i + 1), i);
    }
    return heading;
}

struct drawing {
    const struct picture *picture;
    const struct item *items;
    int n;
    struct picture_view *view;  /* [n] */
    struct heatmaps *maps;      /* [n] */
    struct figure_plan plan;
    double clip;
};

static int plan_texts(struct drawing *drawing, const struct picture_place *place, struct arena *a,
                      struct err *e)
{
    drawing->plan = (struct figure_plan){ .format = place->format, .terminal = place->terminal,
                                          .n_beside = drawing->n };
    for (int i = 0; i < drawing->n; i++) {
        struct picture_view *view = &drawing->view[i];

        if (picture_view_open(view, drawing->picture, &drawing->items[i], place->format, a, e) != 0)
            return -1;
        view->letters = drawing->n == 1;
        drawing->plan.n_rows = view->n_rows > drawing->plan.n_rows ? view->n_rows :
                               drawing->plan.n_rows;
        drawing->plan.n_cols = view->n_cols > drawing->plan.n_cols ? view->n_cols :
                               drawing->plan.n_cols;
    }
    drawing->clip = figure_clip(drawing->picture->look.figure, drawing->plan.n_rows,
                                drawing->plan.n_cols, picture_is_ranged(drawing->picture));
    return plan_grid(drawing->picture, &drawing->plan, e);
}

/* What was filled, as it is planned. */
static void picture_draw_make(struct drawing *drawing, struct arena *a)
{
    for (int i = 0; i < drawing->n; i++)
        drawing->maps[i] = picture_view_maps(&drawing->view[i], &drawing->plan, drawing->clip, a);
    if (drawing->n > 1 && drawing->picture->look.figure->shared_scale)
        heatmap_share(drawing->maps, drawing->n, a);
}

static int picture_draw_fill(struct drawing *drawing, struct arena *a, struct err *e)
{
    for (int i = 0; i < drawing->n; i++)
        if (picture_view_fill(&drawing->view[i], &drawing->plan, a, e) != 0)
            return -1;
    picture_draw_make(drawing, a);
    return 0;
}

/* Its parts are of arena a. */
static struct sheet sheet_of(const struct drawing *drawing, const struct picture_place *place,
                             struct arena *a)
{
    const struct picture *p = drawing->picture;
    struct beside *beside = arena_alloc(a, 1, sizeof *beside);
    struct part *part = arena_alloc(a, 1, sizeof *part);
    const char *scale = scale_of(p, a, drawing->n, drawing->clip);
    const char *over = picture_view_over(drawing->view, a, place->format);
    struct sheet sheet;

    *beside = (struct beside){ drawing->n, drawing->maps,
                               headings_of(p, a, drawing->items, drawing->n),
                               drawing->plan.per_row > 0 ? drawing->plan.per_row : 1 };
    *part = drawing->n > 1 ? beside_part(beside) : heatmap_part(drawing->maps);
    sheet = figure_sheet(
        p->look.figure, part,
        picture_draw_caption(p, a, drawing->items, drawing->n, over, scale, drawing->maps->pool),
        figure_metadata_map(p->s, a, drawing->n == 1 ? drawing->items : NULL, picture_layers(p, a),
                            scale));
    sheet.terminal = place->terminal;
    return sheet;
}

/* ---- the height of a page ---- */

enum { PAGE_MM = 297 };             /* A4 */

static bool is_too_high(const struct drawing *drawing, const struct picture_place *place,
                        struct arena *a)
{
    const struct sheet sheet = sheet_of(drawing, place, a);

    return sheet_height(&sheet, a) > PAGE_MM * 100.0 / 25.4;
}

/* Whether as many heads of a layer side by side as there is room for make a sheet that is low
 * enough. */
static bool fits_on(const struct drawing *drawing, const char *width,
                    const struct picture_place *place, struct arena *a)
{
    struct figure_args figure = *drawing->picture->look.figure;
    struct picture picture = *drawing->picture;
    struct drawing wider = *drawing;
    struct err ignored;

    figure.width = width;
    picture.look.figure = &figure;
    wider.picture = &picture;
    wider.maps = arena_alloc(a, (size_t)drawing->n, sizeof *wider.maps);
    for (int columns = drawing->plan.n_panels; columns > 0; columns--) {
        wider.plan.columns = columns;
        if (figure_plan(&figure, &wider.plan, &ignored) != 0)
            continue;
        picture_draw_make(&wider, a);
        return !is_too_high(&wider, place, a);
    }
    return false;
}

static int refuse_height(const struct drawing *drawing, const struct picture_place *place,
                         struct arena *a, struct err *e)
{
    enum { MOST_MM = 1000, STEP_MM = 5 };
    const char *width = NULL;

    for (int mm = STEP_MM; mm <= MOST_MM && width == NULL; mm += STEP_MM) {
        struct arena_mark mark = arena_mark(a);
        const char *wide = arena_printf(a, "%dmm", mm);

        if (fits_on(drawing, wide, place, a))
            width = wide;
        else
            arena_reset(a, mark);
    }
    return err_set(e, ERR_USAGE, "--width %s: %d heatmaps would be higher than a page, %dmm; "
                   "expected %s%sfewer layers or heads, or -c N for any height",
                   drawing->picture->look.figure->width, drawing->picture->n_panels, PAGE_MM,
                   width != NULL ? width : "", width != NULL ? " or more, " : "");
}

/* A sheet of a given width that would be higher than a page has more columns; those of several
 * texts are as high as they are. */
static int fit_page(struct drawing *drawing, const struct picture_place *place, struct arena *a,
                    struct err *e)
{
    const struct picture *p = drawing->picture;

    if (drawing->n > 1 || p->look.figure->width == NULL || !p->sheet || p->look.columns > 0 ||
        place->format == DRAW_TERMINAL)
        return 0;
    while (is_too_high(drawing, place, a)) {
        int pool = drawing->plan.pool;

        if (drawing->plan.columns++ >= drawing->plan.n_panels ||
            figure_plan(p->look.figure, &drawing->plan, e) != 0)
            return refuse_height(drawing, place, a, e);
        if (drawing->plan.pool == pool)
            picture_draw_make(drawing, a);
        else if (picture_draw_fill(drawing, a, e) != 0)
            return -1;
    }
    return 0;
}

int picture_draw(const struct picture *picture, struct arena *a, const struct item *items, int n,
                 const struct picture_place *place, struct err *e)
{
    struct drawing drawing = { .picture = picture, .items = items, .n = n };
    struct sheet sheet;

    drawing.view = arena_alloc(a, (size_t)n, sizeof *drawing.view);
    drawing.maps = arena_alloc(a, (size_t)n, sizeof *drawing.maps);
    if (plan_texts(&drawing, place, a, e) != 0 || picture_draw_fill(&drawing, a, e) != 0 ||
        fit_page(&drawing, place, a, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        hint(picture, &drawing.maps[i], a);
    sheet = sheet_of(&drawing, place, a);
    if (figure_check_numbers(picture->look.figure, &sheet, &drawing.plan, a, e) != 0)
        return -1;
    return picture_draw_put(&sheet, place, picture->s->env->warn, e);
}

/* ---- memory ---- */

/* The maps of a layer are of all its heads. */
static int count_maps(const struct picture *picture)
{
    const struct config *config = &picture->s->shown->config;
    int n = 0;

    if (picture->look.rollout)
        return picture->n_panels;
    for (int l = 0; l < config->n_layers; l++)
        n += wanted_layer(&picture->want, l) ? config->n_heads : 0;
    return n;
}

double picture_keeps(const struct picture *picture, struct arena *a, const struct item *item,
                     const struct picture_place *place)
{
    struct arena *work = arena_child(a);
    struct picture_view view = { .of = picture };
    struct drawing d = { .picture = picture, .items = item, .n = 1, .view = &view };
    double T = session_queries(picture->s, item)->n, S = session_keys(picture->s, item)->n + 1.0;
    double cell = sizeof(float) + (picture->look.pool == POOL_MEAN ? sizeof(int) : 0);
    double bytes = picture->look.rollout ? 3 * T * S * sizeof(double) : 0, pool, px;
    struct err said_later;

    if (plan_texts(&d, place, work, &said_later) != 0)
        d.plan.pool = d.plan.cell_px = 1;
    pool = d.plan.pool > 1 ? d.plan.pool : 1;
    px = place->format == DRAW_PNG ? fmax(d.plan.cell_px, 1) : 1;
    bytes += count_maps(picture) * ceil(T / pool) * ceil(S / pool) * cell;
    if (place->format != DRAW_TERMINAL)
        bytes += picture->n_panels * ceil(d.plan.n_rows / pool) * ceil(d.plan.n_cols / pool) *
                 (sizeof(unsigned short) + px * px * sizeof(uint32_t));
    arena_release(a, work);
    return bytes;
}
