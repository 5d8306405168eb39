/* SPDX-License-Identifier: MIT
 * Mechanisms in which several of the model's heads become one. */
#ifndef NN_MECHANISM_JOINED_H
#define NN_MECHANISM_JOINED_H

#include "nn/mechanism.h"

/* The refuse of heads laid side by side: terms and hidden keys must be the same for all. */
const char *joined_refuse(const struct attention *a);

#endif
