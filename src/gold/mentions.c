/* SPDX-License-Identifier: MIT
 * Entity= of words -> mentions. */
#include "gold/mentions.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct reader {
    struct arena *a;
    const struct conllu_sentence *s;    /* the sentence at hand */
    const char *name;
    int word;                   /* the word at hand, of all sentences */
    struct mention *mention;    /* end -1: open */
    int n, room, n_open;
    struct err *e;
};

static int mentions_fail(const struct reader *reader, const char *what, const char *chain)
{
    err_set(reader->e, ERR_INPUT, "Entity: '%s' %s", chain, what);
    return err_under(reader->e, "%s: line %lld", reader->name, (long long)reader->s->line);
}

static void open_mention(struct reader *reader, const char *chain)
{
    if (reader->n == reader->room) {
        int room = reader->room > 0 ? 2 * reader->room : 64;
        struct mention *mention = arena_alloc(reader->a, (uint64_t)room, sizeof *mention);

        if (reader->n > 0)
            memcpy(mention, reader->mention, (size_t)reader->n * sizeof *mention);
        reader->mention = mention;
        reader->room = room;
    }
    reader->mention[reader->n++] = (struct mention){ chain, reader->word, -1, reader->word };
    reader->n_open++;
}

/* The last one of the chain that is open. */
static int close_mention(struct reader *reader, const char *chain)
{
    for (int i = reader->n - 1; i >= 0 && reader->n_open > 0; i--)
        if (reader->mention[i].end < 0 && strcmp(reader->mention[i].chain, chain) == 0) {
            reader->mention[i].end = reader->word;
            reader->n_open--;
            return 0;
        }
    return mentions_fail(reader, "is closed, but not open", chain);
}

/* "(e1-person(e2)e3)" */
static int mentions_take(struct reader *reader, const char *s)
{
    while (*s != '\0') {
        bool opens = *s == '(';
        size_t n;
        const char *chain;

        s += opens;
        n = strcspn(s, "()");
        chain = arena_strndup(reader->a, s, strcspn(s, "()-["));
        if (*chain == '\0' || (!opens && s[n] != ')'))
            return mentions_fail(reader, "is not a list of mentions, such as (e1-person(e2)", s);
        if (opens)
            open_mention(reader, chain);
        s += n;
        if (*s == ')') {
            if (close_mention(reader, chain) != 0)
                return -1;
            s++;
        }
    }
    return 0;
}

/* ---- heads ---- */

/* Of mention `before` and those after it, all of sentence, whose first word is `first`.  One
 * that goes on in another sentence keeps its first word. */
static void set_heads(struct reader *reader, const struct conllu_sentence *sentence, int before,
                      int first)
{
    for (int i = before; i < reader->n; i++) {
        struct mention *m = &reader->mention[i];

        for (int k = m->start; k <= m->end; k++) {
            int head = sentence->word[k - first].head + first;

            if (sentence->word[k - first].head < 0 || head < m->start || head > m->end) {
                m->head = k;
                break;
            }
        }
    }
}

static int mentions_by_place(const void *x, const void *y)
{
    const struct mention *a = x, *b = y;

    if (a->start != b->start)
        return a->start - b->start;
    return a->end != b->end ? b->end - a->end : strcmp(a->chain, b->chain);
}

int mentions_read(struct arena *a, const struct conllu_sentence *sentence, int n,
                  const char *name, struct mentions *out, struct err *e)
{
    struct reader r = { .a = a, .name = name, .e = e };

    for (int i = 0; i < n; i++) {
        int first = r.word, before = r.n;

        r.s = &sentence[i];
        for (int k = 0; k < r.s->n; k++, r.word++)
            if (r.s->word[k].entity != NULL && mentions_take(&r, r.s->word[k].entity) != 0)
                return -1;
        set_heads(&r, r.s, before, first);
    }
    for (int i = 0; i < r.n && r.n_open > 0; i++)
        if (r.mention[i].end < 0)
            return mentions_fail(&r, "is left open", r.mention[i].chain);
    if (r.n > 0)
        qsort(r.mention, (size_t)r.n, sizeof *r.mention, mentions_by_place);
    *out = (struct mentions){ r.mention, r.n };
    return 0;
}
