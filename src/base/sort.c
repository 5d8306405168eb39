/* SPDX-License-Identifier: MIT
 * Numbers in order. */
#include "base/sort.h"

static void swap(float *x, int i, int j)
{
    float t = x[i];

    x[i] = x[j];
    x[j] = t;
}

/* x[i] sinks until it is at most its children, of heap x[n]. */
static void sink(float *x, int i, int n)
{
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && x[child + 1] < x[child])
            child++;
        if (!(x[child] < x[i]))
            return;
        swap(x, i, child);
    }
}

void sort_down(float *x, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sink(x, i, n);
    for (int end = n - 1; end > 0; end--) {
        swap(x, 0, end);
        sink(x, 0, end);
    }
}
