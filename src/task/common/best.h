/* SPDX-License-Identifier: MIT
 * --best N --metric NAME: figures of the heads of which a metric of the text is the largest. */
#ifndef TASK_BEST_H
#define TASK_BEST_H

#include "task/common/shared.h"

/* Of commands whose arguments begin with a struct shared_args. */
extern const struct opt_group best_group;

/* ERR_USAGE: a name of no metric, or of one that is no number of a head, or that counts tokens of
 * many texts. */
int best_check(const struct best_args *best, struct err *e);

/*
 * *of, of a: the session with only the best of the heads that want selects, which figures show in
 * that order, as if -H had named them; *its: want with those.  Heads of which the metric is not
 * defined are not among them.  Errors: of the pass; ERR_INPUT: it is defined of no head.
 */
int best_heads(const struct session *session, const struct wanted *want,
               const struct best_args *best, struct arena *a, const struct item *item,
               struct session **of, struct wanted *its, struct err *e);

#endif
