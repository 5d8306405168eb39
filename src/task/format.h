/* SPDX-License-Identifier: MIT
 * The outputs of commands that are pictures. */
#ifndef TASK_FORMAT_H
#define TASK_FORMAT_H

#include "task/shared.h"
#include "draw/heatmap.h"
#include "task/figure.h"

/* The format of an output that is a picture. */
enum draw_format figure_format(const struct output *output);

#endif
