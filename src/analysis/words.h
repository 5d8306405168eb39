/* SPDX-License-Identifier: MIT
 *
 * Sums as words of 64 bits, for files.  One function visits all sums, in a fixed order, and so
 * counts their words, writes them ("put"), or reads and adds them ("take"):
 *
 *     static void all_words(struct words *w, struct mine *m)
 *     {
 *         words_fixed(w, &m->sum);
 *         words_count(w, &m->n);
 *     }
 */
#ifndef ANALYSIS_WORDS_H
#define ANALYSIS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/fixed.h"

struct words {
    const uint64_t *from;       /* words that are read and added to the sums; NULL: none */
    uint64_t *to;               /* where words are written; NULL: nowhere; both NULL: only counted
                                   */
    uint64_t n;                 /* words so far */
    bool impossible;            /* the words read cannot be sums of any texts */
};

static const int64_t WORDS_MOST_SUM = (int64_t)1 << 62, WORDS_MOST_COUNT = (int64_t)1 << 40;

static inline uint64_t words_next(struct words *words, uint64_t x)
{
    uint64_t taken = words->from != NULL ? words->from[words->n] : 0;

    if (words->to != NULL)
        words->to[words->n] = x;
    words->n++;
    return taken;
}

static inline void words_fixed(struct words *words, struct fixed *x)
{
    struct fixed taken = { 0, 0 };

    taken.whole = (int64_t)words_next(words, (uint64_t)x->whole);
    taken.part = words_next(words, x->part);
    words->impossible |= taken.whole <= -WORDS_MOST_SUM || taken.whole >= WORDS_MOST_SUM;
    if (words->from != NULL)
        fixed_add(x, taken);
    words->impossible |= x->whole <= -WORDS_MOST_SUM || x->whole >= WORDS_MOST_SUM;
}

static inline void words_count(struct words *words, int64_t *x)
{
    uint64_t taken = words_next(words, (uint64_t)*x);

    if (taken > (uint64_t)WORDS_MOST_COUNT || *x > WORDS_MOST_COUNT)
        words->impossible = true;
    else
        *x += (int64_t)taken;
}

#endif
