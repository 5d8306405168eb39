/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the maps of one layer, as a heatmap shows them: tokens
 * that are left out, and pooled where a cell stands for several tokens. */
#ifndef ANALYSIS_MAP_H
#define ANALYSIS_MAP_H

#include "base/arena.h"
#include "run/run.h"

enum pool { POOL_MAX, POOL_MEAN };
extern const char *const pool_names[];      /* "max", "mean", NULL */

struct map {
    int text, layer, n_heads;
    int n_cells;                /* a side: ceil(kept tokens / pool) */
    const int *place;           /* [tokens] among those that are kept; -1: left out */
    int pool;                   /* tokens a cell in each direction */
    enum pool how;
    float *value;               /* [H, n_cells, n_cells]; NaN: nothing visible */
    int *count;                 /* the same: weights in the cell; only for POOL_MEAN */
};

/*
 * For one text of n_tokens; skip[n_tokens] 1: leave the token's row and column
 * out (weights are never renormalised); NULL: keep all.
 */
struct map *map_new(struct arena *a, int text, int layer, int n_heads, int n_tokens,
                    const unsigned char *skip, int pool, enum pool how);
struct sink map_sink(struct map *m);
const float *map_head(const struct map *m, int head);   /* [n_cells, n_cells] */

#endif
