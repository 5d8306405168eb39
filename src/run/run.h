/* SPDX-License-Identifier: MIT
 *
 * The forward pass, one for all families, over any number of texts packed without padding, layer by
 * layer, so that each weight is read once per batch.  The result is the same bytes for any number
 * of threads and any packing.
 *
 *     batch.h    the texts              wanted.h   outputs of the pass
 *     change.h   changes of the pass    view.h     inputs of an attention, for taps
 *     cache.h    keys and values cached from pass to pass
 *     sink.h     rows of attention, for sinks
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
 * Runs model over batch; the rows of attention that are wanted go to the sinks.
 *
 * Errors (ERR_INPUT): ids for a model that reads values, or values of another shape than
 * it takes; an id outside the vocabulary, a type outside the table, a text longer than
 * the model's positions (with both numbers), a text without tokens; another input that
 * is required, or has too many keys; a mask that does not fit; rotations of another width
 * than the text's buckets require; a row of attention that is not finite (layer, head,
 * row: the weights hold NaN or infinities).  Sinks may have been given rows before an
 * error.
 */
int run_forward(const struct model *model, const struct batch *batch, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e);

/*
 * out[n, D] = the addition of a layer's attention to the residual stream, from n rows of heads'
 * outputs z[n, H d_v]: output projection, with bias, and the norm after it.  With FRONT_QKV it is
 * z. Scratch memory is allocated in `call`.
 */
void run_attention_output(const struct model *model, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par,
                          struct arena *call);

/*
 * out[n, model->d_hidden] = the final hidden states of n rows of the residual stream after the last
 * layer: after the final norm and any step between it and the head.
 * stream [n, model_end_width()]: with PLACE_REVERSIBLE the stream that attentions add to,
 * then the other; with several streams (altup.h) all, side by side; it is overwritten.
 */
void run_hidden(const struct model *model, const struct wanted *want, float *out, float *stream,
                int n, struct par *par, struct arena *call);

/*
 * out[n, model->n_logits] = the logits of n rows [n, model->d_hidden] of hidden states, as a pass
 * with want's change and uncapped writes them.  model predicts tokens.
 */
void run_logits(const struct model *model, const struct wanted *want, float *out,
                const float *hidden, int n, struct par *par, struct arena *call);

/*
 * Bytes that run_forward takes beyond the model for one text of n tokens, with the precision and
 * `fast` of change; NULL: no change.
 */
double run_memory(const struct model *model, const struct change *change, int n_tokens,
                  int n_threads);

#endif
