/* SPDX-License-Identifier: MIT
 * Mechanisms that score the keys that their `keys` chooses for each row. */
#ifndef NN_MECHANISM_CHOSEN_H
#define NN_MECHANISM_CHOSEN_H

#include "nn/mechanism.h"

/* The room and run of struct mechanism, with its keys. */
size_t chosen_room(const struct attention *a);
int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *room);

/* The refuse of patterns over the positions of one text. */
const char *chosen_refuse(const struct attention *a);

#endif
