/* SPDX-License-Identifier: MIT
 *
 * Inputs of bare layers (a layer, or encoder and decoder layers, without embeddings): rows of
 * numbers, from files or drawn from a seed. */
#ifndef SESSION_LAYER_H
#define SESSION_LAYER_H

#include "session/input.h"

struct layer_input {
    int n;                      /* number of texts, each an array of rows */
    struct values *rows;        /* [n] [T, D] */
    struct values *keys;        /* [n] [S, d_key_input]; NULL: self-attention alone */
    struct values *values;      /* [n] [S, d_value_input]; NULL: keys */
    struct values *targets;     /* [n] [T, D] of the decoder; NULL if there is no decoder */
    const char *name;           /* name of the rows' source, for captions */
    bool drawn;                 /* some numbers are drawn from the seed */
};

/* The names of asked.tower, in the order of enum tower; NULL ends. */
extern const char *const tower_names[];

/* The choices of asked.activation, relative, fused and order; NULL ends. */
extern const char *const layer_activations[], *const layer_relatives[],
                         *const layer_fusions[], *const layer_orders[];

/* The options of bare layers, for the layer that -m names. */
struct layer_asked layer_of_asked(const struct asked *asked);

/* Whether --mask none lifts a layer's own mask. */
bool layer_asked_unmasked(const struct asked *asked);

/*
 * Reads the files of --input, --decoder-input, --memory, --key and --value.  Arrays that are
 * required and not given, or given as "random", are drawn from --seed in this order, each at
 * once: normal numbers of shape --shape [B, T, D], else one row per name of --tokens, else 10;
 * memory and the decoder's rows have the same length, unless --decoder-tokens names the latter.
 *
 * Errors: ERR_USAGE for options that contradict each other or the layer; ERR_INPUT as
 * values_read, and if the arrays differ in their numbers of texts or rows.
 */
int layer_input_open(struct layer_input *input, struct session *session, struct err *e);

/* The names joined by spaces, for use as the text. */
const char *layer_names_text(struct arena *a, const char *names);

/*
 * Names the rows of *tokens: names are separated by spaces, or by U+001F if there is one.
 * ERR_USAGE, naming the option: their number is not that of the rows.
 */
int layer_name_rows(struct arena *a, const char *option, const char *names,
                    struct tokens *tokens, struct err *e);

/* Text i as an item. */
void layer_input_item(const struct layer_input *input, const struct session *session,
                      struct arena *a, int i, struct item *out);

#endif
