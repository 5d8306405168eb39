/* SPDX-License-Identifier: MIT
 * Heads as a grid of heatmaps, their means, or rollout: the same picture for `mha-viz heatmap`
 * and for mhaviz_heatmap(). */
#ifndef TASK_PICTURE_H
#define TASK_PICTURE_H

#include "analysis/map.h"
#include "task/figure.h"

struct place;

struct picture_look {
    const struct figure_args *figure;
    int columns, pool;          /* heads per row of the grid, 0: the default; enum pool */
    double vmin, vmax;          /* vmin < vmax; NaN: from the data */
    const char *const *type;    /* [layers, heads] what each is, for its title; NULL: none is
                                   known, of a head or of all */
    bool rollout;               /* one map, of all layers */
    bool grid;                  /* of a picture or sound, too: the maps alone */
};

/* Whose map it is; -1: of all that are shown. */
struct picture_panel {
    int layer, head;
    int64_t rank;               /* they stand in its order: session_rank */
};

/* What is drawn of a session's texts. */
struct picture {
    const struct session *s;
    struct picture_look look;
    struct wanted want;         /* the session's, of the layers that are shown */
    int n_layers, n_panels;
    const struct picture_panel *panel;  /* [n_panels] */
    bool sheet;                 /* a row for each layer */
    int per_row;                /* panels of a layer, or all */
    bool *hinted;               /* that a picture is nearly of one colour: said once */
};

/*
 * Chooses the layers: those that were selected, else all for means over them and rollout, else
 * the one that the model's card names, else the seventh, else the last; memory is of the
 * session.  ERR_USAGE: rollout of cross-attention, or of means; a --clip that cannot be.
 */
int picture_plan(struct picture *p, const struct session *s, const struct wanted *want,
                 const struct picture_look *look, struct err *e);

/* ---- names ---- */

const char *picture_layers(const struct picture *p, struct arena *a);   /* "0-5" */
/* For a caption: "layers 0-5, mean of heads 0-11". */
const char *picture_subject(const struct picture *p, struct arena *a);
const char *picture_unit(const struct picture *p);      /* what a map is of: "head" */
/* Above panel i: "Head 3: induction", or "L5H3" and in a line of its own "induction". */
const char *picture_title(const struct picture *p, struct arena *a, int i);
const char *picture_note(const struct picture *p, struct arena *a, int i);      /* NULL: none */

/* ---- maps ---- */

struct picture_maps {
    struct map_axis rows, cols;
    int pool;                   /* tokens per cell in each direction */
    /* out */
    int n_rows, n_cols;         /* cells */
    const int *row, *col;       /* as in struct map */
    const float **value;        /* [n_panels] of [n_rows, n_cols] */
};

/* Runs the model on a text.  Errors: those of session_forward. */
int picture_fill(const struct picture *p, struct arena *a, const struct item *item,
                 struct picture_maps *m, struct err *e);

/* ---- the picture ---- */

/* Where a picture goes: a file, or memory to be freed with free(). */
struct picture_place {
    enum draw_format format;
    const struct terminal *terminal;    /* of DRAW_TERMINAL */
    const char *path;           /* NULL: memory */
    char **data;
    size_t *size;
};

/*
 * Bytes that the text's maps take until its picture is written, with colours and pixels of their
 * cells: as it would be drawn alone, which is the most, as maps beside each other are no larger.
 */
double picture_keeps(const struct picture *p, struct arena *a, const struct item *item,
                     const struct picture_place *place);

/*
 * Runs the model on texts and draws: one, or several beside each other, each below its text.
 * Errors: those of session_forward, sheet_write and sheet_bytes; ERR_INPUT where --hide leaves
 * nothing.
 */
int picture_draw(const struct picture *p, struct arena *a, const struct item *items, int n,
                 const struct picture_place *place, struct err *e);

#endif
