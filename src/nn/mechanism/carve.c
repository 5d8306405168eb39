/* SPDX-License-Identifier: MIT
 * Memory -> pieces of whole cache lines. */
#include "nn/mechanism/carve.h"

void *carve_take(struct carve *c, uint64_t n, uint64_t size)
{
    void *p = c->base != NULL ? c->base + c->used : NULL;

    c->used += (n * size + 63) / 64 * 64;
    return p;
}
