/* SPDX-License-Identifier: MIT
 * Eigenvectors of centred distances; average linkage. */
#include "analysis/scaling.h"

#include <math.h>

static double *square(struct arena *a, int n)
{
    return arena_alloc(a, (uint64_t)n * (uint64_t)n, sizeof(double));
}

static double *scaling_at(double *x, int n, int i, int k)
{
    return x + (size_t)i * (size_t)n + (size_t)k;
}

/* ---- the plane ---- */

/* b = -J squared J / 2. */
static void centre(double *b, const double *squared, int n, double *mean)
{
    double all = 0;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            mean[i] += squared[(size_t)i * (size_t)n + (size_t)k] / n;
        all += mean[i] / n;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            *scaling_at(b, n, i, k) = -(squared[(size_t)i * (size_t)n + (size_t)k] - mean[i] -
                                        mean[k] + all) / 2;
}

/* x and y of both become c x - s y, s x + c y. */
static void scaling_turn(double *x, double *y, double c, double s)
{
    double was = *x;

    *x = c * was - s * *y;
    *y = s * was + c * *y;
}

/* Makes b[p][q] 0, and turns the vectors, which are rows, along. */
static void scaling_rotate(double *b, double *vector, int n, int p, int q)
{
    double tau = (*scaling_at(b, n, q, q) - *scaling_at(b, n, p, p)) /
                 (2 * *scaling_at(b, n, p, q));
    double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c;

    for (int k = 0; k < n; k++)
        scaling_turn(scaling_at(b, n, p, k), scaling_at(b, n, q, k), c, s);
    for (int k = 0; k < n; k++)
        scaling_turn(scaling_at(b, n, k, p), scaling_at(b, n, k, q), c, s);
    for (int k = 0; k < n; k++)
        scaling_turn(scaling_at(vector, n, p, k), scaling_at(vector, n, q, k), c, s);
}

static double scaling_norm(const double *b, int n)
{
    double sum = 0;

    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        sum += b[i] * b[i];
    return sqrt(sum);
}

/* Eigenvalues on the diagonal of b, eigenvectors in the rows of vector. */
static void diagonalise(double *b, double *vector, int n, struct progress *progress)
{
    double small = 1e-15 * scaling_norm(b, n);
    bool turned = n > 1;

    for (int i = 0; i < n; i++)
        *scaling_at(vector, n, i, i) = 1;
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++)
                if (fabs(*scaling_at(b, n, p, q)) > small) {
                    scaling_rotate(b, vector, n, p, q);
                    turned = true;
                }
            progress_ran(progress, 6 * (int64_t)(n - p) * n);
        }
    }
}

/* The row with the largest eigenvalue, but one. */
static int scaling_largest(const double *b, int n, int but)
{
    int best = -1;

    for (int i = 0; i < n; i++)
        if (i != but && (best < 0 || b[(size_t)i * (size_t)n + (size_t)i] >
                                         b[(size_t)best * (size_t)n + (size_t)best]))
            best = i;
    return best;
}

/* One coordinate of all places. */
static void scaling_put(double *place, const double *vector, double value, int n, int axis)
{
    double scale = value > 0 ? sqrt(value) : 0;
    int most = 0;

    for (int i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[most]) + 1e-9)
            most = i;
    if (vector[most] < 0)
        scale = -scale;
    for (int i = 0; i < n; i++)
        place[2 * i + axis] = scale == 0 ? 0 : scale * vector[i];
}

void scaling_plane(double *place, const double *squared, int n, struct arena *scratch,
                   struct progress *progress)
{
    double *b = square(scratch, n), *vector = square(scratch, n);
    double *mean = arena_alloc(scratch, (uint64_t)n, sizeof *mean);
    int row = -1;

    centre(b, squared, n, mean);
    diagonalise(b, vector, n, progress);
    for (int axis = 0; axis < 2; axis++) {
        row = scaling_largest(b, n, row);
        if (row >= 0)
            scaling_put(place, scaling_at(vector, n, row, 0), *scaling_at(b, n, row, row), n, axis);
        else
            place[axis] = 0;        /* there is one place alone */
    }
}

/* ---- clusters ---- */

struct tree {
    int n;
    double *mean;       /* [n, n] distances between clusters, by their first members */
    int *size;          /* [n] members; 0: it is no first member */
};

/* The two that are nearest. */
static void scaling_nearest(const struct tree *tree, int *x, int *y)
{
    double least = INFINITY;

    for (int i = 0; i < tree->n; i++)
        for (int k = i + 1; k < tree->n && tree->size[i] > 0; k++)
            if (tree->size[k] > 0 && *scaling_at(tree->mean, tree->n, i, k) < least - 1e-12) {
                least = *scaling_at(tree->mean, tree->n, i, k);
                *x = i;
                *y = k;
            }
}

static void scaling_merge(struct tree *tree, int x, int y)
{
    for (int i = 0; i < tree->n; i++) {
        double mean = (tree->size[x] * *scaling_at(tree->mean, tree->n, x, i) +
                       tree->size[y] * *scaling_at(tree->mean, tree->n, y, i)) /
                      (tree->size[x] + tree->size[y]);

        *scaling_at(tree->mean, tree->n, x, i) = *scaling_at(tree->mean, tree->n, i, x) = mean;
    }
    tree->size[x] += tree->size[y];
    tree->size[y] = 0;
}

void scaling_clusters(int *cluster, const double *squared, int n, int most,
                      struct arena *scratch, struct progress *progress)
{
    struct tree tree = { n, square(scratch, n),
                         arena_alloc(scratch, (uint64_t)n, sizeof(int)) };
    int *number = arena_alloc(scratch, (uint64_t)n, sizeof *number), count = 0;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            *scaling_at(tree.mean, n, i, k) = sqrt(squared[(size_t)i * (size_t)n + (size_t)k]);
        tree.size[i] = 1;
        cluster[i] = i;
    }
    for (int left = n; left > most; left--) {
        int x = 0, y = 1;

        progress_ran(progress, (int64_t)n * n);
        scaling_nearest(&tree, &x, &y);
        scaling_merge(&tree, x, y);
        for (int i = 0; i < n; i++)
            cluster[i] = cluster[i] == y ? x : cluster[i];
    }
    for (int i = 0; i < n; i++)
        if (cluster[i] == i)
            number[i] = count++;
    for (int i = 0; i < n; i++)
        cluster[i] = number[cluster[i]];
}
