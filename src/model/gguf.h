/* SPDX-License-Identifier: MIT
 *
 * The keys of a GGUF file -> config and family.  The keys become the object that would be in
 * config.json, and the family a copy adapted to the format: GGUF has its own names of tensors,
 * stores all matrices [out, in], Gemma's norms with the 1 added, fused q/k/v one after the
 * other, and, for architecture llama, the rows of each head's q and k in pairs where Hugging
 * Face has halves. */
#ifndef MODEL_GGUF_H
#define MODEL_GGUF_H

#include "model/family.h"
#include "weights/gguf.h"

/*
 * Fills *config and *family (a copy, in arena a) for weights from a GGUF file.
 *
 * Errors (ERR_INPUT): no general.architecture, or an unsupported one (lists the
 * supported); a key that is missing, of the wrong type or out of range; widths
 * that vary by layer; a rope scaling that is not supported.
 */
int gguf_config(struct config *config, const struct family **family, struct arena *a,
                const struct weights *weights, struct err *e);

/* Number i of the supported architectures; NULL after the last. */
const char *gguf_architecture(int i);

/* The same among those that are read as family. */
const char *gguf_of_family(const struct family *family, int i);

#endif
