/* SPDX-License-Identifier: MIT
 *
 * Weightings: the rows that sinks get in place of the plain attention weights a, multiplied by the
 * norms of values.
 *
 *     plain   a_ij
 *     norm    a_ij |f(x_j)| / sum over the row,  f(x_j) = v_j W_O of the head, without the
 *             output projection's bias; |f| is |v| where a layer has no output projection
 *     value   a_ij |v_j| / sum over the row,  v with the bias of values
 *
 * A row whose products are all 0 counts as one that sees no key: n_visible 0.  Entropy is that of
 * the new row; visible keys are the same.  In bf16 and f16 v and W_O are rounded, as in the pass.
 * Source: Kobayashi et al. 2020 (norm); CircuitsVis, value-weighted attention (value). */
#ifndef RUN_WEIGHTING_H
#define RUN_WEIGHTING_H

enum weighting { WEIGHTING_PLAIN, WEIGHTING_NORM, WEIGHTING_VALUE };
extern const char *const weighting_names[];     /* in the order of enum weighting, then NULL */

#endif
