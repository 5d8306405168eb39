/* SPDX-License-Identifier: MIT
 * --gold: documents with marked mentions -> scores of heads that attend from a mention to an
 * earlier one of the same entity. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "task/state.h"
#include "task/types/types.h"
#include "session/encode.h"
#include "session/mentions.h"

enum { PIECE_WORDS = 128 };

/* Sentences of a document, as one text. */
struct piece {
    const struct conllu_sentence *sentence;     /* [n] */
    int n, first, n_words;      /* first: word, of the document */
    const char *text;
    struct types_span *span;    /* [n_words] */
    struct coreference_mention *mention;        /* [n_mentions] heads of this piece */
    int n_mentions;
};

/* ---- a piece ---- */

static void set_text(struct piece *p, struct arena *a)
{
    const char *text = "";
    int word = 0;

    p->span = arena_alloc(a, (uint64_t)p->n_words, sizeof *p->span);
    for (int i = 0; i < p->n; i++) {
        const struct conllu_sentence *s = &p->sentence[i];
        int at = (int)strlen(text) + (i > 0);

        text = arena_printf(a, "%s%s%s", text, i > 0 ? " " : "", s->text);
        for (int k = 0; k < s->n; k++)
            p->span[word++] = (struct types_span){ at + s->word[k].start, at + s->word[k].end };
    }
    p->text = text;
}

/* Of the document's word, which is of the piece. */
static const char *form_of(const struct piece *p, int word)
{
    const struct conllu_sentence *s = p->sentence;

    for (word -= p->first; word >= s->n; s++)
        word -= s->n;
    return s->word[word].form;
}

static int chain_of(const struct mentions *all, int i)
{
    int k = 0;

    while (strcmp(all->mention[k].chain, all->mention[i].chain) != 0)
        k++;
    return k;
}

/* Those that lie in the piece. */
static void set_mentions(struct piece *p, struct arena *a, const struct mentions *all)
{
    p->mention = arena_alloc(a, (uint64_t)all->n, sizeof *p->mention);
    for (int i = 0; i < all->n; i++) {
        const struct mention *m = &all->mention[i];

        if (m->start >= p->first && m->end < p->first + p->n_words)
            p->mention[p->n_mentions++] = (struct coreference_mention){
                m->head - p->first, chain_of(all, i), form_of(p, m->head)
            };
    }
}

/* Words that are no head of a mention do not count. */
static const int *heads_alone(const struct piece *p, const int *of, int n, struct arena *a)
{
    int *heads = arena_alloc(a, (uint64_t)n, sizeof *heads);
    bool *is_head = arena_alloc(a, (uint64_t)p->n_words, 1);

    for (int i = 0; i < p->n_mentions; i++)
        is_head[p->mention[i].head] = true;
    for (int i = 0; i < n; i++)
        heads[i] = of[i] >= 0 && is_head[of[i]] ? of[i] : -1;
    return heads;
}

static int run_piece(struct types_job *j, struct arena *a, const struct piece *p,
                     struct item *item, struct err *e)
{
    const struct session *s = &j->job.s;
    struct attended attended = job_pack(&j->job, a, item, 1);
    struct arcs_words words = {
        .of = types_words(a, p->span, p->n_words, p->text, &item->tokens), .n = p->n_words
    };
    struct arcs_words heads = words;
    struct arcs *any, *few;
    struct sink sinks[2];

    heads.of = heads_alone(p, words.of, item->tokens.n, a);
    any = arcs_new(a, s->shown, &attended, &j->job.want, &words);
    few = arcs_new(a, s->shown, &attended, &j->job.want, &heads);
    sinks[0] = arcs_sink(any);
    sinks[1] = arcs_sink(few);
    if (job_forward(&j->job, a, sinks, 2, e) != 0)
        return -1;
    coreference_add_text(&j->coreference, p->mention, p->n_mentions);
    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);)
        coreference_add_head(&j->resolved[types_place(j, l, h)], p->mention, p->n_mentions,
                             arcs_looks_at(any, 0, l, h), arcs_looks_at(few, 0, l, h));
    return 0;
}

/* One that the model cannot take is left out. */
static int try_piece(struct types_job *j, struct piece *p, const struct mentions *all,
                     struct err *e)
{
    const struct session *s = &j->job.s;
    struct arena_mark mark = arena_mark(s->a);
    struct item item = { .of_several = true };
    int status = 0;

    set_text(p, s->a);
    set_mentions(p, s->a, all);
    item.text = p->text;
    item.text_size = strlen(p->text);
    if (p->n_mentions > 1 && encode_text(s, s->a, &item, e) == 0 &&
        encode_fit(s, s->a, &item, e) == 0)
        status = run_piece(j, s->a, p, &item, e);
    arena_reset(s->a, mark);
    return status;
}

/* It is of this shard, and was not done before. */
static bool coref_is_wanted(const struct types_job *j)
{
    return shard_has(&j->job.shard, j->n_pieces) &&
           j->n_sentences + j->n_pieces >= j->done.n;
}

/* ---- documents ---- */

static int run_document(struct types_job *j, const struct conllu_sentence *sentence, int n,
                        const struct mentions *all, struct err *e)
{
    int first = 0;

    for (int i = 0; i < n;) {
        struct piece piece = { .sentence = sentence + i, .first = first };

        do
            piece.n_words += sentence[i + piece.n++].n;
        while (i + piece.n < n && piece.n_words + sentence[i + piece.n].n <= PIECE_WORDS);
        if (coref_is_wanted(j) && try_piece(j, &piece, all, e) != 0)
            return -1;
        j->n_pieces++;
        i += piece.n;
        first += piece.n_words;
    }
    return 0;
}

/* How many sentences the document at sentence i has. */
static int coref_length(const struct conllu *trees, int i)
{
    int n = 1;

    while (i + n < trees->n && !trees->sentence[i + n].begins)
        n++;
    return n;
}

int types_coref_read(struct types_job *j, const struct conllu *trees, struct err *e)
{
    struct session *s = &j->job.s;

    for (int i = 0; i < trees->n; i += coref_length(trees, i)) {
        struct mentions all;

        if (mentions_read(s->a, &trees->sentence[i], coref_length(trees, i), j->args->gold, &all,
                          e) != 0)
            return -1;
        j->n_mentions += all.n;
    }
    if (j->n_mentions > 0)
        j->resolved = arena_alloc(s->a, (uint64_t)s->n_layers * (uint64_t)s->n_heads,
                                  sizeof *j->resolved);
    return 0;
}

int types_coref_run(struct types_job *j, const struct conllu *trees, struct err *e)
{
    struct session *s = &j->job.s;
    struct arena_mark mark = arena_mark(s->a);

    for (int i = 0; i < trees->n && j->resolved != NULL; i += coref_length(trees, i)) {
        struct mentions all;
        int n = coref_length(trees, i);

        if (mentions_read(s->a, &trees->sentence[i], n, j->args->gold, &all, e) != 0 ||
            run_document(j, &trees->sentence[i], n, &all, e) != 0 ||
            state_batch_done(&j->job, e) != 0)
            return -1;
        arena_reset(s->a, mark);
    }
    return 0;
}
