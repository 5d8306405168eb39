/* SPDX-License-Identifier: MIT
 * Private interface of the readers of config.json. */
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

/* A row of a table of keys; field is the offset of a number in the struct that is filled.
   NAMES("a", "b") adds the end of the list itself, so that no row can lack it, or have too many
   names. */
struct key {
    enum key_type type;
    size_t field;
    double min, max;
    const char *const *name;    /* the first key that is present and not null counts */
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The value of key, NULL where it is absent or null. */
const json_t *config_value(const json_t *object, const char *key);

/* "FILE: KEY: found VALUE, expected WHAT" */
int config_wrong(const struct reader *reader, const char *key, const json_t *found,
                 const char *expected);

/* The activation that the value v of key name stands for. */
int config_act(const struct reader *reader, const char *name, const json_t *v, enum act *act);

/* Reads one row from object into the struct at base. */
int config_key(const struct reader *reader, const struct key *k, const json_t *object,
               void *base);

/*
 * The row of the key with this name, which must exist: GGUF and config.json allow the same range.
 */
const struct key *config_find_key(const char *name);
/* The same among n rows; NULL if there is none. */
const struct key *config_find_in(const struct key *row, size_t n, const char *name);
const struct key *config_rope_key(const char *name);
const struct key *config_option_key(const char *name);
const struct key *config_mixer_key(const char *name);

/* The format of quantised weights; *quantisation is unchanged if the config has none. */
int config_quantisation(const struct reader *reader, const json_t *root,
                        struct quantisation *quantisation);

/* All keys of a config.json's object, for a family that is known. */
int config_object(const struct reader *reader, const struct family *family, const json_t *root);

/* The number of rotated columns, by the family's key; called before derived numbers are set. */
int config_rope_share(const struct reader *reader, const struct family *family, const json_t *root);

/* The output head: class, labels, inputs; then class and labels again from the config of the larger
 * model that contains this one. */
void config_head(const struct reader *reader, const json_t *root);
void config_head_of_whole(const struct reader *reader, const json_t *root);

/* Features of a family that the config switches on or off; called before derived numbers are set.
 * */
int config_options(const struct reader *reader, const struct family *family, const json_t *root);

/* Layers other than one attention and one mlp of the stream's width; called before derived numbers
 * are set. */
int config_shape(const struct reader *reader, const struct family *family, const json_t *root);

/* The language whose adapters are used, and their shape; called after the numbers are read. */
int config_language(const struct reader *reader, const struct family *family, const json_t *root);

/* Further residual streams, and other features of layers with them; after the numbers are read. */
int config_streams(const struct reader *reader, const struct family *family, const json_t *root);

/* The width of the mlp, if the family allows a list with one number per layer. */
int config_widths(const struct reader *reader, const json_t *list);

/* Sizes of pictures. */
int config_front(const struct reader *reader, const struct family *family, const json_t *root);

/* The convolutions of a waveform. */
int config_wave(const struct reader *reader, const struct family *family, const json_t *root);

int config_rope(const struct reader *reader, const struct family *family, const json_t *root);
/* Mixers that replace attention in some layers; called before derived numbers are set. */
int config_mixer(const struct reader *reader, const struct family *family, const json_t *root);
/* Experts and their routing; called after the numbers are read. */
int config_experts(const struct reader *reader, const struct family *family, const json_t *root);
int config_layers(const struct reader *reader, const struct family *family, const json_t *root);
/* Relative positions in scores; called after the numbers are read. */
int config_relative(const struct reader *reader, const struct family *family, const json_t *root);
/* Windows by layer, global tokens, blocks of keys; called after the number of layers is read. */
int config_sparse(const struct reader *reader, const struct family *family, const json_t *root);

/* Chunked layers, their hashing, axial positions; called before derived numbers are set, as the
 * list of layers gives their number. */
int config_chunks(const struct reader *reader, const struct family *family, const json_t *root);

#endif
