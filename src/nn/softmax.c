/* SPDX-License-Identifier: MIT
 * Softmax by the chosen kernel, and by its formula. */
#include "nn/softmax.h"

#include "base/elementary.h"
#include "nn/kernels.h"

struct softmax_sums softmax_row(float *row, int n, int first, int end, float scale)
{
    return nn_kernels()->softmax(row, n, first, end, scale);
}

void softmax_double(double *w, const double *times, int n)
{
    double max = -INFINITY, sum = 0;

    for (int j = 0; j < n; j++)
        max = w[j] > max ? w[j] : max;
    for (int j = 0; j < n; j++) {
        w[j] = elementary_exp(w[j] - max);
        if (times != NULL)
            w[j] *= times[j];
        sum += w[j];
    }
    for (int j = 0; j < n; j++)
        w[j] /= sum;
}
