/* SPDX-License-Identifier: MIT
 *
 * Private interface of this folder.  A tokeniser is four steps, each a row of a table:
 * normaliser, pre-tokeniser, model, post-processor.  Until the model turns them into tokens,
 * the text is a list of parts: pieces of it, rewritten or not, with the input bytes that each
 * byte comes from.
 *
 * Offsets and sizes are in bytes unless named chars. */
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
    bool begins[256];           /* some string begins with this byte */
};

void trie_init(struct trie *trie, struct arena *a);
/* Allocates room for about n more nodes. */
void trie_reserve(struct trie *trie, struct arena *a, size_t n);
/* Adds a string; if it exists, its value is unchanged.  The empty string is ignored. */
void trie_add(struct trie *trie, struct arena *a, const char *s, size_t n, int value);
/* Number of bytes of s[n] before the first with which a string may begin. */
size_t trie_skip(const struct trie *trie, const char *s, size_t n);
/* The child of a node (the root is 0) for a byte; 0 if no string continues so. */
uint32_t trie_step(const struct trie *trie, uint32_t node, char byte);
/* The value of the longest string at s, or -1; *length: its length; the bytes compared are added to
 * *seen. */
int trie_longest(const struct trie *trie, const char *s, size_t n, size_t *length,
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
    size_t n_model;             /* the model's own pieces, which come before added ones */
    size_t longest;             /* bytes of the longest piece */
    uint32_t *slot;             /* hash -> index + 1 */
    size_t mask;
    uint32_t *by_id;            /* [n_ids] index + 1; 0: no such id */
    size_t n_ids, ids_cap;
};

void vocab_init(struct vocab *vocab, struct arena *a, size_t n);
/* Errors: an id that is negative, too large or taken; a piece that is there. */
int vocab_add(struct vocab *vocab, struct arena *a, struct text s, json_int_t id,
              struct err *e);
int vocab_find(const struct vocab *vocab, const char *s, size_t n);     /* -1: none */
/* The same among the model's own pieces. */
int vocab_find_model(const struct vocab *vocab, const char *s, size_t n);
/*
 * The longest of the model's own pieces that is head followed by a prefix of s[n]; *length: of
 * that prefix, at least 1; the number of prefixes tried + 1 is added to *seen.
 */
int vocab_longest(const struct vocab *vocab, struct text head, const char *s, size_t n,
                  size_t *length, size_t *seen);
const struct piece *vocab_piece(const struct vocab *vocab, int id);     /* NULL: none */
/* Reads {"piece": id, …}. */
int vocab_read(struct vocab *vocab, struct arena *a, const json_t *j, struct err *e);
/* The same for the "vocab" of a model, unless tok->given has it. */
int vocab_open(struct tok *tok, const json_t *model, struct err *e);

/* ---- skim.c ---- */

/*
 * Reads {"model": {"vocab": {"piece": id, …}}}, or a Unigram's [["piece", score], …],
 * "merges" after it, and a normaliser's character map before it, without building a JSON tree,
 * into tok; returns the rest of the file, with null in their place; tok->given tells which were
 * read.
 * If the vocabulary is missing, unusual or wrong, tok stays empty and json is returned unchanged;
 * such merges and maps remain in the rest.  Merges point into json.
 */
struct span skim_vocab(struct tok *tok, struct span json);

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
    const char *type;           /* "type" in tokenizer.json */
    const void *(*open)(struct tok *t, const json_t *j, struct err *e);
    int (*run)(const void *self, struct work *w, struct err *e);
};

struct step_table {
    const char *section, *list;     /* "normalizer", "normalizers" (of a Sequence) */
    const struct step_kind *rows;   /* ends with type NULL */
};

extern const struct step_table normal_table, presplit_table, step_models,
                               finish_table;

/* Opens the step j by its "type"; null is a step that does nothing. */
int step_open(struct tok *tok, const struct step_table *table, const json_t *j,
              struct step *out, struct err *e);
/*
 * Errors: those of the step; more work or memory than allowed (then work->too_much or too_large is
 * set, and the error names the step).
 */
int step_run(const struct step *step, struct work *work, struct err *e);

/* ---- bound.c ---- */

/* Sets an error if work has exceeded its limits. */
int bound_check(struct work *work, struct err *e);
/* Charges work to the budget; sets too_much if it is exceeded. */
void bound_spend(struct work *w, uint64_t work);

struct regex;

/* A piece with a score, its log probability (Unigram). */
struct scored {
    struct text s;
    double score;
    int id;
    bool unknown;               /* it is the unknown piece itself */
};

/* A BPE merge of two pieces; merges are in the order of their ranks. */
struct merge_text {
    struct text left, right;
};

/* Added tokens, which are found in the text before it is split. */
struct added {
    struct added_token *v;
    size_t n;
    int next_id;                /* id of the next added token without one */
    struct trie raw, normal;    /* tokens matched before, and after the normaliser */
};

/*
 * Data that the reader of a file has put into the tokeniser already, so that the JSON of a step
 * has null in their place.  The step that uses them clears the flag.
 */
struct given {
    bool vocab;                     /* tok.vocab: the model's pieces */
    bool scored;                    /* tok.scored: their scores */
    bool merges;                    /* tok.merges: a BPE's merges */
    bool merges_by_score;           /* merges are all pairs whose concatenation is a piece, ranked
                                       by its score */
    bool words;                     /* tok.scored: a WordLevel's of SentencePiece: adjacent unknown
                                       parts are joined */
    bool map;                       /* tok.map: a Precompiled normaliser's character map */
    bool map_longest;               /* applied as SentencePiece does */
    bool plain_added;               /* added tokens that are matched after the normaliser are not
                                       normalised themselves */
};

struct tok {
    struct arena *a;
    const char *name;               /* for messages */
    struct given given;
    struct vocab vocab;
    struct added added;
    struct step normal, presplit, model, finish;
    struct regex *regexes;          /* to be released */
    size_t regex_bytes;             /* bytes that they take compiled */
    int unknown;                    /* id of the unknown piece; -1: none */
    bool byte_level;                /* pieces are in the byte-level alphabet */
    bool blank_before;              /* only a blank in the text marks the beginning of a word */
    struct scored *scored;          /* [n_scored] pieces with scores */
    size_t n_scored;
    struct merge_text *merges;      /* [n_merges] merges that are not in the JSON */
    size_t n_merges;
    struct span map;                /* a character map that is not in the JSON */
    struct trie *kept;              /* strings that this map does not change; NULL: none */
    struct text prefix;             /* of pieces inside a word: "##", or empty */
    struct text suffix;             /* of pieces that end a word: "</w>", or empty */
    struct text blank;              /* character for ' ' in pieces: "▁", or empty */
    bool byte_pieces;               /* pieces like "<0xE6>" stand for bytes */
};

/*
 * Appends the tokens of a text, or a word, without the template's, to the current sequence; spans
 * in bytes.  Empty parts are removed when added tokens are matched, and pre-tokenisers make none,
 * so that models never get one.
 */
int pipeline_run(struct work *work, const char *s, size_t n, struct err *e);

/* Writes the label of a piece to `to`, of at least the piece's size; returns its size. */
size_t tok_label(const struct tok *tok, const struct piece *piece, char *to);

/* ---- work on one text ---- */

struct fragment {
    const char *s;              /* [n] normalised so far */
    size_t n;
    const struct range *from;   /* [n] input bytes that each byte comes from; NULL: s is the
                                   input itself */
    int origin;                 /* offset of the part in the input */
    int id;                     /* id, if the part is an added token; else -1 */
};

struct fragments {
    struct fragment *v;
    size_t n, cap;
};

struct work_token {
    int id, type;
    bool special;               /* added by the template, or a special piece of pretokenized input
                                   */
    bool pair;                  /* its span is in the second text */
    struct range span;          /* bytes of the input, later converted to chars */
    int word, origin;           /* --words: number of its word, and the word's offset, like span */
    struct text match;          /* text that the library keeps in place of the piece, for an added
                                   or unknown token, with spaces; s NULL: none */
};

struct seq {
    struct work_token *v;
    size_t n, cap;
};

struct work {
    const struct tok *t;
    struct arena *a;
    struct fragments parts;
    struct seq *seqs;           /* the text, the pair; after the template, its result */
    int n_seqs;
    bool special;               /* the template's tokens are wanted */
    struct regex_run *regex;    /* NULL: not required so far */
    struct budget *budget;      /* of the run; NULL: no limit */
    const char *step;           /* name of the running step, for messages */
    struct arena_mark start;    /* mark before this work … */
    size_t memory;              /* … which may allocate so many bytes; 0: no limit */
    struct arena_mark text;     /* mark before this text's parts; only until the model */
    bool settles;               /* `text` is valid: only parts are allocated after it */
    size_t grown;               /* bytes by which the step made the text longer */
    size_t limit;               /* more of them, or in one part, than this … */
    size_t most;                /* … or more parts, matches or tokens than this (0: no limit) … */
    bool too_large;             /* … set this, and the step fails */
    bool too_many;              /* the cause was parts, matches or tokens */
    bool too_much;              /* the step has used too much work */
};

/* The input bytes that bytes [i, j) of the part come from; i < j <= n. */
struct range fragment_span(const struct fragment *part, size_t i, size_t j);
struct fragment fragment_slice(const struct fragment *part, size_t i, size_t j);        /* i < j */
void fragment_add(struct work *work, struct fragments *parts, struct fragment part);
/* Adds bytes [i, j) of part, unless they are empty. */
void fragment_add_slice(struct work *work, struct fragments *out, const struct fragment *part,
                        size_t i, size_t j);
void fragment_seq_add(struct work *work, struct seq *seq, struct work_token t);
/* Allocates room for exactly n tokens in all. */
void fragment_seq_reserve(struct work *work, struct seq *seq, size_t n);
/* Frees memory of earlier steps, if it is much. */
void fragment_settle(struct work *work);
/* Appends a token to the current sequence: bytes [i, j) of the part. */
void fragment_emit(struct work *work, const struct fragment *part, int id, size_t i, size_t j);
/* The same, with those bytes as its match. */
void fragment_emit_text(struct work *work, const struct fragment *part, int id, size_t i, size_t j);
void fragment_emit_added(struct work *work, const struct fragment *part);     /* the whole part */

/*
 * Rewrites a part character by character, like "transform" in the tokenizers library.
 * change: 0: the new character replaces the next old one; -k: it replaces the next one and
 * k more; 1: it is inserted, and comes from the same input as the character before it.
 */
struct rewrite {
    struct work *w;
    struct fragment *p;
    size_t at;                  /* bytes of p that are consumed */
    char *s;
    struct range *from;
    size_t n, cap;
};

void fragment_rewrite_begin(struct rewrite *rewrite, struct work *work, struct fragment *part);
void fragment_rewrite_skip(struct rewrite *rewrite);       /* drops the next character */
void fragment_rewrite_put(struct rewrite *rewrite, int cp, int change);
void fragment_rewrite_keep(struct rewrite *rewrite, size_t n);     /* copies the next n bytes */
void fragment_rewrite_end(struct rewrite *rewrite);        /* *p is now the new text */

/* ---- cutting parts up ---- */

struct cut { size_t start, end; bool match; };

struct cuts {
    struct cut *v;
    size_t n, cap;
};

void fragment_cuts_add(struct work *work, struct cuts *cuts, size_t start, size_t end, bool match);

/* What a pre-tokeniser does with matches; CONTIGUOUS joins adjacent matches. */
enum behaviour { REMOVED, ISOLATED, PREVIOUS, NEXT, CONTIGUOUS, N_BEHAVIOUR };

/* Adds the parts of part between the cuts, by behaviour b, to out. */
void fragment_cuts_apply(struct work *work, enum behaviour b, struct cuts *cuts,
                     const struct fragment *part, struct fragments *out);
/* Replaces each part that is not a token yet by the output of fn for it. */
int fragment_each(struct work *work, const void *self,
              int (*fn)(const void *self, struct work *work, const struct fragment *p,
                        struct fragments *out, struct err *e), struct err *e);

/* ---- byte_level.c ---- */

/* The character of the byte-level alphabet that stands for byte b (GPT-2). */
int byte_level_char(unsigned char b);
int byte_level_byte(int cp);           /* -1 if cp is not in that alphabet */

const void *byte_level_open(struct tok *tok, const json_t *j, struct err *e);
int byte_level_run(const void *self, struct work *work, struct err *e);
/* As a normaliser: only maps bytes to the alphabet. */
const void *byte_level_normal_open(struct tok *tok, const json_t *j, struct err *e);
int byte_level_normal_run(const void *self, struct work *work, struct err *e);

/* ---- replace.c: normalisers that search for strings ---- */

const void *replace_open(struct tok *tok, const json_t *j, struct err *e);
int replace_run(const void *self, struct work *work, struct err *e);
const void *replace_prepend_open(struct tok *tok, const json_t *j, struct err *e);
int replace_prepend_run(const void *self, struct work *work, struct err *e);
const void *replace_strip_open(struct tok *tok, const json_t *j, struct err *e);
int replace_strip_run(const void *self, struct work *work, struct err *e);

/* ---- charsmap.c: SentencePiece's compiled normaliser ---- */

struct charsmap;

/*
 * Reads a character map: a 32-bit size, a double array of so many bytes, then texts that
 * end in a NUL; little-endian.  The bytes are copied.  longest: applied as SentencePiece
 * does, else as the tokenizers library does.  NULL: damaged.
 */
const struct charsmap *charsmap_read(struct tok *tok, struct span map, bool longest,
                                     struct err *e);
/* Decodes base64, as in tokenizer.json; false if it is not. */
bool charsmap_decode(struct arena *a, struct text s, struct span *out);
const void *charsmap_open(struct tok *tok, const json_t *j, struct err *e);
int charsmap_run(const void *self, struct work *work, struct err *e);

/* ---- scripts.c ---- */

/* The pre-tokeniser UnicodeScripts. */
int scripts_run(const void *self, struct work *work, struct err *e);

/* ---- metaspace.c ---- */

const void *metaspace_open(struct tok *tok, const json_t *j, struct err *e);
int metaspace_run(const void *self, struct work *work, struct err *e);

/* ---- wordpiece.c, bpe.c, unigram.c, wordlevel.c: the rows of the table of models ---- */

const void *wordpiece_open(struct tok *tok, const json_t *j, struct err *e);
int wordpiece_run(const void *self, struct work *work, struct err *e);
const void *bpe_open(struct tok *tok, const json_t *j, struct err *e);
/* "a b" -> its halves; -1 if it has no blank, or several. */
int bpe_merge_halves(struct text both, struct merge_text *out);
int bpe_run(const void *self, struct work *work, struct err *e);
const void *unigram_open(struct tok *tok, const json_t *j, struct err *e);
int unigram_run(const void *self, struct work *work, struct err *e);
const void *wordlevel_open(struct tok *tok, const json_t *j, struct err *e);
int wordlevel_run(const void *self, struct work *work, struct err *e);

/* The ids of the pieces "<0x00>" to "<0xFF>"; -1 if there is none. */
void byte_level_piece_ids(const struct vocab *vocab, int id[256]);
/* The byte that a piece stands for, or -1. */
int byte_level_of_piece(const char *s, size_t n);

/* ---- regex.c: Oniguruma's patterns by PCRE2 ---- */

/* Errors: an invalid pattern, or one that PCRE2 would interpret differently. */
struct regex *regex_open(struct tok *tok, struct text pattern, struct err *e);
void regex_close(struct regex *first);

/* Sets cuts to the matches in s[n] and the gaps between them. */
int regex_cuts(const struct regex *regex, struct work *work, const char *s, size_t n,
               struct cuts *cuts, struct err *e);

/* ---- pattern.c: {"String": …} or {"Regex": …} ---- */

struct pattern {
    const struct regex *regex;      /* NULL: the text below */
    struct text text;
};

/* Reads the field "pattern". */
int pattern_open(struct tok *tok, const json_t *j, struct pattern *out, struct err *e);
/* Sets cuts to the matches in the part and the gaps between them. */
int pattern_cuts(const struct pattern *pattern, struct work *work, const struct fragment *part,
                 struct cuts *cuts, struct err *e);

/* ---- added.c ---- */

int added_open(struct tok *tok, const json_t *list, struct err *e);
/* Splits the parts at tokens of the trie; each token found becomes a part. */
int added_split(const struct added *added, const struct trie *trie, struct work *work,
                struct err *e);

/* ---- words.c: words of a text, and their pieces ---- */

enum { WORD_NONE = -1, WORD_SEVERAL = -2 };

/* Appends each word's tokens to the current sequence. */
int words_encode(struct work *work, const char *s, size_t n, struct err *e);
/* Sets out->word for the tokens from work's sequences. */
int words_number(const struct work *work, const struct tok_input *in, struct tokens *out,
                 struct err *e);
/* The id of a piece, else of the piece with this text, preferably at a word's beginning; -1 if
 * none. */
int words_piece(const struct tok *tok, struct arena *a, const char *s, size_t n);

/* ---- template.c ---- */

/*
 * Sets the post-processor of a tokenizer.json: before A after, [before] B after; NULL for no
 * token.  The vocabulary must be set, in the JSON or in tok.
 */
void template_put(const struct tok *tok, json_t *root, const char *before,
                  const char *after, bool before_pair);

/* ---- hf.c, bare.c: files -> struct tok ---- */

/*
 * The tokenizer.json for a folder without one; NULL on errors.  From a SentencePiece model,
 * vocabulary, scores and map are put into tok, marked in tok->given.  The arena owns the JSON.
 * target: the one for target texts, if the folder has a separate one.
 */
json_t *bare_read(struct tok *tok, const char *dir, bool target, struct err *e);
/* The same for the bytes of a SentencePiece model alone. */
json_t *spm_root(struct tok *tok, struct span file, struct err *e);

#endif
