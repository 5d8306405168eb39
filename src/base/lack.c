/* SPDX-License-Identifier: MIT
 * What an allocator sees of the program must be a global, as for a signal handler. */
#include "base/lack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static _Atomic(void (*)(const char *)) ending;
static atomic_int unheard;
static atomic_flag stopped = ATOMIC_FLAG_INIT;

void lack_ends(void (*end)(const char *why))
{
    atomic_store(&ending, end);
}

bool lack_has_end(void)
{
    return atomic_load(&ending) != NULL;
}

void lack_begin(void)
{
    atomic_fetch_add(&unheard, 1);
}

void lack_end(void)
{
    atomic_fetch_sub(&unheard, 1);
}

bool lack_is_unheard(void)
{
    return atomic_load(&unheard) > 0;
}

void lack_stop(const char *why)
{
    void (*end)(const char *) = atomic_load(&ending);

    if (end == NULL)
        return;
    while (atomic_flag_test_and_set(&stopped))
        pause();                /* the other thread ends the process */
    end(why);
}
