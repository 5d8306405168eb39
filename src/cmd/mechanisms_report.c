/* SPDX-License-Identifier: MIT
 * What each mechanism does -> a table, TSV, JSON or a picture. */
#include <math.h>
#include <string.h>

#include "analysis/map.h"
#include "cmd/mechanisms.h"
#include "report/report.h"

/* Calls fn for each wanted mechanism of a layer, in order. */
static void each(const struct mechanisms_text *t, int layer,
                 void (*fn)(const struct mechanisms_text *, void *, int, int,
                            const struct mechanism_result *), void *self)
{
    for (int id = 0; id < N_MECHANISM; id++)
        if (comparison_covers(t->c->opts, (enum mechanism_id)id))
            fn(t, self, layer, id, comparison_at(t->c, layer, (enum mechanism_id)id));
}

/* ---- table ---- */

/* What would be printed as -0 or is nothing but rounding is 0. */
static void cell(struct table *t, const char *fmt, double v)
{
    table_number(t, fmt, fabs(v) < 5e-5 ? 0 : v);
}

static void time_cell(struct table *t, double s)
{
    if (isnan(s))
        table_cell(t, "-");
    else if (s < 1e-3)
        table_cell(t, "%.1f us", s * 1e6);
    else if (s < 1)
        table_cell(t, "%.2f ms", s * 1e3);
    else
        table_cell(t, "%.2f s", s);
}

struct writer {
    struct table *table;
    struct arena *a;
};

static void table_row(const struct mechanisms_text *t, void *self, int layer, int id,
                      const struct mechanism_result *r)
{
    struct writer *writer = self;
    struct table *table = writer->table;

    (void)layer;
    table_cell(table, "%s", mechanism_names[id]);
    cell(table, "%.4f", r->error);
    if (t->c->opts->rows) {
        cell(table, "%.4f", r->js);
        cell(table, "%.1f%%", 100 * r->links);
        cell(table, "%.3f", r->entropy);
    }
    cell(table, "%.1f%%", 100 * r->scores);
    if (t->c->opts->repeats > 0)
        time_cell(table, r->seconds);
    table_cell(table, "%s", r->refused != NULL ? "-" :
               report_bytes(writer->a, (uint64_t)r->bytes));
    table_cell(table, "%s", mechanism_table[id]->growth);
    if (t->propagated)
        cell(table, "%.4f", t->change[id]);
}

static struct table *new_table(const struct mechanisms_text *t, struct arena *a)
{
    struct table_column *c = arena_alloc(a, 10, sizeof *c);
    int n = 2;

    c[0] = (struct table_column){ "mechanism", ALIGN_LEFT };
    c[1] = (struct table_column){ "error", ALIGN_RIGHT };
    if (t->c->opts->rows) {
        c[n++] = (struct table_column){ "JS", ALIGN_RIGHT };
        c[n++] = (struct table_column){ "links", ALIGN_RIGHT };
        c[n++] = (struct table_column){ "entropy", ALIGN_RIGHT };
    }
    c[n++] = (struct table_column){ "scores", ALIGN_RIGHT };
    if (t->c->opts->repeats > 0)
        c[n++] = (struct table_column){ "time", ALIGN_RIGHT };
    c[n++] = (struct table_column){ "memory", ALIGN_RIGHT };
    c[n++] = (struct table_column){ "growth", ALIGN_LEFT };
    if (t->propagated)
        c[n++] = (struct table_column){ "output", ALIGN_RIGHT };
    return table_new(a, c, n);
}

/* Why a line of the table is empty. */
static void reason(const struct mechanisms_text *t, void *self, int layer, int id,
                   const struct mechanism_result *r)
{
    FILE *f = self;

    (void)layer;
    if (r->refused != NULL)
        fprintf(f, "%s: %s\n", mechanism_names[id], r->refused);
    else if (t->refused[id] != NULL)
        fprintf(f, "output: %s\n", t->refused[id]);
}

void mechanisms_table(const struct mechanisms_text *t, struct arena *a, FILE *f)
{
    const struct config *c = &t->s->shown->config;
    bool first = true;

    for (int l = 0; l < c->n_layers; l++) {
        struct writer writer;

        if (!t->layer[l])
            continue;
        writer = (struct writer){ new_table(t, a), a };
        if (!first || t->item->index > 0)
            fputc('\n', f);
        first = false;
        if (t->named)
            fprintf(f, "text %d, ", t->item->index + 1);
        fprintf(f, "layer %d, %d heads, %d tokens\n", l, c->n_heads,
                session_queries(t->s, t->item)->n);
        each(t, l, table_row, &writer);
        table_print(writer.table, f);
        each(t, l, reason, f);
    }
}

/* ---- TSV ---- */

static void tsv_text(FILE *f, bool first, const char *s)
{
    tsv_field(f, first, s, strlen(s));
}

static void tsv_int(FILE *f, bool first, int v)
{
    char s[16];

    tsv_field(f, first, s, (size_t)snprintf(s, sizeof s, "%d", v));
}

static void tsv_row(const struct mechanisms_text *t, void *self, int layer, int id,
                    const struct mechanism_result *r)
{
    FILE *f = self;

    tsv_int(f, true, t->item->index);
    tsv_text(f, false, family_stack_names[t->s->stack]);
    tsv_int(f, false, layer);
    tsv_text(f, false, mechanism_names[id]);
    tsv_double(f, false, r->error);
    tsv_double(f, false, r->js);
    tsv_double(f, false, r->links);
    tsv_double(f, false, r->entropy);
    tsv_double(f, false, r->scores);
    tsv_double(f, false, r->seconds);
    tsv_double(f, false, r->refused != NULL ? NAN : (double)r->bytes);
    tsv_text(f, false, mechanism_table[id]->growth);
    tsv_double(f, false, t->change[id]);
    tsv_text(f, false, r->refused != NULL ? r->refused :
             t->refused[id] != NULL ? t->refused[id] : "");
    tsv_end(f);
}

void mechanisms_tsv(const struct mechanisms_text *t, FILE *f, bool header)
{
    static const char *const names[] = {
        "index", "stack", "layer", "mechanism", "error", "js_nats", "links",
        "entropy_nats", "scores", "seconds", "bytes", "growth", "output", "refused", NULL
    };

    for (int i = 0; header && names[i] != NULL; i++)
        tsv_text(f, i == 0, names[i]);
    if (header)
        tsv_end(f);
    for (int l = 0; l < t->c->n_layers; l++)
        if (t->layer[l])
            each(t, l, tsv_row, f);
}

/* ---- JSON ---- */

static void json_mechanism(const struct mechanisms_text *t, void *self, int layer, int id,
                           const struct mechanism_result *r)
{
    const struct mechanism *m = mechanism_table[id];
    struct jsonw *w = self;

    (void)layer;
    jsonw_object(w);
    jsonw_member_string(w, "name", m->name);
    jsonw_member_string(w, "formula", m->formula);
    jsonw_member_string(w, "cost", m->cost);
    jsonw_member_string(w, "growth", m->growth);
    jsonw_member_string(w, "source", m->source);
    jsonw_member_string(w, "refused", r->refused);
    jsonw_member_double(w, "error", r->error);
    jsonw_member_double(w, "js", r->js);
    jsonw_member_double(w, "links", r->links);
    jsonw_member_double(w, "entropy", r->entropy);
    jsonw_member_double(w, "scores", r->scores);
    jsonw_member_double(w, "seconds", r->seconds);
    jsonw_member_double(w, "bytes", r->refused != NULL ? NAN : (double)r->bytes);
    if (t->propagated) {
        jsonw_member_double(w, "output", t->change[id]);
        jsonw_member_string(w, "output_refused", t->refused[id]);
    }
    jsonw_end(w, '}');
}

static void json_params(struct jsonw *w, const struct mechanism_params *p)
{
    jsonw_key(w, "parameters");
    jsonw_object(w);
    jsonw_member_int(w, "window", p->window);
    jsonw_member_int(w, "n_global", p->n_global);
    jsonw_member_int(w, "stride", p->stride);
    jsonw_member_int(w, "n_columns", p->n_columns);
    jsonw_member_int(w, "block", p->block);
    jsonw_member_int(w, "top_k", p->top_k);
    jsonw_member_int(w, "features", p->n_features);
    jsonw_member_int(w, "buckets", p->n_buckets);
    jsonw_member_int(w, "rounds", p->n_rounds);
    jsonw_member_int(w, "chunk", p->chunk);
    jsonw_member_int(w, "seed", (int64_t)p->seed);
    jsonw_end(w, '}');
}

void mechanisms_json(const struct mechanisms_text *t, FILE *f)
{
    struct jsonw w;

    jsonw_init(&w, f);
    jsonw_object(&w);
    jsonw_member_string(&w, "schema", "mha-viz/mechanisms/1");
    jsonw_member_int(&w, "index", t->item->index);
    jsonw_key(&w, "text");
    jsonw_string_n(&w, t->item->text, t->item->text_size);
    jsonw_member_string(&w, "model", t->s->model->name);
    jsonw_member_string(&w, "stack", family_stack_names[t->s->stack]);
    jsonw_member_int(&w, "queries", session_queries(t->s, t->item)->n);
    jsonw_member_int(&w, "keys", session_keys(t->s, t->item)->n);
    json_params(&w, &t->c->opts->params);
    jsonw_key(&w, "layers");
    jsonw_array(&w);
    for (int l = 0; l < t->c->n_layers; l++) {
        if (!t->layer[l])
            continue;
        jsonw_object(&w);
        jsonw_member_int(&w, "layer", l);
        jsonw_key(&w, "mechanisms");
        jsonw_array(&w);
        each(t, l, json_mechanism, &w);
        jsonw_end(&w, ']');
        jsonw_end(&w, '}');
    }
    jsonw_end(&w, ']');
    jsonw_end(&w, '}');
    jsonw_newline(&w);
}

/* ---- picture ---- */

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

static const char *scale_text(const struct mechanisms_look *look, struct arena *a)
{
    return arena_printf(a, "%s, %s", scale_names[look->scale],
                        look->shared_scale ? "one range for all mechanisms" :
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
                       const struct mechanisms_look *look, enum draw_format format,
                       const char *path, struct err *e)
{
    const struct tokens *queries = session_queries(t->s, t->item);
    const struct tokens *keys = session_keys(t->s, t->item);
    const char *scale = scale_text(look, a);
    struct drawing d = { .a = a, .T = queries->n, .S = keys->n };
    struct heatmaps maps;
    struct part part;
    int cell_px, pool;

    heatmap_plan(d.T, d.S, N_MECHANISM, look->columns, look->cell, look->dpi, &cell_px,
                 &pool);
    d.map = map_new(a, 0, layer, N_MECHANISM, (struct map_axis){ d.T, NULL },
                    (struct map_axis){ d.S, NULL }, pool, POOL_MAX);
    d.panels = arena_alloc(a, N_MECHANISM, sizeof *d.panels);
    each(t, layer, add_panel, &d);
    if (d.n == 0)
        return err_set(e, ERR_INPUT, "none of the mechanisms can do layer %d of %s",
                       layer, t->s->model->name);
    maps = (struct heatmaps){
        .n_panels = d.n, .panels = d.panels,
        .columns = look->columns < d.n ? look->columns : d.n,
        .rows = figure_labels(a, queries, d.map->row, d.T),
        .cols = figure_labels(a, keys, d.map->col, d.S), .pool = pool,
        .cmap = &cmap_table[look->cmap], .scale = (enum scale)look->scale,
        .shared = look->shared_scale, .vmin = NAN, .vmax = NAN, .cell_px = cell_px,
    };
    part = heatmap_part(&maps);
    return sheet_write(&(struct sheet){
        .title = look->title, .caption = caption(t, a, layer, scale, pool),
        .font = look->font, .dpi = look->dpi, .n_parts = 1, .parts = &part,
        .metadata = look->no_metadata ? NULL : figure_metadata(t->s, layer, scale),
    }, format, path, t->s->env->warn, e);
}
