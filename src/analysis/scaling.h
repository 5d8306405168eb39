/* SPDX-License-Identifier: MIT
 *
 * Distances -> places in the plane, and clusters.  progress: who is told that time passes; NULL:
 * nobody. */
#ifndef ANALYSIS_SCALING_H
#define ANALYSIS_SCALING_H

#include "base/arena.h"
#include "base/progress.h"

/*
 * Classical multidimensional scaling: place[n, 2] = the first two eigenvectors of
 * B = -J D^2 J / 2, J = 1 - 1 / n, times the roots of their eigenvalues (0 where one is below
 * 0).  squared [n, n]: the squares of the distances.  Of each coordinate the entry of the
 * largest magnitude is positive, the first of equal ones.  Eigenvectors by Jacobi's rotations:
 * n^3 each of a few sweeps.  Source: Torgerson 1952.
 */
void scaling_plane(double *place, const double *squared, int n, struct arena *scratch,
                   struct progress *progress);

/*
 * cluster[n]: numbers from 0 of at most `most` clusters, in the order of their first member.
 * The two with the least mean distance between their members become one, until as many are
 * left; ties (within 1e-12): those with the smallest first members.  squared as above.
 */
void scaling_clusters(int *cluster, const double *squared, int n, int most,
                      struct arena *scratch, struct progress *progress);

#endif
