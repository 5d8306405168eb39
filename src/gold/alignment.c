/* SPDX-License-Identifier: MIT
 * Counts of links -> the alignment error rate. */
#include "gold/alignment.h"

#include <math.h>

double alignment_error(const struct alignment_counts *counts)
{
    int64_t n = counts->links + counts->sure;

    return n > 0 ? 1 - (double)(counts->hit_sure + counts->hit_possible) / (double)n : (double)NAN;
}
