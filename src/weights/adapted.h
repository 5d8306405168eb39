/* SPDX-License-Identifier: MIT
 *
 * Matrices that an adapter changes, merged in float32 as they are read: no copy of the base
 * is held, only the two factors as floats.
 *
 *     W' = W + scale B A                      LoRA; A [r, in], B [out, r]
 *     W' = m (W + scale B A) / its length     DoRA; of each output, m [out]
 *
 * W is [out, in]; or [in, out], where the file or an embedding has it so.
 * Source: Hu et al. 2021, arXiv 2106.09685; Liu et al. 2024, arXiv 2402.09353. */
#ifndef WEIGHTS_ADAPTED_H
#define WEIGHTS_ADAPTED_H

#include "weights/weights.h"

struct low_rank {
    const struct tensor *a, *b;
    const struct tensor *magnitude;     /* NULL: LoRA */
    double scale;
    bool in_out;                        /* W is [in, out]; of a square one, its word counts */
};

/*
 * Puts the merged matrix in the place of tensor i of w, which may be merged already; what the
 * factors point to must last as long as w.
 *
 * Errors (ERR_INPUT): shapes that do not fit (file, name, found, expected); no floats.
 */
int weights_adapt(struct weights *w, int i, const struct low_rank *c, struct err *e);

/* Puts t in the place of tensor i of w, under the name of that. */
void weights_put(struct weights *w, int i, const struct tensor *t);

/* What from has mapped is w's from here on; nothing else of from may be used but its tensors. */
void weights_adopt(struct weights *w, struct weights *from);

#endif
