/* SPDX-License-Identifier: MIT
 * All families by their names: a family may be like another. */
#ifndef MODEL_FAMILIES_H
#define MODEL_FAMILIES_H

#include "model/family.h"

#define FAMILY(name) extern const struct family family_##name;
#include "model/families.def"
#undef FAMILY

/* Decoders that those of others are like. */
extern const struct family family_bart_decoder, family_t5_decoder;

#endif
