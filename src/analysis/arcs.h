/* SPDX-License-Identifier: MIT
 *
 * What each word of a text looks at most, and which word looks at it most, in each head: tokens
 * are merged to words, whose columns are sums and whose rows are means; the word itself does
 * not count, nor do tokens that are of no word.  Ties go to the smallest word, as do rows
 * without weight; in another text these look at no word (-1).
 * Source: Clark et al. 2019 (rows: the mean, as in the paper). */
#ifndef ANALYSIS_ARCS_H
#define ANALYSIS_ARCS_H

#include "analysis/slots.h"

/* Two words, the one that looks and the one that is looked at. */
struct arcs_pair { int query, key; };

/* The words of a text. */
struct arcs_words {
    const int *of;              /* [queries] the word that each is of; -1: none; in order */
    int n;
    const int *key_of;          /* [keys] the same of another text, of whose words all count;
                                   NULL: keys are the queries */
    int n_keys;
    const struct arcs_pair *pair;       /* [n_pairs] whose weight is compared with that of other
                                           pairs, where keys are the queries */
    int n_pairs;
};

struct arcs;

/* For a pass over texts with these words, [texts]; all of them must last as long. */
struct arcs *arcs_new(struct arena *a, const struct model *m, const struct attended *texts,
                      const struct wanted *want, const struct arcs_words *words);
struct sink arcs_sink(struct arcs *arcs);

/* After the pass, of a head that was wanted: [words] */
const int *arcs_looks_at(const struct arcs *arcs, int text, int layer, int head);
const int *arcs_is_looked_at_by(const struct arcs *arcs, int text, int layer, int head);

/* The weight that each word of the keys gets of all rows of words, the text's first token left
 * out as a key: [words] */
const double *arcs_mass(const struct arcs *arcs, int text, int layer, int head);

/*
 * The weight of the text's pairs, and what it would be were it, of each, the mean of those other
 * pairs of words of the same text that stand as far apart, in the same order.
 */
struct arcs_weight { double pairs, even; };
struct arcs_weight arcs_pairs(const struct arcs *arcs, int text, int layer, int head);

#endif
