/* SPDX-License-Identifier: MIT
 * Shared by all pictures of texts: options of their look, labels, captions, metadata, page layout.
 * */
#ifndef TASK_FIGURE_H
#define TASK_FIGURE_H

#include "analysis/map.h"
#include "draw/figure/heatmap.h"
#include "draw/label.h"
#include "draw/sheet.h"
#include "session/input.h"

struct figure_args {
    int cmap, scale;            /* index into cmap_table; enum scale */
    int cell, dpi;              /* cell in pixels at 100 dpi; 0: by the length of the text */
    bool shared_scale;
    const char *title, *font;   /* NULL: no title; the default font */
    const char *clip;           /* end of the colours, "99%" or "none"; NULL: by the text's length
                                   */
    const char *width;          /* page width, "85mm"; NULL: by the contents */
    double font_size;           /* in points; NaN: the default */
    bool no_caption, no_bars, no_labels, no_titles, letters, numbers, outlines;
};

/* Labels of the n_shown tokens whose place is not -1. */
struct label_list figure_labels(struct arena *a, const struct tokens *tokens, const int *place,
                                int n_shown);

/* Labels of layers or heads, "L2", "L4" with the letter L; number[n] NULL: from 0 on. */
struct label_list figure_numbered(struct arena *a, char letter, const int *number, int n);

/* Sorts number[n], of layers or heads, by the order in which -l, or -H, names them. */
void figure_order_layers(const struct session *session, int *number, int n);
void figure_order_heads(const struct session *session, int *number, int n);

/* Rows (queries), or columns, of an item's maps, without hidden tokens; *kept: how many remain.
 * Errors: those of region_axis. */
int figure_axis(struct map_axis *axis, const struct session *session, const struct item *item,
                bool queries, struct arena *a, int *kept, struct err *e);

/* The title of the i-th heatmap, "(a) Head 0"; of: "Head 0".  NULL if titles are off. */
const char *figure_title(struct arena *a, const struct figure_args *args, const char *of, int i);

/* For a caption, the text: ", “the cat sat” and “it ran”"; may be empty. */
const char *figure_text(struct arena *a, const struct item *item);

/* For a caption, the meaning of the extra column of a model's attention sink. */
extern const char figure_sink[];

/* For a caption, changes of the pass: "; mask causal; inputs in bf16"; may be empty. */
const char *figure_changes(struct arena *a, const struct asked *asked);

/* ---- the page ---- */

/* Heatmaps per row without --width: of one layer; at most in a sheet of layers x heads. */
enum { FIGURE_COLUMNS = 4, FIGURE_MOST = 32 };

/* Most texts side by side in one figure. */
enum { FIGURE_BESIDE = 16 };

/* Checks that --width is valid; ERR_USAGE. */
int figure_check_page(const struct figure_args *args, struct err *e);

/* A sheet with this part; metadata NULL: no metadata. */
struct sheet figure_sheet(const struct figure_args *args, const struct part *part,
                          const char *caption, const struct metadata *metadata);

/* The layout of n_panels heatmaps of n_rows x n_cols tokens; some fields are computed. */
struct figure_plan {
    enum draw_format format;
    int n_rows, n_cols, n_panels;
    int n_rows_of_panels;       /* rows, of n_panels each, of a sheet (layers x heads); 0: a grid */
    int n_beside;               /* number of such grids or sheets side by side; 0: a single one */
    int per_row;                /* computed: how many of these are in a row */
    bool one_bar;               /* one colour range for all, so one colour bar */
    bool no_bars;               /* no colour bars, even without --no-bars */
    int columns;                /* heatmaps per row; 0: computed; on a terminal it may remain 0 */
    const struct terminal *terminal;    /* for DRAW_TERMINAL */
    int cell_px, pool;          /* computed: heatmaps.cell_px and pool */
};

/* Computes them.  ERR_USAGE: the heatmaps do not fit into --width. */
int figure_plan(const struct figure_args *args, struct figure_plan *plan, struct err *e);

/* Checks that the cells of this sheet's heatmaps are large enough for --numbers; ERR_USAGE. */
int figure_check_numbers(const struct figure_args *args, const struct sheet *sheet,
                         const struct figure_plan *plan, struct arena *a, struct err *e);

/*
 * *pool = how many of n_tokens share a cell in the thumbnails of a board, n_heads of them side by
 * side.  ERR_USAGE: they do not fit into --width.
 */
int figure_plan_board(const struct figure_args *args, enum draw_format format, int n_tokens,
                      int n_heads, int *pool, struct err *e);

/* Gives a note if a diverging colour map is used for numbers without a sign. */
void figure_note_cmap(const struct heatmaps *maps, const struct warn *note);

/* ---- captions ---- */

/* Checks that --clip is "none" or a percentage; ERR_USAGE. */
int figure_check_clip(const struct figure_args *args, struct err *e);

/* Quantile at which the colours of n_rows x n_cols tokens end, as heatmaps.clip: --clip, else 99%
 * above 100 tokens; ranged: the ends are given by --vmin and --vmax. */
double figure_clip(const struct figure_args *args, int n_rows, int n_cols, bool ranged);

/* For a caption: "linear, each head its own range, clipped at 99%"; of: "head". */
const char *figure_scale(struct arena *a, const struct figure_args *args, const char *of,
                         bool ranged, double clip);

/*
 * Metadata of the run: program, command, models, and for a file of texts its name, its hash and the
 * number of the text `item` (NULL: several); ends with key NULL.  NULL if session->provenance is.
 */
const struct metadata *figure_metadata_run(const struct session *session, struct arena *a,
                                           const struct item *item);

/* The same with layers, stack and scale of the picture. */
const struct metadata *figure_metadata_map(const struct session *session, struct arena *a,
                                           const struct item *item, const char *layers,
                                           const char *scale);

#endif
