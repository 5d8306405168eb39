/* SPDX-License-Identifier: MIT
 * The weights of two passes -> their signed difference, a heatmap of each head. */
#include <math.h>
#include <string.h>

#include "analysis/map.h"
#include "task/diff/diff.h"
#include "task/figure/format.h"

/* ---- what both have ---- */

/* Tokens of the second side that have a counterpart on the first. */
struct paired { int n, *first, *second; };

static struct paired paired_of(struct arena *a, const struct axis_pair *pair)
{
    struct paired paired = { 0, arena_alloc(a, (size_t)pair->n_second, sizeof(int)),
                             arena_alloc(a, (size_t)pair->n_second, sizeof(int)) };

    for (int i = 0; i < pair->n_second; i++)
        if (pair->first_of[i] >= 0) {
            paired.first[paired.n] = pair->first_of[i];
            paired.second[paired.n++] = i;
        }
    return paired;
}

/* Without the space that a word begins with. */
static const char *diff_heatmap_label_of(const struct tokens *tokens, int i, int *size)
{
    const char *label = tokens->label[i];
    size_t n = tokens->label_size[i], blank = n > 0 && label[0] == ' ';

    *size = (int)(n - blank);
    return label + blank;
}

static const char *both_labels(struct arena *a, const struct tokens *first, int x,
                               const struct tokens *second, int y)
{
    int n, m;
    const char *one = diff_heatmap_label_of(first, x, &n),
               *other = diff_heatmap_label_of(second, y, &m);

    return arena_printf(a, "%.*s/%.*s", n, one, m, other);
}

/* "cat", or "cat/dog" where a place has another token in the second. */
static struct label_list labels_of(struct arena *a, const struct paired *paired,
                                   const struct tokens *first, const struct tokens *second)
{
    const char **text = arena_alloc(a, (size_t)paired->n, sizeof *text);
    size_t *size = arena_alloc(a, (size_t)paired->n, sizeof *size);
    struct label_list list;

    for (int i = 0; i < paired->n; i++) {
        int x = paired->first[i], y = paired->second[i];

        text[i] = second->label[y];
        size[i] = second->label_size[y];
        if (first->label_size[x] == size[i] && memcmp(first->label[x], text[i], size[i]) == 0)
            continue;
        text[i] = both_labels(a, first, x, second, y);
        size[i] = strlen(text[i]);
    }
    list = (struct label_list){ paired->n, text, size, paired->second, NULL };
    label_join(a, &list);
    return list;
}

/* One that the other side hides has weight 0 there; hidden on both, it is masked. */
static float difference(float first, float second)
{
    if (isnan(first) && isnan(second))
        return NAN;
    return (isnan(second) ? 0.0f : second) - (isnan(first) ? 0.0f : first);
}

struct shown {
    struct paired rows, cols;
    bool sink;                  /* a column of what takes a share of rows and is no key */
    int pool;
    float largest;              /* magnitude */
};

/* What a row of the map has in the column of the sink; none takes nothing. */
static float taken(const struct map *map, const float *row, int n_keys)
{
    return map->n_keys > n_keys ? row[map->n_cols - 1] : 0.0f;
}

/* The cells of a head; *n_rows x *n_cols. */
static const float *diff_heatmap_fill(const struct diff_pair *pair, struct arena *a,
                                      struct shown *shown, int l, int h, struct panel *panel)
{
    const struct map *first = diff_map(pair->maps, 0, l), *second = diff_map(pair->maps, 1, l);
    struct map_axis cols = { shown->cols.n, NULL, shown->sink };
    struct map *map = map_new(a, 0, l, 1, (struct map_axis){ shown->rows.n, NULL }, cols,
                              shown->pool, POOL_MEAN);
    float *value = arena_alloc(a, (size_t)shown->rows.n, (size_t)map->n_keys * sizeof *value);

    for (int i = 0; i < shown->rows.n; i++) {
        const float *x = map_head(first, h) + shown->rows.first[i] * first->n_cols;
        const float *y = map_head(second, h) + shown->rows.second[i] * second->n_cols;
        float *to = value + i * map->n_keys;

        for (int j = 0; j < shown->cols.n; j++)
            to[j] = difference(x[shown->cols.first[j]], y[shown->cols.second[j]]);
        if (shown->sink)
            to[shown->cols.n] = difference(taken(first, x, pair->keys.n_first),
                                           taken(second, y, pair->keys.n_second));
    }
    map_fill(map, 0, value);
    panel->n_rows = map->n_rows;
    panel->n_cols = map->n_cols;
    for (int i = 0; i < map->n_rows * map->n_cols; i++)
        shown->largest = fmaxf(shown->largest, fabsf(map_head(map, 0)[i]));
    return map_head(map, 0);
}

/* ---- the picture ---- */

/* A row of the sheet for each layer, unless heads were named. */
static struct figure_plan plan_of(const struct diff_sides *sides, const struct shown *shown,
                                  const struct output *output, int *n_heads)
{
    const struct diff_side *side = &sides->side[0];
    struct figure_plan plan = { .format = figure_format(output), .n_rows = shown->rows.n,
                                .n_cols = shown->cols.n + shown->sink, .one_bar = true,
                                .terminal = &output->terminal };
    int n_layers = 0, last = -1;

    *n_heads = 0;
    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h); last = l) {
        n_layers += l != last;
        ++*n_heads;
    }
    plan.n_panels = *n_heads;
    if (n_layers > 1 && !session_names_heads(side->s.asked)) {
        plan.n_rows_of_panels = n_layers;
        plan.n_panels = *n_heads / n_layers;
    }
    return plan;
}

static int diff_heatmap_place_of(const struct figure_plan *plan, int i)
{
    int rows = plan->columns > 0 ? (plan->n_panels + plan->columns - 1) / plan->columns : 0;

    return rows == 0 ? i : i / plan->n_panels * rows * plan->columns + i % plan->n_panels;
}

static struct panel *panels_of(const struct diff_pair *pair, struct arena *a, struct shown *shown,
                               const struct figure_plan *plan)
{
    const struct diff_side *side = &pair->sides->side[0];
    int n;
    const struct head_id *head = records_heads(&side->s, &side->want, a, &n);
    const int *place = records_places(&side->s, head, n, a);
    struct panel *panels = arena_alloc(a, (size_t)n, sizeof *panels);

    for (int i = 0; i < n; i++) {
        struct panel *panel = &panels[place[i]];

        panel->title = records_head_name(a, &head[i]);
        panel->place = diff_heatmap_place_of(plan, place[i]);
        panel->value = diff_heatmap_fill(pair, a, shown, head[i].layer, head[i].head, panel);
    }
    return panels;
}

static const char *diff_heatmap_caption(const struct diff_pair *pair, struct arena *a, int pool,
                                        bool sink)
{
    const char *cell = pool > 1 ? arena_printf(a, "; a cell is the mean of %d x %d differences",
                                               pool, pool) : "";

    return arena_printf(a, "%s: weights of the second less those of the first; scale: linear, one "
                        "range for all heads, 0 in the middle%s%s%s.", diff_title(pair, a), cell,
                        sink ? "; " : "", sink ? figure_sink : "");
}

int diff_draw_heatmap(const struct diff_pair *pair, const struct output *output, const char *path,
                      struct arena *a, struct err *e)
{
    const struct diff_side *side = pair->sides->side;
    const struct figure_args *figure = &pair->sides->args->shared.figure;
    struct shown shown = { .rows = paired_of(a, &pair->queries), .cols = paired_of(a, &pair->keys),
                           .sink = session_has_sinks(&side[0].s, &side[0].want) ||
                                   session_has_sinks(&side[1].s, &side[1].want) };
    int n_heads;
    struct figure_plan plan = plan_of(pair->sides, &shown, output, &n_heads);
    struct heatmaps maps;
    struct part part;
    struct sheet sheet;

    if (shown.rows.n == 0 || shown.cols.n == 0)
        return err_set(e, ERR_INPUT, "--heatmap: the texts have no token in common");
    if (figure_check_page(figure, e) != 0 || figure_plan(figure, &plan, e) != 0)
        return -1;
    shown.pool = plan.pool;
    maps = (struct heatmaps){
        .n_panels = n_heads, .panels = panels_of(pair, a, &shown, &plan),
        .columns = plan.columns, .sheet = plan.n_rows_of_panels > 0,
        .rows = labels_of(a, &shown.rows, session_queries(&side[0].s, &side[0].item),
                          session_queries(&side[1].s, &side[1].item)),
        .cols = labels_of(a, &shown.cols, session_keys(&side[0].s, &side[0].item),
                          session_keys(&side[1].s, &side[1].item)),
        .row_name = "query", .col_name = "key", .pool = plan.pool, .cell_px = plan.cell_px,
        .cmap = cmap_find("bluered"),
    };
    if (shown.sink && plan.pool == 1)
        label_add(a, &maps.cols, "sink");
    maps.vmax = shown.largest > 0.0f ? shown.largest : 1e-6f;
    maps.vmin = -maps.vmax;
    part = heatmap_part(&maps);
    sheet = figure_sheet(figure, &part, diff_heatmap_caption(pair, a, plan.pool, shown.sink),
                         figure_metadata_map(&side[0].s, a, &side[0].item, NULL, NULL));
    sheet.terminal = plan.terminal;
    return sheet_write(&sheet, plan.format, path, side[0].s.env->warn, e);
}
