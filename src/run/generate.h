/* SPDX-License-Identifier: MIT
 *
 * Greedy generation: each next token is the one with the largest logit under the rules of
 * generation_config.json; the lowest id among equals, as in torch. */
#ifndef RUN_GENERATE_H
#define RUN_GENERATE_H

#include "model/generation.h"
#include "run/run.h"

struct continuation {
    int n_prompt;           /* tokens that are given, at least 1 */
    int most;               /* most tokens to add, at least 1 */
    const int *type;        /* [n_prompt] NULL: all 0; added tokens have 0 */
    int *id;                /* [n_prompt + most] the prompt; out: then the added tokens */
    int n;                  /* out: number of ids */
    bool ended;             /* out: the last one is an end token of the rules */
};

/*
 * Continues n_texts texts with model, all in one pass per step, over the tokens that are not cached
 * yet (over whole texts, if model cannot use a cache).  memory: the output of model's encoder for
 * the same texts, or NULL; change may have precision and fast alone.  spare: bytes that a second,
 * transposed copy of weights may take, to save time.  The continuation of a text depends neither on
 * the other texts nor on spare.
 *
 * Errors (ERR_INPUT): those of run_forward; a logit that is not a number.
 * Source: transformers generation/utils.py, _sample without sampling
 */
int run_generate(const struct model *model, const struct generation *rules,
                 const struct memory *memory, struct continuation *text, int n_texts,
                 const struct change *change, double spare, struct par *par, struct arena *call,
                 struct err *e);

/*
 * The same with model's decoder if model is an encoder-decoder: source holds the encoder's texts,
 * one per text, and is encoded first.  source NULL: model is the decoder.
 */
int run_generate_pair(const struct model *model, const struct generation *rules,
                      const struct batch *source, struct continuation *text, int n_texts,
                      const struct change *change, double spare, struct par *par,
                      struct arena *call, struct err *e);

/* A group of texts to be continued in the same passes; starts as { 0 }. */
struct generate_group {
    int n;
    double bytes;
};

/*
 * Adds a text of n_tokens (prompt and continuation) and n_memory tokens of its source to the
 * group.  false: the group is full (64 texts; 256 MiB of keys and values, which the first text may
 * exceed).
 */
bool generate_join(struct generate_group *group, const struct model *model, int n_tokens,
                   int n_memory);

/* Bytes that run_generate takes for one such text. */
double generate_memory(const struct model *model, int n_tokens, int n_memory);

/*
 * Applies the rules to logits [V] of the token after text->id[0 .. text->n - 1], in place, and
 * returns the id of the largest, the lowest of several; 0 if the rules exclude all.  -1: a logit is
 * not a number.
 * Source: transformers generation/logits_process.py, in its order
 */
int generate_choose(const struct generation *rules, const struct continuation *text,
                    float *logits, int V, struct arena *scratch);

#endif
