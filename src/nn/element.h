/* SPDX-License-Identifier: MIT
 * Types of stored matrix elements that kernels can decode. */
#ifndef NN_ELEMENT_H
#define NN_ELEMENT_H

enum element {
    ELEMENT_OTHER, ELEMENT_F32, ELEMENT_F16, ELEMENT_BF16,
#define BLOCKS(name, type, n_elements, size_bytes) ELEMENT_##name,
#include "base/blocks.def"          /* ELEMENT_Q4_0, .. */
#undef BLOCKS
    N_ELEMENT
};

#endif
