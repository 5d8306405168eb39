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

static int read_unk(struct bpe *m, const struct tok *t, const json_t *j, struct err *e)
{
    const json_t *unk = json_object_get(j, "unk_token");
    struct text text;

    m->unk = -1;
    if (unk == NULL || json_is_null(unk))
        return 0;
    if (json_field_text(j, "unk_token", &text.s, &text.n, e) != 0)
        return -1;
    m->unk = vocab_find(&t->vocab, text.s, text.n);
    if (m->unk < 0)
        return err_set(e, ERR_INPUT, "\"unk_token\" is \"%.80s\", which the "
                       "vocabulary lacks", text.s);
    return 0;
}

static void fill_direct(struct bpe *m, const struct vocab *v)
{
    memset(m->direct, 0xff, sizeof m->direct);          /* -1 */
    for (size_t i = 0; i < v->n; i++) {
        const struct piece *piece = &v->v[i];
        int code, count = piece->n > 0 ? chars_next(piece->s, piece->n, &code) : 0;

        if (count > 0 && (size_t)count == piece->n && code < DIRECT)
            m->direct[code] = piece->id;
    }
}

const void *bpe_open(struct tok *t, const json_t *j, struct err *e)
{
    struct bpe *bpe = arena_alloc(t->a, 1, sizeof *bpe);

    if (read_mark(t->a, j, "continuing_subword_prefix", &bpe->prefix, e) != 0 ||
        read_mark(t->a, j, "end_of_word_suffix", &bpe->suffix, e) != 0 ||
        json_field_bool(j, "ignore_merges", false, &bpe->ignore_merges, e) != 0 ||
        json_field_bool(j, "fuse_unk", false, &bpe->fuse_unk, e) != 0 ||
        json_field_bool(j, "byte_fallback", false, &bpe->byte_fallback, e) != 0 ||
        vocab_open(t, j, e) != 0 ||
        bpe_merges_open(&bpe->merges, t, j, bpe->prefix.n, e) != 0 ||
        read_unk(bpe, t, j, e) != 0)
        return NULL;
    fill_direct(bpe, &t->vocab);
    byte_level_piece_ids(&t->vocab, bpe->byte);
    t->byte_pieces = bpe->byte_fallback;
    t->prefix = bpe->prefix;
    t->suffix = bpe->suffix;
    t->unknown = bpe->unk;
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
static void grow_heap(struct room *r)
{
    r->heap_cap = 2 * r->heap_cap + 64;
    r->heap = arena_regrow(r->a, r->heap, r->n_heap, r->heap_cap, sizeof *r->heap);
}

static void heap_push(struct room *r, uint32_t rank, int at, int id)
{
    uint64_t order = (uint64_t)rank << 32 | (uint32_t)at;
    size_t i = r->n_heap;

    if (i == r->heap_cap)
        grow_heap(r);
    r->n_heap++;
    while (i > 0 && r->heap[(i - 1) / 2].order > order) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = (struct pending){ order, id };
}

static struct pending heap_pop(struct room *r)
{
    struct pending top = r->heap[0], last = r->heap[--r->n_heap];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= r->n_heap)
            break;
        if (child + 1 < r->n_heap && r->heap[child + 1].order < r->heap[child].order)
            child++;
        if (r->heap[child].order >= last.order)
            break;
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = last;
    return top;
}

/* The pair whose left side is symbol i joins the queue if it has a merge. */
static void consider(const struct bpe *m, struct room *r, int i)
{
    int next = i >= 0 ? r->symbol[i].next : -1;
    const struct merge *found;

    if (next < 0)
        return;
    found = bpe_merges_find(&m->merges, r->symbol[i].id, r->symbol[next].id);
    if (found != NULL)
        heap_push(r, found->rank, i, found->id);
}

static void merge_all(const struct bpe *m, struct room *r)
{
    r->n_heap = 0;
    for (size_t i = 0; i + 1 < r->n; i++)
        consider(m, r, (int)i);
    while (r->n_heap > 0) {
        struct pending top = heap_pop(r);
        int at = (int)(uint32_t)top.order;
        struct symbol *left = &r->symbol[at], *right;
        const struct merge *now;

        if (left->size == 0 || left->next < 0)
            continue;
        right = &r->symbol[left->next];
        now = bpe_merges_find(&m->merges, left->id, right->id);
        if (now == NULL || now->id != top.id)       /* the pair is gone */
            continue;
        left->id = top.id;
        left->size += right->size;
        left->next = right->next;
        right->size = 0;
        if (left->next >= 0)
            r->symbol[left->next].prev = at;
        consider(m, r, left->prev);
        consider(m, r, at);
    }
}

static void bpe_grow(struct room *r, size_t cap)
{
    if (cap > INT32_MAX)
        arena_fail(r->a, cap);
    r->symbol = arena_regrow(r->a, r->symbol, r->n, cap, sizeof *r->symbol);
    r->cap = cap;
}

static void add_symbol(struct room *r, int id, uint32_t size)
{
    int i = (int)r->n;

    if (r->n == r->cap)         /* a mark may be bytes, too */
        bpe_grow(r, 2 * r->cap);
    r->n++;
    r->symbol[i] = (struct symbol){ id, i - 1, -1, size };
    if (i > 0)
        r->symbol[i - 1].next = i;
}

/* A symbol for each byte; marks may need more. */
static void bpe_make_room(struct room *r, size_t n)
{
    r->n = 0;
    if (n > r->cap)
        bpe_grow(r, n > 2 * r->cap ? n + 64 : 2 * r->cap);
}

/* The pieces of the bytes of a character's name, if it has them all. */
static bool add_bytes(const struct bpe *m, struct room *r, struct text s)
{
    for (size_t i = 0; i < s.n; i++)
        if (m->byte[(unsigned char)s.s[i]] < 0)
            return false;
    for (size_t i = 0; i < s.n; i++)
        add_symbol(r, m->byte[(unsigned char)s.s[i]], 1);
    return true;
}

/* What the vocabulary calls bytes [i, i + n) of a part: their place in it counts. */
static struct text bpe_name_of(const struct bpe *m, const struct room *r, const struct part *p,
                               size_t i, size_t n)
{
    size_t before = i > 0 ? m->prefix.n : 0, after = i + n == p->n ? m->suffix.n : 0;

    if (before + after == 0)
        return (struct text){ p->s + i, n };
    memcpy(r->name, m->prefix.s, before);
    memcpy(r->name + before, p->s + i, n);
    memcpy(r->name + before + n, m->suffix.s, after);
    return (struct text){ r->name, before + n + after };
}

/*
 * The characters of the part as pieces.  As the library: an unknown one waits for
 * the next that is known, also where bytes come between.
 */
static void add_chars(const struct bpe *m, struct room *r, const struct vocab *v,
                      const struct part *p)
{
    uint32_t unknown = 0;               /* bytes that wait */
    int count;

    for (size_t i = 0; i < p->n; i += (size_t)count) {
        struct text name;
        int code, id;

        count = chars_next(p->s + i, p->n - i, &code);
        name = bpe_name_of(m, r, p, i, (size_t)count);
        id = code < DIRECT && name.s != r->name ? m->direct[code] :
                                                  vocab_find_model(v, name.s, name.n);
        if (id < 0 && m->byte_fallback && add_bytes(m, r, name))
            continue;
        if (unknown > 0 && (id >= 0 || !m->fuse_unk)) {
            add_symbol(r, m->unk, unknown);
            unknown = 0;
        }
        if (id >= 0)
            add_symbol(r, id, (uint32_t)count);
        else if (m->unk >= 0)
            unknown += (uint32_t)count;
    }
    if (unknown > 0)
        add_symbol(r, m->unk, unknown);
}

/*
 * As the library: a character that vanished shifts the spans after it.  Bytes of a mark
 * shift them as well, but not out of the part.
 */
static void emit(struct work *w, const struct part *p, int id, size_t i, size_t j)
{
    part_emit(w, p, id, i < p->n ? i : p->n - 1, j < p->n ? j : p->n);
}

static void encode_part(const struct bpe *m, struct room *r, struct work *w,
                        const struct part *p)
{
    size_t at = 0;

    if (m->ignore_merges) {
        int id = vocab_find_model(&w->t->vocab, p->s, p->n);

        if (id >= 0) {
            part_emit(w, p, id, 0, p->n);
            return;
        }
    }
    bpe_make_room(r, p->n);
    add_chars(m, r, &w->t->vocab, p);
    merge_all(m, r);
    for (size_t i = 0; i < r->n; i++) {
        if (r->symbol[i].size == 0)
            continue;
        emit(w, p, r->symbol[i].id, at, at + r->symbol[i].size);
        at += r->symbol[i].size;
    }
}

int bpe_run(const void *self, struct work *w, struct err *e)
{
    const struct bpe *bpe = self;
    struct room room = { .a = w->a };

    (void)e;
    room.name = arena_alloc_raw(w->a, bpe->prefix.n + bpe->suffix.n + 4, 1);
    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_emit_added(w, part);
        else
            encode_part(self, &room, w, part);
    }
    arena_give_back(w->a, room.symbol, room.cap, sizeof *room.symbol);
    arena_give_back(w->a, room.heap, room.heap_cap, sizeof *room.heap);
    return 0;
}
