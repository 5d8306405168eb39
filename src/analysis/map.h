/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> the maps of one layer's heads, matrices of cells for heatmaps: without
 * hidden tokens, and pooled if a cell stands for several tokens. */
#ifndef ANALYSIS_MAP_H
#define ANALYSIS_MAP_H

#include "base/arena.h"
#include "run/run.h"

enum pool { POOL_MAX, POOL_MEAN };
extern const char *const pool_names[];      /* "max", "mean", NULL */

struct map {
    int text, layer, n_heads;
    int n_queries, n_keys;      /* n_keys: one more with a column of the model's attention sink */
    int n_rows, n_cols;         /* cells: ceil(shown tokens / pool) */
    const int *row, *col;       /* [n_queries], [n_keys] index among the shown tokens; -1: left out
                                   */
    int pool;                   /* tokens per cell in each direction */
    enum pool how;
    float *value;               /* [H, n_rows, n_cols]; NaN: nothing visible */
    int *count;                 /* [H, n_rows, n_cols] weights in the cell; only for POOL_MEAN */
};

/* Queries or keys; skip[n] 1: leave the token out; NULL: show all.  sink, for keys: the last
 * column, one cell wide, is the weight of the model's attention sink, which is no key. */
struct map_axis {
    int n;
    const unsigned char *skip;
    bool sink;
};

/* For one text; weights are never renormalised. */
struct map *map_new(struct arena *a, int text, int layer, int n_heads,
                    struct map_axis queries, struct map_axis keys, int pool,
                    enum pool how);
struct sink map_sink(struct map *map);

/* In place of a pass: fills a head from weight [n_queries, n_keys], the sink last; NaN: hidden. */
void map_fill(struct map *map, int head, const float *weight);

const float *map_head(const struct map *map, int head);   /* [n_rows, n_cols] */

#endif
