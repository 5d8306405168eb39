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
static void open_given(struct wordlevel *m, struct tok *t, const json_t *j)
{
    t->given.words = false;
    m->fuse_unk = true;
    m->known = arena_alloc(t->a, 1, sizeof *m->known);
    trie_init(m->known, t->a);
    for (size_t i = 0; i < t->n_scored; i++)
        trie_add(m->known, t->a, t->scored[i].s.s, t->scored[i].s.n, t->scored[i].id);
    byte_level_piece_ids(&t->vocab, m->byte);
    m->byte_fallback = t->byte_pieces = json_is_true(json_object_get(j, "byte_fallback"));
}

const void *wordlevel_open(struct tok *t, const json_t *j, struct err *e)
{
    struct wordlevel *wordlevel = arena_alloc(t->a, 1, sizeof *wordlevel);
    struct text unk;

    if (json_field_text(j, "unk_token", &unk.s, &unk.n, e) != 0 ||
        vocab_open(t, j, e) != 0)
        return NULL;
    if (t->given.words)
        open_given(wordlevel, t, j);
    wordlevel->unk_name = arena_strndup(t->a, unk.s, unk.n);
    wordlevel->unk = t->unknown = vocab_find(&t->vocab, unk.s, unk.n);
    return wordlevel;
}

static int wordlevel_find(const struct wordlevel *m, const struct work *w, const struct part *p)
{
    size_t length, seen = 0;
    int id;

    if (m->known == NULL)
        return vocab_find_model(&w->t->vocab, p->s, p->n);
    id = trie_longest(m->known, p->s, p->n, &length, &seen);
    return id >= 0 && length == p->n ? id : -1;
}

/* The pieces of the part's bytes, if it has them all. */
static bool emit_bytes(const struct wordlevel *m, struct work *w, const struct part *p)
{
    bool all = m->byte_fallback;

    for (size_t i = 0; all && i < p->n; i++)
        all = m->byte[(unsigned char)p->s[i]] >= 0;
    for (size_t i = 0; all && i < p->n; i++)
        part_emit(w, p, m->byte[(unsigned char)p->s[i]], 0, p->n);
    return all;
}

/* The unknown piece, or the one before grows. */
static void emit_unknown(const struct wordlevel *m, struct work *w, const struct part *p,
                         bool after_unknown)
{
    struct seq *seq = &w->seqs[w->n_seqs - 1];

    if (after_unknown && m->fuse_unk)
        seq->v[seq->n - 1].span.end = part_span(p, 0, p->n).end;
    else
        part_emit(w, p, m->unk, 0, p->n);
}

static int wordlevel_word(const struct wordlevel *m, struct work *w, const struct part *p,
                          bool *unknown, struct err *e)
{
    bool after_unknown = *unknown;
    int id = wordlevel_find(m, w, p);

    *unknown = false;
    if (id >= 0) {
        part_emit(w, p, id, 0, p->n);
    } else if (!emit_bytes(m, w, p)) {
        if (m->unk < 0)
            return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and neither "
                           "is the unknown token \"%.80s\"", (int)(p->n < 80 ? p->n : 80),
                           p->s, m->unk_name);
        emit_unknown(m, w, p, after_unknown);
        *unknown = true;
    }
    return 0;
}

int wordlevel_run(const void *self, struct work *w, struct err *e)
{
    bool unknown = false;           /* the token before is */

    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0) {
            part_emit_added(w, part);
            unknown = false;
        } else if (wordlevel_word(self, w, part, &unknown, e) != 0) {
            return -1;
        }
    }
    return 0;
}
