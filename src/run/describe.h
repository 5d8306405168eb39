/* SPDX-License-Identifier: MIT
 * One head of one text -> how it attends: widths, scale, which keys its rows see, and
 * what is added to their scores. */
#ifndef RUN_DESCRIBE_H
#define RUN_DESCRIBE_H

#include "run/heads.h"
#include "run/pass.h"
#include "run/relative.h"

/* What the terms of one head of one text read. */
struct head_terms {
    struct relative_terms relative;
    struct mask_view mask;
};

/* *room lives as long as the result.  Keys hidden one by one are left to heads_hide. */
struct attend describe_head(const struct pass *p, int l, const struct heads *h, int text,
                            int head, struct head_terms *room);

#endif
