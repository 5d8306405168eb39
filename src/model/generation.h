/* SPDX-License-Identifier: MIT
 *
 * The rules of generation from generation_config.json, else config.json, else GGUF's keys, as far
 * as they affect greedy choice.  Keys of sampling and beam search (do_sample, temperature,
 * num_beams, length_penalty) are ignored. */
#ifndef MODEL_GENERATION_H
#define MODEL_GENERATION_H

#include "model/model.h"

struct generation {
    int start;                      /* decoder_start_token_id, else bos_token_id; or -1 */
    struct id_list end;             /* eos_token_id: any of them ends the text */
    int forced_first;               /* forced_bos_token_id: after a single token; or -1 */
    struct id_list forced_last;     /* forced_eos_token_id: at the maximum length */
    struct id_list suppressed;      /* suppress_tokens: never */
    struct id_list suppressed_first;    /* begin_suppress_tokens: not as the first */
    int n_bad;
    const struct id_list *bad;      /* [n_bad] bad_words_ids: they never occur */
    int no_repeat;                  /* no_repeat_ngram_size: n-grams of this size occur once; 0: off
                                       */
    int min_length, min_new;        /* tokens before which there is no end; min_new counts
                                       only those that are generated */
    double penalty;                 /* repetition_penalty: on what has occurred; 1: off */
};

/*
 * Reads them for model, the whole model.
 *
 * Errors (ERR_INPUT): a file that is not a JSON object; a value of the wrong type (key,
 * found, expected); a token to force or to start with that is not in the vocabulary; an
 * unsupported key that affects greedy choice (sequence_bias, guidance_scale,
 * encoder_repetition_penalty, encoder_no_repeat_ngram_size,
 * exponential_decay_length_penalty, watermarking_config).
 * Source: transformers generation/configuration_utils.py
 */
int generation_read(struct generation *generation, struct arena *a, const struct model *model,
                    struct err *e);

/* The same from the bytes of such a file; name is for messages. */
int generation_read_json(struct generation *generation, struct arena *a, const struct model *model,
                         struct span bytes, const char *name, struct err *e);

/*
 * Whether a row's logits are those of the next token, so that a text can be continued: the model is
 * causal, and its head does not predict the row's own token, as XLNet's does.
 */
bool model_predicts_next(const struct model *model);

#endif
