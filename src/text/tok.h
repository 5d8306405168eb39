/* SPDX-License-Identifier: MIT
 *
 * Text -> token ids, each with its span in the text; the same ids, types
 * and spans as the Hugging Face tokenizers library gives. */
#ifndef TEXT_TOK_H
#define TEXT_TOK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

struct tok;
struct budget;

/* Half-open; counted in the text (or in the pair, for tokens of type B). */
struct range { int start, end; };

struct tokens {
    int n;
    int *id;                    /* [n] */
    int *type;                  /* [n] segment: 0, or 1 for the second text by the template */
    unsigned char *special;     /* [n] 1: its id is special in the tokeniser, whether the template
                                   added it, or the text or a list of ids has it */
    struct range *bytes;        /* [n] UTF-8 bytes of the input; 0,0: not from the input */
    struct range *chars;        /* [n] code points of the input; the same */
    const char **piece;         /* [n] as in the vocabulary: "Ġcat", "##s" */
    const char **label;         /* [n] its decoded text, for figures: " cat", "s",
                                   "[UNK] tschüs"; may contain bytes that are not UTF-8 (half of
                                   a character) and NULs */
    size_t *label_size;         /* [n] bytes of each label */
    int *word;                  /* [n] number of its word, from 0 through both texts; -1: no
                                   word; NULL: words are not numbered */
};

/* Whether token i is special and not from the text: added by the template, or one of a list of ids.
 * */
static inline bool tok_is_frame(const struct tokens *tokens, int i)
{
    return tokens->special[i] && tokens->bytes[i].end == 0;
}

struct tok_input {
    const char *text;           /* UTF-8, text_size bytes; may hold NULs */
    size_t text_size;
    const char *pair;           /* NULL: no second text */
    size_t pair_size;
    bool pretokenized;          /* the text is pieces of the vocabulary, separated by spaces */
    bool words;                 /* words, split at white space, are tokenised separately */
    bool number_words;          /* set tokens.word */
    bool lenient_words;         /* with it: a token that spans words gets -1, not an error */
    bool no_special;            /* without the template's tokens */
    struct budget *budget;      /* work limit of all texts of the run (text/budget.h); NULL: this is
                                   the only text */
};

/*
 * Opens the tokeniser of a folder: tokenizer.json; else vocab.txt (with
 * tokenizer_config.json and special_tokens_map.json if present); else
 * vocab.json and merges.txt; else the one GGUF file in it; else a SentencePiece
 * model (spiece.model, tokenizer.model, sentencepiece.bpe.model, spm.model, or
 * source.spm with vocab.json).  dir may also be a GGUF file.  Needs neither
 * config.json nor weights.  Sections
 * "padding" and "truncation" are ignored.
 *
 * Errors (ERR_INPUT): no such files, a damaged one, a step that is not
 * supported (named).
 */
struct tok *tok_open(struct arena *a, const char *dir, struct err *e);

/* The same for target texts: Marian has target.spm for them. */
struct tok *tok_open_target(struct arena *a, const char *dir, struct err *e);

/* From the bytes of a tokenizer.json, which are copied; name is for messages. */
struct tok *tok_open_memory(struct arena *a, struct span json, const char *name,
                            struct err *e);

/* From the bytes of a SentencePiece model, by its own settings, without a template. */
struct tok *tok_open_sentencepiece(struct arena *a, struct span model, const char *name,
                                   struct err *e);

/* Releases memory outside the arena (compiled patterns). */
void tok_close(struct tok *tok);

/*
 * Tokenises one input.  The arrays and labels of *out are allocated in a; pieces belong to
 * tok.  The text may be empty.  May be called from several threads at once.
 *
 * Pretokenized input is a complete tokenised sentence: no tokens are added; special ones
 * have no span; type is 1 in the pair.  A string that is not a piece is looked up as the
 * text of one: of a piece that begins or ends a word ("Ġcat" or "cat</w>" for "cat"), else of
 * one inside a word.
 *
 * Words are tokenised as with is_split_into_words in the transformers library.  A token's
 * word is that of the first character at or after its start that is not blank; tokens of the
 * template, and blanks at the end, have none.
 *
 * Errors (ERR_INPUT): bytes that are not UTF-8 (with the offset); a pretokenized piece that
 * is not in the vocabulary (named); a word that alone has other pieces than after a blank; a
 * token that spans words, if they are numbered; a pair, if the tokeniser has no template for
 * pairs; a step that exceeds the budget of work or memory (named, after the tokeniser's file);
 * more than 2^30 bytes of text.
 */
int tok_encode(const struct tok *tok, struct arena *a, const struct tok_input *in,
               struct tokens *out, struct err *e);

/*
 * Fills *out for given ids (--ids): pieces, labels and special flags from the vocabulary ("<id 70>"
 * for an unknown id); spans 0,0; types from type_ids (NULL: all 0).  tok may be NULL: then every
 * piece is "<id N>".
 */
void tok_describe(const struct tok *tok, struct arena *a, const int *ids,
                  const int *type_ids, int n, struct tokens *out);

/* Number of unknown tokens of a text; 0 if tok is NULL, or tokens have no ids. */
int tok_unknown(const struct tok *tok, const struct tokens *tokens);

/* Whether a text is only white space (White_Space of Unicode). */
bool tok_is_blank(const char *text, size_t size);

/* *out: x, then y; pieces and labels are shared, not copied. */
void tok_join(struct arena *a, const struct tokens *x, const struct tokens *y,
                 struct tokens *out);

/*
 * *out: a copy of the tokens in block[tok_packed(tokens)], aligned like malloc's memory; pieces are
 * shared.
 */
size_t tok_packed(const struct tokens *tokens);
void tok_pack(void *block, const struct tokens *tokens, struct tokens *out);

/*
 * Truncates *tokens to max tokens, by the strategy longest_first of the tokenizers library: tokens
 * of the template remain; the ends of the texts are removed, first of the longer of two, so that
 * two long ones keep half each.  If the template leaves no room, the first max tokens remain.
 */
void tok_cut(struct tokens *tokens, int max);

/*
 * The split of a text into pieces of at most max tokens, as by return_overflowing_tokens of the
 * tokenizers library: each piece has `room` tokens of the range that is cut, beginning `step`
 * tokens after those of the previous piece, and all other tokens, such as the template's.
 */
struct tok_split {
    struct range cut;
    bool second;                /* the second text of a pair is cut */
    int room, step;
    int n;                      /* number of pieces; 1: the text is short enough */
};

/*
 * pair: two texts joined by the template; the longer one is cut, the other is in each piece as a
 * whole.  Else all is cut except special tokens at the beginning and end.
 *
 * overlap: tokens that adjacent pieces share, besides those in every piece.  false, without pieces:
 * max leaves no room for more than these.
 */
bool tok_split(const struct tokens *tokens, bool pair, int max, int overlap, struct tok_split *out);
/* The tokens of t, of the range that is cut, that are in this piece. */
struct range tok_split_range(const struct tok_split *split, int piece);
/* *out = a piece, with its strings, in arena a; spans and words are those of the whole text. */
void tok_split_piece(const struct tokens *tokens, const struct tok_split *split, int piece,
                     struct arena *a, struct tokens *out);

/*
 * Guesses labels and special flags of pieces without their tokeniser; label_size is set to the
 * bytes of each piece.  Pieces are decoded as byte-level if all can be; else with spaces for
 * "▁", or without "##", if any piece has these; without "</w>" if any ends so.  Pieces in <> or
 * [] are special.
 */
void tok_guess(struct arena *a, struct tokens *tokens);

int tok_vocab_size(const struct tok *tok);        /* highest id + 1 */
int tok_id(const struct tok *tok, const char *piece, size_t size);    /* -1 if not in vocabulary */
const char *tok_piece(const struct tok *tok, int id);                 /* NULL if no such id */

#endif
