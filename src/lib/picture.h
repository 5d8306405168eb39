/* SPDX-License-Identifier: MIT
 * The heads of one layer as a grid of heatmaps: the same picture for `mha-viz heatmap` and
 * for mhaviz_heatmap(). */
#ifndef LIB_PICTURE_H
#define LIB_PICTURE_H

#include "lib/figure.h"

struct picture_look {
    const struct figure_args *figure;
    int columns, pool;          /* heads per row of the grid, 0: the default; enum pool */
    double vmin, vmax;          /* vmin < vmax; NaN: from the data */
    const char *const *type;    /* [layers, heads] what each is, for its title; NULL: none is
                                   known, of a head or of all */
};

/* What is drawn of a session's texts. */
struct picture {
    const struct session *s;
    struct picture_look look;
    struct wanted want;         /* the session's, of one layer */
    int layer, n_heads;
    const int *head;            /* [n_heads] */
    bool *hinted;               /* that a picture is nearly of one colour: said once */
};

/*
 * Chooses the layer: the one that was selected, else the one that the model's card names,
 * else the seventh, else the last; memory is of the session.
 * ERR_USAGE: several layers; a --clip that cannot be.
 */
int picture_plan(struct picture *p, const struct session *s, const struct wanted *want,
                 const struct picture_look *look, struct err *e);

/* Where a picture goes: a file, or memory to be freed with free(). */
struct picture_place {
    enum draw_format format;
    const struct terminal *terminal;    /* of DRAW_TERMINAL */
    const char *path;           /* NULL: memory */
    char **data;
    size_t *size;
};

/*
 * Runs the model on a text and draws.  Errors: those of session_forward, sheet_write and
 * sheet_bytes; ERR_INPUT where --hide leaves nothing.
 */
int picture_draw(const struct picture *p, struct arena *a, const struct item *item,
                 const struct picture_place *place, struct err *e);

#endif
