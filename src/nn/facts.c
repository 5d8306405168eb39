/* SPDX-License-Identifier: MIT
 * Rows of weights -> their statistics (facts.h), by the chosen kernel. */
#include "nn/facts.h"

#include "nn/kernels.h"

void facts_shape(struct facts_shape *out, const struct facts_rows *rows)
{
    nn_kernels()->facts->shape(out, rows);
}

void facts_mixed_entropy(double *out, const struct facts_rows *rows, double mix)
{
    nn_kernels()->facts->mixed_entropy(out, rows, mix);
}

void facts_columns(double *out, const struct facts_rows *rows)
{
    nn_kernels()->facts->columns(out, rows);
}

void facts_top(struct facts_top *out, const struct facts_rows *rows, double share)
{
    nn_kernels()->facts->top(out, rows, share);
}
