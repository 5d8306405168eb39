/* SPDX-License-Identifier: MIT
 *
 * Coreference mentions in sentences, by Entity= of CoNLL-U (as in UD GUM and CorefUD): "(e1-person"
 * opens a mention of entity e1, "e1)" closes its last open one, "(e1)" is a mention of one word. */
#ifndef SESSION_MENTIONS_H
#define SESSION_MENTIONS_H

#include "gold/conllu.h"

struct mention {
    const char *chain;          /* the entity, "e1", unique within a document */
    int start, end;             /* first and last word, counted from the first sentence's first */
    int head;                   /* its first word whose syntactic head is outside the mention */
};

struct mentions {
    struct mention *mention;    /* [n] as they begin, the longer first */
    int n;
};

/*
 * The mentions of n sentences; of a name, what follows "-" and what is in [] (a piece of a mention
 * in several) is dropped.  Errors (ERR_INPUT, with name and the sentence's line): not such a list;
 * a mention that is closed but not open, or still open at the end.
 */
int mentions_read(struct arena *a, const struct conllu_sentence *sentence, int n,
                  const char *name, struct mentions *out, struct err *e);

#endif
