/* SPDX-License-Identifier: MIT
 *
 * Scores of heads on repeated random texts: `lead` tokens, then n random tokens, then the same n
 * again.  With i counted from the first of these 2 n:
 *
 *     induction   mean over i = n .. 2n - 1 of a(i, i - n + 1): the token after the earlier copy
 *     duplicate   mean over the same of a(i, i - n): the earlier copy
 *     previous    mean over i = 1 .. 2n - 1 of a(i, i - 1)
 *
 *     self, next  mean over all i, and i = 0 .. 2n - 2, of a(i, i) and a(i, i + 1)
 *     offset      the largest over k = -8 .. -2, 2 .. 8 of the mean of a(i, i + k)
 *     first       mean over the rows of these tokens, without the text's first, of its weight
 *
 * then over the texts.  In bidirectional models, duplicate is the mean over all i of the token's
 * other copy, and there is no induction.  In random text nothing else distinguishes these keys.
 * Source: Wang et al. 2022, appendices H and I; ARENA's bounds. */
#ifndef ANALYSIS_PROBE_H
#define ANALYSIS_PROBE_H

#include "analysis/slots.h"

struct probe_shape {
    int lead, n;
    bool both;                  /* bidirectional: tokens see later ones */
};

/* PROBE_OFFSET_K: the k at which PROBE_OFFSET has its largest mean. */
enum probe_score { PROBE_INDUCTION, PROBE_DUPLICATE, PROBE_PREVIOUS, PROBE_SELF, PROBE_NEXT,
                   PROBE_FIRST, PROBE_OFFSET, PROBE_OFFSET_K, N_PROBE_SCORE };

struct probe;

/* For a pass over texts of this shape; want and texts must last as long.  n >= 1. */
struct probe *probe_new(struct arena *a, const struct model *model, const struct attended *texts,
                        const struct wanted *want, struct probe_shape shape);
struct sink probe_sink(struct probe *probe);

/* After the pass, for a wanted head; NaN: undefined for this shape. */
double probe_score(const struct probe *probe, enum probe_score score, int layer, int head);

#endif
