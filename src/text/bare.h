/* SPDX-License-Identifier: MIT
 * What the files bare*.c share: a folder without tokenizer.json on its way to the
 * tokenizer.json that it stands for. */
#ifndef TEXT_BARE_H
#define TEXT_BARE_H

#include "text/tok_priv.h"

struct bare {
    struct tok *t;
    struct arena *a;
    const char *dir;
    bool target;                /* the tokeniser of target texts is wanted */
    const char *model_file;     /* SentencePiece's, where there is one */
    const struct flavour *flavour;
    json_t *config;             /* tokenizer_config.json, or {} */
    json_t *map;                /* special_tokens_map.json, or {} */
    json_t *root;               /* what is being built */
    json_t *added, *seen;       /* seen: {content: true} of those added */
};

/* What a SentencePiece model leaves to the class of its tokeniser. */
struct spm_style {
    const char *normal;         /* words for steps; NULL: as the model itself says */
    const char *presplit;
    /* "cls_token A sep_token:1": attributes and texts, with types.  "+" and "-"
     * after an attribute: it is there if add_ATTRIBUTE says so, and by default. */
    const char *single, *pair;
    const char *vocab_json;     /* the ids are those of this file, or NULL */
    const char *target_json;    /* of target texts, where separate_vocabs says so */
    const char *language;       /* that of a text where nothing says it; NULL: "en_XX" */
    const char *around;         /* what stands before and after its code: "__"; NULL: nothing */
    /* Pieces before the model's, of which the first are skipped, and after them, or those of
     * vocab_json; "*": 2 to 102.  NULL: none. */
    const char *first, *last;
    size_t skip;
    bool own_special;           /* those are special tokens */
    bool mask_takes_blanks;     /* those before <mask> */
};

enum { FLAVOUR_CLASSES = 6, FLAVOUR_MODELS = 8, FLAVOUR_TOKENS = 8 };
                                        /* at most; fewer end at a NULL */

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

/* The file's value, {} if there is no such file, NULL on errors. */
json_t *bare_object(const struct bare *b, const char *name, struct err *e);
bool bare_setting(const struct bare *b, const char *key, bool def);
/* The special token of that name, NULL where there is none. */
const char *bare_special(const struct bare *b, const char *key, const char *def);
/* flags: an object with lstrip and the like, or a bare text. */
void bare_add_token(struct bare *b, const json_t *flags, const char *content);
/* All that the files list, and those of the flavour. */
void bare_add_specials(struct bare *b, const struct flavour *f);

/* The next word of *s, a copy; NULL: none is left. */
char *bare_word(struct arena *a, const char **s);

/* Makes root, added and seen. */
void bare_begin(struct bare *b);
/* The root, or NULL where failed is not 0. */
json_t *bare_end(struct bare *b, int failed);

/* ---- bare_spm.c ---- */

#define MARK "\xe2\x96\x81"             /* ▁ */

/* The folder's SentencePiece model, or NULL. */
const char *spm_file(const struct bare *b);

/* What b->flavour makes of b->model_file, into b->root and b->t. */
int spm_build(struct bare *b, struct err *e);
/* The same of a file's bytes. */
int spm_build_from(struct bare *b, struct span file, struct err *e);

/* {"type": "Sequence", list: [the steps that the words stand for]} */
void spm_steps(struct bare *b, const char *section, const char *list, const char *text);

/* ---- bare_spm_vocab.c ---- */

struct spm;

/* The vocabulary and the scores of b->t; the id of the unknown piece, or -1. */
int spm_vocab(struct bare *b, const struct spm *m, struct err *e);

/* ---- bare_class.c ---- */

/* By class; the first: what the model's own settings say.  Ends with NULL. */
extern const struct flavour *const spm_flavours[];

#endif
