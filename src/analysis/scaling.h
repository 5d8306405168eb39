/* SPDX-License-Identifier: MIT
 *
 * Distances -> coordinates in the plane, and clusters.  progress: informed while they run; may be
 * NULL. */
#ifndef ANALYSIS_SCALING_H
#define ANALYSIS_SCALING_H

#include "base/arena.h"
#include "base/progress.h"

/*
 * Classical multidimensional scaling: place[n, 2] = the first two eigenvectors of
 * B = -J D^2 J / 2, J = 1 - 1 / n, times the roots of their eigenvalues (0 where one is below
 * 0).  squared [n, n]: the squares of the distances.  The entry of largest magnitude of each
 * coordinate, the first among equals, is positive.  Eigenvectors by Jacobi's rotations: a few
 * sweeps of n^3 operations.  Source: Torgerson 1952.
 */
void scaling_plane(double *place, const double *squared, int n, struct arena *scratch,
                   struct progress *progress);

/*
 * Average linkage: cluster[n] = numbers, from 0, of at most `most` clusters, in the order of their
 * first members.  The two clusters with the least mean distance between members are merged until
 * that many remain; ties (within 1e-12): those with the smallest first members.  squared as above.
 */
void scaling_clusters(int *cluster, const double *squared, int n, int most,
                      struct arena *scratch, struct progress *progress);

#endif
