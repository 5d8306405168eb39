/* SPDX-License-Identifier: MIT
 * A text -> maps of heads -> heatmaps with labels and titles. */
#include "task/figure/picture_view.h"

#include <math.h>

#include "session/shown/place.h"
#include "session/shown/shown.h"

bool picture_is_ranged(const struct picture *picture)
{
    return !isnan(picture->look.vmin) || !isnan(picture->look.vmax);
}

/* What a sink takes that is not a key has a column; a rollout follows tokens alone. */
static bool has_sink(const struct picture *picture)
{
    return session_has_sinks(picture->s, &picture->want) && !picture->look.rollout;
}


/* ---- over a picture ---- */

static int find_over(struct picture_view *v, struct err *e)
{
    const struct picture *p = v->of;
    const struct pixels *seen = v->item->seen;
    const struct asked *asked = p->s->asked;
    struct picture_over *out = &v->over;
    struct place at;

    *out = (struct picture_over){ .is = seen != NULL && !p->look.grid };
    if (!out->is)
        return 0;
    if (asked->to != NULL)
        return err_set(e, ERR_USAGE, "--to: keys are the patches that the map lies over: expected "
                       "--grid with it");
    if (asked->from != NULL && (place_parse(&at, "--from", asked->from, e) != 0 ||
                                (out->at = place_query(&at, "--from", p->s, v->item, e)) < 0))
        return -1;
    out->columns = front_patch_columns(p->s->model, seen->width);
    if (asked->from == NULL && front_learnt_rows(p->s->model) == 0)
        out->at = v->maps.rows.n / out->columns / 2 * out->columns + out->columns / 2;
    out->picture = (struct page_picture){ seen->width, seen->height, seen->rgb, 0 };
    return 0;
}

/* Each map becomes its row, patch by patch: without the weights of [CLS] and its like. */
static void lay_over(struct picture_view *v)
{
    int n_tokens = v->maps.rows.n, learnt = front_learnt_rows(v->of->s->model);

    for (int i = 0; i < v->of->n_panels; i++)
        v->maps.value[i] += (size_t)v->over.at * (size_t)n_tokens + (size_t)learnt;
    v->maps.n_rows = (n_tokens - learnt) / v->over.columns;
    v->maps.n_cols = v->over.columns;
}

static void lay_over_sound(struct picture_view *v, struct arena *a)
{
    struct picture_maps *m = &v->maps;

    for (int i = 0; i < v->of->n_panels; i++)
        m->value[i] = picture_bins_fill(&v->over.bins, a, m->value[i], m->n_rows, m->cols.n);
    m->n_cols = v->over.bins.n;
}

const char *picture_view_over(const struct picture_view *v, struct arena *a,
                              enum draw_format format)
{
    const struct picture_over *over = &v->over;

    if (v->maps.cols.sink)
        return arena_printf(a, "; %s", figure_sink);
    if (over->sound)
        return arena_printf(a, "%s; below: the log-mel spectrogram, dark where loud",
                            over->bins.size == 1 ? "" :
                            arena_printf(a, "; a cell is the max of %d positions in time",
                                         over->bins.size));
    if (!over->is)
        return "";
    return arena_printf(a, "; what %s attends to, patch by patch%s",
                        v->item->tokens.label[over->at], format == DRAW_TERMINAL ? "" :
                        ", the picture in grey over the colours, half of each");
}

int picture_view_open(struct picture_view *v, const struct picture *picture,
                      const struct item *item, enum draw_format format, struct arena *a,
                      struct err *e)
{
    const struct session *s = picture->s;
    const struct tokens *queries = session_queries(s, item), *keys = session_keys(s, item);

    *v = (struct picture_view){ .of = picture, .item = item };
    v->maps.rows.n = queries->n;
    v->maps.cols.n = keys->n;
    if (find_over(v, e) != 0)
        return -1;
    v->n_rows = queries->n;
    v->n_cols = keys->n;
    if (!v->over.is && (figure_axis(&v->maps.rows, s, item, true, a, &v->n_rows, e) != 0 ||
                        figure_axis(&v->maps.cols, s, item, false, a, &v->n_cols, e) != 0))
        return -1;
    v->over.sound = picture_is_of_sound(s) && !picture->look.grid && format != DRAW_TERMINAL;
    if (v->over.sound && s->asked->to != NULL)
        return err_set(e, ERR_USAGE, "--to: keys are the sound that the maps lie over: expected "
                       "--grid with it");
    if (v->over.sound) {
        picture_bins_of(&v->over.bins, keys->n);
        picture_spectrogram(&v->over.picture, a, &v->over.bins, &item->values);
        v->maps.cols.skip = NULL;
        v->n_cols = v->over.bins.n;
    }
    if (v->over.is) {
        v->maps.rows.skip = v->maps.cols.skip = NULL;
        v->n_rows = (queries->n - front_learnt_rows(s->model)) / v->over.columns;
        v->n_cols = v->over.columns;
    }
    v->maps.cols.sink = !v->over.is && !v->over.sound && has_sink(picture);
    v->n_cols += v->maps.cols.sink;
    return 0;
}

/* ---- heatmaps ---- */

/* Panels of a sheet begin a new row with each layer. */
static int picture_view_place_of(const struct picture *picture, int i, int columns)
{
    int rows = columns > 0 ? (picture->per_row + columns - 1) / columns : 0;

    return picture->sheet &&
           columns > 0 ? i / picture->per_row * rows * columns + i % picture->per_row : i;
}

static struct panel panel_of(const struct picture_view *v, struct arena *a, int i,
                             bool one_line)
{
    struct figure_args figure = *v->of->look.figure;
    const char *title, *note = figure.no_titles ? NULL : picture_note(v->of, a, i);

    figure.letters &= v->letters;
    title = figure_title(a, &figure, picture_title(v->of, a, i), i);

    if (!one_line || note == NULL)
        return (struct panel){ .title = title, .note = note };
    return (struct panel){ .title = arena_printf(a, "%s: %s", title, note) };
}

static struct panel *panels_of(const struct picture_view *v, struct arena *a,
                               const struct figure_plan *plan)
{
    const struct picture *p = v->of;
    struct panel *panels = arena_alloc(a, (size_t)p->n_panels, sizeof *panels);

    for (int i = 0; i < p->n_panels; i++) {
        panels[i] = panel_of(v, a, i, plan->format == DRAW_TERMINAL);
        panels[i].place = picture_view_place_of(p, i, plan->columns);
        panels[i].n_rows = v->maps.n_rows;
        panels[i].n_cols = v->maps.n_cols;
        panels[i].value = v->maps.value[i];
    }
    return panels;
}

/* Where cells are of several tokens, the caption alone tells of the sink. */
static struct label_list key_labels(const struct picture_view *v, struct arena *a,
                                    const struct tokens *keys)
{
    struct label_list list = figure_labels(a, keys, v->maps.col,
                                           v->n_cols - v->maps.cols.sink);

    if (v->maps.cols.sink && v->maps.pool == 1)
        label_add(a, &list, "sink");
    return list;
}

static void put_labels(const struct picture_view *v, struct arena *a, struct heatmaps *out)
{
    const struct session *s = v->of->s;
    const struct tokens *keys = session_keys(s, v->item);
    bool cross = s->stack == STACK_CROSS;

    out->rows = figure_labels(a, session_queries(s, v->item), v->maps.row, v->n_rows);
    out->cols = v->over.sound ? picture_bins_labels(&v->over.bins, a, keys) :
                key_labels(v, a, keys);
    out->row_name = cross ? "decoder" : "query";
    out->col_name = cross ? "encoder" : "key";
}

int picture_view_fill(struct picture_view *v, const struct figure_plan *plan, struct arena *a,
                      struct err *e)
{
    v->maps.pool = v->over.is || v->over.sound ? 1 : plan->pool;
    if (picture_fill(v->of, a, v->item, &v->maps, e) != 0)
        return -1;
    if (v->over.is)
        lay_over(v);
    if (v->over.sound)
        lay_over_sound(v, a);
    return 0;
}

struct heatmaps picture_view_maps(const struct picture_view *v, const struct figure_plan *plan,
                                  double clip, struct arena *a)
{
    const struct picture *p = v->of;
    const struct figure_args *figure = p->look.figure;
    struct heatmaps maps = {
        .picture = v->over.is || v->over.sound ? &v->over.picture : NULL,
        .n_panels = p->n_panels, .panels = panels_of(v, a, plan), .columns = plan->columns,
        .sheet = p->sheet, .group = p->sheet ? p->per_row : 0, .pool = v->maps.pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = (float)p->look.vmin,
        .vmax = (float)p->look.vmax, .cell_px = plan->cell_px,
        .no_bars = figure->no_bars || plan->no_bars, .numbers = figure->numbers, .clip = clip,
    };

    if (!figure->no_labels && !v->over.is)
        put_labels(v, a, &maps);
    return maps;
}
