/* SPDX-License-Identifier: MIT
 * Mechanisms in which several heads of the model are joined to one. */
#ifndef NN_MECHANISM_JOINED_H
#define NN_MECHANISM_JOINED_H

#include "nn/mechanism.h"

/* `refuse` for joined heads: terms and hidden keys must be the same for all. */
const char *joined_refuse(const struct attention *a);

#endif
