/* SPDX-License-Identifier: MIT
 * Distances between the heads of a text (js, mds, js_cluster).  All rows are stored until the end
 * of the last layer: heads x tokens^2 floats. */
#include <math.h>
#include <string.h>

#include "analysis/divergence.h"
#include "analysis/metric.h"
#include "analysis/scaling.h"

struct maps {
    struct metric_shape shape;
    int count;                  /* heads that have rows */
    int *index;                 /* [L H] its place among them, from 1; 0: it has none */
    int *head;                  /* [count] which of the L H each is */
    float *a;                   /* [L H, queries, keys] */
    unsigned char *seen;        /* [L H, queries] 1: the row sees a key */
    double *js;                 /* [L H, L H] of which count x count; NaN: undefined */
    double *place;              /* [L H, 2] */
    int *cluster;               /* [L H] */
    bool placed;                /* no js is undefined */
};

static size_t maps_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct maps);
}

static void maps_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct maps *maps = state;
    uint64_t heads = (uint64_t)shape->n_layers * (uint64_t)shape->n_heads;
    uint64_t rows = heads * (uint64_t)shape->n_queries;

    *maps = (struct maps){
        .shape = *shape,
        .index = arena_alloc(a, heads, sizeof *maps->index),
        .head = arena_alloc(a, heads, sizeof *maps->head),
        .a = arena_alloc(a, rows, (uint64_t)shape->n_keys * sizeof *maps->a),
        .seen = arena_alloc(a, rows, 1),
        .js = arena_alloc(a, heads, heads * sizeof *maps->js),
        .place = arena_alloc(a, heads, 2 * sizeof *maps->place),
        .cluster = arena_alloc(a, heads, sizeof *maps->cluster),
    };
}

double metric_between_bytes(double n_heads, double n_queries, double n_keys)
{
    double matrices = 3;        /* js, and two that scaling and clusters take */

    return n_heads * n_queries * (n_keys * sizeof(float) + 1) +
           n_heads * n_heads * matrices * sizeof(double);
}

static size_t metric_head_at(const struct maps *maps, int layer, int head)
{
    return (size_t)layer * (size_t)maps->shape.n_heads + (size_t)head;
}

static void maps_take(void *state, const struct metric_row *rows, int n)
{
    struct maps *maps = state;

    for (int i = 0; i < n; i++) {
        const struct metric_row *r = &rows[i];
        size_t at = metric_head_at(maps, r->layer, r->head);
        size_t row = at * (size_t)maps->shape.n_queries + (size_t)r->query;
        float *a = maps->a + row * (size_t)maps->shape.n_keys + r->key0;

        memcpy(a, r->a, (size_t)r->n_keys * sizeof *a);
        maps->seen[row] = 1;
        maps->index[at] = 1;
    }
}

/* ---- after the last layer ---- */

enum { JS_STEPS = 16 };         /* of a divergence, for each key: two logarithms */

/* The mean over the rows that both have; NaN: there is none. */
static double heads_between(const struct maps *maps, int x, int y, struct progress *progress)
{
    int rows = maps->shape.n_queries, keys = maps->shape.n_keys, count = 0;
    double sum = 0;

    for (int i = 0; i < rows; i++) {
        size_t p = (size_t)x * (size_t)rows + (size_t)i;
        size_t q = (size_t)y * (size_t)rows + (size_t)i;

        if (!maps->seen[p] || !maps->seen[q])
            continue;
        sum += divergence_js(maps->a + p * (size_t)keys, maps->a + q * (size_t)keys, keys);
        progress_ran(progress, (int64_t)JS_STEPS * keys);
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

static void number_heads(struct maps *maps)
{
    for (int i = 0; i < maps->shape.n_layers * maps->shape.n_heads; i++)
        if (maps->index[i] > 0) {
            maps->head[maps->count++] = i;
            maps->index[i] = maps->count;
        }
}

static void maps_finish(void *state, struct arena *scratch, struct progress *progress)
{
    struct maps *maps = state;

    number_heads(maps);
    maps->placed = maps->count > 0;
    for (int i = 0; i < maps->count; i++)
        for (int k = 0; k < i; k++) {
            double js = heads_between(maps, maps->head[i], maps->head[k], progress);

            maps->js[(size_t)i * (size_t)maps->count + (size_t)k] = js;
            maps->js[(size_t)k * (size_t)maps->count + (size_t)i] = js;
            maps->placed &= isfinite(js) != 0;
        }
    if (!maps->placed || maps->shape.opts->n_clusters == 0)
        return;
    scaling_plane(maps->place, maps->js, maps->count, scratch, progress);
    scaling_clusters(maps->cluster, maps->js, maps->count, maps->shape.opts->n_clusters,
                     scratch, progress);
}

/* ---- values ---- */

static int all_heads(const struct metric_shape *shape)
{
    return shape->n_layers * shape->n_heads;
}

static int two(const struct metric_shape *shape)
{
    (void)shape;
    return 2;
}

static int js(const void *state, int layer, int head, double *v)
{
    const struct maps *maps = state;
    int i = maps->index[metric_head_at(maps, layer, head)] - 1;

    for (int k = 0; i >= 0 && k < maps->count; k++)
        v[k] = maps->js[(size_t)i * (size_t)maps->count + (size_t)k];
    return i >= 0 ? maps->count : -1;
}

static int mds(const void *state, int layer, int head, double *v)
{
    const struct maps *maps = state;
    int i = maps->index[metric_head_at(maps, layer, head)] - 1;

    if (i < 0 || !maps->placed)
        return -1;
    v[0] = maps->place[2 * i];
    v[1] = maps->place[2 * i + 1];
    return 2;
}

static bool js_cluster(const void *state, int layer, int head, double *v)
{
    const struct maps *maps = state;
    int i = maps->index[metric_head_at(maps, layer, head)] - 1;

    *v = i >= 0 ? maps->cluster[i] : 0;
    return i >= 0 && maps->placed;
}

static const struct metric_state maps = { SCOPE_TEXT, maps_size, maps_take, maps_finish,
                                          .start = maps_start };

/* Source: Clark et al. 2019, section 6, who smooth the rows and sum over them. */
const struct metric_rule metric_js = { .state = &maps, .list = js, .length = all_heads,
                                       .between = true };
const struct metric_rule metric_mds = { .state = &maps, .list = mds, .length = two,
                                        .between = true };
const struct metric_rule metric_js_cluster = { .state = &maps, .value = js_cluster,
                                               .between = true };
