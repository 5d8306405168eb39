/* SPDX-License-Identifier: MIT
 *
 * How often the head word of a mention looks most at the head word of an earlier mention of the
 * same thing: among all words, and among head words of mentions alone.  Beside it, two rules that
 * need no model: the nearest mention before; the nearest with the same head word.  Mentions
 * without an earlier one of the same thing do not count.
 * Source: Clark et al. 2019, 4.3. */
#ifndef ANALYSIS_COREFERENCE_H
#define ANALYSIS_COREFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Mentions of one text, as they begin. */
struct coreference_mention {
    int head;                   /* word */
    int chain;                  /* of one text: the same number, the same thing */
    const char *form;           /* of the head word */
};

struct coreference_rules {
    int64_t n;                  /* mentions that count */
    int64_t nearest, head_match;        /* those that each rule resolves */
};

struct coreference_hits { int64_t any_word, mentions; };

void coreference_add_text(struct coreference_rules *rules,
                          const struct coreference_mention *mention, int n);

/* looks_at [words]: among all words; among mentions' head words (arcs.h). */
void coreference_add_head(struct coreference_hits *hits,
                          const struct coreference_mention *mention, int n,
                          const int *any_word, const int *mentions);

/*
 * The rule of "coreference": of `least` mentions or more, a larger share than both rules, with
 * the lower end of Wilson's 95 % interval above them.  *share: of mentions; NaN: there is none.
 */
bool coreference_holds(const struct coreference_rules *rules, const struct coreference_hits *hits,
                       double least, double *share);

#endif
