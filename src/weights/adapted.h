/* SPDX-License-Identifier: MIT
 *
 * Matrices changed by a LoRA adapter, merged in float32 whenever they are read: without a copy of
 * the base, only the two factors are stored as floats.
 *
 *     W' = W + scale B A                      LoRA; A [r, in], B [out, r]
 *     W' = m (W + scale B A) / its norm       DoRA; norm of each output's row, m [out]
 *
 * W is [out, in]; or [in, out], if the file or an embedding has this order.
 * Source: Hu et al. 2021, arXiv 2106.09685; Liu et al. 2024, arXiv 2402.09353. */
#ifndef WEIGHTS_ADAPTED_H
#define WEIGHTS_ADAPTED_H

#include "weights/weights.h"

struct low_rank {
    const struct tensor *a, *b;
    const struct tensor *magnitude;     /* NULL: LoRA */
    double scale;
    bool in_out;                        /* W is [in, out]; decides only if W is square */
};

/*
 * Replaces tensor i of weights, which may be a merged one already, by the merged matrix; the
 * factors must last as long as weights.
 *
 * Errors (ERR_INPUT): shapes that do not fit (file, name, found, expected); not floats.
 */
int weights_adapt(struct weights *weights, int i, const struct low_rank *rank, struct err *e);

/* Replaces tensor i of weights by tensor, under the same name. */
void weights_put(struct weights *weights, int i, const struct tensor *tensor);

/* Moves the mapped files of `from` to weights; afterwards only the tensors of `from` may be
 * used. */
void weights_adopt(struct weights *weights, struct weights *from);

#endif
