/* SPDX-License-Identifier: MIT
 * WordLevel: a part is one piece of the vocabulary, or the unknown one. */
#include "base/json_field.h"
#include "text/tok_priv.h"

struct wordlevel {
    int unk;                    /* -1: the vocabulary has none */
    const char *unk_name;
};

const void *wordlevel_open(struct tok *t, const json_t *j, struct err *e)
{
    struct wordlevel *wordlevel = arena_alloc(t->a, 1, sizeof *wordlevel);
    struct text unk;

    if (json_field_text(j, "unk_token", &unk.s, &unk.n, e) != 0 || vocab_open(t, j, e) != 0)
        return NULL;
    wordlevel->unk_name = arena_strndup(t->a, unk.s, unk.n);
    wordlevel->unk = vocab_find(&t->vocab, unk.s, unk.n);
    return wordlevel;
}

static int word(const struct wordlevel *m, struct work *w, const struct part *p,
                struct err *e)
{
    int id = vocab_find_model(&w->t->vocab, p->s, p->n);

    if (id < 0 && m->unk < 0)
        return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and neither is "
                       "the unknown token \"%.80s\"", (int)(p->n < 80 ? p->n : 80), p->s,
                       m->unk_name);
    part_emit(w, p, id >= 0 ? id : m->unk, 0, p->n);
    return 0;
}

int wordlevel_run(const void *self, struct work *w, struct err *e)
{
    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_emit_added(w, part);
        else if (part->n > 0 && word(self, w, part, e) != 0)
            return -1;
    }
    return 0;
}
