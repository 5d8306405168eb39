/* SPDX-License-Identifier: MIT
 *
 * Rows of attention, and who takes them.  The forward pass hands out each block of
 * finished rows while it is in cache, and keeps nothing of size layers x heads x tokens^2. */
#ifndef RUN_SINK_H
#define RUN_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* A block of query rows of one head.  Valid only during the call. */
struct rows {
    int text;                   /* index in the batch */
    int stack, layer, head;
    int row0, n_rows;           /* queries row0 .. row0 + n_rows - 1 */
    int key0, n_keys;           /* keys that any of them may see; others are hidden */
    int n_queries, n_all_keys;  /* of the whole text */
    size_t stride;              /* floats from one row to the next */
    const float *weight;        /* [n_rows, n_keys]: rows sum to 1, less null_mass; hidden ones
                                   are 0 */
    const float *single;        /* the same of one copy of each key, where keys are
                                   counted more than once; NULL: none is */
    const unsigned char *hidden;    /* [n_rows, stride] 1: masked; NULL: none is */
    const int *n_visible;       /* [n_rows] keys that are not masked */
    const double *entropy;      /* [n_rows] nats */
    const unsigned char *out;   /* [n_all_keys] 1: a filter left the key out, so it is hidden
                                   too; NULL: none is */
    const double *null_mass;    /* [n_rows] what a sink of the model took that is not a key; NULL:
                                   it has none */
};

enum sink_scope {
    SINK_HEAD,      /* state is per text and head: take is called by any thread,
                       for the rows of one head in order */
    SINK_LAYER,     /* one call with the same rows of all heads, for the row
                       blocks of one text in order */
    SINK_TEXTS      /* one call with the same rows of all texts, for the row blocks
                       of one head in order; texts are of one length, and no sink of
                       the pass is SINK_LAYER */
};

struct sink {
    enum sink_scope scope;
    /* rows[n]: one for SINK_HEAD, else the wanted heads, or all texts */
    void (*take)(void *self, const struct rows *rows, int n);
    /* after the last row of a layer of a text, by the thread that runs the pass;
       NULL: not wanted */
    void (*done)(void *self, int text, int layer);
    void *self;
    bool divided;               /* rows are divided by what a filter leaves of them, so that they
                                   sum to 1; else as filter.renorm says */
};

#endif
