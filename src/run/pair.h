/* SPDX-License-Identifier: MIT
 * A pass over an encoder-decoder: the encoder, then its decoder. */
#ifndef RUN_PAIR_H
#define RUN_PAIR_H

#include "run/run.h"

/*
 * Runs the encoder model over source, then model->decoder over target, of as many texts, with the
 * encoder's output as memory.  want->stacks: the stacks whose rows go to the sinks (and whose
 * attentions want->tap sees), STACK_ENCODER, STACK_DECODER, STACK_CROSS; 0: all three.  want->layer
 * and want->head apply to each of them; the lists cover the longer stack.  Of want->change the
 * noise applies to the encoder, precision, fast and intervention to both, all else to the decoder.
 * want->hidden and logits are the decoder's.  want->memory: the encoder's output, if it is known:
 * then it does not run, and want->resume is the decoder's; NULL: it runs, and want->resume is the
 * encoder's.
 *
 * Errors: those of run_forward.
 */
int run_pair(const struct model *model, const struct batch *source, const struct batch *target,
             const struct wanted *want, const struct sink *sinks, int n_sinks,
             struct par *par, struct arena *call, struct err *e);

#endif
