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
    int *type;                  /* [n] 0, or 1 for the second text as the template says */
    unsigned char *special;     /* [n] 1: the tokeniser calls its id special, as it does those
                                   of its template: whether it put the token there, or the text
                                   or a list of ids has it */
    struct range *bytes;        /* [n] UTF-8 bytes of the input; 0,0: it stands for none of it */
    struct range *chars;        /* [n] code points of the input; the same */
    const char **piece;         /* [n] as the vocabulary has it: "Ġcat", "##s" */
    const char **label;         /* [n] the text that it stands for, for figures:
                                   " cat", "s", "[UNK] tschüs"; may hold bytes that are not UTF-8
                                   (half of a character) and NULs */
    size_t *label_size;         /* [n] bytes of each label */
    int *word;                  /* [n] number of the word that each is of, from 0 through
                                   both texts; -1: none; NULL: not asked for */
};

/* Whether token i is special and stands for no text: the template's, or one of a list of ids. */
static inline bool tok_is_frame(const struct tokens *t, int i)
{
    return t->special[i] && t->bytes[i].end == 0;
}

struct tok_input {
    const char *text;           /* UTF-8, text_size bytes; may hold NULs */
    size_t text_size;
    const char *pair;           /* NULL: no second text */
    size_t pair_size;
    bool pretokenized;          /* pieces of the vocabulary, split at spaces */
    bool words;                 /* each word, split at white space, by itself */
    bool number_words;          /* fill word: which one each token is of */
    bool lenient_words;         /* with it: a token of several words is of none */
    bool no_special;            /* leave out what the template adds */
    struct budget *budget;      /* of the run that this text is one of (text/budget.h);
                                   NULL: it is the only one */
};

/*
 * Opens the tokeniser of a folder: tokenizer.json; else vocab.txt (with
 * tokenizer_config.json and special_tokens_map.json where there are any); else
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

/* The same for target texts, which Marian's target.spm is for. */
struct tok *tok_open_target(struct arena *a, const char *dir, struct err *e);

/* From the bytes of a tokenizer.json; name is for messages.  json may go when
 * it returns. */
struct tok *tok_open_memory(struct arena *a, struct span json, const char *name,
                            struct err *e);

/* From the bytes of a SentencePiece model: what its own settings say, no template. */
struct tok *tok_open_sentencepiece(struct arena *a, struct span model, const char *name,
                                   struct err *e);

/* Releases what the arena does not hold (compiled patterns). */
void tok_close(struct tok *t);

/*
 * Tokenises one input.  The arrays and labels of *out are of a; pieces belong to
 * t.  An empty text is fine.  May be called from several threads at once.
 *
 * Pretokenized pieces are a tokenised sentence as it is: nothing is added; special
 * ones stand for no text, type is 1 in the pair.  What is not a
 * piece is read as the text of one: that which begins or ends a word ("Ġcat" or "cat</w>" for
 * "cat"), else that inside of one.
 *
 * Words are tokenised as is_split_into_words of the transformers library does.  The
 * word that a token is of holds the first character at or after its start that is not
 * blank; template's tokens, and blanks at the end, have none.
 *
 * Errors (ERR_INPUT): bytes that are not UTF-8 (with the offset); a pretokenized
 * piece that the vocabulary lacks (named); a word that is other pieces by itself than
 * after a blank; a token of several words where they are numbered; a pair where the
 * tokeniser has no template for one; a step that takes more work or memory than the budget
 * allows (named, after the tokeniser's file); more than 2^30 bytes of text.
 */
int tok_encode(const struct tok *t, struct arena *a, const struct tok_input *in,
               struct tokens *out, struct err *e);

/*
 * Fills *out for ids that are given (--ids): pieces, labels and special flags as far as the
 * vocabulary knows them ("<id 70>" where it does not); spans 0,0; types from type_ids
 * (NULL: all 0).  t may be NULL: then every piece is "<id N>".
 */
void tok_describe(const struct tok *t, struct arena *a, const int *ids,
                  const int *type_ids, int n, struct tokens *out);

/* How many of a text's tokens are the unknown piece.  t NULL, or tokens without ids:
 * none. */
int tok_unknown(const struct tok *t, const struct tokens *tokens);

/* Whether a text holds nothing but white space (White_Space of Unicode). */
bool tok_is_blank(const char *text, size_t size);

/* *out: x, then y after it; their pieces and labels stay where they are. */
void tok_join(struct arena *a, const struct tokens *x, const struct tokens *y,
                 struct tokens *out);

/*
 * *out: the same tokens in block[tok_packed(t)], which is aligned as malloc aligns; pieces stay
 * where they are.
 */
size_t tok_packed(const struct tokens *t);
void tok_pack(void *block, const struct tokens *t, struct tokens *out);

/*
 * Cuts *t to max tokens.  What the template put there stays; the ends of the texts go,
 * first of the longer of two, so that both keep half where both are long: the strategy
 * longest_first of the tokenizers library.  Where that leaves no place for the template,
 * the first max tokens stay.
 */
void tok_cut(struct tokens *t, int max);

/*
 * A text in pieces of at most max tokens, as return_overflowing_tokens of the tokenizers
 * library makes them: what is cut, and of it in each piece room tokens, which begin step tokens
 * after those of the piece before.  All other tokens, the template's, stand in each piece.
 */
struct tok_split {
    struct range cut;
    bool second;                /* that is the second text of a pair */
    int room, step;
    int n;                      /* pieces; 1: the text is short enough as it is */
};

/*
 * pair: of two texts that the template joins; the longer one is cut, and the other stands whole
 * in each piece.  Else all is cut but special tokens at its beginning and end.
 *
 * overlap: tokens that two pieces have in common, besides those that stand in each.  false, and
 * no pieces: max leaves no place for more than those.
 */
bool tok_split(const struct tokens *t, bool pair, int max, int overlap, struct tok_split *out);
/* The tokens of t that are those of this piece alone. */
struct range tok_split_range(const struct tok_split *s, int piece);
/* All of a piece, its strings too, is of a: spans and words are those of the whole text. */
void tok_split_piece(const struct tokens *t, const struct tok_split *s, int piece,
                     struct arena *a, struct tokens *out);

/*
 * Labels and special flags of pieces that came without their tokeniser, label_size the
 * bytes of each piece: of byte-level pieces where all of them can be such, else with
 * spaces for "▁" or without "##", where any piece has that; without "</w>" where any ends
 * so.  What stands in <> or [] is special.
 */
void tok_guess(struct arena *a, struct tokens *t);

int tok_vocab_size(const struct tok *t);        /* highest id + 1 */
int tok_id(const struct tok *t, const char *piece, size_t size);    /* -1: none */
const char *tok_piece(const struct tok *t, int id);                 /* NULL: none */

#endif
