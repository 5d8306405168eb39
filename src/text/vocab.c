/* SPDX-License-Identifier: MIT
 * Pieces <-> ids: an array of pieces, a hash over their bytes, an index by id. */
#include <string.h>

#include "text/tok_priv.h"

/* Far above any vocabulary; bounds the index by id, whatever a file says. */
enum { ID_LIMIT = 1 << 24 };

/* Byte by byte, so that the hash of a text goes on from that of its beginning. */
static uint64_t hash(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x9e3779b97f4a7c15u;
    return h;
}

/* The hash without the last byte: the other factor is the inverse modulo 2^64. */
static uint64_t hash_without(uint64_t h, char last)
{
    return (h * 0xf1de83e19937733du) ^ (unsigned char)last;
}

static bool is_piece(const struct piece *piece, struct text head, const char *s, size_t n)
{
    return piece->n == head.n + n && memcmp(piece->s, head.s, head.n) == 0 &&
           memcmp(piece->s + head.n, s, n) == 0;
}

/* The slot of head and s[n] with the hash h, or the free one where it would be. */
static size_t vocab_place(const struct vocab *vocab, uint64_t h, struct text head, const char *s,
                          size_t n)
{
    size_t i = (size_t)(h >> 32) & vocab->mask;

    while (vocab->slot[i] != 0 && !is_piece(&vocab->v[vocab->slot[i] - 1], head, s, n))
        i = (i + 1) & vocab->mask;
    return i;
}

static const struct text nothing = { "", 0 };

static size_t vocab_place_of(const struct vocab *vocab, const char *s, size_t n)
{
    return vocab_place(vocab, hash(0, s, n), nothing, s, n);
}

static void vocab_grow(struct vocab *vocab, struct arena *a, size_t cap)
{
    size_t slots = 64;

    while (slots < cap + cap / 3)
        slots *= 2;
    vocab->v = arena_grow(a, vocab->v, vocab->n, cap, sizeof *vocab->v);
    vocab->cap = cap;
    vocab->slot = arena_alloc(a, slots, sizeof *vocab->slot);
    vocab->mask = slots - 1;
    for (size_t i = 0; i < vocab->n; i++)
        vocab->slot[vocab_place_of(vocab, vocab->v[i].s, vocab->v[i].n)] = (uint32_t)i + 1;
}

void vocab_init(struct vocab *vocab, struct arena *a, size_t n)
{
    memset(vocab, 0, sizeof *vocab);
    vocab_grow(vocab, a, n + 64);
}

static void grow_ids(struct vocab *vocab, struct arena *a, size_t n)
{
    if (n > vocab->ids_cap) {
        size_t cap = n > 2 * vocab->ids_cap ? n : 2 * vocab->ids_cap;

        vocab->by_id = arena_grow(a, vocab->by_id, vocab->n_ids, cap, sizeof *vocab->by_id);
        vocab->ids_cap = cap;
    }
    if (n > vocab->n_ids)
        vocab->n_ids = n;
}

int vocab_add(struct vocab *vocab, struct arena *a, struct text s, json_int_t id,
              struct err *e)
{
    struct piece *piece;
    size_t at;

    if (id < 0 || id >= ID_LIMIT)
        return err_set(e, ERR_INPUT, "token \"%.80s\" has id %lld, expected 0 to %d",
                       s.s, (long long)id, ID_LIMIT - 1);
    if (vocab->n == vocab->cap)
        vocab_grow(vocab, a, 2 * vocab->cap);
    at = vocab_place_of(vocab, s.s, s.n);
    if (vocab->slot[at] != 0 || s.n > UINT32_MAX)
        return err_set(e, ERR_INPUT, "token \"%.80s\" appears twice", s.s);
    grow_ids(vocab, a, (size_t)id + 1);
    if (vocab->by_id[id] != 0)
        return err_set(e, ERR_INPUT, "tokens \"%.80s\" and \"%.80s\" share id %lld",
                       vocab->v[vocab->by_id[id] - 1].s, s.s, (long long)id);
    piece = &vocab->v[vocab->n++];
    piece->s = s.s;
    piece->n = (uint32_t)s.n;
    piece->id = (int)id;
    if (s.n > vocab->longest)
        vocab->longest = s.n;
    vocab->slot[at] = vocab->by_id[id] = (uint32_t)vocab->n;
    return 0;
}

int vocab_find(const struct vocab *vocab, const char *s, size_t n)
{
    size_t at = vocab_place_of(vocab, s, n);

    return vocab->slot[at] != 0 ? vocab->v[vocab->slot[at] - 1].id : -1;
}

int vocab_find_model(const struct vocab *vocab, const char *s, size_t n)
{
    size_t at = vocab_place_of(vocab, s, n);

    return vocab->slot[at] != 0 &&
           vocab->slot[at] <= vocab->n_model ? vocab->v[vocab->slot[at] - 1].id : -1;
}

/* From the longest beginning on, as most words are pieces themselves. */
int vocab_longest(const struct vocab *vocab, struct text head, const char *s, size_t n,
                  size_t *length, size_t *seen)
{
    size_t most = vocab->longest < head.n ? 0 : vocab->longest - head.n, i = n < most ? n : most;
    uint64_t h = hash(hash(0, head.s, head.n), s, i);

    *seen += i + 1;
    for (; i > 0; h = hash_without(h, s[--i])) {
        uint32_t found = vocab->slot[vocab_place(vocab, h, head, s, i)];

        if (found != 0 && found <= vocab->n_model) {
            *length = i;
            return vocab->v[found - 1].id;
        }
    }
    return -1;
}

const struct piece *vocab_piece(const struct vocab *vocab, int id)
{
    if (id < 0 || (size_t)id >= vocab->n_ids || vocab->by_id[id] == 0)
        return NULL;
    return &vocab->v[vocab->by_id[id] - 1];
}

static size_t bytes_of_keys(json_t *j)
{
    size_t sum = 0;

    for (void *i = json_object_iter(j); i != NULL; i = json_object_iter_next(j, i))
        sum += strlen(json_object_iter_key(i)) + 1;
    return sum;
}

int vocab_read(struct vocab *vocab, struct arena *a, const json_t *j, struct err *e)
{
    json_t *o = (json_t *)(uintptr_t)j;         /* its iterators are not const */
    char *pool;

    if (!json_is_object(j))
        return err_set(e, ERR_INPUT, "\"vocab\" is missing or not an object");
    vocab_init(vocab, a, json_object_size(j));
    pool = arena_alloc_raw(a, bytes_of_keys(o), 1);
    for (void *i = json_object_iter(o); i != NULL; i = json_object_iter_next(o, i)) {
        const char *key = json_object_iter_key(i);
        const json_t *id = json_object_iter_value(i);
        struct text text = { pool, strlen(key) };

        if (!json_is_integer(id))
            return err_set(e, ERR_INPUT, "token \"%.80s\" has an id that is not a whole "
                           "number", key);
        memcpy(pool, key, text.n + 1);
        pool += text.n + 1;
        if (vocab_add(vocab, a, text, json_integer_value(id), e) != 0)
            return -1;
    }
    vocab->n_model = vocab->n;
    return 0;
}

int vocab_open(struct tok *tok, const json_t *model, struct err *e)
{
    const json_t *value = json_object_get(model, "vocab");

    if (!tok->given.vocab || !json_is_null(value))
        return vocab_read(&tok->vocab, tok->a, value, e);
    tok->given.vocab = false;
    return 0;
}
