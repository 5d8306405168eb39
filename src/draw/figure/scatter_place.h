/* SPDX-License-Identifier: MIT
 * Points with names -> positions of the names at which they touch neither each other nor a point:
 * pure geometry. */
#ifndef DRAW_SCATTER_PLACE_H
#define DRAW_SCATTER_PLACE_H

#include "draw/layout.h"

struct scatter_spot {
    double x, y, r;             /* of a point */
    double w, h;                /* of its name */
};

/*
 * label[n] = the box of each name within the frame: next to its point, or as near as there is room,
 * at most 6 lines away; w 0: no room.
 */
void scatter_place(struct box *label, const struct scatter_spot *spot, int n, struct box frame);

#endif
