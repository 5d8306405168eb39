/* SPDX-License-Identifier: MIT
 * Byte-pair encoding: a part starts as its characters; of all neighbours that
 * have a merge the one of the lowest rank is joined, the leftmost first, until
 * none is left.  A heap keeps a long part at n log n. */
#include <stdlib.h>
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

struct merge {
    uint64_t key;               /* left id << 32 | right id, plus 1; 0: free */
    uint32_t rank;
    int id;
};

enum { DIRECT = 0x400 };        /* covers the byte-level alphabet */

struct bpe {
    struct merge *slot;
    size_t mask;
    int direct[DIRECT];         /* the id of each low code point, or -1 */
    int unk;                    /* -1: characters without a piece vanish */
    bool fuse_unk;              /* neighbours of that kind are one */
    bool ignore_merges;         /* a part that is a piece is that piece */
    bool byte_fallback;         /* characters without a piece are bytes */
    int byte[256];              /* the piece of each byte, or -1 */
};

/* ---- merges ---- */

static struct merge *place(const struct bpe *m, int left, int right)
{
    uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h ^ h >> 29) & m->mask;

    while (m->slot[i].key != 0 && m->slot[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slot[i];
}

static const struct merge *find_merge(const struct bpe *m, int left, int right)
{
    const struct merge *found = place(m, left, right);

    return found->key != 0 ? found : NULL;
}

int bpe_merge_halves(struct text both, struct merge_text *out)
{
    const char *blank = memchr(both.s, ' ', both.n);
    size_t count = blank != NULL ? (size_t)(blank - both.s) : 0;

    if (blank == NULL || memchr(blank + 1, ' ', both.n - count - 1) != NULL)
        return -1;
    out->left = (struct text){ both.s, count };
    out->right = (struct text){ blank + 1, both.n - count - 1 };
    return 0;
}

static struct text text_of(const json_t *j)
{
    return (struct text){ json_string_value(j), json_string_length(j) };
}

/* ["a", "b"], or "a b" as older files have it. */
static int merge_sides(const json_t *j, struct merge_text *out)
{
    if (json_is_string(j))
        return bpe_merge_halves(text_of(j), out);
    if (json_array_size(j) != 2 || !json_is_string(json_array_get(j, 0)) ||
        !json_is_string(json_array_get(j, 1)))
        return -1;
    out->left = text_of(json_array_get(j, 0));
    out->right = text_of(json_array_get(j, 1));
    return 0;
}

static int lacks(struct text s, struct err *e)
{
    return err_set(e, ERR_INPUT, "it names \"%.*s\", which the vocabulary lacks",
                   (int)(s.n < 80 ? s.n : 80), s.s);
}

static int add_merge(struct bpe *m, const struct vocab *v, const struct merge_text *text,
                     size_t rank, char *both, struct err *e)
{
    struct text left = text->left, right = text->right, joined = { both, 0 };
    struct merge *at;
    int l, r;

    l = vocab_find(v, left.s, left.n);
    r = vocab_find(v, right.s, right.n);
    if (l < 0 || r < 0)
        return lacks(l < 0 ? left : right, e);
    memcpy(both, left.s, left.n);
    memcpy(both + left.n, right.s, right.n);
    joined.n = left.n + right.n;
    at = place(m, l, r);
    at->id = vocab_find(v, joined.s, joined.n);
    if (at->id < 0)
        return lacks(joined, e);
    at->key = ((uint64_t)(uint32_t)l << 32 | (uint32_t)r) + 1;
    at->rank = (uint32_t)rank;
    return 0;
}

static void new_table(struct bpe *m, struct arena *a, size_t n)
{
    size_t slots = 64;

    while (slots < n + n / 2)
        slots *= 2;
    m->slot = arena_alloc(a, slots, sizeof *m->slot);
    m->mask = slots - 1;
}

/* list NULL: those of t. */
static int read_merges(struct bpe *m, struct tok *t, const json_t *list, struct err *e)
{
    size_t count = list != NULL ? json_array_size(list) : t->n_merges;
    char *both = arena_alloc(t->a, 2 * t->vocab.longest + 1, 1);

    new_table(m, t->a, count);
    for (size_t i = 0; i < count; i++) {
        struct merge_text text;

        if (list == NULL)
            text = t->merges[i];
        else if (merge_sides(json_array_get(list, i), &text) != 0)
            return err_set(e, ERR_INPUT, "merges[%zu]: expected two pieces", i);
        if (add_merge(m, &t->vocab, &text, i, both, e) != 0)
            return err_under(e, "merges[%zu]", i);
    }
    return 0;
}

/* ---- merges that only scores tell: SentencePiece's ---- */

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;

    return (x < y) - (x > y);
}

/* The two sides of a piece, cut before byte i; false where they are not pieces. */
static bool sides(const struct vocab *v, struct text s, size_t i, int *left, int *right)
{
    if (((unsigned char)s.s[i] & 0xc0) == 0x80)
        return false;
    *left = vocab_find_model(v, s.s, i);
    *right = *left >= 0 ? vocab_find_model(v, s.s + i, s.n - i) : -1;
    return *right >= 0;
}

/* Every two pieces that make a third are a merge; equal scores, equal ranks. */
static void make_merges(struct bpe *m, struct tok *t)
{
    struct scored *scored = t->scored;
    size_t count = 0;
    int left, right;

    qsort(scored, t->n_scored, sizeof *scored, by_score);
    for (size_t k = 0; k < t->n_scored; k++)
        for (size_t i = 1; i < scored[k].s.n; i++)
            count += sides(&t->vocab, scored[k].s, i, &left, &right);
    new_table(m, t->a, count);
    for (size_t k = 0, rank = 0; k < t->n_scored; k++) {
        if (k > 0 && scored[k].score < scored[k - 1].score)
            rank = k;
        for (size_t i = 1; i < scored[k].s.n; i++) {
            struct merge *at;

            if (!sides(&t->vocab, scored[k].s, i, &left, &right))
                continue;
            at = place(m, left, right);
            at->key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
            at->rank = (uint32_t)rank;
            at->id = scored[k].id;
        }
    }
}

static int open_merges(struct bpe *m, struct tok *t, const json_t *j, struct err *e)
{
    bool open = json_is_null(json_object_get(j, "merges"));
    const json_t *merges;

    if (open && t->given.merges) {
        t->given.merges = false;
        return read_merges(m, t, NULL, e);
    }
    if (open && t->given.merges_by_score) {
        t->given.merges_by_score = false;
        make_merges(m, t);
        return 0;
    }
    if (json_field_list(j, "merges", &merges, e) != 0)
        return -1;
    return read_merges(m, t, merges, e);
}

/* ---- settings ---- */

/* An option that is off when absent, null, false, 0 or empty, and must be off. */
static int must_be_off(const json_t *j, const char *key, struct err *e)
{
    const json_t *value = json_object_get(j, key);

    if (value == NULL || json_is_null(value) || json_is_false(value) ||
        (json_is_number(value) && json_number_value(value) == 0) ||
        (json_is_string(value) && json_string_length(value) == 0))
        return 0;
    return err_set(e, ERR_INPUT, "\"%s\" is not supported", key);
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
    static const char *const off[] = {
        "continuing_subword_prefix", "end_of_word_suffix"
    };
    struct bpe *bpe = arena_alloc(t->a, 1, sizeof *bpe);

    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        if (must_be_off(j, off[i], e) != 0)
            return NULL;
    if (json_field_bool(j, "ignore_merges", false, &bpe->ignore_merges, e) != 0 ||
        json_field_bool(j, "fuse_unk", false, &bpe->fuse_unk, e) != 0 ||
        json_field_bool(j, "byte_fallback", false, &bpe->byte_fallback, e) != 0 ||
        vocab_open(t, j, e) != 0 ||
        open_merges(bpe, t, j, e) != 0 || read_unk(bpe, t, j, e) != 0)
        return NULL;
    fill_direct(bpe, &t->vocab);
    byte_level_piece_ids(&t->vocab, bpe->byte);
    t->byte_pieces = bpe->byte_fallback;
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
    struct symbol *symbol;
    struct pending *heap;
    size_t n, cap, n_heap;
};

static void heap_push(struct room *r, uint32_t rank, int at, int id)
{
    uint64_t order = (uint64_t)rank << 32 | (uint32_t)at;
    size_t i = r->n_heap++;

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
    found = find_merge(m, r->symbol[i].id, r->symbol[next].id);
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
        now = find_merge(m, left->id, right->id);
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

static void add_symbol(struct room *r, int id, uint32_t size)
{
    int i = (int)r->n++;

    r->symbol[i] = (struct symbol){ id, i - 1, -1, size };
    if (i > 0)
        r->symbol[i - 1].next = i;
}

static void make_room(struct room *r, struct arena *a, size_t n)
{
    if (n > r->cap) {
        size_t cap = n > 2 * r->cap ? n + 64 : 2 * r->cap;

        r->symbol = arena_alloc_raw(a, cap, sizeof *r->symbol);
        /* The pairs there are, and two new ones for each merge. */
        r->heap = arena_alloc_raw(a, 3 * cap, sizeof *r->heap);
        r->cap = cap;
    }
    r->n = 0;
}

/* The pieces of the bytes of a character, if it has them all. */
static bool add_bytes(const struct bpe *m, struct room *r, const char *s, int n)
{
    for (int i = 0; i < n; i++)
        if (m->byte[(unsigned char)s[i]] < 0)
            return false;
    for (int i = 0; i < n; i++)
        add_symbol(r, m->byte[(unsigned char)s[i]], 1);
    return true;
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
        int code, id;

        count = chars_next(p->s + i, p->n - i, &code);
        id = code < DIRECT ? m->direct[code] :
                             vocab_find_model(v, p->s + i, (size_t)count);
        if (id < 0 && m->byte_fallback && add_bytes(m, r, p->s + i, count))
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
    make_room(r, w->a, p->n);
    add_chars(m, r, &w->t->vocab, p);
    merge_all(m, r);
    /* As the library: a character that vanished shifts the spans after it. */
    for (size_t i = 0; i < r->n; i++) {
        if (r->symbol[i].size == 0)
            continue;
        part_emit(w, p, r->symbol[i].id, at, at + r->symbol[i].size);
        at += r->symbol[i].size;
    }
}

int bpe_run(const void *self, struct work *w, struct err *e)
{
    struct room room = { 0 };

    (void)e;
    for (size_t i = 0; i < w->parts.n; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_emit_added(w, part);
        else if (part->n > 0)
            encode_part(self, &room, w, part);
    }
    return 0;
}
