/* SPDX-License-Identifier: MIT
 *
 * The greatest flow through layers of tokens. */
#ifndef ANALYSIS_FLOW_H
#define ANALYSIS_FLOW_H

#include "base/arena.h"
#include "base/progress.h"

/*
 * out[n, n]: element (u, v) is the greatest flow from token u above the last layer to token
 * v below the first, where what token i of layer l takes of token j below may be at most
 * capacity[l][i][j], [n_layers, n, n] from the first layer up; each row is then divided by its
 * sum.  By Dinic's algorithm, n^2 times over n_layers n^2 edges.
 * progress: who is told that time passes; NULL: nobody.  Source: Abnar and Zuidema 2020.
 */
void flow_all(double *out, const double *capacity, int n_layers, int n,
              struct arena *scratch, struct progress *progress);

#endif
