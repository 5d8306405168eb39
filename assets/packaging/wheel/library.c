/* SPDX-License-Identifier: MIT
 *
 * What the library of a wheel is asked by what watches its program's memory. */
#include "library.h"

#include "base/lack.h"

bool mhaviz_program_unheard(void)
{
    return lack_is_unheard();
}

void mhaviz_program_stop(const char *why)
{
    lack_stop(why);
}
