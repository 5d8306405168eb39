/* SPDX-License-Identifier: MIT
 * What pictures of texts share: how they look, labels, captions, metadata. */
#ifndef TASK_FIGURE_H
#define TASK_FIGURE_H

#include "analysis/map.h"
#include "draw/heatmap.h"
#include "draw/label.h"
#include "draw/sheet.h"
#include "session/input.h"

struct figure_args {
    int cmap, scale;            /* index into cmap_table; enum scale */
    int cell, dpi;              /* cell in pixels at 100 dpi; 0: by the length of the text */
    bool shared_scale;
    const char *title, *font;   /* NULL: none; the default */
    const char *clip;           /* "99%", "none"; NULL: by the length of the text */
    const char *width;          /* of the page, "85mm"; NULL: by what it holds */
    double font_size;           /* in points; NaN: the default */
    bool no_caption, no_bars, no_labels, no_titles, letters, numbers, outlines;
};

/* The labels of the n_shown tokens that have a place (not -1). */
struct label_list figure_labels(struct arena *a, const struct tokens *t, const int *place,
                                int n_shown);

/* Labels of layers or heads: "L4", "L2" of the letter L; number[n] NULL: from 0 on. */
struct label_list figure_numbered(struct arena *a, char letter, const int *number, int n);

/* Layers number[n], or heads, in the order in which -l, or -H, names them. */
void figure_order_layers(const struct session *s, int *number, int n);
void figure_order_heads(const struct session *s, int *number, int n);

/* Rows, or columns, of the maps of an item, less the tokens that are not shown; *kept: how many
 * stay.  Errors: those of region_axis. */
int figure_axis(struct map_axis *axis, const struct session *s, const struct item *item,
                bool queries, struct arena *a, int *kept, struct err *e);

/* Above the i-th heatmap, "(a) Head 0"; of: "Head 0".  NULL: nothing is to stand there. */
const char *figure_title(struct arena *a, const struct figure_args *f, const char *of, int i);

/* For a caption, what the picture is of: ", “the cat sat” and “it ran”"; may be empty. */
const char *figure_text(struct arena *a, const struct item *item);

/* For a caption, what a column of a sink is: "last column: what a sink takes that is not a key". */
extern const char figure_sink[];

/* For a caption, what is changed in the pass: "; mask causal; inputs in bf16"; may be empty. */
const char *figure_changes(struct arena *a, const struct asked *asked);

/* ---- the page ---- */

/* Heatmaps side by side, without --width: of one layer; at most of a sheet. */
enum { FIGURE_COLUMNS = 4, FIGURE_MOST = 32 };

/* Texts that one figure has beside each other, at most. */
enum { FIGURE_BESIDE = 16 };

/* Whether --width can be read; ERR_USAGE. */
int figure_check_page(const struct figure_args *f, struct err *e);

/* What is shown of a part; metadata NULL: none. */
struct sheet figure_sheet(const struct figure_args *f, const struct part *part,
                          const char *caption, const struct metadata *metadata);

/* Of n_panels heatmaps of n_rows x n_cols tokens. */
struct figure_plan {
    enum draw_format format;
    int n_rows, n_cols, n_panels;
    int n_rows_of_panels;       /* of a sheet, which has n_panels in each; 0: of a grid */
    int n_beside;               /* such grids or sheets are beside each other; 0: one alone */
    int per_row;                /* of them in a row: chosen */
    bool one_bar;               /* one range for all of them */
    bool no_bars;               /* none, also without --no-bars */
    int columns;                /* 0: to be chosen; on a terminal it may stay 0 */
    const struct terminal *terminal;    /* of DRAW_TERMINAL */
    int cell_px, pool;          /* chosen: heatmaps.cell_px and pool */
};

/* ERR_USAGE: they do not fit on the width that was asked for. */
int figure_plan(const struct figure_args *f, struct figure_plan *plan, struct err *e);

/* Whether --numbers can be read in the cells of this sheet's heatmaps; ERR_USAGE. */
int figure_check_numbers(const struct figure_args *f, const struct sheet *s,
                         const struct figure_plan *plan, struct arena *a, struct err *e);

/*
 * How many of n_tokens share a cell of a board's thumbnails, n_heads of them side by side.
 * ERR_USAGE: they do not fit on the width that was asked for.
 */
int figure_plan_board(const struct figure_args *f, enum draw_format format, int n_tokens,
                      int n_heads, int *pool, struct err *e);

/* A note where a map of colours for numbers with a sign shows none. */
void figure_note_cmap(const struct heatmaps *maps, const struct warn *note);

/* ---- captions ---- */

/* Whether --clip can be read: "none", or a percentage; ERR_USAGE. */
int figure_check_clip(const struct figure_args *f, struct err *e);

/* Where the colours of n_rows x n_cols tokens end, as heatmaps.clip: what was asked for, else
 * at 99% beyond 100 tokens; ranged: their ends are given. */
double figure_clip(const struct figure_args *f, int n_rows, int n_cols, bool ranged);

/* For a caption: "linear, each head its own range, clipped at 99%"; of: "head". */
const char *figure_scale(struct arena *a, const struct figure_args *f, const char *of,
                         bool ranged, double clip);

/*
 * What is said of the run: program, command, models, and of a file of texts its name, its hash and
 * which text `item` is, NULL: several; ends with key NULL.  NULL: nothing is to be said.
 */
const struct metadata *figure_metadata_run(const struct session *s, struct arena *a,
                                           const struct item *item);

/* With layers, stack and scale of what is drawn. */
const struct metadata *figure_metadata_map(const struct session *s, struct arena *a,
                                           const struct item *item, const char *layers,
                                           const char *scale);

#endif
