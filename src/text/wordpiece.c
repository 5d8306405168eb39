/* SPDX-License-Identifier: MIT
 * WordPiece: a word becomes the longest piece it begins with, then the longest
 * "##" piece that goes on from there, and so on; or [UNK] as a whole. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

struct wordpiece {
    int unk;                    /* -1: the vocabulary has none */
    const char *unk_name;
    int max_chars;
};

const void *wordpiece_open(struct tok *t, const json_t *j, struct err *e)
{
    struct wordpiece *wordpiece = arena_alloc(t->a, 1, sizeof *wordpiece);
    struct text unk = { "[UNK]", 5 };

    t->prefix = (struct text){ "##", 2 };
    wordpiece->max_chars = 100;
    if (json_object_get(j, "unk_token") != NULL &&
        json_field_text(j, "unk_token", &unk.s, &unk.n, e) != 0)
        return NULL;
    if (json_object_get(j, "continuing_subword_prefix") != NULL &&
        json_field_text(j, "continuing_subword_prefix", &t->prefix.s, &t->prefix.n, e) != 0)
        return NULL;
    if (json_object_get(j, "max_input_chars_per_word") != NULL &&
        json_field_int(j, "max_input_chars_per_word", 0, 1 << 30, &wordpiece->max_chars,
                       e) != 0)
        return NULL;
    if (vocab_open(t, j, e) != 0)
        return NULL;
    t->prefix.s = arena_strndup(t->a, t->prefix.s, t->prefix.n);
    wordpiece->unk_name = arena_strndup(t->a, unk.s, unk.n);
    wordpiece->unk = t->unknown = vocab_find(&t->vocab, unk.s, unk.n);
    return wordpiece;
}

static bool too_long(const struct part *p, int max_chars)
{
    int count = 0, code;

    if (p->n <= (size_t)max_chars)
        return false;
    for (size_t i = 0; i < p->n && count <= max_chars; count++)
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
    return count > max_chars;
}

static int wordpiece_word(const struct wordpiece *m, struct work *w, const struct part *p,
                          struct err *e)
{
    const struct tok *tok = w->t;
    struct seq *seq = &w->seqs[w->n_seqs - 1];
    size_t before = seq->n, length;
    bool known = !too_long(p, m->max_chars);

    for (size_t i = 0; known && i < p->n; i += length) {
        size_t seen = 0;
        struct text head = { tok->prefix.s, i > 0 ? tok->prefix.n : 0 };
        int id = vocab_longest(&tok->vocab, head, p->s + i, p->n - i, &length,
                               &seen);

        bound_spend(w, BUDGET_BYTE_COMPARED * seen);
        known = id >= 0 && !w->too_much;
        if (known)
            part_emit(w, p, id, i, i + length);
    }
    if (known || w->too_much)
        return 0;
    if (m->unk < 0)
        return err_set(e, ERR_INPUT, "a word is not in the vocabulary, and neither "
                       "is the unknown token \"%.80s\"", m->unk_name);
    seq->n = before;
    part_emit(w, p, m->unk, 0, p->n);
    return 0;
}

int wordpiece_run(const void *self, struct work *w, struct err *e)
{
    for (size_t i = 0; i < w->parts.n && !w->too_much; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_emit_added(w, part);
        else if (wordpiece_word(self, w, part, e) != 0)
            return -1;
    }
    return 0;
}
