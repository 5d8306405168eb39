/* SPDX-License-Identifier: MIT
 * What pictures of texts share: how they look, labels, captions, metadata. */
#ifndef LIB_FIGURE_H
#define LIB_FIGURE_H

#include "draw/label.h"
#include "draw/sheet.h"
#include "session/input.h"

struct figure_args {
    int cmap, scale;            /* index into cmap_table; enum scale */
    int cell, dpi;              /* cell in pixels at 100 dpi; 0: by the length of the text */
    bool shared_scale, no_metadata;
    const char *title, *font;   /* NULL: none; the default */
    const char *clip;           /* "99%", "none"; NULL: by the length of the text */
};

/* The labels of the n_shown tokens that have a place (not -1). */
struct label_list figure_labels(struct arena *a, const struct tokens *t, const int *place,
                                int n_shown);

/* Labels of layers or heads: "L0" .. "L11" of the letter L. */
struct label_list figure_numbered(struct arena *a, char letter, int n);

/* For a caption, what the picture is of: ", “the cat sat” and “it ran”"; may be empty. */
const char *figure_text(struct arena *a, const struct item *item);

/* For a caption, what is changed in the pass: "; mask causal; inputs in bf16"; may be empty. */
const char *figure_changes(struct arena *a, const struct asked *asked);

/* Whether --clip can be read: "none", or a percentage; ERR_USAGE. */
int figure_check_clip(const struct figure_args *f, struct err *e);

/* Where the colours of n_rows x n_cols tokens end, as heatmaps.clip: what was asked for, else
 * at 99% beyond 100 tokens; ranged: their ends are given. */
double figure_clip(const struct figure_args *f, int n_rows, int n_cols, bool ranged);

/* For a caption: "linear, each head its own range, clipped at 99%"; of: "head". */
const char *figure_scale(struct arena *a, const struct figure_args *f, const char *of,
                         bool ranged, double clip);

/* Program, command, model, layer, stack and scale; ends with key NULL. */
const struct metadata *figure_metadata(const struct session *s, struct arena *a, int layer,
                                       const char *scale);

/* Of a whole model: program, command, model. */
const struct metadata *figure_metadata_model(const struct session *s);

/* Of a comparison: program, command, both models, stack. */
const struct metadata *figure_metadata_pair(const struct session *first,
                                            const struct session *second);

#endif
