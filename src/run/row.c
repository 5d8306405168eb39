/* SPDX-License-Identifier: MIT
 * A row of weights -> its entropy, its strongest key. */
#include "run/row.h"

#include <math.h>

double row_entropy(const float *w, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++)
        if (w[j] > 0)
            sum -= (double)w[j] * log((double)w[j]);
    return sum;
}

int row_strongest(const float *w, int n)
{
    int best = 0;

    for (int j = 1; j < n; j++)
        if (w[j] > w[best])
            best = j;
    return best;
}
