/* SPDX-License-Identifier: MIT
 * WordLevel: a part is one piece of the vocabulary, or the unknown one.  SentencePiece
 * knows fewer pieces, makes unknown neighbours one, and may have pieces for bytes. */
#include "base/json_field.h"
#include "text/tok_priv.h"

struct wordlevel {
    int unk;                    /* -1: the vocabulary has none */
    const char *unk_name;
    bool fuse_unk;
    bool byte_fallback;         /* unknown words are bytes */
    int byte[256];              /* the piece of each byte, or -1 */
    struct trie *known;         /* text -> id; NULL: all of the vocabulary */
};

/* What SentencePiece finds in a text. */
static void open_given(struct wordlevel *wordlevel, struct tok *tok, const json_t *j)
{
    tok->given.words = false;
    wordlevel->fuse_unk = true;
    wordlevel->known = arena_alloc(tok->a, 1, sizeof *wordlevel->known);
    trie_init(wordlevel->known, tok->a);
    for (size_t i = 0; i < tok->n_scored; i++)
        trie_add(wordlevel->known, tok->a, tok->scored[i].s.s, tok->scored[i].s.n,
                 tok->scored[i].id);
    byte_level_piece_ids(&tok->vocab, wordlevel->byte);
    wordlevel->byte_fallback = tok->byte_pieces = json_is_true(json_object_get(j, "byte_fallback"));
}

const void *wordlevel_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct wordlevel *wordlevel = arena_alloc(tok->a, 1, sizeof *wordlevel);
    struct text unk;

    if (json_field_text(j, "unk_token", &unk.s, &unk.n, e) != 0 ||
        vocab_open(tok, j, e) != 0)
        return NULL;
    if (tok->given.words)
        open_given(wordlevel, tok, j);
    wordlevel->unk_name = arena_strndup(tok->a, unk.s, unk.n);
    wordlevel->unk = tok->unknown = vocab_find(&tok->vocab, unk.s, unk.n);
    return wordlevel;
}

static int wordlevel_find(const struct wordlevel *wordlevel, const struct work *work,
                          const struct fragment *part)
{
    size_t length, seen = 0;
    int id;

    if (wordlevel->known == NULL)
        return vocab_find_model(&work->t->vocab, part->s, part->n);
    id = trie_longest(wordlevel->known, part->s, part->n, &length, &seen);
    return id >= 0 && length == part->n ? id : -1;
}

/* The pieces of the part's bytes, if it has them all. */
static bool emit_bytes(const struct wordlevel *wordlevel, struct work *work,
                       const struct fragment *part)
{
    bool all = wordlevel->byte_fallback;

    for (size_t i = 0; all && i < part->n; i++)
        all = wordlevel->byte[(unsigned char)part->s[i]] >= 0;
    for (size_t i = 0; all && i < part->n; i++)
        fragment_emit(work, part, wordlevel->byte[(unsigned char)part->s[i]], 0, part->n);
    return all;
}

/* The unknown piece, or the one before grows. */
static void emit_unknown(const struct wordlevel *wordlevel, struct work *work,
                         const struct fragment *part, bool after_unknown)
{
    struct seq *seq = &work->seqs[work->n_seqs - 1];

    if (after_unknown && wordlevel->fuse_unk)
        seq->v[seq->n - 1].span.end = fragment_span(part, 0, part->n).end;
    else
        fragment_emit(work, part, wordlevel->unk, 0, part->n);
}

static int wordlevel_word(const struct wordlevel *wordlevel, struct work *work,
                          const struct fragment *part, bool *unknown, struct err *e)
{
    bool after_unknown = *unknown;
    int id = wordlevel_find(wordlevel, work, part);

    *unknown = false;
    if (id >= 0) {
        fragment_emit(work, part, id, 0, part->n);
    } else if (!emit_bytes(wordlevel, work, part)) {
        if (wordlevel->unk < 0)
            return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and neither "
                           "is the unknown token \"%.80s\"", (int)(part->n < 80 ? part->n : 80),
                           part->s, wordlevel->unk_name);
        emit_unknown(wordlevel, work, part, after_unknown);
        *unknown = true;
    }
    return 0;
}

int wordlevel_run(const void *self, struct work *work, struct err *e)
{
    bool unknown = false;           /* the token before is */

    for (size_t i = 0; i < work->parts.n; i++) {
        const struct fragment *part = &work->parts.v[i];

        if (part->id >= 0) {
            fragment_emit_added(work, part);
            unknown = false;
        } else if (wordlevel_word(self, work, part, &unknown, e) != 0) {
            return -1;
        }
    }
    return 0;
}
