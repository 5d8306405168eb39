/* SPDX-License-Identifier: MIT
 * Formats of pictures among the outputs of commands. */
#ifndef TASK_FORMAT_H
#define TASK_FORMAT_H

#include "draw/figure/heatmap.h"
#include "task/common/shared.h"
#include "task/figure/figure.h"

/* The format of a picture, for an output that is one. */
enum draw_format figure_format(const struct output *output);

#endif
