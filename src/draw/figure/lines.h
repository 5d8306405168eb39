/* SPDX-License-Identifier: MIT
 * A part of a sheet: lines of text, each after its name. */
#ifndef DRAW_LINES_H
#define DRAW_LINES_H

#include "draw/sheet.h"

struct lines {
    const char *title;          /* above the lines; NULL: none */
    int n;
    const char *const *name;    /* [n] */
    const char *const *text;    /* [n] cut at the edge of a page of a given width */
};

struct part lines_part(const struct lines *lines);

#endif
