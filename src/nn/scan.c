/* SPDX-License-Identifier: MIT
 * A row of weights -> its strongest key and its distances, by the chosen kernel. */
#include "nn/scan.h"

#include "nn/kernels.h"

struct scan scan_row(const float *w, int n, int key0, int query)
{
    return nn_kernels()->scan(w, n, key0, query);
}

struct scan_sums scan_rows(float *largest, const float *w, size_t stride, int n_rows, int n,
                           int key0, int query)
{
    return nn_kernels()->scan_block(largest, w, stride, n_rows, n, key0, query);
}

int scan_strongest(const float *w, int n)
{
    return nn_kernels()->strongest(w, n);
}
