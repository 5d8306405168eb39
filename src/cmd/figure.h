/* SPDX-License-Identifier: MIT
 * What pictures of texts share: labels, captions, metadata. */
#ifndef CMD_FIGURE_H
#define CMD_FIGURE_H

#include "cmd/shared.h"
#include "draw/heatmap.h"

/* The format of an output that is a picture. */
enum draw_format figure_format(const struct output *output);

/* The labels of the n_shown tokens that have a place (not -1). */
struct label_list figure_labels(struct arena *a, const struct tokens *t, const int *place,
                                int n_shown);

/* For a caption, what the picture is of: ", “the cat sat” and “it ran”"; may be empty. */
const char *figure_text(struct arena *a, const struct item *item);

/* For a caption, what is changed in the pass: "; mask causal; inputs in bf16"; may be empty. */
const char *figure_changes(struct arena *a, const struct asked *asked);

/* Program, command, model, layer, stack and scale; ends with key NULL. */
const struct metadata *figure_metadata(const struct session *s, int layer,
                                       const char *scale);

#endif
