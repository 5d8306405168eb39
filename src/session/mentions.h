/* SPDX-License-Identifier: MIT
 *
 * Mentions of things in sentences, by Entity= of CoNLL-U (as in UD GUM and CorefUD): "(e1-person"
 * opens a mention of e1, "e1)" closes the last one that is open, "(e1)" is one word. */
#ifndef SESSION_MENTIONS_H
#define SESSION_MENTIONS_H

#include "session/conllu.h"

struct mention {
    const char *chain;          /* "e1": of one document */
    int start, end;             /* words, from the first sentence's first on; end: the last one */
    int head;                   /* the first of them whose head is none of them */
};

struct mentions {
    struct mention *mention;    /* [n] as they begin, the longer first */
    int n;
};

/*
 * Those of n sentences; what is after - in a name, and in [] (a part of a mention), is left out.
 * Errors (ERR_INPUT, with name and the sentence's line): what is not such a list; a mention that
 * is closed and not open, or left open at the end.
 */
int mentions_read(struct arena *a, const struct conllu_sentence *sentence, int n,
                  const char *name, struct mentions *out, struct err *e);

#endif
