/* SPDX-License-Identifier: MIT
 *
 * What the tokens of a text are: ends, separators, punctuation. */
#ifndef SESSION_MARK_H
#define SESSION_MARK_H

#include "session/texts.h"

/* No token of the model, of weights, sees one that follows it. */
bool mark_looks_back(const struct model *m);

/*
 * Bits of enum token_mark of the tokens of one side, as they are shown: a word has what all
 * of its tokens have.
 *
 * Ends: the ids that the model's config (GGUF: its tokeniser) calls eos_token_id; without
 * any, [SEP]; and the token that starts a decoder's text.  Separators: [SEP] or <sep>; where
 * the vocabulary has none, eos_token_id, and in a decoder without an encoder also
 * bos_token_id and new lines.  Punctuation: a full stop or a comma, as Clark et al. 2019
 * count it.
 */
const unsigned char *mark_tokens(const struct session *s, const struct item *item,
                                 enum item_side which, struct arena *a);

#endif
