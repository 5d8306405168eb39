/* SPDX-License-Identifier: MIT
 * A product of any depth -> products that a kernel does at a time. */
#include "nn/product.h"

#include <string.h>

enum { BLOCK_K = 512 };         /* rows of a panel: 64 KiB, which stay in L2 */

void product_copy_rows(float *panel, const float *w, int64_t stride, int n, int K)
{
    if (n == PANEL) {       /* of a constant size: no call */
        for (int64_t k = 0; k < K; k++)
            memcpy(panel + k * PANEL, w + k * stride, PANEL * sizeof *panel);
        return;
    }
    for (int k = 0; k < K; k++, panel += PANEL) {
        memcpy(panel, w + k * stride, (size_t)n * sizeof *panel);
        memset(panel + n, 0, (size_t)(PANEL - n) * sizeof *panel);
    }
}

void product_run(const struct product *p)
{
    struct product part = *p;

    for (int k = 0; k < p->K; k += BLOCK_K) {
        bool last = p->K - k <= BLOCK_K;

        part.x = p->x + k;
        part.panel = p->panel + (int64_t)k * PANEL;
        part.K = last ? p->K - k : BLOCK_K;
        part.resume = k > 0 || p->resume;
        part.bias = last ? p->bias : NULL;
        nn_kernels()->rows(&part);
    }
}
