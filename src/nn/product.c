/* SPDX-License-Identifier: MIT
 * A product of any depth -> products that a kernel does at a time. */
#include "nn/product.h"

#include <string.h>

#include "nn/fast.h"

enum { BLOCK_K = 384 };         /* rows of a panel: of 16 columns 24 KiB, which stay in L1 */

int product_width(void)
{
    return nn_kernels()->width;
}

void product_copy_rows(float *panel, int width, const float *w, int64_t stride, int n, int K)
{
    if (n == PANEL) {       /* of a constant size: no call */
        for (int64_t k = 0; k < K; k++)
            memcpy(panel + k * PANEL, w + k * stride, PANEL * sizeof *panel);
        return;
    }
    if (n == PANEL / 2 && n == width) {
        for (int64_t k = 0; k < K; k++)
            memcpy(panel + k * (PANEL / 2), w + k * stride, PANEL / 2 * sizeof *panel);
        return;
    }
    for (int k = 0; k < K; k++, panel += width) {
        memcpy(panel, w + k * stride, (size_t)n * sizeof *panel);
        memset(panel + n, 0, (size_t)(width - n) * sizeof *panel);
    }
}

int product_depth(int K, const struct fast_kernel *fast)
{
    int n_blocks = (K - 1) / BLOCK_K + 1, whole = fast != NULL ? fast->words : 1;

    return ((K - 1) / n_blocks / whole + 1) * whole;
}

void product_part(const struct product *product, int k)
{
    struct product part = *product;
    int depth = product_depth(product->K, product->fast);
    bool last = product->K - k <= depth;

    part.x = product->x + k;
    part.panel = product->panel + (int64_t)k * product->width;
    part.K = last ? product->K - k : depth;
    part.resume = k > 0 || product->resume;
    part.bias = last ? product->bias : NULL;
    if (product->fast != NULL)
        product->fast->rows(&part);
    else
        nn_kernels()->rows(&part);
}

void product_run(const struct product *product)
{
    for (int k = 0; k < product->K; k += product_depth(product->K, product->fast))
        product_part(product, k);
}
