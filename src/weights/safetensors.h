/* SPDX-License-Identifier: MIT
 * Writing safetensors; weights.h has the format. */
#ifndef WEIGHTS_SAFETENSORS_H
#define WEIGHTS_SAFETENSORS_H

#include <stdio.h>

#include "base/out.h"
#include "weights/weights.h"

/*
 * Writes the header for n tensors (of which name, dtype and shape are read): the caller then
 * writes the data of each, in this order, without gaps.  Names are UTF-8.  The same tensors and
 * notes give the same bytes.
 *
 * Errors, before anything is written: data over 2^63 bytes (ERR_INPUT); no memory (ERR_SYSTEM).
 * A failed write is reported by out_commit.
 */
int safetensors_begin(FILE *file, const struct tensor *tensor, int n, const struct note *note,
                      int n_notes, struct err *e);

#endif
