/* SPDX-License-Identifier: MIT
 *
 * What a block of rows of weights tells, several rows side by side: sums over their entries,
 * and their largest weights.  All of n_rows <= ATTEND_ROWS rows of n >= 1 weights >= 0 that sum
 * to about 1, stride floats from one to the next, of which n_visible [n_rows] can be seen; the
 * others are 0.  By the chosen kernel; each number is of one row alone. */
#ifndef NN_FACTS_H
#define NN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/attend.h"

enum { FACTS_MOST = 512 };

/* The rows as the kernel takes them: made once for all that is asked of them. */
struct facts_room {
    bool is_made;               /* false: they are others than before */
    _Alignas(64) float panel[ATTEND_ROWS * FACTS_MOST];
};

struct facts_rows {
    const float *w;             /* [n_rows, stride] */
    size_t stride;
    int n_rows, n;
    int key0, query;            /* of the first weight, and of the first row */
    const int *n_visible;
    const float *largest;       /* [n_rows] weights */
    struct facts_room *room;
};

/* With d = key - query. */
struct facts_shape {
    double mass[ATTEND_ROWS];           /* sum of w */
    double squares[ATTEND_ROWS];        /* sum of w^2 */
    double uneven[ATTEND_ROWS];         /* sum of |w - 1 / n_visible| over what is seen */
    double distance[ATTEND_ROWS];       /* sum of w d */
    double distance_abs[ATTEND_ROWS];   /* sum of w |d| */
    double spread[ATTEND_ROWS];         /* sum of w (d - distance)^2 */
    double back[ATTEND_ROWS], back_mass[ATTEND_ROWS];   /* sums of w |d|, and of w, where
                                                           d <= 0, but of key 0 */
    int low[ATTEND_ROWS];       /* how many of what is seen are below 0.01 / n_visible */
    int small[ATTEND_ROWS];     /* the same, below 0.01 of the largest */
};

void facts_shape(struct facts_shape *out, const struct facts_rows *rows);

/* out [n_rows]: -sum of x ln x over what is seen, x = (1 - mix) w + mix / n_visible.  The terms are
 * floats, as the weights are: within 2.5e-7 of 1 + the sum; plain C: doubles. */
void facts_mixed_entropy(double *out, const struct facts_rows *rows, double mix);

/* out [n]: adds to each key what all rows give it, four rows at a time: the same bits by every
 * kernel. */
void facts_columns(double *out, const struct facts_rows *rows);

enum { FACTS_TOPS = 5 };

struct facts_top {
    double mass[FACTS_TOPS][ATTEND_ROWS];       /* of the largest 1, 2, 4, 8 and 16 */
    int enough[ATTEND_ROWS];    /* the fewest that sum to `share`; 0: all are not enough */
};

/* n <= FACTS_MOST. */
void facts_top(struct facts_top *out, const struct facts_rows *rows, double share);

/* ---- of a kernel ---- */

struct facts_kernels {
    void (*shape)(struct facts_shape *out, const struct facts_rows *rows);
    void (*mixed_entropy)(double *out, const struct facts_rows *rows, double mix);
    void (*columns)(double *out, const struct facts_rows *rows);
    void (*top)(struct facts_top *out, const struct facts_rows *rows, double share);
};

extern const struct facts_kernels facts_c, facts_avx2, facts_avx512, facts_neon;

#endif
