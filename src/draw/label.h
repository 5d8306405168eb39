/* SPDX-License-Identifier: MIT
 * Bytes that may be anything -> text that is safe to draw. */
#ifndef DRAW_LABEL_H
#define DRAW_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The labels of an axis, one per token. */
struct label_list {
    int n;
    const char *const *text;    /* [n] any bytes; cleaned before they are drawn */
    const size_t *size;         /* [n] bytes of each (they may hold NULs), or NULL */
    const int *position;        /* [n] each one's number in the text; NULL: 0, 1, ... */
    const int *span;            /* [n] how many tokens share this label, of which this is the
                                   first; 0: one of the others; NULL: each has its own */
    const bool *sentence;       /* [n] it begins with this one; NULL: that is not known */
    int second;                 /* of a pair of texts, where the second begins; 0: there is none */
};

/* Bytes of label i. */
size_t label_size(const struct label_list *list, int i);

/* Finds where sentences begin: after . ! ? and their like, with a letter that is no small one. */
void label_sentences(struct arena *a, struct label_list *list);

/* One more at the end, which stands for no token; position -1. */
void label_add(struct arena *a, struct label_list *list, const char *text);

/* Tokens with parts of one character, which follow each other in the text, share a label. */
void label_join(struct arena *a, struct label_list *list);

enum {
    LABEL_CHARS = 16,           /* a token's label is cut here where its width is not known */
    LABEL_MOST_CHARS = 64,      /* where it is, and cuts it before */
    LABEL_EM = 11,              /* that width, in sizes of the font, if nothing else says it */
    LABEL_TEXT_CHARS = 4000     /* a title or caption; more than its lines can hold */
};

/*
 * Valid UTF-8 without control characters: they, direction marks, noncharacters and bytes that
 * are not UTF-8 are escaped as utf8_show does (\n, \x00, \u202e, \xe6).  Spaces at the ends go; a
 * label of nothing but spaces shows them as U+2423, one of nothing but invisible
 * characters shows their escapes.  More than max_chars characters (as a reader
 * counts them) are cut, with "…"; so is a character of over 12 code points.
 */
char *label_clean(struct arena *a, const char *s, size_t n, int max_chars);

/* For metadata: s itself where it is clean but for line feeds, whatever its length. */
const char *label_clean_value(struct arena *a, const char *s);

/* A single Han character, kana or hangul syllable: it is not turned where others are. */
bool label_is_upright(const char *clean);

/* The scripts that texts are written in, which decide the language of a picture. */
struct label_scripts { bool han, kana; };
void label_scripts_add(struct label_scripts *scripts, const char *s, size_t n);
void label_scripts_add_list(struct label_scripts *scripts, const struct label_list *list);

/* "ja" with kana; "zh-cn" with Han and without kana; else "en". */
const char *label_language(struct label_scripts scripts);

/* Debian's package of fonts for a character, as an index of label_packages. */
int label_package(int cp);
extern const char *const label_packages[];      /* ends with NULL */

#endif
