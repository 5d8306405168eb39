/* SPDX-License-Identifier: MIT
 *
 * Strongest links between words, in each head: the word that each word attends to most, and the
 * word that attends to it most.  Tokens are merged to words, whose columns are sums and whose rows
 * are means; a word's link to itself does not count, nor do tokens outside words.  Ties go to the
 * smallest word, as do rows without weight; with keys of another text these have no link (-1).
 * Source: Clark et al. 2019 (rows: the mean, as in the paper). */
#ifndef ANALYSIS_ARCS_H
#define ANALYSIS_ARCS_H

#include "analysis/slots.h"

/* A query word and a key word. */
struct arcs_pair { int query, key; };

/* The words of a text. */
struct arcs_words {
    const int *of;              /* [queries] index of each token's word, in order; -1: none */
    int n;
    const int *key_of;          /* [keys] the same for the other text of cross-attention, whose
                                   words all count; NULL: keys are the queries */
    int n_keys;
    const struct arcs_pair *pair;       /* [n_pairs] pairs for arcs_pairs, if keys are the queries
                                           */
    int n_pairs;
};

struct arcs;

/* For a pass over texts with these words, [texts]; all of them must last as long. */
struct arcs *arcs_new(struct arena *a, const struct model *model, const struct attended *texts,
                      const struct wanted *want, const struct arcs_words *words);
struct sink arcs_sink(struct arcs *arcs);

/* After the pass, for a wanted head: [words] the word that each attends to most, and the word that
 * attends to it most. */
const int *arcs_looks_at(const struct arcs *arcs, int text, int layer, int head);
const int *arcs_is_looked_at_by(const struct arcs *arcs, int text, int layer, int head);

/* [words] the weight that each key word gets from all query words, without that on the text's first
 * token. */
const double *arcs_mass(const struct arcs *arcs, int text, int layer, int head);

/*
 * The weight of the text's pairs; and its expected value (even): for each pair, the mean weight of
 * other pairs of words in the text at the same distance, in the same order.
 */
struct arcs_weight { double pairs, even; };
struct arcs_weight arcs_pairs(const struct arcs *arcs, int text, int layer, int head);

#endif
