/* SPDX-License-Identifier: MIT
 * Logits of a row, and --answer -> the logit, or difference of logits, that is attributed. */
#include <math.h>

#include "base/elementary.h"
#include "task/attribute/attribute.h"

static double capped(double logit, double cap)
{
    return cap * (double)elementary_tanhf((float)(logit / cap));
}

int attribute_target(struct attribute_found *found, const float *logits, struct err *e)
{
    const struct attribute_job *j = found->j;
    const struct answer *w = &j->answer;
    struct attribution_target *t = &found->target;
    double cap = j->m->config.head.cap, against;

    if (answer_check(w, logits, e) != 0)
        return -1;
    t->answer = w->id >= 0 ? w->id : answer_largest(w, logits, -1);
    t->against = w->against >= 0 ? w->against :
                 w->id >= 0 ? -1 : answer_largest(w, logits, t->answer);
    if (t->answer == t->against)
        return err_set(e, ERR_INPUT, "--against: token %d is the one that the model predicts: "
                       "expected another, or --answer", t->against);
    t->raw = j->args->raw;
    against = t->against >= 0 ? (double)logits[t->against] : 0;
    t->logit = (double)logits[t->answer] - against;
    found->capped = cap > 0 ? capped((double)logits[t->answer], cap) - capped(against, cap) : NAN;
    return 0;
}
