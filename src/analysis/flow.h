/* SPDX-License-Identifier: MIT
 *
 * Attention flow: the maximum flow through layers of tokens. */
#ifndef ANALYSIS_FLOW_H
#define ANALYSIS_FLOW_H

#include "base/arena.h"
#include "base/progress.h"

/*
 * out[n, n]: element (u, v) is the maximum flow from token u above the last layer to token v below
 * the first, with capacity[l][i][j] from token i of layer l to token j below it, [n_layers, n, n]
 * from the first layer up; each row is then divided by its sum.  By Dinic's algorithm, n^2 times
 * over n_layers n^2 edges.  progress: informed while it runs; may be NULL.
 * Source: Abnar and Zuidema 2020.
 */
void flow_all(double *out, const double *capacity, int n_layers, int n,
              struct arena *scratch, struct progress *progress);

#endif
