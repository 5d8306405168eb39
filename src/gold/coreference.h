/* SPDX-License-Identifier: MIT
 *
 * Coreference by heads: how often the head word of a mention attends most to the head word of an
 * earlier mention of the same entity, among all words, and among head words of mentions alone.  And
 * two baselines without a model: the nearest earlier mention; the nearest with the same head word.
 * Mentions without an earlier one of the same entity do not count.
 * Source: Clark et al. 2019, 4.3. */
#ifndef ANALYSIS_COREFERENCE_H
#define ANALYSIS_COREFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A mention of a text; mentions are in the order of their beginnings. */
struct coreference_mention {
    int head;                   /* word */
    int chain;                  /* number of its entity within the text */
    const char *form;           /* the head word itself */
};

struct coreference_rules {
    int64_t n;                  /* mentions that count */
    int64_t nearest, head_match;        /* mentions that each baseline resolves */
};

struct coreference_hits { int64_t any_word, mentions; };

void coreference_add_text(struct coreference_rules *rules,
                          const struct coreference_mention *mention, int n);

/* any_word, mentions: [words] the word attended to most, of all, and of head words of mentions, by
 * arcs_looks_at. */
void coreference_add_head(struct coreference_hits *hits,
                          const struct coreference_mention *mention, int n,
                          const int *any_word, const int *mentions);

/*
 * Whether the label "coreference" holds: at least `least` mentions, and the lower end of Wilson's
 * 95 % interval of the share resolved is above both baselines.  *share: of mentions; NaN if there
 * are none.
 */
bool coreference_holds(const struct coreference_rules *rules, const struct coreference_hits *hits,
                       double least, double *share);

#endif
