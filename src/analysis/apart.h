/* SPDX-License-Identifier: MIT
 *
 * How far heads are from each other in each of many texts -> the mean over the texts, and places
 * and clusters by it. */
#ifndef ANALYSIS_APART_H
#define ANALYSIS_APART_H

#include "analysis/stats.h"
#include "analysis/words.h"

struct apart;

/* For n heads of a model, one layer after the other; of a. */
struct apart *apart_new(struct arena *a, int n);

/*
 * Adds a text: js[n] is the list of METRIC_js of each head, n -1 where no row of it sees a key.
 * Sums are exact, so that the order of the texts does not matter.
 */
void apart_add(struct apart *s, const struct stats_list *const *js);

/* The sums of n heads as words: how many they take; counts, puts or takes them. */
uint64_t apart_n_words(int n);
void apart_words(struct words *w, struct apart *s);

struct apart_mean {
    int n;                      /* heads that a text at least says something of */
    int *index;                 /* [heads] the place of each among these; -1: it is none */
    double *js;                 /* [n, n] in nats; NaN: undefined */
    double *place;              /* [n, 2] of scaling_plane; NULL: some js is undefined */
    int *cluster;               /* [n] of scaling_clusters; NULL: the same, or not asked for */
};

/*
 * js[x][y] = mean over the texts in which it is defined, each counting as much:
 *
 *     js[x][y] = sum_t js_t[x][y] / |t|,   js_t[x][y] = mean over rows i of JS(a_xi, a_yi)
 *
 * Places and at most n_clusters clusters (0: none) are those of this matrix, not means of those
 * of texts.  Source: Clark et al. 2019, section 6, who sum over all rows of all texts.
 */
struct apart_mean apart_mean(const struct apart *s, int n_clusters, struct arena *a,
                             struct progress *progress);

/* The number of a head's cluster; NaN: it has none. */
double apart_cluster(const struct apart_mean *m, int head);

#endif
