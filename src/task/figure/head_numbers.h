/* SPDX-License-Identifier: MIT
 * One number per head -> a picture: a row per layer, a column per head. */
#ifndef TASK_HEAD_NUMBERS_H
#define TASK_HEAD_NUMBERS_H

#include "cli/output.h"
#include "task/figure/figure.h"

struct head_numbers {
    const struct session *s;
    const struct wanted *want;
    double (*value)(const void *of, int layer, int head);   /* NaN: undefined */
    const void *of;
    const char *title;          /* name of the number, with its unit */
    bool is_signed;             /* colours are centred at 0; else they begin at 0 */
    double most;                /* magnitude at which colours end; 0: the largest value */
};

/*
 * Draws the wanted layers and heads, in the order in which -l and -H name them.  metadata NULL: no
 * metadata.  ERR_USAGE: they do not fit into a picture, or onto the page that figure describes.
 */
int head_numbers_draw(const struct head_numbers *numbers, const struct figure_args *figure,
                      const char *caption, const struct metadata *metadata,
                      const struct output *output, const char *path, struct arena *a,
                      struct err *e);

#endif
