/* SPDX-License-Identifier: MIT
 * Maps of words attending to sound: columns are times, with the log-mel spectrogram below them. */
#ifndef TASK_PICTURE_SOUND_H
#define TASK_PICTURE_SOUND_H

#include "draw/page.h"
#include "task/figure/figure.h"

/* Columns of time: n of them, at most 60, each of `size` keys. */
struct picture_bins { int n, size; };

/* Whether the session's rows are words that attend to sound. */
bool picture_is_of_sound(const struct session *session);

void picture_bins_of(struct picture_bins *bins, int n_keys);

/* weight [n_rows, n_keys] -> [n_rows, bins->n]: the largest weight of each column. */
const float *picture_bins_fill(const struct picture_bins *bins, struct arena *a,
                               const float *weight, int n_rows, int n_keys);

/* Labels of columns: the name of the first key of each. */
struct label_list picture_bins_labels(const struct picture_bins *bins, struct arena *a,
                                      const struct tokens *keys);

/* Draws features [mel bins, frames], two frames per key, as a strip as wide as the columns. */
void picture_spectrogram(struct page_picture *out, struct arena *a, const struct picture_bins *bins,
                         const struct values *v);

#endif
