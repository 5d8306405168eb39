/* SPDX-License-Identifier: MIT
 * The model's own attention with all of its scores in memory at once: 4 N^2 bytes. */
#include "nn/mechanism/pairs.h"

static const struct pair_steps steps = { .hold = true };

const struct mechanism mechanism_plain = {
    .name = "plain", .formula = "softmax_j s_ij, all N^2 scores held at once",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, eq. 1",
    .steps = &steps,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
