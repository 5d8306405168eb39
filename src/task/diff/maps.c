/* SPDX-License-Identifier: MIT
 * Two passes -> the attention weights of both, in memory. */
#include "analysis/map.h"
#include "task/diff/diff.h"

struct diff_maps {
    struct map **side[2];       /* [L] NULL: not wanted */
};

struct diff_maps *diff_maps_new(struct arena *a, const struct diff_sides *sides)
{
    struct diff_maps *maps = arena_alloc(a, 1, sizeof *maps);

    for (int i = 0; i < 2; i++) {
        const struct diff_side *side = &sides->side[i];
        const struct config *config = &side->s.shown->config;
        struct map_axis queries = { session_queries(&side->s, &side->item)->n, NULL };
        struct map_axis keys = { session_keys(&side->s, &side->item)->n, NULL,
                                 session_has_sinks(&side->s, &side->want) };

        maps->side[i] = arena_alloc(a, (size_t)config->n_layers, sizeof(struct map *));
        for (int l = 0; l < config->n_layers; l++)
            if (wanted_layer(&side->want, l))
                maps->side[i][l] = map_new(a, 0, l, config->n_heads, queries, keys, 1,
                                           POOL_MAX);
    }
    return maps;
}

int diff_maps_sinks(const struct diff_maps *maps, const struct diff_sides *sides, int side,
                    struct sink *sinks)
{
    int n = 0;

    for (int l = 0; l < sides->side[side].s.shown->config.n_layers; l++)
        if (maps->side[side][l] != NULL)
            sinks[n++] = map_sink(maps->side[side][l]);
    return n;
}

const struct map *diff_map(const struct diff_maps *maps, int side, int layer)
{
    return maps->side[side][layer];
}
