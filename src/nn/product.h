/* SPDX-License-Identifier: MIT
 * Products of rows with packed panels, in blocks that stay in cache. */
#ifndef NN_PRODUCT_H
#define NN_PRODUCT_H

#include "nn/kernels.h"

/* The width of panels of the chosen kernel: 16 or PANEL. */
int product_width(void);

/* Computes the whole product, with product->K in blocks that stay in cache. */
void product_run(const struct product *product);

/*
 * Size of about equal blocks of K, such that a panel stays in cache for all rows of x; for words
 * a multiple of fast's block; fast NULL: floats.
 */
int product_depth(int K, const struct fast_kernel *fast);

/* Computes the block of product_depth() from k on; to be called for all blocks in order. */
void product_part(const struct product *product, int k);

/* panel[k * width + i] = w[k * stride + i], i < n; 0 for n <= i < width. */
void product_copy_rows(float *panel, int width, const float *w, int64_t stride, int n, int K);

#endif
