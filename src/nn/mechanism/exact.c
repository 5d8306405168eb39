/* SPDX-License-Identifier: MIT
 * Softmax over every pair: the model's own attention. */
#include "nn/mechanism/pairs.h"

const struct mechanism mechanism_exact = {
    .name = "exact", .formula = "softmax_j s_ij, the model's own heads and scale",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, section 3.2.2",
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
