/* SPDX-License-Identifier: MIT
 *
 * What a bare layer, or an encoder and its decoder, are run on: rows of numbers, from files or
 * from a seed. */
#ifndef SESSION_LAYER_H
#define SESSION_LAYER_H

#include "session/input.h"

struct layer_input {
    int n;                      /* texts: arrays of rows */
    struct values *rows;        /* [n] [T, D] */
    struct values *keys;        /* [n] [S, d_key_input]; NULL: the layer reads no other */
    struct values *values;      /* [n] [S, d_value_input]; NULL: keys */
    struct values *targets;     /* [n] [T, D] of the decoder; NULL: there is none */
    const char *name;           /* of where the rows come from, for captions */
    bool drawn;                 /* some of them, from the seed */
};

/* The choices of asked.tower, and how its numbers begin: as enum tower; NULL ends. */
extern const char *const tower_names[];

/* The choices of asked.activation, relative, fused and order; NULL ends. */
extern const char *const layer_activations[], *const layer_relatives[],
                         *const layer_fusions[], *const layer_orders[];

/* What the options say of the layer that -m names. */
struct layer_asked layer_of_asked(const struct asked *asked);

/* Whether --mask none lifts a layer's own mask. */
bool layer_asked_unmasked(const struct asked *asked);

/*
 * The files of --input, --decoder-input, --memory, --key and --value; what is not given and
 * yet needed, or given as "random", is drawn from --seed, in this order, one fill an array:
 * normal numbers [B, T, D] of --shape, else as many rows as --tokens has names, else 10; a
 * memory as long, and the decoder's rows, unless --decoder-tokens names them.
 *
 * Errors: ERR_USAGE for options that contradict each other or the layer; ERR_INPUT as
 * values_read, and for numbers of texts or rows that differ.
 */
int layer_input_open(struct layer_input *in, struct session *s, struct err *e);

/* Names as a text: with spaces between them, whatever separates them. */
const char *layer_names_text(struct arena *a, const char *names);

/*
 * Names split at spaces, or where there is one at U+001F, for the rows of *t.
 * ERR_USAGE, naming the option: not as many as there are rows.
 */
int layer_name_rows(struct arena *a, const char *option, const char *names,
                    struct tokens *t, struct err *e);

/* Text i as an item. */
void layer_input_item(const struct layer_input *in, const struct session *s,
                      struct arena *a, int i, struct item *out);

#endif
