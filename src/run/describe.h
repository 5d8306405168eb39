/* SPDX-License-Identifier: MIT
 * One head of one text -> its struct attend: widths, scale, the keys that its rows see, and the
 * terms that are added to its scores. */
#ifndef RUN_DESCRIBE_H
#define RUN_DESCRIBE_H

#include "run/heads.h"
#include "run/pass.h"
#include "run/special/relative.h"

/* Data of the score terms of one head of one text. */
struct head_terms {
    struct relative_terms relative;
    struct mask_view mask;
};

/* *room must last as long as the result.  Keys that are hidden one by one are not in it:
 * heads_hide. */
struct attend describe_head(const struct pass *pass, int l, const struct heads *heads, int text,
                            int head, struct head_terms *room);

#endif
