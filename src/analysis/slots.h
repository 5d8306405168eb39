/* SPDX-License-Identifier: MIT
 *
 * The texts of a pass as analysis sees them, and a slot for each of their heads that
 * was asked for.  What a sink keeps per head is an array over these slots. */
#ifndef ANALYSIS_SLOTS_H
#define ANALYSIS_SLOTS_H

#include "run/run.h"

/* What a token is of its text. */
enum token_mark {
    TOKEN_ENDS = 1,             /* eos_token_id, without one [SEP]; a decoder's start */
    TOKEN_SEPARATES = 2,        /* [SEP], or what stands for it */
    TOKEN_PUNCTUATION = 4       /* a full stop or a comma */
};

/* The tokens that look, or are looked at, in one text: plain arrays. */
struct token_list {
    int n;
    const int *id;                  /* [n]; NULL: the input is not tokens */
    const char *const *piece;       /* [n] as the vocabulary has it: "Ġcat" */
    const unsigned char *special;   /* [n] 1: special to the tokeniser; NULL: none is */
    const int *type;                /* [n] segment; NULL: there is one */
    const unsigned char *mark;      /* [n] bits of enum token_mark; NULL: none has one */
    int columns;                    /* of a picture: patches in a row of it; 0: it is none */
    int n_before;                   /* of a picture: [CLS] and the like, before its patches */
};

/* The texts of a pass. */
struct attended {
    int n_texts;
    const struct attended_text {
        struct token_list queries, keys;
    } *text;                        /* [n_texts] */
    bool two_axes;                  /* cross-attention: query i and key i are different
                                       tokens, so there is no distance between them */
};

struct slots {
    struct attended texts;
    int stack, L, H;                /* stack: enum stack_id */
    const struct wanted *want;
};

/* want, and what texts points to, must last until the end of the pass. */
struct slots slots_of(const struct model *m, const struct attended *texts,
                      const struct wanted *want);

size_t slots_count(const struct slots *slots);
/* Its slot, below slots_count. */
size_t slots_at(const struct slots *slots, int text, int layer, int head);

/*
 * Calls fn for the slot of each wanted head of each text, texts outermost, then layers.
 */
void slots_each(const struct slots *slots, void (*fn)(void *self, size_t at, int text),
                void *self);

#endif
