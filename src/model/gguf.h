/* SPDX-License-Identifier: MIT
 *
 * A GGUF's keys -> config and family.  The keys become the object that config.json
 * would hold, and the family's row the one that fits the format: GGUF has its own
 * names of tensors, stores all matrices [out, in], norms with the 1 added that Gemma
 * leaves out, fused q/k/v one after the other, and, for architecture llama, the rows
 * of each head's q and k in pairs where Hugging Face has halves. */
#ifndef MODEL_GGUF_H
#define MODEL_GGUF_H

#include "model/family.h"
#include "weights/gguf.h"

/*
 * Fills *c and *family (a copy, of a) for weights that came from GGUF.
 *
 * Errors (ERR_INPUT): no general.architecture, or one that is not supported (lists
 * those that are); a key that is missing, of the wrong type or out of range; widths
 * that vary by layer; a rope scaling that is not supported.
 */
int gguf_config(struct config *c, const struct family **family, struct arena *a,
                const struct weights *w, struct err *e);

/* The architectures that are supported; ends with NULL. */
const char *gguf_architecture(int i);

/* The same of those that are read as a family. */
const char *gguf_of_family(const struct family *f, int i);

#endif
