/* SPDX-License-Identifier: MIT
 * Colour maps: 256 colours each. */
#ifndef DRAW_CMAP_H
#define DRAW_CMAP_H

#include <stdbool.h>

struct cmap {
    const char *name;                       /* "viridis" */
    const unsigned char (*rgb)[3];          /* [256] */
    bool reversed;                          /* rgb is read from the last to the first */
    bool diverges;                          /* a diverging map, whose middle stands for 0 */
};

/* Red, green and blue of an index, 0..255. */
const unsigned char *cmap_colour(const struct cmap *cmap, int index);

extern const struct cmap cmap_table[];      /* viridis first; ends with name NULL */
extern const char *const cmap_names[];      /* the same names, ends with NULL */
const struct cmap *cmap_find(const char *name);     /* NULL if there is none of that name */

/* The colour of masked cells in every colour map: red, green and blue have this value. */
enum { CMAP_MASKED = 0xd0 };

/* The value of a masked cell, in place of an index into a colour map, 0..255. */
enum { CELL_MASKED = 256 };

/* ---- cmap_tables.c ---- */

extern const unsigned char cmap_viridis[256][3], cmap_magma[256][3],
    cmap_inferno[256][3], cmap_plasma[256][3], cmap_cividis[256][3],
    cmap_gray[256][3], cmap_bluered[256][3];

/* ---- cmap_light.c ---- */

extern const unsigned char cmap_blues[256][3], cmap_greys[256][3], cmap_reds[256][3];

#endif
