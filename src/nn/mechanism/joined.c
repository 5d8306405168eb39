/* SPDX-License-Identifier: MIT
 * Heads laid side by side and attended as one: the score is the sum of theirs, and its
 * scale that of the wider head. */
#include <math.h>

#include "nn/mechanism/mechanism_priv.h"

static const struct pair_steps steps;
static const struct pair_formula formula;

const char *joined_refuse(const struct attention *a)
{
    if (!a->alike && (attention_has_terms(a) || a->at.hidden != NULL))
        return "what is added to scores, or hidden, is a head's own";
    return NULL;
}

size_t joined_room(const struct attention *a)
{
    return pairs_room(a, &steps);
}

int64_t joined_run(float *out, int64_t out_stride, const struct attention *a, void *room)
{
    return pairs_run(out, out_stride, a, &steps, room);
}

void joined_reference(double *w, double *out, const struct attention *a, void *room)
{
    (void)room;
    pairs_reference(w, out, a, &formula);
}
