/* SPDX-License-Identifier: MIT
 * Rows chosen by number, and sums of outer products, in plain C. */
#include <string.h>

#include "nn/nn_priv.h"

/* In LANES sums, lane = column mod LANES. */
void gather_c(float *y, const float *x, const float *m, int64_t stride, const int *index,
              int n, int d)
{
    for (int j = 0; j < n; j++) {
        const float *row = m + index[j] * stride;
        float lane[LANES] = { 0 };
        int c = 0;

        for (; c + LANES <= d; c += LANES)
            for (int i = 0; i < LANES; i++)
                lane[i] += x[c + i] * row[c + i];
        for (int i = 0; c < d; c++, i++)
            lane[i] += x[c] * row[c];
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                lane[i] += lane[i + half];
        y[j] = lane[0];
    }
}

void blend_c(float *y, const float *w, const float *m, int64_t stride, const int *index,
             int n, int d)
{
    memset(y, 0, (size_t)d * sizeof *y);
    for (int j = 0; j < n; j++) {
        const float *row = m + index[j] * stride;

        for (int c = 0; c < d; c++)
            y[c] += w[j] * row[c];
    }
}

void outer_c(double *sum, const double *x, const double *y, int m, int n)
{
    for (int i = 0; i < m; i++, sum += n)
        for (int c = 0; c < n; c++)
            sum[c] += x[i] * y[c];
}

void inner_c(double *y, const double *x, const double *sum, int m, int n)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++, sum += n)
        for (int c = 0; c < n; c++)
            y[c] += x[i] * sum[c];
}
