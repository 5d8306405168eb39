/* SPDX-License-Identifier: MIT
 *
 * Facts: statistics of a block of rows of attention weights, computed for several rows side by
 * side: sums over their entries, and their largest weights.  For n_rows <= ATTEND_ROWS rows of n >=
 * 1 weights >= 0 that sum to about 1, stride floats apart; n_visible [n_rows] of them are visible,
 * the others are 0.  By the chosen kernel; each number depends on one row alone. */
#ifndef NN_FACTS_H
#define NN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/attend.h"

enum { FACTS_MOST = 512 };

/* The rows in the kernel's layout, converted once for all facts. */
struct facts_room {
    bool is_made;               /* false: the rows have changed */
    _Alignas(64) float panel[ATTEND_ROWS * FACTS_MOST];
};

struct facts_rows {
    const float *w;             /* [n_rows, stride] */
    size_t stride;
    int n_rows, n;
    int key0, query;            /* key of the first weight, query of the first row */
    const int *n_visible;
    const float *largest;       /* [n_rows] largest weights */
    struct facts_room *room;
};

/* Sums over the entries of each row, with d = key - query. */
struct facts_shape {
    double mass[ATTEND_ROWS];           /* sum of w */
    double squares[ATTEND_ROWS];        /* sum of w^2 */
    double uneven[ATTEND_ROWS];         /* sum of |w - 1 / n_visible| over visible keys */
    double distance[ATTEND_ROWS];       /* sum of w d */
    double distance_abs[ATTEND_ROWS];   /* sum of w |d| */
    double spread[ATTEND_ROWS];         /* sum of w (d - distance)^2 */
    double back[ATTEND_ROWS], back_mass[ATTEND_ROWS];   /* sums of w |d|, and of w, over keys
                                                           with d <= 0, except key 0 */
    int low[ATTEND_ROWS];       /* number of visible keys with w below 0.01 / n_visible */
    int small[ATTEND_ROWS];     /* the same, below 0.01 of the largest */
};

void facts_shape(struct facts_shape *out, const struct facts_rows *rows);

/* out [n_rows] = -sum of x ln x over visible keys, x = (1 - mix) w + mix / n_visible.  Terms are
 * floats, like the weights: within 2.5e-7 of 1 + the sum; plain C: doubles. */
void facts_mixed_entropy(double *out, const struct facts_rows *rows, double mix);

/* out [n] += the sums of all columns, four rows at a time: the same bits with every kernel. */
void facts_columns(double *out, const struct facts_rows *rows);

enum { FACTS_TOPS = 5 };

struct facts_top {
    double mass[FACTS_TOPS][ATTEND_ROWS];       /* sums of the largest 1, 2, 4, 8 and 16 */
    int enough[ATTEND_ROWS];    /* least number of keys that sum to `share`; 0: all do not */
};

/* n <= FACTS_MOST. */
void facts_top(struct facts_top *out, const struct facts_rows *rows, double share);

/* ---- the functions of a kernel ---- */

struct facts_kernels {
    void (*shape)(struct facts_shape *out, const struct facts_rows *rows);
    void (*mixed_entropy)(double *out, const struct facts_rows *rows, double mix);
    void (*columns)(double *out, const struct facts_rows *rows);
    void (*top)(struct facts_top *out, const struct facts_rows *rows, double share);
};

extern const struct facts_kernels facts_c, facts_avx2, facts_avx512, facts_neon;

#endif
