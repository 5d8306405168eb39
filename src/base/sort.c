/* SPDX-License-Identifier: MIT
 * Numbers in order, without a branch that depends on them. */
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { RUN = 32 };

/*
 * Each goes to the place that the number of larger ones gives; equal ones go to one place, and
 * fill the empty ones behind it.  The inner loop has a constant length so that a processor's
 * vectors take it; what is beyond n is below all.
 */
static void sort_run(float *x, int n)
{
    float key[RUN], sorted[RUN];
    int place[RUN] = { 0 };

    for (int i = 0; i < RUN; i++) {
        key[i] = i < n ? x[i] : -INFINITY;
        sorted[i] = NAN;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < RUN; i++)
            place[i] += key[j] > key[i];
    for (int i = 0; i < n; i++)
        sorted[place[i]] = key[i];
    for (int i = 1; i < n; i++)
        sorted[i] = sorted[i] == sorted[i] ? sorted[i] : sorted[i - 1];
    memcpy(x, sorted, (size_t)n * sizeof *x);
}

/* Two runs, one behind the other, to one. */
static void merge(float *out, const float *x, int middle, int n)
{
    int i = 0, j = middle, k = 0;

    for (; i < middle && j < n; k++) {
        float first = x[i], second = x[j];
        int taken = second > first;

        out[k] = second > first ? second : first;
        j += taken;
        i += 1 - taken;
    }
    memcpy(out + k, x + i, (size_t)(middle - i) * sizeof *x);
    memcpy(out + k + middle - i, x + j, (size_t)(n - j) * sizeof *x);
}

void sort_down(float *x, float *room, int n)
{
    float *from = x, *to = room;

    for (int at = 0; at < n; at += RUN)
        sort_run(x + at, n - at < RUN ? n - at : RUN);
    for (int size = RUN; size < n; size *= 2) {
        float *sorted = to;

        for (int at = 0; at < n; at += 2 * size) {
            int left = n - at;

            merge(to + at, from + at, left < size ? left : size, left < 2 * size ? left : 2 * size);
        }
        to = from;
        from = sorted;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
}
