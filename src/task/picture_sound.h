/* SPDX-License-Identifier: MIT
 * Words over sound: maps whose columns are times, and the log-mel spectrogram below them. */
#ifndef TASK_PICTURE_SOUND_H
#define TASK_PICTURE_SOUND_H

#include "draw/page.h"
#include "task/figure.h"

/* Keys that share a column: `size` of them each, n columns, at most 60. */
struct picture_bins { int n, size; };

/* The session reads sound, and its rows are of the words that attend to it. */
bool picture_is_of_sound(const struct session *s);

void picture_bins_of(struct picture_bins *b, int n_keys);

/* weight [n_rows, n_keys] -> [n_rows, b->n]: the largest of each column. */
const float *picture_bins_fill(const struct picture_bins *b, struct arena *a, const float *weight,
                               int n_rows, int n_keys);

/* Of each column the name of its first key. */
struct label_list picture_bins_labels(const struct picture_bins *b, struct arena *a,
                                      const struct tokens *keys);

/* Features [bins of mel, frames], two frames a key, as a strip as wide as the columns. */
void picture_spectrogram(struct page_picture *out, struct arena *a, const struct picture_bins *b,
                         const struct values *v);

#endif
