/* SPDX-License-Identifier: MIT
 *
 * Rows of attention, and sinks: the functions that receive them.  The forward pass gives each block
 * of finished rows to the sinks while it is in cache, and stores nothing of size
 * layers x heads x tokens^2. */
#ifndef RUN_SINK_H
#define RUN_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* A block of query rows of one head.  Valid only during the call. */
struct rows {
    int text;                   /* index in the batch */
    int stack, layer, head;
    int row0, n_rows;           /* queries row0 .. row0 + n_rows - 1 */
    int key0, n_keys;           /* range of keys that any of them may see; others are hidden */
    int n_queries, n_all_keys;  /* queries and keys of the whole text */
    size_t stride;              /* floats from one row to the next */
    const float *weight;        /* [n_rows, n_keys] rows sum to 1 - null_mass; hidden keys have 0 */
    const float *single;        /* the same for one copy of each key, if some keys count more than
                                   once (BigBird); NULL if none does */
    const unsigned char *hidden;    /* [n_rows, stride] 1: masked; NULL if no key is masked */
    const int *n_visible;       /* [n_rows] number of keys that are not masked */
    const double *entropy;      /* [n_rows] in nats */
    const unsigned char *out;   /* [n_all_keys] 1: hidden by --hide (filter.h), in all rows; NULL if
                                   no key is */
    const double *null_mass;    /* [n_rows] weight of the model's attention sink, which is no key;
                                   NULL if it has none */
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
    bool divided;               /* a filter divides rows by their remaining sum, so that they sum to
                                   1; else filter.renorm decides */
};

#endif
