/* SPDX-License-Identifier: MIT
 * Unigram: of all ways to cut a part into pieces the one whose scores (log
 * probabilities) have the largest sum, found by Viterbi's algorithm.  A character
 * without a piece costs more than any piece; neighbours of that kind are one. */
#include <math.h>
#include <string.h>

#include "text/tok_priv.h"

struct unigram {
    struct trie trie;
    const double *score;        /* [vocab.n_model] by id */
    double unk_score;
    int unk;                    /* -1: none */
    bool byte_fallback;
    int byte[256];              /* the piece of each byte, or -1 */
};

/* ---- reading ---- */

static int read_piece(struct tok *t, const json_t *j, size_t id, struct err *e)
{
    const json_t *piece = json_array_get(j, 0), *score = json_array_get(j, 1);
    struct text s = { json_string_value(piece), json_string_length(piece) };

    if (s.s == NULL || !json_is_number(score))
        return err_set(e, ERR_INPUT, "it is not [piece, score]");
    t->score[id] = json_number_value(score);
    s.s = arena_strndup(t->a, s.s, s.n);
    return vocab_add(&t->vocab, t->a, s, (json_int_t)id, e);
}

/* [["piece", score], …]; true where pieces and scores are there. */
static int read_pieces(struct tok *t, const json_t *j, struct err *e)
{
    const json_t *list;

    if (json_is_true(json_object_get(j, "vocab")) && t->score != NULL)
        return 0;
    if (field_list(j, "vocab", &list, e) != 0)
        return -1;
    vocab_init(&t->vocab, t->a, json_array_size(list));
    t->score = arena_alloc(t->a, json_array_size(list), sizeof *t->score);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (read_piece(t, json_array_get(list, i), i, e) != 0)
            return err_under(e, "vocab[%zu]", i);
    t->vocab.n_model = t->vocab.n;
    return 0;
}

static int check_scores(const struct tok *t, double *lowest, struct err *e)
{
    *lowest = INFINITY;
    for (size_t i = 0; i < t->vocab.n_model; i++) {
        double score = t->score[t->vocab.v[i].id];

        if (!isfinite(score))
            return err_set(e, ERR_INPUT, "piece \"%.80s\" has a score that is not "
                           "finite", t->vocab.v[i].s);
        if (score < *lowest)
            *lowest = score;
    }
    return 0;
}

static int read_unk(struct unigram *m, const struct tok *t, const json_t *j,
                    struct err *e)
{
    const json_t *unk = json_object_get(j, "unk_id");

    m->unk = -1;
    if (unk == NULL || json_is_null(unk))
        return 0;
    if (field_int(j, "unk_id", 0, INT32_MAX, &m->unk, e) != 0)
        return -1;
    if ((size_t)m->unk < t->vocab.n_model)
        return 0;
    return err_set(e, ERR_INPUT, "\"unk_id\" is %d, want less than %zu", m->unk,
                   t->vocab.n_model);
}

const void *unigram_open(struct tok *t, const json_t *j, struct err *e)
{
    struct unigram *m = arena_alloc(t->a, 1, sizeof *m);

    if (field_bool(j, "byte_fallback", false, &m->byte_fallback, e) != 0 ||
        read_pieces(t, j, e) != 0 || check_scores(t, &m->unk_score, e) != 0 ||
        read_unk(m, t, j, e) != 0)
        return NULL;
    m->unk_score -= 10;                 /* sentencepiece's kUnkPenalty */
    m->score = t->score;
    t->byte_pieces = m->byte_fallback;
    byte_piece_ids(&t->vocab, m->byte);
    trie_init(&m->trie, t->a);
    for (size_t i = 0; i < t->vocab.n_model; i++) {
        const struct piece *p = &t->vocab.v[i];

        if (!p->hidden)
            trie_add(&m->trie, t->a, p->s, p->n, p->id);
    }
    return m;
}

/* ---- encoding ---- */

/* The best way to cut what lies before a place. */
struct node {
    double score;
    uint32_t length;            /* of its last piece; 0: no way so far */
    int id;
};

struct room {
    struct node *node;
    size_t cap;
};

static void offer(struct node *to, double score, size_t length, int id)
{
    if (to->length != 0 && !(score > to->score))
        return;
    to->score = score;
    to->length = (uint32_t)length;
    to->id = id;
}

/* All pieces that begin at i, or the unknown one for the character there. */
static void extend(const struct unigram *m, struct node *node, const struct part *p,
                   size_t i, size_t length)
{
    double so_far = node[i].score;
    uint32_t at = 0;
    bool single = false;

    for (size_t k = i; k < p->n; k++) {
        int id;

        at = trie_step(&m->trie, at, p->s[k]);
        if (at == 0)
            break;
        id = m->trie.value[at];
        if (id < 0)
            continue;
        offer(&node[k + 1], so_far + m->score[id], k + 1 - i, id);
        single = single || k + 1 - i == length;
    }
    if (!single)
        offer(&node[i + length], so_far + m->unk_score, length, m->unk);
}

static struct node *make_room(struct room *r, struct arena *a, size_t n)
{
    if (n + 1 > r->cap) {
        r->cap = n + 1 > 2 * r->cap ? n + 64 : 2 * r->cap;
        r->node = arena_alloc_raw(a, r->cap, sizeof *r->node);
    }
    memset(r->node, 0, (n + 1) * sizeof *r->node);
    return r->node;
}

/* Turned round: each node on the way then has the piece that begins there. */
static void turn(struct node *node, size_t n)
{
    struct node last = node[n];

    while (n > 0) {
        struct node before;

        n -= last.length;
        before = node[n];
        node[n] = last;
        last = before;
    }
}

/* Bytes [i, j) have no piece: that of the whole, those of its bytes, or unknown. */
static void emit_unknown(const struct unigram *m, struct work *w, const struct part *p,
                         size_t i, size_t j)
{
    int id = vocab_find_model(&w->t->vocab, p->s + i, j - i);
    bool bytes = id < 0 && m->byte_fallback;

    for (size_t k = i; bytes && k < j; k++)
        bytes = m->byte[(unsigned char)p->s[k]] >= 0;
    for (size_t k = i; bytes && k < j; k++)
        work_emit(w, p, m->byte[(unsigned char)p->s[k]], i, j);
    if (!bytes)
        work_emit(w, p, id >= 0 ? id : m->unk, i, j);
}

static int encode_part(const struct unigram *m, struct room *r, struct work *w,
                       const struct part *p, struct err *e)
{
    struct node *node = make_room(r, w->a, p->n);
    size_t j;
    int cp;

    for (size_t i = 0; i < p->n; ) {
        size_t length = (size_t)char_next(p->s + i, p->n - i, &cp);

        extend(m, node, p, i, length);
        i += length;
    }
    turn(node, p->n);
    for (size_t i = 0; i < p->n; i = j) {
        j = i + node[i].length;
        if (node[i].id < 0)
            return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and there "
                           "is no unknown token", (int)(j - i), p->s + i);
        if (node[i].id != m->unk) {
            work_emit(w, p, node[i].id, i, j);
            continue;
        }
        while (j < p->n && node[j].id == m->unk)
            j += node[j].length;
        emit_unknown(m, w, p, i, j);
    }
    return 0;
}

int unigram_run(const void *self, struct work *w, struct err *e)
{
    struct room r = { 0 };

    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *p = &w->parts.v[i];

        if (p->id >= 0)
            work_emit_added(w, p);
        else if (p->n > 0 && encode_part(self, &r, w, p, e) != 0)
            return -1;
    }
    return 0;
}
