/* SPDX-License-Identifier: MIT
 *
 * Direct logit attribution: a logit, or the difference of two, as the sum of the contributions of
 * each head, of each token through it, and of the rest.
 *
 *     u     = W_U[answer] - W_U[against], times the factor of the logits
 *     w     = u back through the final norm with its scale c at the row:
 *             P (g u) / c, and through every later norm of a stream that is normed
 *     head  = z_h W_O . w        source = a_j (v_j W_O) . w        both through the norm of
 *             attention's output, if there is one
 *     rest  = embeddings . w + mlps . w + mixers . w + every bias
 *
 * Heads and rest sum to the logit (before a soft cap), up to `error`.
 * Source: Elhage et al. 2021; TransformerLens, apply_ln_to_stack. */
#ifndef ANALYSIS_ATTRIBUTION_H
#define ANALYSIS_ATTRIBUTION_H

#include "run/trail.h"

struct attribution_target {
    int answer, against;        /* ids; against -1: the logit of answer itself */
    double logit;               /* logit, or difference, in the pass, uncapped */
    const double *over;         /* [V] factors: the target is the sum of all logits times these, not
                                   answer and against; NULL: those two */
    bool raw;                   /* sources by u alone, without norms (phi of LOCOS) */
};

/* The heads of one attention; NULL and 0 if there is none. */
struct attribution_heads {
    int S;                      /* keys */
    double *dla;                /* [H] contribution of each head */
    double *gradient;           /* [H d_v] of the logit by the heads' outputs: dla = z . gradient */
    double *source;             /* [H, S] contributions of tokens; NULL: the trail has no keys */
    const float *a;             /* [H, S] weights */
    const unsigned char *hidden;    /* [H, S] */
};

struct attribution {
    struct attribution_heads *own, *cross;      /* [L] */
    double heads;               /* sum over all heads */
    double embedding, mlps, mixers, biases;
    double largest;             /* largest magnitude of a term: a head, an mlp, a mixer, a bias, the
                                   embeddings */
    double error;               /* |heads + rest - logit| / largest; 0 if that is 0 */
};

/* Requires a linear output head (attribution_check).  Memory is allocated in a. */
struct attribution *attribution_new(struct arena *a, const struct trail *trail,
                                    const struct attribution_target *target);

/* ERR_INPUT: the output head of model is not linear, or does not predict tokens. */
int attribution_check(const struct model *model, struct err *e);

/* The contrast of a span of keys first .. last of one head. */
struct attribution_span {
    double span;                /* sum of source over the span - n / (K - n) sum over other keys */
    double attention;           /* the same for weights */
    double all;                 /* sum of source over all keys */
};

/* n: visible keys in the span, K: in all; span and attention are NaN if n is 0 or K. */
struct attribution_span attribution_contrast(const struct attribution_heads *heads, int head,
                                             int first, int last);

#endif
