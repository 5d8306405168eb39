/* SPDX-License-Identifier: MIT
 * One text of a picture -> a grid of heatmaps. */
#ifndef TASK_PICTURE_VIEW_H
#define TASK_PICTURE_VIEW_H

#include "draw/page.h"
#include "task/picture.h"
#include "task/picture_sound.h"

/* What lies over the patches of the picture that a text is: a row of each map; or over the
 * sound: maps with fewer columns. */
struct picture_over {
    bool is, sound;             /* false: the maps themselves are drawn */
    struct picture_bins bins;   /* of sound */
    int at, columns;            /* the row; patches in a row of the picture */
    struct page_picture picture;
};

struct picture_view {
    const struct picture *of;
    const struct item *item;
    bool letters;               /* on its panels, where they are asked for */
    int n_rows, n_cols;         /* tokens or patches that are shown */
    struct picture_over over;
    struct picture_maps maps;
};

/* Its size; terminal: text on one shows no sound.  Errors: --from names no patch, or is asked for
 * where there are none. */
int picture_view_open(struct picture_view *v, const struct picture *p, const struct item *item,
                      enum draw_format format, struct arena *a, struct err *e);

/* Runs the model on it, for cells of so many tokens as are planned.  Errors: those of
 * session_forward. */
int picture_view_fill(struct picture_view *v, const struct figure_plan *plan, struct arena *a,
                      struct err *e);

/* What was filled as a grid as it is planned, clipped at this share of cells. */
struct heatmaps picture_view_maps(const struct picture_view *v, const struct figure_plan *plan,
                                  double clip, struct arena *a);

/* For a caption: what lies over it, "; below: ..."; may be empty. */
const char *picture_view_over(const struct picture_view *v, struct arena *a,
                              enum draw_format format);

/* The ends of the colours are given, one of them or both. */
bool picture_is_ranged(const struct picture *p);

#endif
