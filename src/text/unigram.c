/* SPDX-License-Identifier: MIT
 * Unigram: of all ways to cut a part into pieces the one whose scores (log
 * probabilities) have the largest sum, found by Viterbi's algorithm.  A character
 * without a piece costs more than any piece; neighbours of that kind are one. */
#include <math.h>
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

enum { UNKNOWN = -1 };

struct unigram {
    struct trie trie;           /* text -> index of scored */
    const struct scored *scored;
    double unk_score;
    int unk;                    /* -1: none */
    bool byte_fallback;
    int byte[256];              /* the piece of each byte, or -1 */
};

/* ---- reading ---- */

static int read_piece(struct tok *t, const json_t *j, size_t id, struct err *e)
{
    const json_t *piece = json_array_get(j, 0), *score = json_array_get(j, 1);
    struct text text = { json_string_value(piece), json_string_length(piece) };

    if (text.s == NULL || !json_is_number(score))
        return err_set(e, ERR_INPUT, "it is not [piece, score]");
    text.s = arena_strndup(t->a, text.s, text.n);
    t->scored[id] = (struct scored){ text, json_number_value(score), (int)id, false };
    return vocab_add(&t->vocab, t->a, text, (json_int_t)id, e);
}

/* [["piece", score], …], or what is given. */
static int read_pieces(struct tok *t, const json_t *j, struct err *e)
{
    const json_t *list;

    if (t->given.scored && json_is_null(json_object_get(j, "vocab"))) {
        t->given.scored = false;
        return 0;
    }
    if (json_field_list(j, "vocab", &list, e) != 0)
        return -1;
    t->n_scored = json_array_size(list);
    vocab_init(&t->vocab, t->a, t->n_scored);
    t->scored = arena_alloc(t->a, t->n_scored, sizeof *t->scored);
    for (size_t i = 0; i < t->n_scored; i++)
        if (read_piece(t, json_array_get(list, i), i, e) != 0)
            return err_under(e, "vocab[%zu]", i);
    t->vocab.n_model = t->vocab.n;
    return 0;
}

static int read_unk(struct unigram *m, struct tok *t, const json_t *j, struct err *e)
{
    const json_t *unk = json_object_get(j, "unk_id");

    m->unk = UNKNOWN;
    if (unk == NULL || json_is_null(unk))
        return 0;
    if (json_field_int(j, "unk_id", 0, INT32_MAX, &m->unk, e) != 0)
        return -1;
    if (vocab_piece(&t->vocab, m->unk) == NULL)
        return err_set(e, ERR_INPUT, "\"unk_id\" is %d, which the vocabulary lacks",
                       m->unk);
    if ((size_t)m->unk < t->n_scored) {
        struct scored *scored = &t->scored[m->unk];

        scored->unknown = vocab_find_model(&t->vocab, scored->s.s, scored->s.n) == m->unk;
    }
    return 0;
}

/* Each reader has seen that the scores are finite. */
static void fill_trie(struct unigram *m, struct tok *t)
{
    double lowest = INFINITY;

    trie_init(&m->trie, t->a);
    trie_reserve(&m->trie, t->a, t->n_scored);
    for (size_t i = 0; i < t->n_scored; i++) {
        const struct scored *scored = &t->scored[i];

        if (scored->score < lowest)
            lowest = scored->score;
        trie_add(&m->trie, t->a, scored->s.s, scored->s.n, (int)i);
    }
    m->scored = t->scored;
    m->unk_score = lowest - 10;         /* sentencepiece's kUnkPenalty */
}

const void *unigram_open(struct tok *t, const json_t *j, struct err *e)
{
    struct unigram *unigram = arena_alloc(t->a, 1, sizeof *unigram);

    if (json_field_bool(j, "byte_fallback", false, &unigram->byte_fallback, e) != 0 ||
        read_pieces(t, j, e) != 0 || read_unk(unigram, t, j, e) != 0)
        return NULL;
    fill_trie(unigram, t);
    t->byte_pieces = unigram->byte_fallback;
    t->unknown = unigram->unk;
    byte_level_piece_ids(&t->vocab, unigram->byte);
    return unigram;
}

/* ---- encoding ---- */

/* The best way to cut what lies before a place. */
struct node {
    double score;
    uint32_t length;            /* of its last piece; 0: no way so far */
    int piece;                  /* index of scored, or UNKNOWN */
};

struct room {
    struct node *node;
    size_t cap;
};

static void offer(struct node *to, double score, size_t length, int piece)
{
    if (to->length != 0 && !(score > to->score))
        return;
    to->score = score;
    to->length = (uint32_t)length;
    to->piece = piece;
}

/*
 * All pieces that begin at i, or the unknown one for the character there.  Returns the bytes
 * that were compared.
 */
static size_t extend(const struct unigram *m, struct node *node, const struct part *p,
                     size_t i, size_t length)
{
    double so_far = node[i].score;
    uint32_t at = 0;
    bool single = false;
    size_t k = i;

    for (; k < p->n; k++) {
        int value;

        at = trie_step(&m->trie, at, p->s[k]);
        if (at == 0)
            break;
        value = m->trie.value[at];
        if (value < 0)
            continue;
        offer(&node[k + 1], so_far + m->scored[value].score, k + 1 - i,
              m->scored[value].unknown ? UNKNOWN : value);
        single = single || k + 1 - i == length;
    }
    if (!single)
        offer(&node[i + length], so_far + m->unk_score, length, UNKNOWN);
    return k - i;
}

static struct node *unigram_make_room(struct room *r, struct arena *a, size_t n)
{
    if (n + 1 > r->cap) {
        r->cap = n + 1 > 2 * r->cap ? n + 64 : 2 * r->cap;
        r->node = arena_alloc_raw(a, r->cap, sizeof *r->node);
    }
    memset(r->node, 0, (n + 1) * sizeof *r->node);
    return r->node;
}

/* Turned round: each node on the way then has the piece that begins there. */
static void unigram_turn(struct node *node, size_t n)
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
        part_emit(w, p, m->byte[(unsigned char)p->s[k]], i, j);
    if (!bytes)
        part_emit_text(w, p, id >= 0 ? id : m->unk, i, j);
}

static int encode_part(const struct unigram *m, struct room *r, struct work *w,
                       const struct part *p, struct err *e)
{
    enum { AT_ONCE = 1000 };
    struct node *node = unigram_make_room(r, w->a, p->n);
    size_t seen = 0, j;
    int code;

    for (size_t i = 0; i < p->n; ) {
        size_t length = (size_t)chars_next(p->s + i, p->n - i, &code);

        seen += extend(m, node, p, i, length);
        i += length;
        if (seen > AT_ONCE || i == p->n) {
            bound_spend(w, BUDGET_BYTE_COMPARED * seen);
            seen = 0;
        }
        if (w->too_much)
            return bound_check(w, e);
    }
    unigram_turn(node, p->n);
    for (size_t i = 0; i < p->n; i = j) {
        j = i + node[i].length;
        if (node[i].piece != UNKNOWN) {
            part_emit(w, p, m->scored[node[i].piece].id, i, j);
            continue;
        }
        while (j < p->n && node[j].piece == UNKNOWN)
            j += node[j].length;
        if (m->unk < 0)
            return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and there "
                           "is no unknown token", (int)(j - i < 80 ? j - i : 80),
                           p->s + i);
        emit_unknown(m, w, p, i, j);
    }
    return 0;
}

int unigram_run(const void *self, struct work *w, struct err *e)
{
    struct room room = { 0 };

    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_emit_added(w, part);
        else if (encode_part(self, &room, w, part, e) != 0)
            return -1;
    }
    return 0;
}
