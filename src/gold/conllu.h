/* SPDX-License-Identifier: MIT
 *
 * Sentences whose words have a part of speech and a head: CoNLL-U, the format of Universal
 * Dependencies. */
#ifndef SESSION_CONLLU_H
#define SESSION_CONLLU_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

struct conllu_word {
    const char *form, *tag, *relation;  /* relation without its subtype: "nmod" of nmod:poss */
    int head;                   /* word, from 0; -1: the root */
    const char *entity;         /* "(e1-person(e2)": Entity= in the last column; NULL if none */
    int start, end;             /* bytes of the sentence's text; start = end where the word has
                                   no bytes of its own */
};

struct conllu_sentence {
    const char *text;           /* size bytes, UTF-8 */
    size_t size;
    struct conllu_word *word;   /* [n] */
    int n;
    int64_t line;               /* line of its first word, from 1 */
    bool begins;                /* it begins a document: "# newdoc" */
};

struct conllu {
    struct conllu_sentence *sentence;   /* [n] */
    int n;
};

/*
 * Reads a whole file from its bytes; name is for messages.  All is checked: ten columns, ids
 * from 1 on, ranges (8-9) of the words that follow, heads within the sentence and without
 * circles, and that the words, in order, are what "# text" says, blanks apart (without it,
 * words make the text).  Empty nodes (8.1) are left out.  Words of a range have their own
 * bytes where they make it up ("do" and "n't"), else its first word has them all.
 *
 * Errors (ERR_INPUT), with the line: what was found and what was expected; a file without
 * sentences.
 */
struct conllu *conllu_read(struct arena *a, struct span bytes, const char *name, struct err *e);

#endif
