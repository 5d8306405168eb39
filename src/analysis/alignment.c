/* SPDX-License-Identifier: MIT
 * Counts of links -> the alignment error rate. */
#include "analysis/alignment.h"

#include <math.h>

double alignment_error(const struct alignment_counts *c)
{
    int64_t n = c->links + c->sure;

    return n > 0 ? 1 - (double)(c->hit_sure + c->hit_possible) / (double)n : (double)NAN;
}
