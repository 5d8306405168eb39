/* SPDX-License-Identifier: MIT
 * Rows of scores -> weights by sparsemax and entmax, small ones exactly 0. */
#include "nn/mechanism/simplex.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/sort.h"

/* ---- thresholds of x[n], highest first ---- */

/* tau with sum max(x - tau, 0) = 1. */
static double threshold_1(const float *x, int n)
{
    double sum = 0, tau = 0;

    for (int k = 0; k < n; k++) {
        sum += x[k];
        if (1 + (k + 1) * (double)x[k] <= sum)
            break;
        tau = (sum - 1) / (k + 1);
    }
    return tau;
}

/* tau with sum max(x - tau, 0)^2 = 1. */
static double threshold_2(const float *x, int n)
{
    double mean = 0, spread = 0, tau = 0;   /* spread: sum of (x - mean)^2 */

    for (int k = 0; k < n; k++) {
        double off = x[k] - mean, next;

        mean += off / (k + 1);
        spread += off * (x[k] - mean);
        if (spread > 1)
            break;
        next = mean - sqrt((1 - spread) / (k + 1));
        if (next > x[k])
            break;
        tau = next;
    }
    return tau;
}

/*
 * Coordinates that are not 0 lie less than 1 below the highest, so only those are
 * sorted; all are taken relative to it.
 */
static void simplex_project(float *row, int n, int first, int end, float factor,
                            double (*threshold)(const float *x, int n), bool square, float *spare)
{
    float max = row[first];
    double tau, sum = 0;
    int m = 0;

    for (int j = first; j < end; j++)
        max = row[j] > max ? row[j] : max;
    for (int j = first; j < end; j++) {
        row[j] = factor * (row[j] - max);
        if (row[j] > -1)
            spare[m++] = row[j];
    }
    sort_down(spare, spare + m, m);
    tau = threshold(spare, m);
    for (int j = first; j < end; j++) {
        double p = row[j] > tau ? row[j] - tau : 0;

        row[j] = (float)(square ? p * p : p);
        sum += row[j];
    }
    memset(row, 0, (size_t)first * sizeof *row);
    memset(row + end, 0, (size_t)(n - end) * sizeof *row);
    if (!(sum > 0))             /* a score was not finite: no coordinate is */
        for (int j = first; j < end; j++)
            row[j] = NAN;
}

void simplex_sparsemax(float *row, int n, int first, int end, float *spare)
{
    simplex_project(row, n, first, end, 1, threshold_1, false, spare);
}

void simplex_entmax(float *row, int n, int first, int end, float *spare)
{
    simplex_project(row, n, first, end, 0.5f, threshold_2, true, spare);
}
