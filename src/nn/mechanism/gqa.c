/* SPDX-License-Identifier: MIT
 * Grouped-query attention: fewer key/value heads, each the mean of a group of the model's.  The
 * caller that lays out the heads averages them; here is only the softmax. */
#include "nn/mechanism/pairs.h"

const struct mechanism mechanism_gqa = {
    .name = "gqa", .formula = "softmax_j s_ij, k_j and v_j means over a group of heads",
    .no_budget = "all keys take part", .grouped = true,
    .cost = "N^2 d", .growth = "N^2", .source = "Ainslie et al. 2023, sections 2.1, 2.2",
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
