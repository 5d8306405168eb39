/* SPDX-License-Identifier: MIT
 *
 * Classes of tokens: start and end tokens, separators, punctuation. */
#ifndef SESSION_MARK_H
#define SESSION_MARK_H

#include "session/texts.h"

/* Whether the model, one with weights, is causal in all its layers: no query attends to a later
 * key. */
bool mark_looks_back(const struct model *model);

/*
 * Bits of enum token_mark of the tokens of one side, as shown: of words merged by --merge, the
 * bits that all their tokens have.
 *
 * Ends: the ids that the model's config (GGUF: its tokeniser) calls eos_token_id; without
 * any, [SEP]; and the token that starts a decoder's text.  Separators: [SEP] or <sep>; where
 * the vocabulary has none, eos_token_id, and in a decoder without an encoder also
 * bos_token_id and new lines.  Punctuation: a full stop or a comma, as Clark et al. 2019
 * count it.
 */
const unsigned char *mark_tokens(const struct session *session, const struct item *item,
                                 enum item_side which, struct arena *a);

#endif
