/* SPDX-License-Identifier: MIT
 *
 * How much work and memory a tokeniser may take.  A tokenizer.json is a program: a
 * pattern may try every way to cut a text, and a thousand steps may each copy it.  Every
 * bound is a constant and a multiple of the bytes of text read so far; that of parts and
 * tokens ends at 2^22 a text.
 *
 * The unit of work is about a byte that is looked at once:
 *
 *     each step            1 a byte of the text as it then is, 16 a part, and 8 a byte
 *                          that it writes
 *     a pattern            16 a byte; where a match takes many steps or goes far, 4 for
 *                          each item of the pattern that is tried, and a quarter of the
 *                          bytes that it moved or compared
 *     added tokens, pieces 4 a byte of the text that is compared with them
 *     a template           32 a token
 *
 * The tokenisers of tests/ref/tokenizers take 18 to 97 a byte of English, Chinese and C. */
#ifndef TEXT_BUDGET_H
#define TEXT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUDGET_BASE = 1 << 28,          /* units of work of a run … */
    BUDGET_A_BYTE = 512,            /* … and so many more for each byte of its texts */
    BUDGET_PART = 16,
    BUDGET_BYTE_REWRITTEN = 8,
    BUDGET_BYTE_COMPARED = 4,
    BUDGET_BYTE_OF_PATTERN = 16,
    BUDGET_ITEM_OF_PATTERN = 4,
    BUDGET_TOKEN_OF_TEMPLATE = 32,

    BUDGET_MOST_ITEMS = 1 << 22         /* parts or tokens of a text: no model takes as many,
                                           and each of them takes some 200 bytes */
};

/* Work of one run; starts as all 0. */
struct budget {
    uint64_t read;                  /* bytes of all texts so far */
    uint64_t spent;                 /* units; never more than what is allowed */
    uint64_t base;                  /* of those; 0: BUDGET_BASE */
    size_t memory;                  /* bytes of the steps of one text; 0: budget_memory */
};

/* A text of n bytes comes next. */
void budget_read(struct budget *b, uint64_t n);
/* False: that is more than is allowed, and nothing is left.  b NULL: no bound. */
bool budget_spend(struct budget *b, uint64_t work);

/*
 * For one of n texts that are tokenised before their turn: its part of what is left, so that all
 * of them take no more than one of them may, and less memory.  One that does not do with it is
 * tokenised again in its turn.
 */
struct budget budget_part(const struct budget *b, int n);
/* In its turn, what a text took of its part.  False: less is left, and nothing is taken. */
bool budget_take(struct budget *b, const struct budget *part);

/*
 * Memory of one text of n bytes: the most bytes that it may become, the most parts, tokens
 * or matches, the most bytes of its tokens' labels, and what all its steps may hold at
 * once, unless the budget says less.
 */
size_t budget_text(size_t n);
size_t budget_items(size_t n);
size_t budget_labels(size_t n);
size_t budget_memory(const struct budget *b, size_t n);

#endif
