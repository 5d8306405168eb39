/* SPDX-License-Identifier: MIT
 *
 * Syntactic scores of heads: how often their strongest links are arcs of dependency trees, by
 * relation, against the best fixed offset.  Even sentences choose, odd ones score.
 *
 *     to_head     the word that the dependent attends to most is its head
 *     from_head   the word that attends to the dependent most is its head
 *     later       the later one of the two attends to the other most: for causal heads
 *     offset o    word max(0, min(n, i + o)) is the head of word i, i from 1; 0 is the root
 *
 * "all" is every relation but root.
 * Source: Clark et al. 2019; Voita et al. 2019 (10 points above the offset). */
#ifndef ANALYSIS_GOLD_H
#define ANALYSIS_GOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/words.h"
#include "base/arena.h"

enum gold_way { GOLD_TO_HEAD, GOLD_FROM_HEAD, GOLD_LATER, N_GOLD_WAY };
extern const char *const gold_way_names[];      /* in the order of enum gold_way, then NULL */

enum { GOLD_FIRST_OFFSET = -3, N_GOLD_OFFSET = 6 };

/* A sentence's tree. */
struct gold_tree {
    int n;                      /* words */
    const int *head;            /* [n] from 0; -1: the root */
    const int *relation;        /* [n] number of the relation, from gold_relation */
    const int *tag;             /* [n] number of the part of speech, from gold_tag */
    const bool *scored;         /* [n] the word has a token */
    bool odd;                   /* the sentence's number, from 0, is odd */
};

struct gold;

/* Empty counts for n_heads heads; causal: they see no later words. */
struct gold *gold_new(struct arena *a, int n_heads, bool causal);

/* The number of this relation, which may be new; the name must last as long. */
int gold_relation(struct gold *gold, const char *name);

/* Counts the tree's arcs, and those that offsets find: once per sentence, before its heads. */
void gold_add_tree(struct gold *gold, const struct gold_tree *tree);

/* Counts the arcs that one head finds, by its links of arcs.h. */
void gold_add_head(struct gold *gold, const struct gold_tree *tree, int head, const int *looks_at,
                   const int *looked_at);

/* All counts of its relations and tags as words (words.h). */
void gold_words(struct words *words, struct gold *gold);

/* ---- parts of speech ---- */

/* The same as gold_relation. */
int gold_tag(struct gold *gold, const char *name);
int gold_tags(const struct gold *gold);
const char *gold_tag_name(const struct gold *gold, int tag);

/* Adds the weight of a head on each word, from arcs_mass; exactly, so that the order of sentences
 * does not matter. */
void gold_add_mass(struct gold *gold, const struct gold_tree *tree, int head, const double *mass);

/* The tag's share of all words that have a token; its share of a head's weight.  NaN if there is
 * none.  Source: Vig and Belinkov 2019, eq. 3. */
double gold_tag_words(const struct gold *gold, int tag);
double gold_tag_share(const struct gold *gold, int tag, int head);

/* ---- relations ---- */

int gold_relations(const struct gold *gold);       /* 0 is "all" */
const char *gold_relation_name(const struct gold *gold, int relation);

/* Counts of one relation over all sentences. */
struct gold_arcs {
    const char *relation;
    int64_t n;                  /* all arcs */
    int64_t n_scored;           /* arcs whose words both have a token */
    int offset;                 /* the best offset */
    double baseline;            /* share of all arcs that it finds; NaN if n is 0 */
};
struct gold_arcs gold_arcs(const struct gold *gold, int relation);

/* Share of the scored arcs, over all sentences, that a head finds this way; NaN if there are none.
 * */
double gold_accuracy(const struct gold *gold, int relation, int head, enum gold_way way);

/* The way that even sentences choose for a head, and its score in odd ones. */
struct gold_held {
    enum gold_way way;
    double chosen;              /* share of even sentences' arcs found; NaN if there are none */
    int64_t n;                  /* arcs of odd sentences */
    double accuracy, low, high; /* share found, and Wilson's 95 % interval; NaN if n is 0 */
    int offset;                 /* the offset that even sentences choose */
    double baseline;            /* share of the odd sentences' arcs that it finds */
};
struct gold_held gold_held(const struct gold *gold, int relation, int head);

/* The head that even sentences choose for the relation, the first of the best; -1 if none. */
int gold_choice(const struct gold *gold, int relation);

/* Wilson's 95 % interval of a share k / n; n > 0. */
void gold_interval(int64_t k, int64_t n, double *low, double *high);

/* Whether the label "syntactic" holds, by its thresholds: at least so many arcs, and an accuracy
 * above the baseline by `points`, a share. */
bool gold_holds(const struct gold_held *held, double points, double arcs);

#endif
