/* SPDX-License-Identifier: MIT
 * Products of rows with packed panels, in blocks that stay in cache. */
#ifndef NN_PRODUCT_H
#define NN_PRODUCT_H

#include "nn/kernels.h"

/* The whole product, p->K in blocks that stay in cache. */
void product_run(const struct product *p);

/* panel[k][i] = w[k * stride + i], i < n; 0 for n <= i < PANEL. */
void product_copy_rows(float *panel, const float *w, int64_t stride, int n, int K);

#endif
