/* SPDX-License-Identifier: MIT
 *
 * One forward pass for every family, over any number of texts packed without
 * padding, layer by layer, so that each weight is read once per batch.  The same
 * bytes for any number of threads and any packing.
 *
 *     batch.h    the texts              wanted.h   what is wanted of the pass
 *     change.h   what it changes        view.h     what an attention reads
 *     cache.h    keys and values cached from pass to pass
 *     sink.h     rows of attention, and who takes them
 *
 * The stages of the pass have a header each; pass.h is what they share. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/par.h"
#include "model/model.h"
#include "run/batch.h"
#include "run/sink.h"
#include "run/wanted.h"

/*
 * Runs m over b; the rows of attention that are wanted go to the sinks.
 *
 * Errors (ERR_INPUT): ids where the model reads values, or values of another shape than
 * it takes; an id outside the vocabulary, a type outside the table, a text longer than
 * the model's positions (with both numbers), a text without tokens; another input that
 * is required, or has too many keys; a mask that does not fit; rotations of another width
 * than the text's buckets require; a row of attention that is not finite (layer, head,
 * row: the weights hold NaN or infinities).  Sinks may have been given rows before an
 * error.
 */
int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e);

/*
 * out[n, D] = what a layer's attention adds to the residual stream, from n rows of
 * heads' outputs z[n, H d_v]: the output projection, with its bias, and its norm.  Of
 * FRONT_QKV it is z.  Memory for the time of the call is of `call`.
 */
void run_attention_output(const struct model *m, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par,
                          struct arena *call);

/*
 * out[n, m->d_hidden] = the hidden states that n rows of the residual stream end in: after the
 * final norm, and what comes between it and the head.  stream [n, model_end_width()]: of
 * PLACE_REVERSIBLE the stream that attentions add to, then the other; of several streams all,
 * side by side; it is overwritten.
 */
void run_hidden(const struct model *m, const struct wanted *want, float *out, float *stream,
                int n, struct par *par, struct arena *call);

/*
 * out[n, m->n_logits] = the logits of n rows [n, m->d_hidden] of hidden states, as a pass with
 * want's change and uncapped writes them.  m predicts tokens.
 */
void run_logits(const struct model *m, const struct wanted *want, float *out,
                const float *hidden, int n, struct par *par, struct arena *call);

/*
 * The bytes that run_forward takes beyond the model for one text of n tokens, with the precision
 * and the fewer bits of change; NULL: none.
 */
double run_memory(const struct model *m, const struct change *change, int n_tokens,
                  int n_threads);

#endif
