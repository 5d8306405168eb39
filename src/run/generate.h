/* SPDX-License-Identifier: MIT
 *
 * Texts are continued greedily: each next token is the one with the largest logit
 * under the model's rules, the lowest id among equals, as torch has it. */
#ifndef RUN_GENERATE_H
#define RUN_GENERATE_H

#include "model/generation.h"
#include "run/run.h"

struct continuation {
    int n_prompt;           /* tokens that are given, at least 1 */
    int most;               /* tokens to add, at most; at least 1 */
    const int *type;        /* [n_prompt] NULL: all 0, as what is added has */
    int *id;                /* [n_prompt + most] the prompt; out: what was added, too */
    int n;                  /* out: tokens in id */
    bool ended;             /* out: by one of rules->end */
};

/*
 * Continues n_texts texts with m, all of them in one pass per step, which runs the tokens
 * after those that are cached (the whole texts, where cache_fits says no).  memory is of
 * m's encoder, for the same texts, or NULL; change may have precision and fast alone.  The
 * continuation of a text is the same however many texts run together, and whatever there is to
 * spare: bytes that weights may take beside the model, turned round so that tokens take less time.
 *
 * Errors (ERR_INPUT): those of run_forward; a logit that is not a number.
 * Source: transformers generation/utils.py, _sample without sampling
 */
int run_generate(const struct model *m, const struct generation *rules,
                 const struct memory *memory, struct continuation *text, int n_texts,
                 const struct change *change, double spare, struct par *par, struct arena *call,
                 struct err *e);

/*
 * The same with m's decoder where m is an encoder-decoder: source holds the encoder's texts,
 * as many, and is encoded first.  source NULL: m continues texts by itself.
 */
int run_generate_pair(const struct model *m, const struct generation *rules,
                      const struct batch *source, struct continuation *text, int n_texts,
                      const struct change *change, double spare, struct par *par,
                      struct arena *call, struct err *e);

/* Texts that are to be continued in one pass per step; starts as { 0 }. */
struct generate_group {
    int n;
    double bytes;
};

/*
 * Counts a text of n_tokens, the prompt and what is added, and n_memory tokens of its
 * source.  false: it has no room beside those of the group (64 texts; 256 MiB of keys and
 * values, unless it is the first).
 */
bool generate_join(struct generate_group *group, const struct model *m, int n_tokens,
                   int n_memory);

/* The bytes that run_generate takes for one such text. */
double generate_memory(const struct model *m, int n_tokens, int n_memory);

/*
 * Rewrites logits [V] of the token after text->id[0 .. text->n - 1] as the rules say,
 * and returns the id with the largest, the lowest of several; 0 where all are ruled
 * out.  -1: one is not a number.
 * Source: transformers generation/logits_process.py, in its order
 */
int generate_choose(const struct generation *rules, const struct continuation *text,
                    float *logits, int V, struct arena *scratch);

#endif
