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

const void *wordpiece_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct wordpiece *wordpiece = arena_alloc(tok->a, 1, sizeof *wordpiece);
    struct text unk = { "[UNK]", 5 };

    tok->prefix = (struct text){ "##", 2 };
    wordpiece->max_chars = 100;
    if (json_object_get(j, "unk_token") != NULL &&
        json_field_text(j, "unk_token", &unk.s, &unk.n, e) != 0)
        return NULL;
    if (json_object_get(j, "continuing_subword_prefix") != NULL &&
        json_field_text(j, "continuing_subword_prefix", &tok->prefix.s, &tok->prefix.n, e) != 0)
        return NULL;
    if (json_object_get(j, "max_input_chars_per_word") != NULL &&
        json_field_int(j, "max_input_chars_per_word", 0, 1 << 30, &wordpiece->max_chars,
                       e) != 0)
        return NULL;
    if (vocab_open(tok, j, e) != 0)
        return NULL;
    tok->prefix.s = arena_strndup(tok->a, tok->prefix.s, tok->prefix.n);
    wordpiece->unk_name = arena_strndup(tok->a, unk.s, unk.n);
    wordpiece->unk = tok->unknown = vocab_find(&tok->vocab, unk.s, unk.n);
    return wordpiece;
}

static bool too_long(const struct fragment *part, int max_chars)
{
    int count = 0, code;

    if (part->n <= (size_t)max_chars)
        return false;
    for (size_t i = 0; i < part->n && count <= max_chars; count++)
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
    return count > max_chars;
}

static int wordpiece_word(const struct wordpiece *wordpiece, struct work *work,
                          const struct fragment *part, struct err *e)
{
    const struct tok *tok = work->t;
    struct seq *seq = &work->seqs[work->n_seqs - 1];
    size_t before = seq->n, length;
    bool known = !too_long(part, wordpiece->max_chars);

    for (size_t i = 0; known && i < part->n; i += length) {
        size_t seen = 0;
        struct text head = { tok->prefix.s, i > 0 ? tok->prefix.n : 0 };
        int id = vocab_longest(&tok->vocab, head, part->s + i, part->n - i, &length,
                               &seen);

        bound_spend(work, BUDGET_BYTE_COMPARED * seen);
        known = id >= 0 && !work->too_much;
        if (known)
            fragment_emit(work, part, id, i, i + length);
    }
    if (known || work->too_much)
        return 0;
    if (wordpiece->unk < 0)
        return err_set(e, ERR_INPUT, "a word is not in the vocabulary, and neither "
                       "is the unknown token \"%.80s\"", wordpiece->unk_name);
    seq->n = before;
    fragment_emit(work, part, wordpiece->unk, 0, part->n);
    return 0;
}

int wordpiece_run(const void *self, struct work *work, struct err *e)
{
    for (size_t i = 0; i < work->parts.n && !work->too_much; i++) {
        const struct fragment *part = &work->parts.v[i];

        if (part->id >= 0)
            fragment_emit_added(work, part);
        else if (wordpiece_word(self, work, part, e) != 0)
            return -1;
    }
    return 0;
}
