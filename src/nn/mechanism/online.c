/* SPDX-License-Identifier: MIT
 * Outputs over parts of a row's keys -> the row's output, each weighted by its share of the
 * exponentials. */
#include "nn/mechanism/online.h"

#include "base/elementary.h"

void online_merge(float *out, double *sum, const float *one, double more, int d_v)
{
    double max = *sum > more ? *sum : more;
    double old = elementary_exp(*sum - max), add = elementary_exp(more - max);

    for (int c = 0; c < d_v; c++)
        out[c] = (float)((old * out[c] + add * one[c]) / (old + add));
    *sum = max + elementary_log(old + add);
}
