/* SPDX-License-Identifier: MIT
 * The table of mechanisms. */
#include "nn/mechanism.h"

const struct mechanism *const mechanism_table[N_MECHANISM] = {
#define MECHANISM(id, name) [MECHANISM_##id] = &mechanism_##id,
#include "nn/mechanisms.def"
#undef MECHANISM
};

const char *const mechanism_names[] = {
#define MECHANISM(id, name) name,
#include "nn/mechanisms.def"
#undef MECHANISM
    NULL
};

int mechanism_joined(enum join join, int H)
{
    if (join == JOIN_ALL)
        return H;
    if (join == JOIN_PAIRS)
        return H % 2 == 0 ? 2 : 0;
    return 1;
}
