/* SPDX-License-Identifier: MIT
 * What the readers of config.json share. */
#ifndef MODEL_CONFIG_PRIV_H
#define MODEL_CONFIG_PRIV_H

#include <jansson.h>

#include "model/family.h"

struct reader {
    struct config *c;
    struct arena *a;
    const char *file;
    struct err *e;
};

enum key_type { KEY_INT, KEY_REAL, KEY_BOOL, KEY_ACT };

/* One row per number; field is an offset in the struct that is filled.  NAMES("a", "b") ends
   what it makes itself: no row can lack its end, or have more names than there is room for. */
struct key {
    enum key_type type;
    size_t field;
    double min, max;
    const char *const *name;    /* the first that is there and not null wins */
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The value of key, NULL where it is absent or null. */
const json_t *config_value(const json_t *object, const char *key);

/* "FILE: KEY: found VALUE, expected WHAT" */
int config_wrong(const struct reader *r, const char *key, const json_t *found,
                 const char *expected);

/* The activation that the value v of key name stands for. */
int config_act(const struct reader *r, const char *name, const json_t *v, enum act *act);

/* Reads one row from object into the struct at base. */
int config_key(const struct reader *r, const struct key *k, const json_t *object,
               void *base);

/*
 * The row of a number that stands in config.json under this name, which is there: GGUF
 * and config.json allow the same range.
 */
const struct key *config_find_key(const char *name);
/* The same among n rows; NULL: it is not there. */
const struct key *config_find_in(const struct key *row, size_t n, const char *name);
const struct key *config_rope_key(const char *name);
const struct key *config_option_key(const char *name);
const struct key *config_mixer_key(const char *name);

/* How the weights are packed; *p stays where nothing says it. */
int config_quantisation(const struct reader *r, const json_t *root, struct quantisation *p);

/* All keys of a config.json's object, for a family that is known. */
int config_object(const struct reader *r, const struct family *f, const json_t *root);

/* How many columns are rotated, by the family's key; before derived numbers. */
int config_rope_share(const struct reader *r, const struct family *f, const json_t *root);

/* The head's class, its labels and what it reads; its class and labels, once more, of the
 * whole that holds the model. */
void config_head(const struct reader *r, const json_t *root);
void config_head_of_whole(const struct reader *r, const json_t *root);

/* What the family may have, and the config switches; before derived numbers. */
int config_options(const struct reader *r, const struct family *f, const json_t *root);

/* Layers that are more than one attention and one mlp as wide as the stream; before derived
 * numbers. */
int config_shape(const struct reader *r, const struct family *f, const json_t *root);

/* The language whose adapters are read, and their shape; after the numbers. */
int config_language(const struct reader *r, const struct family *f, const json_t *root);

/* Residual streams beside the first, and what layers with them have besides; after the
 * numbers. */
int config_streams(const struct reader *r, const struct family *f, const json_t *root);

/* The width of the mlp, where the family allows a list of one number for each layer. */
int config_widths(const struct reader *r, const json_t *list);

/* Sizes of pictures. */
int config_front(const struct reader *r, const struct family *f, const json_t *root);

/* The convolutions of a waveform. */
int config_wave(const struct reader *r, const struct family *f, const json_t *root);

int config_rope(const struct reader *r, const struct family *f, const json_t *root);
/* What takes the place of attention in some layers; before derived numbers. */
int config_mixer(const struct reader *r, const struct family *f, const json_t *root);
/* Which experts a row goes to; after the numbers. */
int config_experts(const struct reader *r, const struct family *f, const json_t *root);
int config_layers(const struct reader *r, const struct family *f, const json_t *root);
/* How scores look at distances, and what comes with it; after the numbers. */
int config_relative(const struct reader *r, const struct family *f, const json_t *root);
/* What rows see beside a window, or instead of one; after the number of layers. */
int config_sparse(const struct reader *r, const struct family *f, const json_t *root);

/* Layers that attend in chunks, their hashing and axial positions; before derived
 * numbers: the list of layers says how many there are. */
int config_chunks(const struct reader *r, const struct family *f, const json_t *root);

#endif
