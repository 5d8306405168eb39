/* SPDX-License-Identifier: MIT
 * Memory -> pieces of whole cache lines. */
#include "nn/mechanism/carve.h"

void *carve_take(struct carve *carve, uint64_t n, uint64_t size)
{
    void *p = carve->base != NULL ? carve->base + carve->used : NULL;

    carve->used += (n * size + 63) / 64 * 64;
    return p;
}
