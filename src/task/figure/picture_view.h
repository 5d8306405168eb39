/* SPDX-License-Identifier: MIT
 * One text of a picture -> a grid of heatmaps. */
#ifndef TASK_PICTURE_VIEW_H
#define TASK_PICTURE_VIEW_H

#include "draw/page.h"
#include "task/figure/picture.h"
#include "task/figure/picture_sound.h"

/* A row of each map, drawn over the patches of the picture that is the input; or maps over sound,
 * with fewer columns. */
struct picture_over {
    bool is, sound;             /* drawn over a picture, or over sound; else plain maps */
    struct picture_bins bins;   /* for sound */
    int at, columns;            /* for a picture: the row of the map; patches per row of the picture
                                   */
    struct page_picture picture;
};

struct picture_view {
    const struct picture *of;
    const struct item *item;
    bool letters;               /* panels get letters, if these are asked for */
    int n_rows, n_cols;         /* tokens or patches that are shown */
    struct picture_over over;
    struct picture_maps maps;
};

/* Sets the size.  A terminal in text mode shows no sound.  Errors: --from names no patch, or is
 * given for an input without patches. */
int picture_view_open(struct picture_view *v, const struct picture *picture,
                      const struct item *item, enum draw_format format, struct arena *a,
                      struct err *e);

/* Runs the model on the text and fills the maps, with cells of plan->pool tokens.  Errors: those of
 * session_forward. */
int picture_view_fill(struct picture_view *v, const struct figure_plan *plan, struct arena *a,
                      struct err *e);

/* The filled maps as a grid with the planned layout, colours clipped at this quantile. */
struct heatmaps picture_view_maps(const struct picture_view *v, const struct figure_plan *plan,
                                  double clip, struct arena *a);

/* For a caption: what the maps are drawn over, "; below: ..."; may be empty. */
const char *picture_view_over(const struct picture_view *v, struct arena *a,
                              enum draw_format format);

/* Whether --vmin or --vmax is given. */
bool picture_is_ranged(const struct picture *picture);

#endif
