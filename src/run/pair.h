/* SPDX-License-Identifier: MIT
 * Both halves of an encoder-decoder's pass. */
#ifndef RUN_PAIR_H
#define RUN_PAIR_H

#include "run/run.h"

/*
 * Runs the encoder m over source and m->decoder over target, of as many texts, which reads
 * what the encoder made of them.  want->stacks names the stacks whose rows go to the sinks
 * (and whose attentions want->tap sees): STACK_ENCODER, STACK_DECODER, STACK_CROSS; 0: all
 * three.  want->layer and want->head are for each of them; the lists cover the longer stack.
 * Of want->change the noise is put into the encoder, precision, fast and intervention are for
 * both, and all else is for the decoder.  want->hidden and logits are the decoder's.
 * want->memory: what the encoder made of source, which then does not run, and want->resume is
 * the decoder's; NULL: it runs, and want->resume is the encoder's.
 *
 * Errors: those of run_forward.
 */
int run_pair(const struct model *m, const struct batch *source, const struct batch *target,
             const struct wanted *want, const struct sink *sinks, int n_sinks,
             struct par *par, struct arena *call, struct err *e);

#endif
