/* SPDX-License-Identifier: MIT
 * Mechanisms that score only some keys of each row: those of a pattern, by `keys` of struct
 * mechanism, or those chosen by data, by `chosen`. */
#ifndef NN_MECHANISM_CHOSEN_H
#define NN_MECHANISM_CHOSEN_H

#include "nn/mechanism.h"

/* The steps of choosing keys by data.  Rows are processed in order, and may keep state in shared.
 * */
struct chosen_steps {
    uint64_t (*shared)(const struct attention *a);        /* bytes */
    void (*prepare)(void *shared, const struct attention *a);
    /* Writes the keys of row i, ascending, all visible, of [first, end), which is not
       empty, to key [S]; returns how many. */
    int (*choose)(int *key, void *shared, const struct attention *a, int i, int first,
                  int end);
    /* Gets the weights of the n keys chosen last; NULL: not wanted. */
    void (*learn)(void *shared, const int *key, const double *w, int n);
};

/* `room` and `run` of struct mechanism, for mechanisms with `keys` or `chosen`. */
uint64_t chosen_room(const struct attention *a);
int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *room);

/* `reference` of struct mechanism, for mechanisms with `chosen`. */
uint64_t chosen_reference_room(const struct attention *a);
void chosen_reference(double *w, double *out, const struct attention *a, void *room);

/* `refuse` for patterns over the positions of one text. */
const char *chosen_refuse(const struct attention *a);

#endif
