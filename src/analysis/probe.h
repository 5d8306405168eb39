/* SPDX-License-Identifier: MIT
 *
 * What heads do with random tokens that come twice: texts of `lead` tokens, then n tokens, then
 * the same n again.  With i from the first of these 2 n:
 *
 *     induction   mean over i = n .. 2n - 1 of a(i, i - n + 1): what followed the same token
 *     duplicate   the same of a(i, i - n): the same token
 *     previous    mean over i = 1 .. 2n - 1 of a(i, i - 1)
 *
 *     self, next  mean over all i, and i = 0 .. 2n - 2, of a(i, i) and a(i, i + 1)
 *     offset      the largest over k = -8 .. -2, 2 .. 8 of the mean of a(i, i + k)
 *     first       mean over the rows of these tokens, but of the text's first, of its weight
 *
 * then over the texts.  Where tokens see those that follow, duplicate is the mean over all i of
 * the same token's other place, and there is no induction.  In a text without meaning nothing
 * else tells these keys apart.
 * Source: Wang et al. 2022, appendices H and I; ARENA's bounds. */
#ifndef ANALYSIS_PROBE_H
#define ANALYSIS_PROBE_H

#include "analysis/slots.h"

struct probe_shape {
    int lead, n;
    bool both;                  /* tokens see those that follow */
};

/* PROBE_OFFSET_K: the k of offset. */
enum probe_score { PROBE_INDUCTION, PROBE_DUPLICATE, PROBE_PREVIOUS, PROBE_SELF, PROBE_NEXT,
                   PROBE_FIRST, PROBE_OFFSET, PROBE_OFFSET_K, N_PROBE_SCORE };

struct probe;

/* For a pass over texts of this shape; want and texts must last as long.  n >= 1. */
struct probe *probe_new(struct arena *a, const struct model *m, const struct attended *texts,
                        const struct wanted *want, struct probe_shape shape);
struct sink probe_sink(struct probe *p);

/* After the pass, of a head that was wanted; NaN: the shape has none. */
double probe_score(const struct probe *p, enum probe_score score, int layer, int head);

#endif
