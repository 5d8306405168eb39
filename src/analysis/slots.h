/* SPDX-License-Identifier: MIT
 *
 * The texts of a pass in the form that analysis reads, and slots: indices of all wanted heads of
 * all texts, for arrays of what a sink stores per head. */
#ifndef ANALYSIS_SLOTS_H
#define ANALYSIS_SLOTS_H

#include "run/run.h"

/* Classes of a token. */
enum token_mark {
    TOKEN_ENDS = 1,             /* eos_token_id, without one [SEP]; a decoder's start */
    TOKEN_SEPARATES = 2,        /* [SEP], or what stands for it */
    TOKEN_PUNCTUATION = 4       /* a full stop or a comma */
};

/* The query or key tokens of one text, as plain arrays. */
struct token_list {
    int n;
    const int *id;                  /* [n]; NULL: the input is not tokens */
    const char *const *piece;       /* [n] as the vocabulary has it: "Ġcat" */
    const unsigned char *special;   /* [n] 1: special to the tokeniser; NULL if none is */
    const int *type;                /* [n] segment; NULL if there is only one */
    const unsigned char *mark;      /* [n] bits of enum token_mark; NULL: no marks */
    int columns;                    /* picture: patches in a row; 0: not a picture */
    int n_before;                   /* picture: [CLS] and similar rows before its patches */
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
struct slots slots_of(const struct model *model, const struct attended *texts,
                      const struct wanted *want);

size_t slots_count(const struct slots *slots);
/* The slot of a wanted head, below slots_count. */
size_t slots_at(const struct slots *slots, int text, int layer, int head);

/*
 * Calls fn for the slot of each wanted head of each text, texts outermost, then layers.
 */
void slots_each(const struct slots *slots, void (*fn)(void *self, size_t at, int text),
                void *self);

#endif
