/* SPDX-License-Identifier: MIT
 * The outputs of commands that are pictures. */
#ifndef CMD_FIGURE_H
#define CMD_FIGURE_H

#include "cmd/shared.h"
#include "draw/heatmap.h"
#include "lib/figure.h"

/* The format of an output that is a picture. */
enum draw_format figure_format(const struct output *output);

#endif
