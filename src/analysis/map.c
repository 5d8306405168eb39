/* SPDX-License-Identifier: MIT
 * The sink that fills the cells of one layer. */
#include "analysis/map.h"

#include <math.h>

const char *const pool_names[] = { "max", "mean", NULL };

static int *places(struct arena *a, struct map_axis axis, int pool, int *n_cells)
{
    int *place = arena_alloc(a, (size_t)axis.n, sizeof *place), shown = 0;

    for (int i = 0; i < axis.n; i++)
        place[i] = axis.skip != NULL && axis.skip[i] ? -1 : shown++;
    *n_cells = (shown + pool - 1) / pool;
    return place;
}

static size_t n_values(const struct map *m)
{
    return (size_t)m->n_heads * (size_t)m->n_rows * (size_t)m->n_cols;
}

struct map *map_new(struct arena *a, int text, int layer, int n_heads,
                    struct map_axis queries, struct map_axis keys, int pool,
                    enum pool how)
{
    struct map *m = arena_alloc(a, 1, sizeof *m);
    size_t n;

    *m = (struct map){ .text = text, .layer = layer, .n_heads = n_heads, .pool = pool,
                       .how = how };
    m->row = places(a, queries, pool, &m->n_rows);
    m->col = places(a, keys, pool, &m->n_cols);
    n = n_values(m);
    m->value = arena_alloc_raw(a, n, sizeof *m->value);
    for (size_t i = 0; i < n; i++)
        m->value[i] = NAN;
    if (how == POOL_MEAN)
        m->count = arena_alloc(a, n, sizeof *m->count);
    return m;
}

static void put(struct map *m, size_t cell, float w)
{
    float *v = &m->value[cell];

    if (isnan(*v))
        *v = w;
    else if (m->how == POOL_MEAN)
        *v += w;
    else if (w > *v)
        *v = w;
    if (m->how == POOL_MEAN)
        m->count[cell]++;
}

static void take(void *self, const struct rows *rows, int n_heads)
{
    struct map *m = self;

    (void)n_heads;
    if (rows->text != m->text || rows->layer != m->layer)
        return;
    for (int t = 0; t < rows->n_rows; t++) {
        int row = m->row[rows->row0 + t];
        size_t from = (size_t)t * rows->stride;

        for (int j = 0; row >= 0 && j < rows->n_keys; j++) {
            int column = m->col[rows->key0 + j];

            if (column < 0 || (rows->hidden != NULL && rows->hidden[from + (size_t)j]))
                continue;
            put(m, ((size_t)rows->head * (size_t)m->n_rows + (size_t)(row / m->pool)) *
                   (size_t)m->n_cols + (size_t)(column / m->pool),
                rows->weight[from + (size_t)j]);
        }
    }
}

static void done(void *self, int text, int layer)
{
    struct map *m = self;
    size_t n = n_values(m);

    if (m->how != POOL_MEAN || text != m->text || layer != m->layer)
        return;
    for (size_t i = 0; i < n; i++)
        if (m->count[i] > 1)
            m->value[i] /= (float)m->count[i];
}

struct sink map_sink(struct map *m)
{
    return (struct sink){ SINK_HEAD, take, done, m };
}

const float *map_head(const struct map *m, int head)
{
    return m->value + (size_t)head * (size_t)m->n_rows * (size_t)m->n_cols;
}
