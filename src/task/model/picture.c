/* SPDX-License-Identifier: MIT
 * All heads on one sheet: thumbnails, numbers or types in a row for each layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/map.h"
#include "base/sort.h"
#include "base/str.h"
#include "draw/figure/board.h"
#include "session/shown/average.h"
#include "session/shown/region.h"
#include "session/shown/shown.h"
#include "task/model/model.h"

/* Which head stands where. */
struct grid_of {
    int n_rows, n_cols;
    int *layer;                 /* [n_rows] */
    int *head;                  /* [n_cols] of unsorted columns */
    int *at;                    /* [n_rows, n_cols] number of the head; -1: none */
};

static bool is_sorted(const struct model_view_picture *picture)
{
    return picture->j->sort.by != BY_NOTHING;
}

/* ---- places ---- */

/* What head[i] is sorted by, the largest first: its number, or of types the names' order. */
static double model_picture_key_of(const struct model_view_picture *picture,
                                   const struct model_view_head *head, int n, int i)
{
    int n_before = 0;

    if (picture->j->sort.by != BY_TYPE)
        return head[i].sorted;
    if (head[i].type == NULL)
        return (double)NAN;
    for (int k = 0; k < n; k++)
        n_before += head[k].type != NULL && strcmp(head[k].type, head[i].type) < 0;
    return -n_before;
}

/* Heads first .. first + n - 1 are of one layer. */
static void place_sorted(const struct model_view_picture *picture, struct grid_of *g, int row,
                         int first, int n, struct arena *a)
{
    double *key = arena_alloc(a, (size_t)n, sizeof *key);
    const int *order;

    for (int i = 0; i < n; i++)
        key[i] = model_picture_key_of(picture, &picture->heads.head[first], n, i);
    order = sort_places(a, key, n, false);
    for (int i = 0; i < n; i++)
        g->at[row * g->n_cols + i] = first + order[i];
}

/* Where it is in a list that has it. */
static int model_picture_place_of(const int *list, int number)
{
    int i = 0;

    while (list[i] != number)
        i++;
    return i;
}

static void model_picture_place_heads(const struct model_view_picture *picture, struct grid_of *g,
                                      int row, int first, int n)
{
    for (int i = first; i < first + n; i++)
        g->at[row * g->n_cols + model_picture_place_of(g->head, picture->heads.head[i].head)] = i;
}

/* How many heads of one layer begin at the first. */
static int count_layer(const struct model_view_heads *heads, int first)
{
    int n = 1;

    while (first + n < heads->n && heads->head[first + n].layer == heads->head[first].layer)
        n++;
    return n;
}

/* Rows are the layers that have heads, columns the heads that any has, as they were asked for. */
static void count_sides(const struct model_view_picture *picture, struct grid_of *g,
                        struct arena *a)
{
    const struct model_view_heads *heads = &picture->heads;
    int last = 0, widest = 0;
    bool *has;

    for (int i = 0; i < heads->n; i++)
        last = heads->head[i].head > last ? heads->head[i].head : last;
    has = arena_alloc(a, (size_t)last + 1, sizeof *has);
    g->layer = arena_alloc(a, (size_t)heads->n, sizeof *g->layer);
    g->head = arena_alloc(a, (size_t)last + 1, sizeof *g->head);
    for (int i = 0; i < heads->n; i++)
        has[heads->head[i].head] = true;
    for (int h = 0; h <= last; h++)
        if (has[h])
            g->head[g->n_cols++] = h;
    for (int i = 0, n; i < heads->n; i += n) {
        n = count_layer(heads, i);
        widest = n > widest ? n : widest;
        g->layer[g->n_rows++] = heads->head[i].layer;
    }
    figure_order_layers(&picture->j->job.s, g->layer, g->n_rows);
    figure_order_heads(&picture->j->job.s, g->head, g->n_cols);
    g->n_cols = is_sorted(picture) ? widest : g->n_cols;
}

static void model_picture_place(const struct model_view_picture *picture, struct grid_of *g,
                                struct arena *a)
{
    *g = (struct grid_of){ .n_rows = 0 };
    count_sides(picture, g, a);
    g->at = arena_alloc(a, (size_t)g->n_rows * (size_t)g->n_cols, sizeof *g->at);
    for (int i = 0; i < g->n_rows * g->n_cols; i++)
        g->at[i] = -1;
    for (int i = 0, n; i < picture->heads.n; i += n) {
        int row = model_picture_place_of(g->layer, picture->heads.head[i].layer);

        n = count_layer(&picture->heads, i);
        if (is_sorted(picture))
            place_sorted(picture, g, row, i, n, a);
        else
            model_picture_place_heads(picture, g, row, i, n);
    }
}

/* ---- what the cells show ---- */

static const struct model_view_head *model_picture_head_at(const struct model_view_picture *picture,
                                                           const struct grid_of *g, int i)
{
    return g->at[i] >= 0 ? &picture->heads.head[g->at[i]] : NULL;
}

static void set_thumbnails(const struct model_view_picture *picture, const struct grid_of *g,
                           struct heatmaps *maps, struct arena *a)
{
    int n = g->n_rows * g->n_cols;
    struct panel *panel = arena_alloc(a, (size_t)n, sizeof *panel);

    for (int i = 0; i < n; i++) {
        const struct model_view_head *head = model_picture_head_at(picture, g, i);
        const struct map *map = head != NULL ? picture->map[head->layer] : NULL;

        if (head != NULL)
            panel[i] = (struct panel){ NULL, map->n_rows, map->n_cols,
                                       map_head(map, head->head) };
    }
    maps->n_panels = n;
    maps->panels = panel;
}

static void set_numbers(const struct model_view_picture *picture, const struct grid_of *g,
                        struct heatmaps *maps, struct arena *a)
{
    int n = g->n_rows * g->n_cols;
    struct panel *panel = arena_alloc(a, 1, sizeof *panel);
    float *value = arena_alloc(a, (size_t)n, sizeof *value);

    for (int i = 0; i < n; i++) {
        const struct model_view_head *head = model_picture_head_at(picture, g, i);

        value[i] = head != NULL ? (float)head->shown : NAN;
    }
    *panel = (struct panel){ NULL, g->n_rows, g->n_cols, value };
    maps->n_panels = 1;
    maps->panels = panel;
}

static int model_picture_by_name(const void *x, const void *y)
{
    const char *const *a = x, *const *b = y;

    return strcmp(*a, *b);
}

static int find_name(const char *const *name, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name[i], word) == 0)
            return i;
    return -1;
}

/* The words in their alphabetical order, so that each has its colour whatever the heads. */
static const struct board_kinds *model_picture_kinds_of(const struct model_view_picture *picture,
                                                        const struct grid_of *g, struct arena *a)
{
    struct board_kinds *kinds = arena_alloc(a, 1, sizeof *kinds);
    const char **name = arena_alloc(a, (size_t)picture->heads.n, sizeof *name);
    int n = g->n_rows * g->n_cols;
    short *of = arena_alloc(a, (size_t)n, sizeof *of);

    for (int i = 0; i < picture->heads.n; i++) {
        const char *word = picture->heads.head[i].word;

        if (word != NULL && find_name(name, kinds->n, word) < 0)
            name[kinds->n++] = word;
    }
    qsort(name, (size_t)kinds->n, sizeof *name, model_picture_by_name);
    for (int i = 0; i < n; i++) {
        const struct model_view_head *head = model_picture_head_at(picture, g, i);

        of[i] = head == NULL ? BOARD_NO_CELL :
                head->word == NULL ? BOARD_NO_KIND :
                (short)find_name(name, kinds->n, head->word);
    }
    kinds->name = name;
    kinds->of = of;
    return kinds;
}

/* Of sorted heads: which each is. */
static void set_names(const struct model_view_picture *picture, const struct grid_of *g,
                      struct board *board, struct arena *a)
{
    int n = g->n_rows * g->n_cols;
    const char **name = arena_alloc(a, (size_t)n, sizeof *name);
    const char **brief = arena_alloc(a, (size_t)n, sizeof *brief);
    bool typed = picture->j->sort.by == BY_TYPE && picture->j->metric.by != BY_TYPE;

    for (int i = 0; i < n; i++) {
        const struct model_view_head *head = model_picture_head_at(picture, g, i);

        if (head == NULL)
            continue;
        name[i] = typed && head->type != NULL ?
                      arena_printf(a, "H%d %s", head->head, head->type) :
                      arena_printf(a, "H%d", head->head);
        brief[i] = arena_printf(a, "%d", head->head);
    }
    board->name = name;
    board->brief = brief;
}

/* ---- the sheet ---- */

static bool is_of_words(const struct model_view_job *job)
{
    return job->metric.by == BY_TYPE || (job->metric.by == BY_METRIC &&
                                         metric_table[job->metric.id].kind == METRIC_WORD);
}

static const char *unit_of(const struct model_view_key *key)
{
    return key->by == BY_METRIC ? metric_table[key->id].unit : "";
}

/* "entropy (nats)" */
static const char *what(const struct model_view_picture *picture, struct arena *a)
{
    const struct model_view_key *key = &picture->j->metric;
    const char *unit = unit_of(key);

    if (key->by == BY_NOTHING)
        return "attention";
    return unit[0] != '\0' ? arena_printf(a, "%s (%s)", key->name, unit) : key->name;
}

const char *model_view_of(const struct model_view_picture *picture, struct arena *a)
{
    const struct session *s = &picture->j->job.s;

    if (s->model == NULL)
        return picture->j->args->table;
    return s->model->decoder == NULL ? s->model->name :
           arena_printf(a, "%s, %s", s->model->name, family_stack_names[s->stack]);
}

/* " of each head", or " of each layer, mean of heads 0-3". */
static const char *of_each(const struct session *session, struct arena *a)
{
    const char *mean = session->model != NULL ? average_text(session, a) : NULL;

    if (mean == NULL)
        return " of each head";
    return arena_printf(a, "%s, %s", !session_averages(session, AVERAGE_LAYERS) ? " of each layer" :
                                     !session_averages(session, AVERAGE_HEADS) ? " of each head" :
                                                                                 "", mean);
}

static const char *model_picture_caption(const struct model_view_picture *picture, struct arena *a,
                                         int pool, double clip)
{
    const struct model_view_job *j = picture->j;
    const struct session *s = &j->job.s;
    const struct figure_args *figure = &j->args->shared.figure;
    enum shown_of of = picture->map != NULL ? SHOWN_WEIGHTS : SHOWN_NUMBERS;
    const char *shown = s->model != NULL ? shown_asked(s, a, of) : NULL;
    char *text = arena_printf(a, "%s: %s%s%s", model_view_of(picture, a), what(picture, a),
                              of_each(s, a), picture->of);

    if (s->model != NULL)
        text = arena_printf(a, "%s%s", text, figure_changes(a, s->asked));
    if (picture->map != NULL)
        text = arena_printf(a, "%s; scale: %s", text,
                            figure_scale(a, figure, "head", false, clip));
    else if (!is_of_words(j) && figure->scale != SCALE_LINEAR)
        text = arena_printf(a, "%s; scale: %s", text, scale_names[figure->scale]);
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the max of %d x %d weights", text, pool, pool);
    if (picture->map != NULL && session_has_sinks(s, &j->job.want))
        text = arena_printf(a, "%s; %s", text, figure_sink);
    if (is_sorted(picture))
        text = arena_printf(a, "%s; heads of each layer by %s", text, j->sort.name);
    if (s->model != NULL && region_text(s, a) != NULL)
        text = arena_printf(a, "%s; %s", text, region_text(s, a));
    return arena_printf(a, "%s%s%s.", text, shown != NULL ? "; " : "",
                        shown != NULL ? shown : "");
}

static void set_labels(const struct model_view_picture *picture, const struct grid_of *g,
                       struct board *board, struct arena *a)
{
    const struct model_view_key *sort = &picture->j->sort;

    const struct session *session = &picture->j->job.s;
    static const char *const mean[] = { "mean" };
    static const struct label_list of_mean = { .n = 1, .text = mean };

    board->rows = session_averages(session, AVERAGE_LAYERS) ? of_mean :
                      figure_numbered(a, 'L', g->layer, g->n_rows);
    board->row_name = "layer";
    if (!is_sorted(picture)) {
        board->cols = session_averages(session, AVERAGE_HEADS) ? of_mean :
                          figure_numbered(a, 'H', g->head, g->n_cols);
        board->col_name = "head";
    } else {
        board->col_name = arena_printf(a, "heads of each layer by %s%s", sort->name,
                                       sort->by == BY_TYPE ? "" : ", the largest first");
    }
}

int model_view_draw(const struct model_view_picture *picture, struct arena *a, struct err *e)
{
    const struct model_view_job *j = picture->j;
    const struct session *s = &j->job.s;
    const struct figure_args *figure = &j->args->shared.figure;
    const struct map *map = picture->map != NULL ? picture->map[picture->heads.head[0].layer] :
                            NULL;
    struct heatmaps maps = {
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale, .pool = 1,
        .columns = 1, .shared = figure->shared_scale, .vmin = NAN, .vmax = NAN,
        .cell_px = figure->cell, .no_bars = figure->no_bars,
        .clip = map != NULL ? figure_clip(figure, map->n_queries, map->n_keys, false) :
                              figure_clip(figure, 1, 1, false),
    };
    struct board board = { .maps = &maps, .thumbnails = map != NULL };
    struct grid_of g;
    struct part part;
    struct sheet sheet;

    model_picture_place(picture, &g, a);
    board.n_rows = g.n_rows;
    board.n_cols = g.n_cols;
    if (map != NULL) {
        set_thumbnails(picture, &g, &maps, a);
    } else if (is_of_words(j)) {
        board.maps = NULL;
        board.kinds = model_picture_kinds_of(picture, &g, a);
    } else {
        set_numbers(picture, &g, &maps, a);
    }
    if (is_sorted(picture))
        set_names(picture, &g, &board, a);
    if (!figure->no_labels)
        set_labels(picture, &g, &board, a);
    part = board_part(&board);
    sheet = figure_sheet(figure, &part,
                         model_picture_caption(picture, a, map != NULL ? map->pool : 1, maps.clip),
                         figure_metadata_run(s, a, picture->item));
    sheet.terminal = &j->job.results.output.terminal;
    return sheet_write(&sheet, picture->format, picture->path, s->env->warn, e);
}
