/* SPDX-License-Identifier: MIT
 *
 * Alignment error rate of links A between the words of two texts, given sure reference links S and
 * possible ones P, S a subset of P:
 *
 *     aer = 1 - (|A and S| + |A and P|) / (|A| + |S|)
 *
 * over all texts at once.  Source: Och and Ney 2000. */
#ifndef ANALYSIS_ALIGNMENT_H
#define ANALYSIS_ALIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

struct alignment_counts {
    int64_t links, sure;        /* |A|, |S| */
    int64_t hit_sure, hit_possible;     /* |A and S|, |A and P| */
};

/* The alignment error rate; NaN if there is neither a link nor a sure one. */
double alignment_error(const struct alignment_counts *counts);

#endif
