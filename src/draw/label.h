/* SPDX-License-Identifier: MIT
 * Labels: arbitrary bytes of tokens -> text that is safe to draw. */
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
    const int *position;        /* [n] positions of the tokens in the text; NULL: 0, 1, ... */
    const int *span;            /* [n] number of tokens that share this label, at the first of them;
                                   0 at the others; NULL: each has its own */
    const bool *sentence;       /* [n] a sentence begins here; NULL: unknown */
    int second;                 /* first token of the second text of a pair; 0: there is none */
};

/* Bytes of label i. */
size_t label_size(const struct label_list *list, int i);

/* Sets `sentence`: sentences begin after . ! ? and similar marks, with a letter that is not lower
 * case. */
void label_sentences(struct arena *a, struct label_list *list);

/* Appends a label that belongs to no token; position -1. */
void label_add(struct arena *a, struct label_list *list, const char *text);

/* Makes adjacent tokens that are parts of one character share a label. */
void label_join(struct arena *a, struct label_list *list);

enum {
    LABEL_CHARS = 16,           /* length of a cut label if its width cannot be measured */
    LABEL_MOST_CHARS = 64,      /* longest label if it is measured, and cut by width */
    LABEL_EM = 11,              /* default of that width, in font sizes */
    LABEL_TEXT_CHARS = 4000     /* a title or caption; more than its lines can hold */
};

/*
 * Cleans a text: valid UTF-8 without control characters; these, direction marks, noncharacters and
 * bytes that are not UTF-8 are escaped as by utf8_show (\n, \x00, \u202e, \xe6).  Spaces at the
 * ends are removed; a label of only spaces shows them as U+2423, one of only invisible characters
 * shows their escapes.  It is cut with "…" after max_chars characters (graphemes), and so is a
 * character of over 12 code points.
 */
char *label_clean(struct arena *a, const char *s, size_t n, int max_chars);

/* The same for metadata, of any length; s itself if it is clean except for line feeds. */
const char *label_clean_value(struct arena *a, const char *s);

/* Whether a label is a single Han character, kana or hangul syllable, which is not rotated like
 * others. */
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
