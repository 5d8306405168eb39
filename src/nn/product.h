/* SPDX-License-Identifier: MIT
 * Products of rows with packed panels, in blocks that stay in cache. */
#ifndef NN_PRODUCT_H
#define NN_PRODUCT_H

#include "nn/kernels.h"

/* The width of panels that suits the chosen kernel: 16 or PANEL. */
int product_width(void);

/* The whole product, p->K in blocks that stay in cache. */
void product_run(const struct product *p);

/*
 * K in about equal blocks: the rows of a panel that stay in cache while rows of x pass; of words
 * whole blocks of fast, NULL: of floats.
 */
int product_depth(int K, const struct fast_kernel *fast);

/* Of the whole product the block of product_depth() from k on; the blocks in order. */
void product_part(const struct product *p, int k);

/* panel[k * width + i] = w[k * stride + i], i < n; 0 for n <= i < width. */
void product_copy_rows(float *panel, int width, const float *w, int64_t stride, int n, int K);

#endif
