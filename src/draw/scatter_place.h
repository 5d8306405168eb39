/* SPDX-License-Identifier: MIT
 * Points with names -> places for the names that touch neither each other nor a point: pure
 * geometry. */
#ifndef DRAW_SCATTER_PLACE_H
#define DRAW_SCATTER_PLACE_H

#include "draw/layout.h"

struct scatter_spot {
    double x, y, r;             /* of a point */
    double w, h;                /* of its name */
};

/*
 * label[n] = where each name stands within the frame: beside its point, or as near to it as there
 * is room, at most 6 lines away; w 0: nowhere.
 */
void scatter_place(struct box *label, const struct scatter_spot *spot, int n, struct box frame);

#endif
