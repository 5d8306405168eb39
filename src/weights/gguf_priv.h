/* SPDX-License-Identifier: MIT
 * Private interface of the readers of GGUF. */
#ifndef WEIGHTS_GGUF_PRIV_H
#define WEIGHTS_GGUF_PRIV_H

#include "weights/gguf.h"
#include "weights/weights_priv.h"

enum { LEAST_TENSOR = 8 + 1 + 4 + 8 + 4 + 8 };  /* bytes of a tensor's description */

struct gguf_cursor {
    const unsigned char *begin, *at, *end;
};

/* Read a number of n_bytes; a name, copied, without NULs. */
int gguf_take(struct gguf_cursor *cursor, int n_bytes, uint64_t *v, struct err *e);
int gguf_take_name(struct gguf_cursor *cursor, struct arena *a, const char **name,
                   struct err *e);

#endif
