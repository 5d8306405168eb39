/* SPDX-License-Identifier: MIT
 * What each mechanism does -> a table, TSV, JSON or a picture. */
#include <math.h>
#include <string.h>

#include "analysis/map.h"
#include "cmd/mechanisms.h"
#include "report/report.h"

static bool is_wanted(const struct mechanisms_text *t, int id)
{
    return t->c->opts->only == NULL || t->c->opts->only[id];
}

/* Calls fn for each wanted mechanism of a layer, in order. */
static void each(const struct mechanisms_text *t, int layer,
                 void (*fn)(const struct mechanisms_text *, void *, int, int,
                            const struct mechanism_result *), void *self)
{
    for (int id = 0; id < N_MECHANISM; id++)
        if (is_wanted(t, id))
            fn(t, self, layer, id, comparison_at(t->c, layer, (enum mechanism_id)id));
}

/* ---- table ---- */

static void cell(struct table *t, const char *fmt, double v)
{
    char s[32];

    snprintf(s, sizeof s, "%.*f", fmt[0] - '0', fabs(v) < 5e-5 ? 0 : v);
    table_cell(t, "%s%s", isnan(v) ? "-" : s, isnan(v) ? "" : fmt + 1);
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
    cell(table, "4", r->error);
    if (t->c->opts->rows) {
        cell(table, "4", r->js);
        cell(table, "1%", 100 * r->links);
        cell(table, "3", r->entropy);
    }
    cell(table, "1%", 100 * r->scores);
    if (t->c->opts->repeats > 0)
        time_cell(table, r->seconds);
    table_cell(table, "%s", r->refused != NULL ? "-" :
               report_bytes(writer->a, (uint64_t)r->bytes));
    table_cell(table, "%s", mechanism_table[id]->growth);
    if (t->propagated)
        cell(table, "4", t->change[id]);
}

static struct table *new_table(const struct mechanisms_text *t, struct arena *a)
{
    struct column *c = arena_alloc(a, 10, sizeof *c);
    int n = 2;

    c[0] = (struct column){ "mechanism", ALIGN_LEFT };
    c[1] = (struct column){ "error", ALIGN_RIGHT };
    if (t->c->opts->rows) {
        c[n++] = (struct column){ "JS", ALIGN_RIGHT };
        c[n++] = (struct column){ "links", ALIGN_RIGHT };
        c[n++] = (struct column){ "entropy", ALIGN_RIGHT };
    }
    c[n++] = (struct column){ "scores", ALIGN_RIGHT };
    if (t->c->opts->repeats > 0)
        c[n++] = (struct column){ "time", ALIGN_RIGHT };
    c[n++] = (struct column){ "memory", ALIGN_RIGHT };
    c[n++] = (struct column){ "growth", ALIGN_LEFT };
    if (t->propagated)
        c[n++] = (struct column){ "output", ALIGN_RIGHT };
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
    tsv_text(f, false, stack_names[t->s->stack]);
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

static void json_text(struct jsonw *w, const char *key, const char *value)
{
    jsonw_key(w, key);
    if (value != NULL)
        jsonw_string(w, value);
    else
        jsonw_null(w);
}

static void json_number(struct jsonw *w, const char *key, double v)
{
    jsonw_key(w, key);
    jsonw_double(w, v);
}

static void json_int(struct jsonw *w, const char *key, int64_t v)
{
    jsonw_key(w, key);
    jsonw_int(w, v);
}

static void json_mechanism(const struct mechanisms_text *t, void *self, int layer, int id,
                           const struct mechanism_result *r)
{
    const struct mechanism *m = mechanism_table[id];
    struct jsonw *w = self;

    (void)layer;
    jsonw_object(w);
    json_text(w, "name", m->name);
    json_text(w, "formula", m->formula);
    json_text(w, "cost", m->cost);
    json_text(w, "growth", m->growth);
    json_text(w, "source", m->source);
    json_text(w, "refused", r->refused);
    json_number(w, "error", r->error);
    json_number(w, "js", r->js);
    json_number(w, "links", r->links);
    json_number(w, "entropy", r->entropy);
    json_number(w, "scores", r->scores);
    json_number(w, "seconds", r->seconds);
    json_number(w, "bytes", r->refused != NULL ? NAN : (double)r->bytes);
    if (t->propagated) {
        json_number(w, "output", t->change[id]);
        json_text(w, "output_refused", t->refused[id]);
    }
    jsonw_end(w, '}');
}

static void json_params(struct jsonw *w, const struct mechanism_params *p)
{
    jsonw_key(w, "parameters");
    jsonw_object(w);
    json_int(w, "window", p->window);
    json_int(w, "n_global", p->n_global);
    json_int(w, "stride", p->stride);
    json_int(w, "n_columns", p->n_columns);
    json_int(w, "block", p->block);
    json_int(w, "top_k", p->top_k);
    json_int(w, "features", p->n_features);
    json_int(w, "buckets", p->n_buckets);
    json_int(w, "rounds", p->n_rounds);
    json_int(w, "chunk", p->chunk);
    json_int(w, "seed", (int64_t)p->seed);
    jsonw_end(w, '}');
}

void mechanisms_json(const struct mechanisms_text *t, FILE *f)
{
    struct jsonw w;

    jsonw_init(&w, f);
    jsonw_object(&w);
    json_text(&w, "schema", "mha-viz/mechanisms/1");
    json_int(&w, "index", t->item->index);
    jsonw_key(&w, "text");
    jsonw_string_n(&w, t->item->text, t->item->text_size);
    json_text(&w, "model", t->s->model->name);
    json_text(&w, "stack", stack_names[t->s->stack]);
    json_int(&w, "queries", session_queries(t->s, t->item)->n);
    json_int(&w, "keys", session_keys(t->s, t->item)->n);
    json_params(&w, &t->c->opts->params);
    jsonw_key(&w, "layers");
    jsonw_array(&w);
    for (int l = 0; l < t->c->n_layers; l++) {
        if (!t->layer[l])
            continue;
        jsonw_object(&w);
        json_int(&w, "layer", l);
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
    char *text = arena_printf(a, "%s, %s layer %d, head %d%s; scale: %s",
                              t->s->model->name, stack_names[t->s->stack], layer,
                              t->kept_head, figure_text(a, t->item), scale);

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
    int cell_px, pool;

    draw_plan(d.T, d.S, N_MECHANISM, look->columns, look->cell, look->dpi, &cell_px,
              &pool);
    d.map = map_new(a, 0, layer, N_MECHANISM, (struct map_axis){ d.T, NULL },
                    (struct map_axis){ d.S, NULL }, pool, POOL_MAX);
    d.panels = arena_alloc(a, N_MECHANISM, sizeof *d.panels);
    each(t, layer, add_panel, &d);
    if (d.n == 0)
        return err_set(e, ERR_INPUT, "none of the mechanisms can do layer %d of %s",
                       layer, t->s->model->name);
    return draw_figure(&(struct figure){
        .title = look->title, .caption = caption(t, a, layer, scale, pool),
        .n_panels = d.n, .panels = d.panels,
        .columns = look->columns < d.n ? look->columns : d.n,
        .rows = figure_labels(a, queries, d.map->row, d.T),
        .cols = figure_labels(a, keys, d.map->col, d.S), .pool = pool,
        .cmap = &cmap_table[look->cmap], .scale = (enum scale)look->scale,
        .shared = look->shared_scale, .vmin = NAN, .vmax = NAN, .cell_px = cell_px,
        .dpi = look->dpi, .font = look->font,
        .metadata = look->no_metadata ? NULL : figure_metadata(t->s, layer, scale),
    }, format, path, t->s->env->warn, e);
}
