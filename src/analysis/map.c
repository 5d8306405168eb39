/* SPDX-License-Identifier: MIT
 * Rows of attention -> the cells of one layer's maps, by a sink. */
#include "analysis/map.h"

#include <math.h>

const char *const pool_names[] = { "max", "mean", NULL };

static int *places(struct arena *a, struct map_axis axis, int pool, int *n_cells)
{
    int *place = arena_alloc(a, (size_t)axis.n + axis.sink, sizeof *place), shown = 0;

    for (int i = 0; i < axis.n; i++)
        place[i] = axis.skip != NULL && axis.skip[i] ? -1 : shown++;
    *n_cells = (shown + pool - 1) / pool;
    if (axis.sink)
        place[axis.n] = (*n_cells)++ * pool;
    return place;
}

/* Cells of a head. */
static size_t n_cells(const struct map *map)
{
    return (size_t)map->n_rows * (size_t)map->n_cols;
}

struct map *map_new(struct arena *a, int text, int layer, int n_heads,
                    struct map_axis queries, struct map_axis keys, int pool,
                    enum pool how)
{
    struct map *map = arena_alloc(a, 1, sizeof *map);
    uint64_t count;

    *map = (struct map){ .text = text, .layer = layer, .n_heads = n_heads, .pool = pool,
                         .how = how, .n_queries = queries.n, .n_keys = keys.n + keys.sink };
    map->row = places(a, queries, pool, &map->n_rows);
    map->col = places(a, keys, pool, &map->n_cols);
    count = (uint64_t)n_heads * (uint64_t)map->n_rows * (uint64_t)map->n_cols;
    map->value = arena_alloc_raw(a, count, sizeof *map->value);
    for (size_t i = 0; i < count; i++)
        map->value[i] = NAN;
    if (how == POOL_MEAN)
        map->count = arena_alloc(a, count, sizeof *map->count);
    return map;
}

static void map_put(struct map *map, size_t cell, float w)
{
    float *v = &map->value[cell];

    if (isnan(*v))
        *v = w;
    else if (map->how == POOL_MEAN)
        *v += w;
    else if (w > *v)
        *v = w;
    if (map->how == POOL_MEAN)
        map->count[cell]++;
}

/* The weights of a query on n keys from key0; hidden ones are marked, or NaN. */
static void put_row(struct map *map, int head, int query, int key0, int n,
                    const float *weight, const unsigned char *hidden)
{
    int row = map->row[query];
    size_t start;

    if (row < 0)
        return;
    start = (size_t)head * n_cells(map) + (size_t)(row / map->pool) * (size_t)map->n_cols;
    for (int j = 0; j < n; j++) {
        int column = map->col[key0 + j];

        if (column >= 0 && !isnan(weight[j]) && (hidden == NULL || !hidden[j]))
            map_put(map, start + (size_t)(column / map->pool), weight[j]);
    }
}

static void map_take_rows(void *self, const struct rows *rows, int n_heads)
{
    struct map *map = self;

    (void)n_heads;
    if (rows->text != map->text || rows->layer != map->layer)
        return;
    for (int t = 0; t < rows->n_rows; t++) {
        size_t at = (size_t)t * rows->stride;

        put_row(map, rows->head, rows->row0 + t, rows->key0, rows->n_keys,
                rows->weight + at, rows->hidden != NULL ? rows->hidden + at : NULL);
        if (rows->null_mass != NULL && map->n_keys > rows->n_all_keys) {
            float taken = (float)rows->null_mass[t];

            put_row(map, rows->head, rows->row0 + t, rows->n_all_keys, 1, &taken, NULL);
        }
    }
}

/* Sums become means. */
static void map_finish_head(struct map *map, int head)
{
    size_t first = (size_t)head * n_cells(map);

    for (size_t i = first; map->how == POOL_MEAN && i < first + n_cells(map); i++)
        if (map->count[i] > 1)
            map->value[i] /= (float)map->count[i];
}

static void map_done(void *self, int text, int layer)
{
    struct map *map = self;

    for (int head = 0; head < map->n_heads; head++)
        if (text == map->text && layer == map->layer)
            map_finish_head(map, head);
}

struct sink map_sink(struct map *map)
{
    return (struct sink){ SINK_HEAD, map_take_rows, map_done, map };
}

void map_fill(struct map *map, int head, const float *weight)
{
    for (int i = 0; i < map->n_queries; i++)
        put_row(map, head, i, 0, map->n_keys, weight + (size_t)i * (size_t)map->n_keys, NULL);
    map_finish_head(map, head);
}

const float *map_head(const struct map *map, int head)
{
    return map->value + (size_t)head * n_cells(map);
}
