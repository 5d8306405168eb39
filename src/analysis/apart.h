/* SPDX-License-Identifier: MIT
 *
 * Distances between heads in each of many texts -> their means over the texts, and coordinates and
 * clusters of heads from these. */
#ifndef ANALYSIS_APART_H
#define ANALYSIS_APART_H

#include "analysis/stats.h"
#include "analysis/words.h"

struct apart;

/* Empty sums for n heads of a model, layer by layer, in arena a. */
struct apart *apart_new(struct arena *a, int n);

/*
 * Adds a text: js[n] is the list METRIC_js of each head, whose n is -1 if no row of the head sees a
 * key.  Sums are exact, so that the order of the texts does not matter.
 */
void apart_add(struct apart *apart, const struct stats_list *const *js);

/* The sums of n heads as words (words.h): their number; and counting, writing or reading them. */
uint64_t apart_n_words(int n);
void apart_words(struct words *words, struct apart *apart);

struct apart_mean {
    int n;                      /* heads that have values in some text */
    int *index;                 /* [heads] index of each among these; -1: not among them */
    double *js;                 /* [n, n] mean distances in nats; NaN: undefined */
    double *place;              /* [n, 2] coordinates by scaling_plane; NULL: some js is undefined
                                   */
    int *cluster;               /* [n] by scaling_clusters; NULL: some js is undefined, or not
                                   wanted */
};

/*
 * js[x][y] = mean over the texts in which it is defined, each counting as much:
 *
 *     js[x][y] = sum_t js_t[x][y] / |t|,   js_t[x][y] = mean over rows i of JS(a_xi, a_yi)
 *
 * Coordinates and at most n_clusters clusters (0: none) are computed from this matrix, not averaged
 * over texts.  Source: Clark et al. 2019, section 6, who sum over all rows of all texts.
 */
struct apart_mean apart_mean(const struct apart *apart, int n_clusters, struct arena *a,
                             struct progress *progress);

/* The number of a head's cluster; NaN if it has none. */
double apart_cluster(const struct apart_mean *mean, int head);

#endif
