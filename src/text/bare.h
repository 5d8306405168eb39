/* SPDX-License-Identifier: MIT
 * Private interface of bare*.c: state of converting a tokeniser folder without tokenizer.json
 * into the tokenizer.json that the transformers library would build. */
#ifndef TEXT_BARE_H
#define TEXT_BARE_H

#include "text/tok_priv.h"

struct bare {
    struct tok *t;
    struct arena *a;
    const char *dir;
    bool target;                /* the tokeniser of target texts is wanted */
    const char *model_file;     /* SentencePiece model file; NULL if there is none */
    const struct flavour *flavour;
    json_t *config;             /* tokenizer_config.json, or {} */
    json_t *map;                /* special_tokens_map.json, or {} */
    json_t *root;               /* the tokenizer.json that is built */
    json_t *added, *seen;       /* added tokens; seen: {content: true} for each of them */
};

/* Settings of a tokeniser's class around a SentencePiece model. */
struct spm_style {
    const char *normal;         /* names of steps; NULL: by the model's own settings */
    const char *presplit;
    /* "cls_token A sep_token:1": attributes and texts, with types.  "+" and "-"
     * after an attribute: added if add_ATTRIBUTE says so; the default is yes, or no. */
    const char *single, *pair;
    const char *vocab_json;     /* the ids are those of this file, or NULL */
    const char *target_json;    /* the same for target texts, if separate_vocabs is set */
    const char *language;       /* default language of a text; NULL: "en_XX" */
    const char *around;         /* string before and after its code: "__"; NULL: none */
    /* Pieces before those of the model, the first `skip` of which are dropped, and after them, or
     * after those of vocab_json; "*": 2 to 102.  NULL: none. */
    const char *first, *last;
    size_t skip;
    bool own_special;           /* these pieces are special tokens */
    bool mask_takes_blanks;     /* <mask> includes the blanks before it */
};

enum { FLAVOUR_CLASSES = 6, FLAVOUR_MODELS = 8, FLAVOUR_TOKENS = 8 };
                                        /* maxima; shorter lists end with NULL */

/* A family of tokenisers: the defaults of its class in transformers. */
struct flavour {
    const char *name;
    const char *classes[FLAVOUR_CLASSES];   /* of tokenizer_config.json */
    const char *models[FLAVOUR_MODELS];     /* model_types of config.json */
    const char *tokens[FLAVOUR_TOKENS][2];  /* attribute, default; NULL: none */
    int (*build)(struct bare *b, struct err *e);
    struct spm_style style;
};

/* ---- bare_parts.c ---- */

/* The JSON of a file; {} if there is no such file, NULL on errors. */
json_t *bare_object(const struct bare *bare, const char *name, struct err *e);
bool bare_setting(const struct bare *bare, const char *key, bool def);
/* The special token of that name; NULL if there is none. */
const char *bare_special(const struct bare *bare, const char *key, const char *def);
/* Adds a token; flags: an object with lstrip and others, or a string. */
void bare_add_token(struct bare *bare, const json_t *flags, const char *content);
/* Adds all special tokens of the files, and those of the flavour. */
void bare_add_specials(struct bare *bare, const struct flavour *flavour);

/* A copy of the next word of *s; NULL if none is left. */
char *bare_word(struct arena *a, const char **s);

/* Creates root, added and seen. */
void bare_begin(struct bare *bare);
/* The root; NULL if failed is not 0. */
json_t *bare_end(struct bare *bare, int failed);

/* ---- bare_spm.c ---- */

#define MARK "\xe2\x96\x81"             /* ▁ */

/* The folder's SentencePiece model, or NULL. */
const char *spm_file(const struct bare *bare);

/* Converts bare->model_file by bare->flavour, into bare->root and bare->t. */
int spm_build(struct bare *bare, struct err *e);
/* The same from a file's bytes. */
int spm_build_from(struct bare *bare, struct span file, struct err *e);

/* Sets section to {"type": "Sequence", list: [the steps named in text]}. */
void spm_steps(struct bare *bare, const char *section, const char *list, const char *text);

/* ---- bare_spm_vocab.c ---- */

struct spm;

/* Sets the vocabulary and scores of bare->t; returns the id of the unknown piece, or -1. */
int spm_vocab(struct bare *bare, const struct spm *spm, struct err *e);

/* ---- bare_class.c ---- */

/* Flavours by class; the first follows the model's own settings.  Ends with NULL. */
extern const struct flavour *const spm_flavours[];

#endif
