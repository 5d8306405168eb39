/* SPDX-License-Identifier: MIT
 *
 * Measures of heads from their weights alone, without a text: composition with earlier heads, and
 * copying of attended tokens.  Weights are folded by run/special/fold.h.
 *
 *     W_QK = W_Q W_K^T      W_OV = W_V W_O      of each head, [D, D]
 *     comp = |W_OV R| / (|W_OV| |R|), Frobenius, of an earlier head's W_OV and a later one's
 *            R = W_QK (Q), W_QK^T (K), W_OV (V); unrelated ones: about 1 / sqrt D
 *     copy = sum of the real parts of the eigenvalues / sum of their magnitudes: of W_OV, and
 *            in full of W_E W_OV W_U
 *
 * And for single tokens, with x the embedding plus the first mlp's output on it:
 *
 *     logits = W_U norm(x W_OV) + b_U, with the final norm in full
 *     copy_rank, negative_copy = share of tokens whose own logit is one of the five highest,
 *            lowest; tokens whose logits spread by less than 1e-4 are left out
 *     successor = share of the members of a class (days, ...) whose highest logit within the
 *            class is that of the next member
 *     successor_p = for a class of n tokens, 6 or more of which have a next one: the
 *            probability of as many hits or more if each has probability 1 / n, times the
 *            numbers of such classes and of heads, at most 1
 *
 * Source: Elhage et al. 2021; TransformerLens, all_composition_scores and
 * FactoredMatrix.eigenvalues; Wang et al. 2022; Gould et al. 2023. */
#ifndef ANALYSIS_CIRCUITS_H
#define ANALYSIS_CIRCUITS_H

#include "base/par.h"
#include "run/run.h"

enum { CIRCUITS_RANK = 5, CIRCUITS_MEMBERS = 6 };

enum composition { COMPOSITION_Q, COMPOSITION_K, COMPOSITION_V, N_COMPOSITION };

/* A class of ordered tokens: next[i] is the one after token i; -1 if there is none. */
struct circuits_class {
    const char *name;
    int n;
    const int *id, *next;       /* [n] id; index in id */
};

struct circuits_tokens {
    int n;
    const int *id;              /* [n] tokens for copy_rank and negative_copy */
    int n_classes;
    const struct circuits_class *class;
};

/* Results for L layers of H heads; the index of a head is layer * H + head.  NaN: undefined. */
struct circuits {
    int L, H;
    double *comp[N_COMPOSITION];        /* [L H, L H] of the row's head into the column's */
    double *copy, *copy_full;           /* [L H] */
    double *copy_rank, *negative_copy;  /* [L H] */
    double *successor, *successor_mlp;  /* [L H, n_classes] for x; for the first mlp's output alone
                                           */
    double *successor_p;                /* [L H, n_classes] for x */
};

/* Whether copy_full and the scores after it are defined: model has a linear head that predicts
 * tokens.
 * */
bool circuits_has_tokens(const struct model *model);

/*
 * Computes them for model, which fold_check accepts; tokens NULL: comp and copy alone, as for
 * models without tokens.  Results are in arena a, and the same for any number of threads.  A number
 * that cannot be computed is NaN, with a warning.
 */
struct circuits *circuits_new(struct arena *a, const struct model *model,
                              const struct circuits_tokens *tokens, struct par *par,
                              const struct warn *warn);

/* ---- parts ---- */

/* Sets comp and copy; for tests, and circuits_new. */
void circuits_compose(struct circuits *circuits, struct arena *a, const struct model *model,
                      struct par *par);

/* Sets copy_full, then the scores of tokens. */
void circuits_unembed(struct circuits *circuits, struct arena *a, const struct model *model,
                      const struct circuits_tokens *tokens, struct par *par);

#endif
