/* SPDX-License-Identifier: MIT
 * The picture of `mha-viz heatmap` and mhaviz_heatmap(): heads as a grid of heatmaps, their means,
 * or attention rollout. */
#ifndef TASK_PICTURE_H
#define TASK_PICTURE_H

#include "analysis/map.h"
#include "task/figure/figure.h"

struct place;

struct picture_look {
    const struct figure_args *figure;
    int columns, pool;          /* heads per row of the grid, 0: the default; enum pool */
    double vmin, vmax;          /* ends of the colours, vmin < vmax; NaN: from the data */
    const char *const *type;    /* [layers, heads] types of heads, for titles; NULL if unknown, of
                                   a head or of all */
    bool rollout;               /* one map, over all layers */
    bool grid;                  /* maps alone, even for a picture or sound, not drawn over it */
};

/* The layer and head of one map; -1: the mean over all shown. */
struct picture_panel {
    int layer, head;
    int64_t rank;               /* sort key of the panels: session_rank */
};

/* The layout of a session's pictures. */
struct picture {
    const struct session *s;
    struct picture_look look;
    struct wanted want;         /* the session's, reduced to the layers that are shown */
    int n_layers, n_panels;
    const struct picture_panel *panel;  /* [n_panels] */
    bool sheet;                 /* one row of panels per layer */
    int per_row;                /* panels per row: those of a layer, or all */
    bool *hinted;               /* the note that a picture has nearly one colour was given */
};

/*
 * Chooses the layers: those selected; else all, for means over layers and rollout; else
 * session_default_layer.  Memory is the session's.  ERR_USAGE: rollout of cross-attention, or of
 * means; an invalid --clip.
 */
int picture_plan(struct picture *picture, const struct session *session, const struct wanted *want,
                 const struct picture_look *look, struct err *e);

/* ---- names ---- */

const char *picture_layers(const struct picture *picture, struct arena *a);   /* "0-5" */
/* For a caption: "layers 0-5, mean of heads 0-11". */
const char *picture_subject(const struct picture *picture, struct arena *a);
const char *picture_unit(const struct picture *picture);      /* what one map shows: "head" */
/* The title of panel i, "Head 3: induction"; or "L5H3", with "induction" in a line of its own
 * (picture_note). */
const char *picture_title(const struct picture *picture, struct arena *a, int i);
const char *picture_note(const struct picture *picture, struct arena *a, int i); /* NULL: none */

/* ---- maps ---- */

struct picture_maps {
    struct map_axis rows, cols;
    int pool;                   /* tokens per cell in each direction */
    /* out */
    int n_rows, n_cols;         /* numbers of cells */
    const int *row, *col;       /* as in struct map */
    const float **value;        /* [n_panels] of [n_rows, n_cols] */
};

/* Runs the model on a text.  Errors: those of session_forward. */
int picture_fill(const struct picture *picture, struct arena *a, const struct item *item,
                 struct picture_maps *maps, struct err *e);

/* ---- the picture ---- */

/* The destination of a picture: a file, or memory to be freed with free(). */
struct picture_place {
    enum draw_format format;
    const struct terminal *terminal;    /* for DRAW_TERMINAL */
    const char *path;           /* NULL: memory */
    char **data;
    size_t *size;
};

/*
 * Bytes that the text's maps take until its picture is written, with colours and pixels of their
 * cells.  An upper bound, for a picture of this text alone: maps side by side are not larger.
 */
double picture_keeps(const struct picture *picture, struct arena *a, const struct item *item,
                     const struct picture_place *place);

/*
 * Runs the model on texts and draws them: one, or several side by side, each under its text.
 * Errors: those of session_forward, sheet_write and sheet_bytes; ERR_INPUT if --hide leaves
 * nothing.
 */
int picture_draw(const struct picture *picture, struct arena *a, const struct item *items, int n,
                 const struct picture_place *place, struct err *e);

#endif
