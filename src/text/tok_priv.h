/* SPDX-License-Identifier: MIT
 *
 * What the files of this folder share.  A tokeniser is four steps, each a row of
 * a table: normaliser, pre-tokeniser, model, post-processor.  The text travels as
 * parts (stretches of it, changed or not, each byte knowing which bytes of the
 * input it stands for) until the model turns parts into tokens.
 *
 * Offsets and sizes are bytes unless they say chars. */
#ifndef TEXT_TOK_PRIV_H
#define TEXT_TOK_PRIV_H

#include <jansson.h>
#include <stdint.h>

#include "text/budget.h"
#include "text/tok.h"

struct text {
    const char *s;
    size_t n;
};

/* ---- chars.c: classes of code points, as the tokenizers library has them ---- */

bool chars_is_space(int cp);         /* White_Space */
bool chars_is_word(int cp);          /* \w: Alphabetic, M, Nd, Pc, Join_Control */
bool chars_is_numeric(int cp);       /* Nd, Nl, No */
bool chars_is_punct(int cp);         /* ASCII punctuation and P* */
bool chars_is_other(int cp);         /* Cc, Cf, Co */
bool chars_is_nonspacing(int cp);    /* Mn */
bool chars_is_mark(int cp);          /* Mn, Mc, Me */
bool chars_is_chinese(int cp);       /* the blocks that BERT puts spaces around */

/* Decodes UTF-8 that was checked: never fails; n > 0. */
int chars_next(const char *s, size_t n, int *cp);
/* The character that ends at s + n; n > 0. */
int chars_before(const char *s, size_t n, int *cp);

/* ---- trie.c: the longest of many strings that a text begins with ---- */

struct trie {
    struct trie_edge *edge;     /* hash of (node, byte) -> node */
    size_t mask, n_edges;
    int *value;                 /* [n_nodes] -1: no string ends here */
    size_t n_nodes, cap;
    bool begins[256];           /* a string, with this byte */
};

void trie_init(struct trie *t, struct arena *a);
/* Room for about n more nodes at once. */
void trie_reserve(struct trie *t, struct arena *a, size_t n);
/* The first value of a string stays.  The empty string is ignored. */
void trie_add(struct trie *t, struct arena *a, const char *s, size_t n, int value);
/* How many bytes of s[n] stand before the first with which a string may begin. */
size_t trie_skip(const struct trie *t, const char *s, size_t n);
/* The node one byte on (the root is 0), or 0 where no string goes on so. */
uint32_t trie_step(const struct trie *t, uint32_t node, char byte);
/* Its value, or -1; *length is its length; *seen grows by the bytes that were compared. */
int trie_longest(const struct trie *t, const char *s, size_t n, size_t *length,
                 size_t *seen);

/* ---- vocab.c: pieces and ids ---- */

struct tok;

struct piece {
    const char *s;              /* NUL after it */
    uint32_t n;
    int id;
    bool added, special;
};

struct vocab {
    struct piece *v;
    size_t n, cap;
    size_t n_model;             /* the model's own come first; then added ones */
    size_t longest;             /* bytes */
    uint32_t *slot;             /* hash -> index + 1 */
    size_t mask;
    uint32_t *by_id;            /* [n_ids] index + 1; 0: no such id */
    size_t n_ids, ids_cap;
};

void vocab_init(struct vocab *v, struct arena *a, size_t n);
/* Errors: an id that is negative, too large or taken; a piece that is there. */
int vocab_add(struct vocab *v, struct arena *a, struct text s, json_int_t id,
              struct err *e);
int vocab_find(const struct vocab *v, const char *s, size_t n);     /* -1: none */
/* The same among the model's own pieces. */
int vocab_find_model(const struct vocab *v, const char *s, size_t n);
/*
 * The longest of the model's own pieces that is head and a beginning of s[n];
 * *length: of that beginning, at least 1; *seen grows by the beginnings that there are, and 1.
 */
int vocab_longest(const struct vocab *v, struct text head, const char *s, size_t n,
                  size_t *length, size_t *seen);
const struct piece *vocab_piece(const struct vocab *v, int id);     /* NULL: none */
/* {"piece": id, …} */
int vocab_read(struct vocab *v, struct arena *a, const json_t *j, struct err *e);
/* The same of the "vocab" of a model, unless it is given. */
int vocab_open(struct tok *t, const json_t *model, struct err *e);

/* ---- skim.c ---- */

/*
 * Reads {"model": {"vocab": {"piece": id, …}}}, or a Unigram's [["piece", score],
 * …], "merges" after it, and a normaliser's character map before it, without a tree,
 * and returns the rest of the file, with null in their place; t->given says which.
 * Leaves t empty and returns json as it is where the vocabulary is missing, not plain or
 * wrong; merges and maps of that kind stay in the rest.  Merges point into json.
 */
struct span skim_vocab(struct tok *t, struct span json);

/* ---- the tokeniser ---- */

struct work;
struct regex_run;

struct step {
    int (*run)(const void *self, struct work *w, struct err *e);   /* NULL: none */
    const void *self;
    const char *name;           /* "normalizer Replace"; NULL: a Sequence */
};

/* One kind of step: open reads its settings (NULL: it has none). */
struct step_kind {
    const char *type;           /* as tokenizer.json says it */
    const void *(*open)(struct tok *t, const json_t *j, struct err *e);
    int (*run)(const void *self, struct work *w, struct err *e);
};

struct step_table {
    const char *section, *list;     /* "normalizer", "normalizers" (of a Sequence) */
    const struct step_kind *rows;   /* ends with type NULL */
};

extern const struct step_table normal_table, presplit_table, step_models,
                               finish_table;

/* Opens j by its "type"; null gives a step that does nothing. */
int step_open(struct tok *t, const struct step_table *table, const json_t *j,
              struct step *out, struct err *e);
/*
 * Errors: those of the step; more work or memory than w may take (too_much or too_large is
 * then set, and the step is named).
 */
int step_run(const struct step *s, struct work *w, struct err *e);

/* ---- bound.c ---- */

/* The error of what w has taken beyond its bounds. */
int bound_check(struct work *w, struct err *e);
/* So much work was done; sets too_much where that is beyond the budget. */
void bound_spend(struct work *w, uint64_t work);

struct regex;

/* A piece of a model that goes by scores (log probabilities). */
struct scored {
    struct text s;
    double score;
    int id;
    bool unknown;               /* it is the unknown piece itself */
};

/* Two pieces that become one, in the order of their ranks. */
struct merge_text {
    struct text left, right;
};

/* Tokens that are found in the text itself, before anything else. */
struct added {
    struct added_token *v;
    size_t n;
    int next_id;                /* of one that is numbered here */
    struct trie raw, normal;    /* found before, and after the normaliser */
};

/*
 * What the reader of a file has put into the tokeniser already, so that the JSON of a
 * step holds null for it.  The step that takes it up clears its flag.
 */
struct given {
    bool vocab;                     /* tok.vocab: the model's pieces */
    bool scored;                    /* tok.scored: their scores */
    bool merges;                    /* tok.merges: a BPE's merges */
    bool merges_by_score;           /* every two pieces that make a third, by its score */
    bool words;                     /* tok.scored: a WordLevel's, as SentencePiece has them:
                                       neighbours that are unknown are one */
    bool map;                       /* tok.map: a Precompiled normaliser's characters */
    bool map_longest;               /* applied as SentencePiece does */
    bool plain_added;               /* added tokens that are sought after the normaliser
                                       are there as they are */
};

struct tok {
    struct arena *a;
    const char *name;               /* for messages */
    struct given given;
    struct vocab vocab;
    struct added added;
    struct step normal, presplit, model, finish;
    struct regex *regexes;          /* to be released */
    size_t regex_bytes;             /* that they take compiled */
    int unknown;                    /* id of what stands for unknown text; -1: none */
    bool byte_level;                /* pieces are in the byte-level alphabet */
    bool blank_before;              /* a word is marked by a blank of the text alone */
    struct scored *scored;          /* [n_scored] that the model finds in a text */
    size_t n_scored;
    struct merge_text *merges;      /* [n_merges] that are not in the JSON */
    size_t n_merges;
    struct span map;                /* a character map that is not in the JSON */
    struct trie *kept;              /* what that map leaves as it is; NULL: nothing */
    struct text prefix;             /* of pieces inside a word: "##", or empty */
    struct text suffix;             /* of pieces that end a word: "</w>", or empty */
    struct text blank;              /* what stands for ' ' in pieces: "▁", or empty */
    bool byte_pieces;               /* the piece "<0xE6>" stands for a byte */
};

/*
 * A text's own tokens, or a word's, after those of the sequence in hand; spans in bytes.
 * Parts that a normaliser has emptied go when added tokens are sought, and no pre-tokeniser
 * makes any, so that models see none.
 */
int pipeline_run(struct work *w, const char *s, size_t n, struct err *e);

/* Writes the label of a piece to `to`, which has room for the piece; returns its size. */
size_t tok_label(const struct tok *t, const struct piece *p, char *to);

/* ---- work on one text ---- */

struct part {
    const char *s;              /* [n] normalised so far */
    size_t n;
    const struct range *from;   /* [n] input bytes that each byte stands for;
                                   NULL: s is the input itself */
    int origin;                 /* where in the input the part begins */
    int id;                     /* an added token's, or -1 */
};

struct parts {
    struct part *v;
    size_t n, cap;
};

struct work_token {
    int id, type;
    bool special;               /* put there by the template, or a special piece of pieces */
    bool pair;                  /* its span is one of the second text */
    struct range span;          /* bytes of the input, then chars */
    int word, origin;           /* of --words: its number; where it begins, as the span */
    struct text match;          /* what the library keeps in place of the piece: an added
                                   or unknown token's text, spaces and all; s NULL: none */
};

struct seq {
    struct work_token *v;
    size_t n, cap;
};

struct work {
    const struct tok *t;
    struct arena *a;
    struct parts parts;
    struct seq *seqs;           /* the text, the pair; then what the template made */
    int n_seqs;
    bool special;               /* the template's tokens are asked for */
    struct regex_run *regex;    /* NULL: not needed so far */
    struct budget *budget;      /* of the run; NULL: no bound */
    const char *step;           /* what runs now, for messages */
    struct arena_mark start;    /* before this work … */
    size_t memory;              /* … which may take so many bytes; 0: no bound */
    struct arena_mark text;     /* before this text's parts; only until the model */
    bool settles;               /* it holds: what lies after it can be parts alone */
    size_t grown;               /* bytes that the step made of fewer */
    size_t limit;               /* more of them, or in one part, than this … */
    size_t most;                /* … or parts, matches or tokens (0: no bound) … */
    bool too_large;             /* … set this, and the step fails */
    bool too_many;              /* it was parts, matches or tokens */
    bool too_much;              /* the step has taken too much work */
};

/* The input bytes that bytes [i, j) of the part stand for; i < j <= n. */
struct range part_span(const struct part *p, size_t i, size_t j);
struct part part_slice(const struct part *p, size_t i, size_t j);        /* i < j */
void part_add(struct work *w, struct parts *p, struct part part);
/* Bytes [i, j) of p, unless that is nothing. */
void part_add_slice(struct work *w, struct parts *out, const struct part *p, size_t i,
                     size_t j);
void part_seq_add(struct work *w, struct seq *s, struct work_token t);
/* Room for n tokens in all, with no more to spare. */
void part_seq_reserve(struct work *w, struct seq *s, size_t n);
/* Frees what earlier steps made of the text, if that is much. */
void part_settle(struct work *w);
/* A token of the sequence in hand: bytes [i, j) of the part. */
void part_emit(struct work *w, const struct part *p, int id, size_t i, size_t j);
/* The same, with those bytes as its match. */
void part_emit_text(struct work *w, const struct part *p, int id, size_t i, size_t j);
void part_emit_added(struct work *w, const struct part *p);     /* the whole part */

/*
 * Writes a part anew, character by character, as the library's "transform" does.
 * change says what becomes of the old characters: 0: this one replaces the next
 * one; -k: it replaces the next one and swallows k more; 1: it is new, and stands
 * for what the character before it stood for.
 */
struct rewrite {
    struct work *w;
    struct part *p;
    size_t at;                  /* bytes of p that are used up */
    char *s;
    struct range *from;
    size_t n, cap;
};

void part_rewrite_begin(struct rewrite *r, struct work *w, struct part *p);
void part_rewrite_skip(struct rewrite *r);       /* drops the next character */
void part_rewrite_put(struct rewrite *r, int cp, int change);
void part_rewrite_keep(struct rewrite *r, size_t n);     /* the next n bytes as they are */
void part_rewrite_end(struct rewrite *r);        /* *p is now the new text */

/* ---- cutting parts up ---- */

struct cut { size_t start, end; bool match; };

struct cuts {
    struct cut *v;
    size_t n, cap;
};

void part_cuts_add(struct work *w, struct cuts *c, size_t start, size_t end, bool match);

/* What becomes of matches; CONTIGUOUS joins neighbours that are both matches. */
enum behaviour { REMOVED, ISOLATED, PREVIOUS, NEXT, CONTIGUOUS, N_BEHAVIOUR };

/* Adds what the cuts leave of p to out. */
void part_cuts_apply(struct work *w, enum behaviour b, struct cuts *c,
                     const struct part *p, struct parts *out);
/* Replaces the parts by what fn makes of each that is not a token yet. */
int part_each(struct work *w, const void *self,
              int (*fn)(const void *self, struct work *w, const struct part *p,
                        struct parts *out, struct err *e), struct err *e);

/* ---- byte_level.c ---- */

/* The character of the byte-level alphabet that stands for byte b (GPT-2). */
int byte_level_char(unsigned char b);
int byte_level_byte(int cp);           /* -1: cp is not of that alphabet */

const void *byte_level_open(struct tok *t, const json_t *j, struct err *e);
int byte_level_run(const void *self, struct work *w, struct err *e);
/* As a normaliser: only the alphabet. */
const void *byte_level_normal_open(struct tok *t, const json_t *j, struct err *e);
int byte_level_normal_run(const void *self, struct work *w, struct err *e);

/* ---- replace.c: normalisers that look for something ---- */

const void *replace_open(struct tok *t, const json_t *j, struct err *e);
int replace_run(const void *self, struct work *w, struct err *e);
const void *replace_prepend_open(struct tok *t, const json_t *j, struct err *e);
int replace_prepend_run(const void *self, struct work *w, struct err *e);
const void *replace_strip_open(struct tok *t, const json_t *j, struct err *e);
int replace_strip_run(const void *self, struct work *w, struct err *e);

/* ---- charsmap.c: SentencePiece's compiled normaliser ---- */

struct charsmap;

/*
 * The map: a 32-bit size, a double array of so many bytes, then texts that end
 * in a NUL; little-endian.  Its bytes are copied.  longest: as SentencePiece
 * applies it, else as the tokenizers library does.  NULL: damaged.
 */
const struct charsmap *charsmap_read(struct tok *t, struct span map, bool longest,
                                     struct err *e);
/* From base64, as tokenizer.json has it; false: it is not. */
bool charsmap_decode(struct arena *a, struct text s, struct span *out);
const void *charsmap_open(struct tok *t, const json_t *j, struct err *e);
int charsmap_run(const void *self, struct work *w, struct err *e);

/* ---- scripts.c ---- */

/* The pre-tokeniser UnicodeScripts. */
int scripts_run(const void *self, struct work *w, struct err *e);

/* ---- metaspace.c ---- */

const void *metaspace_open(struct tok *t, const json_t *j, struct err *e);
int metaspace_run(const void *self, struct work *w, struct err *e);

/* ---- wordpiece.c, bpe.c, unigram.c, wordlevel.c: the rows of the table of models ---- */

const void *wordpiece_open(struct tok *t, const json_t *j, struct err *e);
int wordpiece_run(const void *self, struct work *w, struct err *e);
const void *bpe_open(struct tok *t, const json_t *j, struct err *e);
/* "a b" -> its halves; -1: it has no blank, or several. */
int bpe_merge_halves(struct text both, struct merge_text *out);
int bpe_run(const void *self, struct work *w, struct err *e);
const void *unigram_open(struct tok *t, const json_t *j, struct err *e);
int unigram_run(const void *self, struct work *w, struct err *e);
const void *wordlevel_open(struct tok *t, const json_t *j, struct err *e);
int wordlevel_run(const void *self, struct work *w, struct err *e);

/* The ids of the pieces "<0x00>" to "<0xFF>", -1 where there is none. */
void byte_level_piece_ids(const struct vocab *v, int id[256]);
/* The byte that a piece stands for, or -1. */
int byte_level_of_piece(const char *s, size_t n);

/* ---- regex.c: Oniguruma's patterns by PCRE2 ---- */

/* Errors: a pattern that is wrong, or that PCRE2 would read in another way. */
struct regex *regex_open(struct tok *t, struct text pattern, struct err *e);
void regex_close(struct regex *first);

/* Covers s[n] with matches and what lies between them. */
int regex_cuts(const struct regex *r, struct work *w, const char *s, size_t n,
               struct cuts *c, struct err *e);

/* ---- pattern.c: {"String": …} or {"Regex": …} ---- */

struct pattern {
    const struct regex *regex;      /* NULL: the text below */
    struct text text;
};

/* Of the field "pattern". */
int pattern_open(struct tok *t, const json_t *j, struct pattern *out, struct err *e);
/* Empties c and covers the part with matches and what lies between them. */
int pattern_cuts(const struct pattern *m, struct work *w, const struct part *p,
                 struct cuts *c, struct err *e);

/* ---- added.c ---- */

int added_open(struct tok *t, const json_t *list, struct err *e);
/* Splits the parts at tokens of the trie; what is found becomes a part of its own. */
int added_split(const struct added *a, const struct trie *trie, struct work *w,
                struct err *e);

/* ---- words.c: words of a text, and the pieces that stand for them ---- */

enum { WORD_NONE = -1, WORD_SEVERAL = -2 };

/* Each word's tokens, into the sequence in hand. */
int words_encode(struct work *w, const char *s, size_t n, struct err *e);
/* Fills out->word of the tokens that w's sequences became. */
int words_number(const struct work *w, const struct tok_input *in, struct tokens *out,
                 struct err *e);
/* The token of a piece, else of the text of one, first of a word's beginning; -1: neither. */
int words_piece(const struct tok *t, struct arena *a, const char *s, size_t n);

/* ---- template.c ---- */

/*
 * Sets the post-processor of a tokenizer.json: before A after, [before] B after; NULL:
 * none.  The vocabulary is there already, in the JSON or in t.
 */
void template_put(const struct tok *t, json_t *root, const char *before,
                  const char *after, bool before_pair);

/* ---- hf.c, bare.c: files -> struct tok ---- */

/*
 * The tokenizer.json that a folder without one stands for; NULL on errors.  Where
 * it comes from a SentencePiece model, vocabulary, scores and map are in t, and
 * t->given says so.  The arena owns the JSON.  target: that of target texts, where the
 * folder has another for them.
 */
json_t *bare_read(struct tok *t, const char *dir, bool target, struct err *e);
/* The same for the bytes of a SentencePiece model and nothing else. */
json_t *spm_root(struct tok *t, struct span file, struct err *e);

#endif
