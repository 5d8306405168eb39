/* SPDX-License-Identifier: MIT
 * What every fuzz target includes first: an arena whose lack of memory ends the input,
 * not the program. */
#ifndef FUZZ_H
#define FUZZ_H

#include <assert.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const size_t fuzz_cuts;          /* of a seed in make check; may be missing: 32 */

/* Of replay.c, which libFuzzer's own main stands in for. */
__attribute__((weak)) extern const char fuzz_replay;

static inline bool fuzz_replays(void)
{
    return &fuzz_replay != NULL;
}

/* For arena_init(), with the jmp_buf of setjmp() as `self`. */
static inline void fuzz_full(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

#endif
