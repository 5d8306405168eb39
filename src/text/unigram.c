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

static int read_piece(struct tok *tok, const json_t *j, size_t id, struct err *e)
{
    const json_t *piece = json_array_get(j, 0), *score = json_array_get(j, 1);
    struct text text = { json_string_value(piece), json_string_length(piece) };

    if (text.s == NULL || !json_is_number(score))
        return err_set(e, ERR_INPUT, "it is not [piece, score]");
    text.s = arena_strndup(tok->a, text.s, text.n);
    tok->scored[id] = (struct scored){ text, json_number_value(score), (int)id, false };
    return vocab_add(&tok->vocab, tok->a, text, (json_int_t)id, e);
}

/* [["piece", score], …], or what is given. */
static int read_pieces(struct tok *tok, const json_t *j, struct err *e)
{
    const json_t *list;

    if (tok->given.scored && json_is_null(json_object_get(j, "vocab"))) {
        tok->given.scored = false;
        return 0;
    }
    if (json_field_list(j, "vocab", &list, e) != 0)
        return -1;
    tok->n_scored = json_array_size(list);
    vocab_init(&tok->vocab, tok->a, tok->n_scored);
    tok->scored = arena_alloc(tok->a, tok->n_scored, sizeof *tok->scored);
    for (size_t i = 0; i < tok->n_scored; i++)
        if (read_piece(tok, json_array_get(list, i), i, e) != 0)
            return err_under(e, "vocab[%zu]", i);
    tok->vocab.n_model = tok->vocab.n;
    return 0;
}

static int read_unk(struct unigram *unigram, struct tok *tok, const json_t *j, struct err *e)
{
    const json_t *unk = json_object_get(j, "unk_id");

    unigram->unk = UNKNOWN;
    if (unk == NULL || json_is_null(unk))
        return 0;
    if (json_field_int(j, "unk_id", 0, INT32_MAX, &unigram->unk, e) != 0)
        return -1;
    if (vocab_piece(&tok->vocab, unigram->unk) == NULL)
        return err_set(e, ERR_INPUT, "\"unk_id\" is %d, which the vocabulary lacks",
                       unigram->unk);
    if ((size_t)unigram->unk < tok->n_scored) {
        struct scored *scored = &tok->scored[unigram->unk];

        scored->unknown = vocab_find_model(&tok->vocab, scored->s.s, scored->s.n) == unigram->unk;
    }
    return 0;
}

/* Each reader has seen that the scores are finite. */
static void fill_trie(struct unigram *unigram, struct tok *tok)
{
    double lowest = INFINITY;

    trie_init(&unigram->trie, tok->a);
    trie_reserve(&unigram->trie, tok->a, tok->n_scored);
    for (size_t i = 0; i < tok->n_scored; i++) {
        const struct scored *scored = &tok->scored[i];

        if (scored->score < lowest)
            lowest = scored->score;
        trie_add(&unigram->trie, tok->a, scored->s.s, scored->s.n, (int)i);
    }
    unigram->scored = tok->scored;
    unigram->unk_score = lowest - 10;         /* sentencepiece's kUnkPenalty */
}

const void *unigram_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct unigram *unigram = arena_alloc(tok->a, 1, sizeof *unigram);

    if (json_field_bool(j, "byte_fallback", false, &unigram->byte_fallback, e) != 0 ||
        read_pieces(tok, j, e) != 0 || read_unk(unigram, tok, j, e) != 0)
        return NULL;
    fill_trie(unigram, tok);
    tok->byte_pieces = unigram->byte_fallback;
    tok->unknown = unigram->unk;
    byte_level_piece_ids(&tok->vocab, unigram->byte);
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
static size_t extend(const struct unigram *unigram, struct node *node, const struct fragment *part,
                     size_t i, size_t length)
{
    double so_far = node[i].score;
    uint32_t at = 0;
    bool single = false;
    size_t k = i;

    for (; k < part->n; k++) {
        int value;

        at = trie_step(&unigram->trie, at, part->s[k]);
        if (at == 0)
            break;
        value = unigram->trie.value[at];
        if (value < 0)
            continue;
        offer(&node[k + 1], so_far + unigram->scored[value].score, k + 1 - i,
              unigram->scored[value].unknown ? UNKNOWN : value);
        single = single || k + 1 - i == length;
    }
    if (!single)
        offer(&node[i + length], so_far + unigram->unk_score, length, UNKNOWN);
    return k - i;
}

static struct node *unigram_make_room(struct room *room, struct arena *a, size_t n)
{
    if (n + 1 > room->cap) {
        room->cap = n + 1 > 2 * room->cap ? n + 64 : 2 * room->cap;
        room->node = arena_alloc_raw(a, room->cap, sizeof *room->node);
    }
    memset(room->node, 0, (n + 1) * sizeof *room->node);
    return room->node;
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
static void emit_unknown(const struct unigram *unigram, struct work *work,
                         const struct fragment *part, size_t i, size_t j)
{
    int id = vocab_find_model(&work->t->vocab, part->s + i, j - i);
    bool bytes = id < 0 && unigram->byte_fallback;

    for (size_t k = i; bytes && k < j; k++)
        bytes = unigram->byte[(unsigned char)part->s[k]] >= 0;
    for (size_t k = i; bytes && k < j; k++)
        fragment_emit(work, part, unigram->byte[(unsigned char)part->s[k]], i, j);
    if (!bytes)
        fragment_emit_text(work, part, id >= 0 ? id : unigram->unk, i, j);
}

static int encode_part(const struct unigram *unigram, struct room *room, struct work *work,
                       const struct fragment *part, struct err *e)
{
    enum { AT_ONCE = 1000 };
    struct node *node = unigram_make_room(room, work->a, part->n);
    size_t seen = 0, j;
    int code;

    for (size_t i = 0; i < part->n; ) {
        size_t length = (size_t)chars_next(part->s + i, part->n - i, &code);

        seen += extend(unigram, node, part, i, length);
        i += length;
        if (seen > AT_ONCE || i == part->n) {
            bound_spend(work, BUDGET_BYTE_COMPARED * seen);
            seen = 0;
        }
        if (work->too_much)
            return bound_check(work, e);
    }
    unigram_turn(node, part->n);
    for (size_t i = 0; i < part->n; i = j) {
        j = i + node[i].length;
        if (node[i].piece != UNKNOWN) {
            fragment_emit(work, part, unigram->scored[node[i].piece].id, i, j);
            continue;
        }
        while (j < part->n && node[j].piece == UNKNOWN)
            j += node[j].length;
        if (unigram->unk < 0)
            return err_set(e, ERR_INPUT, "\"%.*s\" is not in the vocabulary, and there "
                           "is no unknown token", (int)(j - i < 80 ? j - i : 80),
                           part->s + i);
        emit_unknown(unigram, work, part, i, j);
    }
    return 0;
}

int unigram_run(const void *self, struct work *work, struct err *e)
{
    struct room room = { 0 };

    for (size_t i = 0; i < work->parts.n; i++) {
        const struct fragment *part = &work->parts.v[i];

        if (part->id >= 0)
            fragment_emit_added(work, part);
        else if (encode_part(self, &room, work, part, e) != 0)
            return -1;
    }
    return 0;
}
