/* SPDX-License-Identifier: MIT
 * heatmap: the heads of one layer as a grid of heatmaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/map.h"
#include "cmd/figure.h"
#include "cmd/job.h"

struct heatmap_args {
    struct shared_args shared;
    int columns, pool;
    double vmin, vmax;
    bool hide_special;
};

#define F(f) offsetof(struct heatmap_args, f)
static const struct opt opts[] = {
    INT('c', "columns", "N", F(columns), "4", 1, 64, "heads per row of the grid"),
    REAL(0, "vmin", "W", F(vmin), NULL, -INFINITY, INFINITY,
         "weight at the low end of the colours, for all heads"),
    REAL(0, "vmax", "W", F(vmax), NULL, -INFINITY, INFINITY,
         "weight at the high end of the colours, for all heads"),
    CHOICE(0, "pool", "NAME", F(pool), "max", pool_names,
           "how tokens share a cell where a text has more tokens than pixels"),
    FLAG(0, "hide-special", F(hide_special),
         "leave out rows and columns of special tokens; nothing is renormalised"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_pictures.group, &figure_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz heatmap",
    "mha-viz heatmap -o cat.svg 'the cat saw the dog and the cat ran'",
    "mha-viz heatmap -l 0 -H 0,2 --cmap magma --shared -o two.png 我喜欢吃苹果",
    NULL
};

struct heatmap_job {
    struct job job;
    const struct heatmap_args *args;
    int layer, n_heads;
    const int *head;            /* [n_heads] those that are shown */
    const struct metadata *metadata;
};

/* ---- what is shown ---- */

static int pick_layer(struct heatmap_job *j, struct err *e)
{
    const struct config *c = &j->job.s.shown->config;
    int last = c->n_layers - 1, n = 0;
    bool *only = arena_alloc(j->job.s.a, (size_t)c->n_layers, sizeof *only);
    bool named = session_names_heads(j->job.s.asked), given = j->job.s.asked->layer != NULL || named;

    j->layer = c->card.layer >= 0 ? c->card.layer : last < 6 ? last : 6;
    for (int l = 0; given && l <= last; l++)
        if (j->job.want.layer[l]) {
            j->layer = l;
            n++;
        }
    if (n > 1)
        return err_set(e, ERR_USAGE, "--%s: '%s' %s %d layers; a heatmap shows one",
                       named ? "head" : "layer",
                       named ? j->job.s.asked->head : j->job.s.asked->layer,
                       named ? "names heads of" : "selects", n);
    only[j->layer] = true;
    j->job.want.layer = only;
    return 0;
}

static void pick_heads(struct heatmap_job *j)
{
    int H = j->job.s.shown->config.n_heads;
    int *head = arena_alloc(j->job.s.a, (size_t)H, sizeof *head);

    for (int h = 0; h < H; h++)
        if (wanted_head(&j->job.want, j->layer, h))
            head[j->n_heads++] = h;
    j->head = head;
}

static const char *scale_text(const struct heatmap_job *j)
{
    const struct heatmap_args *args = j->args;

    return arena_printf(j->job.s.a, "%s, %s", scale_names[args->shared.figure.scale],
                        !isnan(args->vmin) || !isnan(args->vmax) ? "given range" :
                        args->shared.figure.shared_scale ? "one range for all heads" :
                        "each head its own range");
}

/* ---- one text ---- */

/* Tokens along one side of the maps, less those that --hide-special leaves out;
 * *kept: how many stay. */
static struct map_axis axis_of(const struct heatmap_job *j, const struct tokens *t, int *kept)
{
    *kept = t->n;
    for (int i = 0; j->args->hide_special && i < t->n; i++)
        *kept -= t->special[i] != 0;
    return (struct map_axis){ t->n, j->args->hide_special ? t->special : NULL };
}

static char *caption(const struct heatmap_job *j, struct arena *a, const struct item *item,
                     int pool)
{
    char *text = arena_printf(a, "%s, %s%slayer %d", j->job.s.model->name,
                              j->job.s.model->decoder != NULL ? family_stack_names[j->job.s.stack] : "",
                              j->job.s.model->decoder != NULL ? " " : "", j->layer);

    text = arena_printf(a, "%s%s%s; scale: %s", text, figure_text(a, item),
                        figure_changes(a, j->job.s.asked), scale_text(j));
    if (pool > 1)
        text = arena_printf(a, "%s; a cell is the %s of %d x %d weights", text,
                            pool_names[j->args->pool], pool, pool);
    if (j->args->hide_special)
        text = arena_printf(a, "%s; special tokens hidden, weights not renormalised",
                            text);
    if (item->n_cut > 0)
        text = arena_printf(a, "%s; cut to %d tokens", text, item->tokens.n);
    return arena_printf(a, "%s.", text);
}

static int draw(const struct heatmap_job *j, struct arena *a, const struct item *item,
                const struct map *map, int kept_rows, int kept_cols, int cell_px,
                const char *path, struct err *e)
{
    const struct heatmap_args *args = j->args;
    const struct figure_args *figure = &args->shared.figure;
    struct panel *panels = arena_alloc(a, (size_t)j->n_heads, sizeof *panels);
    const struct heatmaps maps = {
        .n_panels = j->n_heads, .panels = panels, .columns = args->columns,
        .rows = figure_labels(a, session_queries(&j->job.s, item), map->row, kept_rows),
        .cols = figure_labels(a, session_keys(&j->job.s, item), map->col, kept_cols),
        .pool = map->pool,
        .cmap = &cmap_table[figure->cmap], .scale = (enum scale)figure->scale,
        .shared = figure->shared_scale,
        .vmin = (float)args->vmin, .vmax = (float)args->vmax, .cell_px = cell_px,
    };
    const struct part part = heatmap_part(&maps);

    for (int i = 0; i < j->n_heads; i++)
        panels[i] = (struct panel){ arena_printf(a, "Head %d", j->head[i]),
                                    map->n_rows, map->n_cols,
                                    map_head(map, j->head[i]) };
    return sheet_write(&(struct sheet){
        .title = figure->title, .caption = caption(j, a, item, map->pool),
        .font = figure->font, .dpi = figure->dpi, .metadata = j->metadata,
        .n_parts = 1, .parts = &part,
    }, figure_format(&j->job.results.output), path, j->job.s.env->warn, e);
}

static int one_text(void *self, struct arena *a, const struct item *item,
                    const char *path, struct err *e)
{
    struct heatmap_job *j = self;
    const struct figure_args *figure = &j->args->shared.figure;
    int rows, cols, cell_px, pool;
    struct map_axis queries = axis_of(j, session_queries(&j->job.s, item), &rows);
    struct map_axis keys = axis_of(j, session_keys(&j->job.s, item), &cols);
    struct texts texts;
    struct map *map;
    struct sink sink;

    if (rows == 0 || cols == 0)
        return err_set(e, ERR_INPUT, "--hide-special: the text has only special tokens");
    heatmap_plan(rows, cols, j->n_heads, j->args->columns, figure->cell, figure->dpi,
                 &cell_px, &pool);
    map = map_new(a, 0, j->layer, j->job.s.shown->config.n_heads, queries, keys, pool,
                  (enum pool)j->args->pool);
    sink = map_sink(map);
    texts_pack(&texts, a, item, 1);
    if (job_forward(&j->job, &texts, &sink, 1, a, e) != 0 ||
        draw(j, a, item, map, rows, cols, cell_px, path, e) != 0)
        return -1;
    if (j->args->shared.common.output.path == NULL)
        printf("%s\n", path);
    return 0;
}

static int check_range(const struct heatmap_args *args, struct err *e)
{
    if (!(args->vmin >= args->vmax))        /* also where one is not given: NaN */
        return 0;
    return err_set(e, ERR_USAGE, "--vmin, --vmax: %g is not below %g", args->vmin,
                   args->vmax);
}

static int check(void *self, struct err *e)
{
    struct heatmap_job *j = self;

    return check_range(j->args, e);
}

static int prepare(void *self, struct err *e)
{
    struct heatmap_job *j = self;

    if (pick_layer(j, e) != 0)
        return -1;
    pick_heads(j);
    if (!j->args->shared.figure.no_metadata)
        j->metadata = figure_metadata(&j->job.s, j->layer, scale_text(j));
    return 0;
}

static const struct job_kind kind = { .outputs = &output_pictures, .name = "heatmap",
                                      .check = check, .prepare = prepare, .file = one_text };

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct heatmap_job j = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&j.job, &kind, env, e);
}

const struct cmd cmd_heatmap = {
    .name = "heatmap", .summary = "draw the heads of one layer as a grid of heatmaps",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct heatmap_args), .examples = examples,
    .max_operands = 2, .run = run,
};
