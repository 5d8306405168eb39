/* SPDX-License-Identifier: MIT
 * A text -> a pass -> the maps of a picture: of heads, their means, or rollout. */
#include <math.h>

#include "analysis/stats.h"
#include "session/texts.h"
#include "task/figure/picture.h"

static int picture_maps_forward(const struct picture *picture, const struct texts *texts,
                                const struct sink *sinks, int n_sinks, struct arena *a,
                                struct err *e)
{
    return session_forward(picture->s, texts, &picture->want, sinks, n_sinks, a, e);
}

static struct map *new_map(const struct picture *picture, struct arena *a, int layer, int n,
                           const struct picture_maps *maps)
{
    return map_new(a, 0, layer, n, maps->rows, maps->cols, maps->pool,
                   (enum pool)picture->look.pool);
}

static void keep_shape(struct picture_maps *maps, const struct map *map)
{
    maps->n_rows = map->n_rows;
    maps->n_cols = map->n_cols;
    maps->row = map->row;
    maps->col = map->col;
}

static int fill_heads(const struct picture *picture, struct arena *a, const struct texts *texts,
                      struct picture_maps *maps, struct err *e)
{
    const struct config *config = &picture->s->shown->config;
    size_t L = (size_t)config->n_layers;
    struct map **map = arena_alloc(a, L, sizeof(struct map *));
    struct sink *sinks = arena_alloc(a, L, sizeof *sinks);
    int n_sinks = 0;

    for (int l = 0; l < config->n_layers; l++)
        if (wanted_layer(&picture->want, l)) {
            map[l] = new_map(picture, a, l, config->n_heads, maps);
            sinks[n_sinks++] = map_sink(map[l]);
            keep_shape(maps, map[l]);
        }
    if (picture_maps_forward(picture, texts, sinks, n_sinks, a, e) != 0)
        return -1;
    for (int i = 0; i < picture->n_panels; i++)
        maps->value[i] = map_head(map[picture->panel[i].layer >= 0 ? picture->panel[i].layer : 0],
                                  picture->panel[i].head >= 0 ? picture->panel[i].head : 0);
    return 0;
}

/* What never reaches a token, such as later ones, is hidden. */
static const float *visible(struct arena *a, const double *rollout, size_t n)
{
    float *weight = arena_alloc(a, n, sizeof *weight);

    for (size_t i = 0; i < n; i++)
        weight[i] = rollout[i] > 0.0 ? (float)rollout[i] : NAN;
    return weight;
}

static int fill_rollout(const struct picture *picture, struct arena *a, const struct texts *texts,
                        struct picture_maps *maps, struct err *e)
{
    static const struct metric_opts opts;
    const struct metric_set set = { &metric_table[METRIC_rollout], 1, opts };
    struct attended attended = session_attended(picture->s, texts, a);
    struct stats *stats = stats_new(a, picture->s->shown, &attended, &picture->want, &set);
    struct sink sinks[STATS_SINKS];
    int n_sinks = stats_sinks(stats, sinks);
    struct map *map = new_map(picture, a, 0, 1, maps);

    keep_shape(maps, map);
    if (picture_maps_forward(picture, texts, sinks, n_sinks, a, e) != 0)
        return -1;
    map_fill(map, 0, visible(a, stats_map(stats, 0, 0),
                             (size_t)maps->rows.n * (size_t)maps->cols.n));
    maps->value[0] = map_head(map, 0);
    return 0;
}

int picture_fill(const struct picture *picture, struct arena *a, const struct item *item,
                 struct picture_maps *maps, struct err *e)
{
    struct texts texts;

    maps->value = arena_alloc(a, (size_t)picture->n_panels, sizeof *maps->value);
    texts_pack(&texts, a, item, 1);
    if (picture->look.rollout)
        return fill_rollout(picture, a, &texts, maps, e);
    return fill_heads(picture, a, &texts, maps, e);
}
