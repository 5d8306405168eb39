/* SPDX-License-Identifier: MIT
 * One number of each head -> a picture: layers below each other, heads side by side. */
#ifndef TASK_HEAD_NUMBERS_H
#define TASK_HEAD_NUMBERS_H

#include "task/figure.h"
#include "cli/output.h"

struct head_numbers {
    const struct session *s;
    const struct wanted *want;
    double (*value)(const void *of, int layer, int head);   /* NaN: a head has none */
    const void *of;
    const char *title;          /* what the number is, with its unit */
    bool is_signed;             /* colours are around 0, else from 0 on */
    double most;                /* magnitude where they end; 0: the largest that there is */
};

/*
 * The layers and heads that are wanted, in the order in which -l and -H name them.  metadata
 * NULL: none.  ERR_USAGE: they do not fit in a picture, or on the page that figure says.
 */
int head_numbers_draw(const struct head_numbers *numbers, const struct figure_args *figure,
                      const char *caption, const struct metadata *metadata,
                      const struct output *output, const char *path, struct arena *a,
                      struct err *e);

#endif
