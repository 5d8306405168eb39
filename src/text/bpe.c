/* SPDX-License-Identifier: MIT
 * Byte-pair encoding: a part starts as its characters; of all neighbours that
 * have a merge the one of the lowest rank is joined, the leftmost first, until
 * none is left.  A heap keeps a long part at n log n. */
#include <string.h>

#include "base/json_field.h"
#include "text/bpe_merges.h"

enum {
    DIRECT = 0x400,             /* covers the byte-level alphabet */
    LONGEST_MARK = 64           /* it is looked up with each character */
};

struct bpe {
    struct merges merges;
    int direct[DIRECT];         /* the id of each low code point, or -1 */
    int unk;                    /* -1: characters without a piece vanish */
    bool fuse_unk;              /* neighbours of that kind are one */
    bool ignore_merges;         /* a part that is a piece is that piece */
    bool byte_fallback;         /* characters without a piece are bytes */
    struct text prefix;         /* of characters inside a word: "##", or empty */
    struct text suffix;         /* of those that end one: "</w>", or empty */
    int byte[256];              /* the piece of each byte, or -1 */
};

/* ---- settings ---- */

/* A copy of a text, empty where it is absent or null. */
static int read_mark(struct arena *a, const json_t *j, const char *key, struct text *out,
                     struct err *e)
{
    const json_t *value = json_object_get(j, key);

    *out = (struct text){ "", 0 };
    if (value == NULL || json_is_null(value))
        return 0;
    if (json_field_text(j, key, &out->s, &out->n, e) != 0)
        return -1;
    if (out->n > LONGEST_MARK)
        return err_set(e, ERR_INPUT, "\"%s\" has %zu bytes, expected at most %d", key,
                       out->n, LONGEST_MARK);
    out->s = arena_strndup(a, out->s, out->n);
    return 0;
}

static int read_unk(struct bpe *bpe, const struct tok *tok, const json_t *j, struct err *e)
{
    const json_t *unk = json_object_get(j, "unk_token");
    struct text text;

    bpe->unk = -1;
    if (unk == NULL || json_is_null(unk))
        return 0;
    if (json_field_text(j, "unk_token", &text.s, &text.n, e) != 0)
        return -1;
    bpe->unk = vocab_find(&tok->vocab, text.s, text.n);
    if (bpe->unk < 0)
        return err_set(e, ERR_INPUT, "\"unk_token\" is \"%.80s\", which the "
                       "vocabulary lacks", text.s);
    return 0;
}

static void fill_direct(struct bpe *bpe, const struct vocab *vocab)
{
    memset(bpe->direct, 0xff, sizeof bpe->direct);          /* -1 */
    for (size_t i = 0; i < vocab->n; i++) {
        const struct piece *piece = &vocab->v[i];
        int code, count = piece->n > 0 ? chars_next(piece->s, piece->n, &code) : 0;

        if (count > 0 && (size_t)count == piece->n && code < DIRECT)
            bpe->direct[code] = piece->id;
    }
}

const void *bpe_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct bpe *bpe = arena_alloc(tok->a, 1, sizeof *bpe);

    if (read_mark(tok->a, j, "continuing_subword_prefix", &bpe->prefix, e) != 0 ||
        read_mark(tok->a, j, "end_of_word_suffix", &bpe->suffix, e) != 0 ||
        json_field_bool(j, "ignore_merges", false, &bpe->ignore_merges, e) != 0 ||
        json_field_bool(j, "fuse_unk", false, &bpe->fuse_unk, e) != 0 ||
        json_field_bool(j, "byte_fallback", false, &bpe->byte_fallback, e) != 0 ||
        vocab_open(tok, j, e) != 0 ||
        bpe_merges_open(&bpe->merges, tok, j, bpe->prefix.n, e) != 0 ||
        read_unk(bpe, tok, j, e) != 0)
        return NULL;
    fill_direct(bpe, &tok->vocab);
    byte_level_piece_ids(&tok->vocab, bpe->byte);
    tok->byte_pieces = bpe->byte_fallback;
    tok->prefix = bpe->prefix;
    tok->suffix = bpe->suffix;
    tok->unknown = bpe->unk;
    return bpe;
}

/* ---- encoding ---- */

struct symbol {
    int id, prev, next;         /* -1: none */
    uint32_t size;              /* bytes; 0: merged into the one before */
};

struct pending {
    uint64_t order;             /* rank << 32 | position of the left symbol */
    int id;                     /* what the two would become */
};

/* Room for one part; reused from part to part. */
struct room {
    struct arena *a;
    struct symbol *symbol;
    struct pending *heap;
    size_t n, cap, n_heap, heap_cap;
    char *name;                 /* a character between prefix and suffix */
};

/* No more than the pairs that there are, and two new ones for each merge. */
static void grow_heap(struct room *room)
{
    room->heap_cap = 2 * room->heap_cap + 64;
    room->heap = arena_regrow(room->a, room->heap, room->n_heap, room->heap_cap,
                              sizeof *room->heap);
}

static void heap_push(struct room *room, uint32_t rank, int at, int id)
{
    uint64_t order = (uint64_t)rank << 32 | (uint32_t)at;
    size_t i = room->n_heap;

    if (i == room->heap_cap)
        grow_heap(room);
    room->n_heap++;
    while (i > 0 && room->heap[(i - 1) / 2].order > order) {
        room->heap[i] = room->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    room->heap[i] = (struct pending){ order, id };
}

static struct pending heap_pop(struct room *room)
{
    struct pending top = room->heap[0], last = room->heap[--room->n_heap];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= room->n_heap)
            break;
        if (child + 1 < room->n_heap && room->heap[child + 1].order < room->heap[child].order)
            child++;
        if (room->heap[child].order >= last.order)
            break;
        room->heap[i] = room->heap[child];
        i = child;
    }
    room->heap[i] = last;
    return top;
}

/* The pair whose left side is symbol i joins the queue if it has a merge. */
static void consider(const struct bpe *bpe, struct room *room, int i)
{
    int next = i >= 0 ? room->symbol[i].next : -1;
    const struct merge *found;

    if (next < 0)
        return;
    found = bpe_merges_find(&bpe->merges, room->symbol[i].id, room->symbol[next].id);
    if (found != NULL)
        heap_push(room, found->rank, i, found->id);
}

static void merge_all(const struct bpe *bpe, struct room *room)
{
    room->n_heap = 0;
    for (size_t i = 0; i + 1 < room->n; i++)
        consider(bpe, room, (int)i);
    while (room->n_heap > 0) {
        struct pending top = heap_pop(room);
        int at = (int)(uint32_t)top.order;
        struct symbol *left = &room->symbol[at], *right;
        const struct merge *now;

        if (left->size == 0 || left->next < 0)
            continue;
        right = &room->symbol[left->next];
        now = bpe_merges_find(&bpe->merges, left->id, right->id);
        if (now == NULL || now->id != top.id)       /* the pair is gone */
            continue;
        left->id = top.id;
        left->size += right->size;
        left->next = right->next;
        right->size = 0;
        if (left->next >= 0)
            room->symbol[left->next].prev = at;
        consider(bpe, room, left->prev);
        consider(bpe, room, at);
    }
}

static void bpe_grow(struct room *room, size_t cap)
{
    if (cap > INT32_MAX)
        arena_fail(room->a, cap);
    room->symbol = arena_regrow(room->a, room->symbol, room->n, cap, sizeof *room->symbol);
    room->cap = cap;
}

static void add_symbol(struct room *room, int id, uint32_t size)
{
    int i = (int)room->n;

    if (room->n == room->cap)         /* a mark may be bytes, too */
        bpe_grow(room, 2 * room->cap);
    room->n++;
    room->symbol[i] = (struct symbol){ id, i - 1, -1, size };
    if (i > 0)
        room->symbol[i - 1].next = i;
}

/* A symbol for each byte; marks may need more. */
static void bpe_make_room(struct room *room, size_t n)
{
    room->n = 0;
    if (n > room->cap)
        bpe_grow(room, n > 2 * room->cap ? n + 64 : 2 * room->cap);
}

/* The pieces of the bytes of a character's name, if it has them all. */
static bool add_bytes(const struct bpe *bpe, struct room *room, struct text s)
{
    for (size_t i = 0; i < s.n; i++)
        if (bpe->byte[(unsigned char)s.s[i]] < 0)
            return false;
    for (size_t i = 0; i < s.n; i++)
        add_symbol(room, bpe->byte[(unsigned char)s.s[i]], 1);
    return true;
}

/* What the vocabulary calls bytes [i, i + n) of a part: their place in it counts. */
static struct text bpe_name_of(const struct bpe *bpe, const struct room *room,
                               const struct fragment *part, size_t i, size_t n)
{
    size_t before = i > 0 ? bpe->prefix.n : 0, after = i + n == part->n ? bpe->suffix.n : 0;

    if (before + after == 0)
        return (struct text){ part->s + i, n };
    memcpy(room->name, bpe->prefix.s, before);
    memcpy(room->name + before, part->s + i, n);
    memcpy(room->name + before + n, bpe->suffix.s, after);
    return (struct text){ room->name, before + n + after };
}

/*
 * The characters of the part as pieces.  As the library: an unknown one waits for
 * the next that is known, also where bytes come between.
 */
static void add_chars(const struct bpe *bpe, struct room *room, const struct vocab *vocab,
                      const struct fragment *part)
{
    uint32_t unknown = 0;               /* bytes that wait */
    int count;

    for (size_t i = 0; i < part->n; i += (size_t)count) {
        struct text name;
        int code, id;

        count = chars_next(part->s + i, part->n - i, &code);
        name = bpe_name_of(bpe, room, part, i, (size_t)count);
        id = code < DIRECT && name.s != room->name ? bpe->direct[code] :
                                                     vocab_find_model(vocab, name.s, name.n);
        if (id < 0 && bpe->byte_fallback && add_bytes(bpe, room, name))
            continue;
        if (unknown > 0 && (id >= 0 || !bpe->fuse_unk)) {
            add_symbol(room, bpe->unk, unknown);
            unknown = 0;
        }
        if (id >= 0)
            add_symbol(room, id, (uint32_t)count);
        else if (bpe->unk >= 0)
            unknown += (uint32_t)count;
    }
    if (unknown > 0)
        add_symbol(room, bpe->unk, unknown);
}

/*
 * As the library: a character that vanished shifts the spans after it.  Bytes of a mark
 * shift them as well, but not out of the part.
 */
static void emit(struct work *work, const struct fragment *part, int id, size_t i, size_t j)
{
    fragment_emit(work, part, id, i < part->n ? i : part->n - 1, j < part->n ? j : part->n);
}

static void encode_part(const struct bpe *bpe, struct room *room, struct work *work,
                        const struct fragment *part)
{
    size_t at = 0;

    if (bpe->ignore_merges) {
        int id = vocab_find_model(&work->t->vocab, part->s, part->n);

        if (id >= 0) {
            fragment_emit(work, part, id, 0, part->n);
            return;
        }
    }
    bpe_make_room(room, part->n);
    add_chars(bpe, room, &work->t->vocab, part);
    merge_all(bpe, room);
    for (size_t i = 0; i < room->n; i++) {
        if (room->symbol[i].size == 0)
            continue;
        emit(work, part, room->symbol[i].id, at, at + room->symbol[i].size);
        at += room->symbol[i].size;
    }
}

int bpe_run(const void *self, struct work *work, struct err *e)
{
    const struct bpe *bpe = self;
    struct room room = { .a = work->a };

    (void)e;
    room.name = arena_alloc_raw(work->a, bpe->prefix.n + bpe->suffix.n + 4, 1);
    for (size_t i = 0; i < work->parts.n; i++) {
        const struct fragment *part = &work->parts.v[i];

        if (part->id >= 0)
            fragment_emit_added(work, part);
        else
            encode_part(self, &room, work, part);
    }
    arena_give_back(work->a, room.symbol, room.cap, sizeof *room.symbol);
    arena_give_back(work->a, room.heap, room.heap_cap, sizeof *room.heap);
    return 0;
}
