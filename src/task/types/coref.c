/* SPDX-License-Identifier: MIT
 * --gold: documents with marked mentions -> scores of heads that attend from a mention to an
 * earlier one of the same entity. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "gold/mentions.h"
#include "session/encode.h"
#include "task/parts/state.h"
#include "task/types/types.h"

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

static void set_text(struct piece *piece, struct arena *a)
{
    const char *text = "";
    int word = 0;

    piece->span = arena_alloc(a, (uint64_t)piece->n_words, sizeof *piece->span);
    for (int i = 0; i < piece->n; i++) {
        const struct conllu_sentence *s = &piece->sentence[i];
        int at = (int)strlen(text) + (i > 0);

        text = arena_printf(a, "%s%s%s", text, i > 0 ? " " : "", s->text);
        for (int k = 0; k < s->n; k++)
            piece->span[word++] = (struct types_span){ at + s->word[k].start, at + s->word[k].end };
    }
    piece->text = text;
}

/* Of the document's word, which is of the piece. */
static const char *form_of(const struct piece *piece, int word)
{
    const struct conllu_sentence *s = piece->sentence;

    for (word -= piece->first; word >= s->n; s++)
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
static void set_mentions(struct piece *piece, struct arena *a, const struct mentions *all)
{
    piece->mention = arena_alloc(a, (uint64_t)all->n, sizeof *piece->mention);
    for (int i = 0; i < all->n; i++) {
        const struct mention *m = &all->mention[i];

        if (m->start >= piece->first && m->end < piece->first + piece->n_words)
            piece->mention[piece->n_mentions++] = (struct coreference_mention){
                m->head - piece->first, chain_of(all, i), form_of(piece, m->head)
            };
    }
}

/* Words that are no head of a mention do not count. */
static const int *heads_alone(const struct piece *piece, const int *of, int n, struct arena *a)
{
    int *heads = arena_alloc(a, (uint64_t)n, sizeof *heads);
    bool *is_head = arena_alloc(a, (uint64_t)piece->n_words, 1);

    for (int i = 0; i < piece->n_mentions; i++)
        is_head[piece->mention[i].head] = true;
    for (int i = 0; i < n; i++)
        heads[i] = of[i] >= 0 && is_head[of[i]] ? of[i] : -1;
    return heads;
}

static int run_piece(struct types_job *job, struct arena *a, const struct piece *piece,
                     struct item *item, struct err *e)
{
    const struct session *s = &job->job.s;
    struct attended attended = job_pack(&job->job, a, item, 1);
    struct arcs_words words = {
        .of = types_words(a, piece->span, piece->n_words, piece->text, &item->tokens),
        .n = piece->n_words
    };
    struct arcs_words heads = words;
    struct arcs *any, *few;
    struct sink sinks[2];

    heads.of = heads_alone(piece, words.of, item->tokens.n, a);
    any = arcs_new(a, s->shown, &attended, &job->job.want, &words);
    few = arcs_new(a, s->shown, &attended, &job->job.want, &heads);
    sinks[0] = arcs_sink(any);
    sinks[1] = arcs_sink(few);
    if (job_forward(&job->job, a, sinks, 2, e) != 0)
        return -1;
    coreference_add_text(&job->coreference, piece->mention, piece->n_mentions);
    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);)
        coreference_add_head(&job->resolved[types_place(job, l, h)], piece->mention,
                             piece->n_mentions, arcs_looks_at(any, 0, l, h),
                             arcs_looks_at(few, 0, l, h));
    return 0;
}

/* One that the model cannot take is left out. */
static int try_piece(struct types_job *job, struct piece *piece, const struct mentions *all,
                     struct err *e)
{
    const struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(s->a);
    struct item item = { .of_several = true };
    int status = 0;

    set_text(piece, s->a);
    set_mentions(piece, s->a, all);
    item.text = piece->text;
    item.text_size = strlen(piece->text);
    if (piece->n_mentions > 1 && encode_text(s, s->a, &item, e) == 0 &&
        encode_fit(s, s->a, &item, e) == 0)
        status = run_piece(job, s->a, piece, &item, e);
    arena_reset(s->a, mark);
    return status;
}

/* It is of this shard, and was not done before. */
static bool coref_is_wanted(const struct types_job *job)
{
    return shard_has(&job->job.shard, job->n_pieces) &&
           job->n_sentences + job->n_pieces >= job->done.n;
}

/* ---- documents ---- */

static int run_document(struct types_job *job, const struct conllu_sentence *sentence, int n,
                        const struct mentions *all, struct err *e)
{
    int first = 0;

    for (int i = 0; i < n;) {
        struct piece piece = { .sentence = sentence + i, .first = first };

        do
            piece.n_words += sentence[i + piece.n++].n;
        while (i + piece.n < n && piece.n_words + sentence[i + piece.n].n <= PIECE_WORDS);
        if (coref_is_wanted(job) && try_piece(job, &piece, all, e) != 0)
            return -1;
        job->n_pieces++;
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

int types_coref_read(struct types_job *job, const struct conllu *trees, struct err *e)
{
    struct session *s = &job->job.s;

    for (int i = 0; i < trees->n; i += coref_length(trees, i)) {
        struct mentions all;

        if (mentions_read(s->a, &trees->sentence[i], coref_length(trees, i), job->args->gold, &all,
                          e) != 0)
            return -1;
        job->n_mentions += all.n;
    }
    if (job->n_mentions > 0)
        job->resolved = arena_alloc(s->a, (uint64_t)s->n_layers * (uint64_t)s->n_heads,
                                    sizeof *job->resolved);
    return 0;
}

int types_coref_run(struct types_job *job, const struct conllu *trees, struct err *e)
{
    struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(s->a);

    for (int i = 0; i < trees->n && job->resolved != NULL; i += coref_length(trees, i)) {
        struct mentions all;
        int n = coref_length(trees, i);

        if (mentions_read(s->a, &trees->sentence[i], n, job->args->gold, &all, e) != 0 ||
            run_document(job, &trees->sentence[i], n, &all, e) != 0 ||
            state_batch_done(&job->job, e) != 0)
            return -1;
        arena_reset(s->a, mark);
    }
    return 0;
}
