/* SPDX-License-Identifier: MIT
 * One head as wide as all of the model's together. */
#include "nn/mechanism/joined.h"
#include "nn/mechanism/pairs.h"

const struct mechanism mechanism_one_head = {
    .name = "one-head",
    .formula = "one softmax for all heads: s_ij / sqrt(H) summed over them",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, table 3, rows A",
    .join = JOIN_ALL, .refuse = joined_refuse, .room = pairs_room, .run = pairs_run,
    .reference = pairs_reference,
};
