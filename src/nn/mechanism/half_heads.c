/* SPDX-License-Identifier: MIT
 * Half as many heads, each as wide as two of the model's. */
#include "nn/mechanism/joined.h"
#include "nn/mechanism/pairs.h"

const struct mechanism mechanism_half_heads = {
    .name = "half-heads",
    .formula = "one softmax for two heads: s_ij / sqrt(2) summed over them",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, table 3, rows A",
    .join = JOIN_PAIRS, .refuse = joined_refuse, .room = pairs_room, .run = pairs_run,
    .reference = pairs_reference,
};
