/* SPDX-License-Identifier: MIT
 *
 * What a logit, or the difference of two, is made of: what each head writes into it, from
 * which token, and the rest.
 *
 *     u     = W_U[answer] - W_U[against], with the factor of the logits
 *     w     = u back through the final norm with its scale c at the run's row:
 *             P (g u) / c, and through every later norm of a stream that is normed
 *     head  = z_h W_O . w        source = a_j (v_j W_O) . w        both with the norm of what
 *             an attention adds, where there is one
 *     rest  = embeddings . w + mlps . w + what layers have instead of attention . w + every bias
 *
 * Heads and rest sum to the logit (before a soft cap): error says how far they do.
 * Source: Elhage et al. 2021; TransformerLens, apply_ln_to_stack. */
#ifndef ANALYSIS_ATTRIBUTION_H
#define ANALYSIS_ATTRIBUTION_H

#include "run/trail.h"

struct attribution_target {
    int answer, against;        /* ids; against -1: the logit of answer itself */
    double logit;               /* of the pass, uncapped: the difference */
    const double *over;         /* [V] instead of answer and against: the sum of all logits with
                                   these factors; NULL: those two */
    bool raw;                   /* sources by u alone, without norms (LOCOS' own phi) */
};

/* The heads of one attention; NULL, 0: there is none. */
struct attribution_heads {
    int S;                      /* keys */
    double *dla;                /* [H] */
    double *gradient;           /* [H d_v] of the logit by the heads' outputs: dla is z . it */
    double *source;             /* [H, S]; NULL: the trail has no keys */
    const float *a;             /* [H, S] weights */
    const unsigned char *hidden;    /* [H, S] */
};

struct attribution {
    struct attribution_heads *own, *cross;      /* [L] */
    double heads;               /* the sum of them all */
    double embedding, mlps, mixers, biases;
    double largest;             /* magnitude of a part: a head, an mlp, a mixer, a bias,
                                   embeddings */
    double error;               /* |heads + rest - logit| / largest; 0 where that is 0 */
};

/* The model's head is linear (attribution_check).  Memory is of a. */
struct attribution *attribution_new(struct arena *a, const struct trail *t,
                                    const struct attribution_target *target);

/* ERR_INPUT: the head of m is not linear, or predicts no tokens. */
int attribution_check(const struct model *m, struct err *e);

/* The contrast of a span of keys first .. last of one head. */
struct attribution_span {
    double span;                /* sum over the span - n / (K - n) sum beside it, of source */
    double attention;           /* the same of weights */
    double all;                 /* sum of source over all keys */
};

/* n visible keys in the span, K in all; span and attention NaN where n is 0 or K. */
struct attribution_span attribution_contrast(const struct attribution_heads *h, int head,
                                             int first, int last);

#endif
