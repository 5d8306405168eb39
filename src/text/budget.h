/* SPDX-License-Identifier: MIT
 *
 * Limits of a tokeniser's work and memory.  A tokenizer.json is a program: a pattern may try
 * every way to cut a text, and a thousand steps may each copy it.  Every limit is a constant
 * plus a multiple of the bytes of text read so far; that of parts and tokens is at most 2^22
 * per text.
 *
 * The unit of work is about one byte that is read once:
 *
 *     each step            1 per byte of the text at that point, 16 per part, and 8 per byte
 *                          written
 *     a pattern            16 per byte; if a match takes many steps or goes far, 4 for each
 *                          item of the pattern that is tried, and a quarter of the bytes
 *                          moved or compared
 *     added tokens, pieces 4 per byte of the text that is compared with them
 *     a template           32 per token
 *
 * The tokenisers of tests/ref/tokenizers take 18 to 97 units per byte of English, Chinese, C. */
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
                                           and each takes some 200 bytes */
};

/* Work of one run; starts as all 0. */
struct budget {
    uint64_t read;                  /* bytes of all texts so far */
    uint64_t spent;                 /* units used; never more than the limit */
    uint64_t base;                  /* constant part of the limit; 0: BUDGET_BASE */
    size_t memory;                  /* limit in bytes for the steps of one text; 0: budget_memory */
};

/* Raises the limit for a text of n bytes that comes next. */
void budget_read(struct budget *budget, uint64_t n);
/* Uses units of work; false: the limit is exceeded, and nothing is left.  budget NULL: no limit. */
bool budget_spend(struct budget *budget, uint64_t work);

/*
 * The budget of one of n texts that are tokenised in advance: its share of the rest, so that all of
 * them together use no more work than one may, and less memory.  A text that exceeds its share is
 * tokenised again when its turn comes.
 */
struct budget budget_part(const struct budget *budget, int n);
/* Charges the work that a text used of its share, when its turn comes.  False: less is left;
 * nothing is charged. */
bool budget_take(struct budget *budget, const struct budget *part);

/*
 * Limits for one text of n bytes: bytes of the text after rewriting; parts, tokens or matches;
 * bytes of its tokens' labels; bytes that all its steps may use at once, unless the budget has
 * less.
 */
size_t budget_text(size_t n);
size_t budget_items(size_t n);
size_t budget_labels(size_t n);
size_t budget_memory(const struct budget *budget, size_t n);

#endif
