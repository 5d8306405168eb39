/* SPDX-License-Identifier: MIT
 * Products of rows with packed panels, in blocks that stay in cache. */
#ifndef NN_PRODUCT_H
#define NN_PRODUCT_H

#include "nn/kernels.h"

/* The width of panels that suits the chosen kernel: 16 or PANEL. */
int product_width(void);

/* The whole product, p->K in blocks that stay in cache. */
void product_run(const struct product *p);

/* K in equal blocks: the rows of a panel that stay in cache while rows of x pass. */
int product_depth(int K);

/* Of the whole product the block of product_depth(p->K) from k on; the blocks in order. */
void product_part(const struct product *p, int k);

/* panel[k * width + i] = w[k * stride + i], i < n; 0 for n <= i < width. */
void product_copy_rows(float *panel, int width, const float *w, int64_t stride, int n, int K);

#endif
