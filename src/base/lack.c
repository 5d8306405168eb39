/* SPDX-License-Identifier: MIT
 * The state of lack.h: globals, as an allocator, like a signal handler, can reach nothing else. */
#include "base/lack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static _Atomic(void (*)(const char *)) ending;
static atomic_bool begun;
static _Thread_local bool hears;
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
    atomic_store(&begun, true);
}

void lack_hear(bool heard)
{
    hears = heard;
}

bool lack_is_unheard(void)
{
    return atomic_load(&begun) && !hears;
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
