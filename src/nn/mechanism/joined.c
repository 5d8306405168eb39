/* SPDX-License-Identifier: MIT
 * Heads laid side by side and attended as one: the score is the sum of theirs, and its
 * scale that of the wider head. */
#include "nn/mechanism/joined.h"

#include "nn/score.h"

const char *joined_refuse(const struct attention *a)
{
    if (!a->alike && (score_has_terms(&a->at) || a->at.hidden != NULL))
        return "what is added to scores or hidden differs between heads";
    return NULL;
}
