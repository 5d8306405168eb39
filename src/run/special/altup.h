/* SPDX-License-Identifier: MIT
 *
 * AltUp: several residual streams, of which each layer updates one.  p->streams [N, n D] has all
 * side by side, p->x [N, D] the one that the layer reads and adds to; a is its index,
 * rms(y) = sqrt(mean(y^2)):
 *
 *     begin      s_0 = x, s_i = (W_STREAM_IN x) rms(x) / rms(of it)
 *     before     m = tanh(W_MODES norm(s_a) / D);  s_b += sum over i of (W_PREDICT m)[b, i] s_i
 *     the layer  x = s_a, and what it adds
 *     after      m = tanh(W_MODES norm(x) / D);  s_b += (1 + (W_CORRECT m)[b]) (x - s_a)
 *     input      s_b += norm(W_INPUT_PROJ (act(W_INPUT_GATE (scale s_a)) u)) of all b but 0
 *     end        x = mean of s_0 and of (W_STREAM_OUT s_i) rms(s_0) / rms(of it)
 *
 * where u is the layer's own input: (norm(W_INPUT_EMB e / sqrt D) + sqrt(d) t) / sqrt 2, e the
 * embedding and t the token's row of W_INPUT_TOK, d wide.
 * Source: Baykal et al. 2023; Gemma team 2025, Gemma 3n. */
#ifndef RUN_ALTUP_H
#define RUN_ALTUP_H

#include "run/pass.h"

/* Makes the streams from the embeddings, pass->x. */
void altup_begin(struct pass *pass);

/* The steps before and after a layer; the latter reads the layer's own input from
 * pass->embedded. */
void altup_enter(struct pass *pass, const struct layer_plan *plan);
void altup_leave(struct pass *pass, const struct layer_plan *plan);

/* out[n, D] = the mean at the end, of streams[n, n D]; room [n, D] is scratch. */
void altup_merge(struct pass *pass, float *out, const float *streams, int n, float *room);

#endif
