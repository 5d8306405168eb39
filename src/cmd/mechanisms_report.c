/* SPDX-License-Identifier: MIT
 * What each mechanism does -> a picture. */
#include <math.h>
#include <string.h>

#include "analysis/map.h"
#include "cmd/mechanisms.h"

/* Calls fn for each wanted mechanism of a layer, in order. */
static void each(const struct mechanisms_text *t, int layer,
                 void (*fn)(const struct mechanisms_text *, void *, int, int,
                            const struct mechanism_result *), void *self)
{
    for (int id = 0; id < N_MECHANISM; id++)
        if (mechanisms_covers(t->c->opts, (enum mechanism_id)id))
            fn(t, self, layer, id, mechanisms_at(t->c, layer, (enum mechanism_id)id));
}

/* A mechanism's rows, as those of a head of that number. */
static void feed(struct map *map, struct arena *a, int layer, int number, int T, int S,
                 const float *w)
{
    unsigned char *hidden = arena_alloc(a, (size_t)T, (size_t)S);
    const struct rows rows = {
        .layer = layer, .head = number, .n_rows = T, .n_keys = S, .n_queries = T,
        .n_all_keys = S, .stride = (size_t)S, .weight = w, .hidden = hidden,
    };
    struct sink sink = map_sink(map);

    for (int64_t i = 0; i < (int64_t)T * S; i++)
        if (isnan(w[i]))
            hidden[i] = 1;
    sink.take(sink.self, &rows, 1);
}

static const char *scale_text(const struct figure_args *figure, struct arena *a)
{
    return arena_printf(a, "%s, %s", scale_names[figure->scale],
                        figure->shared_scale ? "one range for all mechanisms" :
                        "each mechanism its own range");
}

static const char *caption(const struct mechanisms_text *t, struct arena *a, int layer,
                           const char *scale, int pool)
{
    const struct mechanism_params *p = &t->c->opts->params;
    char *text = arena_printf(a, "%s, %s layer %d, head %d%s%s; scale: %s",
                              t->s->model->name, family_stack_names[t->s->stack], layer,
                              t->kept_head, figure_text(a, t->item),
                              figure_changes(a, t->s->asked), scale);

    text = arena_printf(a, "%s; window %d, n-global %d, stride %d, n-columns %d, "
                        "block %d, top-k %d, features %d, buckets %d, rounds %d, "
                        "chunk %d, seed %d", text, p->window, p->n_global, p->stride,
                        p->n_columns, p->block, p->top_k, p->n_features, p->n_buckets,
                        p->n_rounds, p->chunk, (int)p->seed);
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the max of %d x %d weights", text, pool,
                            pool);
    return arena_printf(a, "%s.", text);
}

struct drawing {
    struct arena *a;
    struct map *map;
    struct panel *panels;
    int n, T, S;
};

static void add_panel(const struct mechanisms_text *t, void *self, int layer, int id,
                      const struct mechanism_result *r)
{
    struct drawing *d = self;

    if (r->refused != NULL)
        return;
    feed(d->map, d->a, layer, d->n, d->T, d->S, t->c->kept + (int64_t)id * d->T * d->S);
    d->panels[d->n] = (struct panel){ mechanism_names[id], d->map->n_rows, d->map->n_cols,
                                      map_head(d->map, d->n) };
    d->n++;
}

int mechanisms_picture(const struct mechanisms_text *t, struct arena *a, int layer,
                       const struct figure_args *figure, int columns,
                       enum draw_format format, const char *path, struct err *e)
{
    const struct tokens *queries = session_queries(t->s, t->item);
    const struct tokens *keys = session_keys(t->s, t->item);
    const char *scale = scale_text(figure, a);
    struct drawing d = { .a = a, .T = queries->n, .S = keys->n };
    struct heatmaps maps;
    struct part part;
    int cell_px, pool;

    heatmap_plan(d.T, d.S, N_MECHANISM, columns, figure->cell, figure->dpi, &cell_px, &pool);
    d.map = map_new(a, 0, layer, N_MECHANISM, (struct map_axis){ d.T, NULL },
                    (struct map_axis){ d.S, NULL }, pool, POOL_MAX);
    d.panels = arena_alloc(a, N_MECHANISM, sizeof *d.panels);
    each(t, layer, add_panel, &d);
    if (d.n == 0)
        return err_set(e, ERR_INPUT, "no mechanism is applicable to layer %d of %s",
                       layer, t->s->model->name);
    maps = (struct heatmaps){
        .n_panels = d.n, .panels = d.panels, .columns = columns < d.n ? columns : d.n,
        .rows = figure_labels(a, queries, d.map->row, d.T),
        .cols = figure_labels(a, keys, d.map->col, d.S), .pool = pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale, .vmin = NAN, .vmax = NAN, .cell_px = cell_px,
    };
    part = heatmap_part(&maps);
    return sheet_write(&(struct sheet){
        .title = figure->title, .caption = caption(t, a, layer, scale, pool),
        .font = figure->font, .dpi = figure->dpi, .n_parts = 1, .parts = &part,
        .metadata = figure->no_metadata ? NULL : figure_metadata(t->s, layer, scale),
    }, format, path, t->s->env->warn, e);
}
