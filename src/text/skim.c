/* SPDX-License-Identifier: MIT
 * The vocabulary and the merges of a tokenizer.json without a tree: 30,000 pieces would
 * cost as much as all the rest of a start.  Only what is plain is read; the rest,
 * and all that is wrong, is left to json_read. */
#include <string.h>

#include "base/json_scan.h"
#include "base/utf8.h"
#include "text/tok_priv.h"

static const char *skim_place(const struct json_scan *s)
{
    return (const char *)s->at;
}

/* What stands between the quotes, escapes as they are. */
static bool string(struct json_scan *s, struct text *out)
{
    return json_scan_quoted(s, &out->s, &out->n);
}

/* Copies a string to the pool, with a NUL after it; false: wrong. */
static bool skim_copy(struct text *s, char *pool)
{
    const unsigned char *quote = (const unsigned char *)s->s - 1;
    struct json_scan scan = { quote, quote, quote + s->n + 2 };
    struct err unused;

    if (memchr(s->s, '\\', s->n) == NULL) {
        memcpy(pool, s->s, s->n);
        pool[s->n] = '\0';
    } else if (json_scan_string(&scan, pool, &s->n, &unused) != 0 ||
               memchr(pool, '\0', s->n) != NULL) {
        return false;
    }
    s->s = pool;
    return true;
}

/* The object that s is at; on success s is after it. */
static bool pieces(struct json_scan *s, struct vocab *v, struct arena *a)
{
    /* A piece with its NUL is shorter than its quotes and colon make it. */
    char *pool = arena_alloc_raw(a, (size_t)(s->end - s->at), 1);
    struct err unused;
    struct text piece;
    int64_t id;

    if (!json_scan_take(s, '{'))
        return false;
    do {
        if (!string(s, &piece) || utf8_check(piece.s, piece.n) != piece.n ||
            !json_scan_take(s, ':') || !json_scan_id(s, &id) || !skim_copy(&piece, pool) ||
            vocab_add(v, a, piece, id, &unused) != 0)
            return false;
        pool += piece.n + 1;
    } while (json_scan_take(s, ','));
    v->n_model = v->n;
    return json_scan_take(s, '}');
}

/* The list [["piece", score], …] that s is at; on success s is after it. */
static bool scored_pieces(struct json_scan *s, struct tok *t)
{
    size_t cap = (size_t)(s->end - s->at) / 8;      /* ["",0], is no shorter */
    char *pool = arena_alloc_raw(t->a, (size_t)(s->end - s->at), 1);
    struct err unused;

    t->scored = arena_alloc_raw(t->a, cap + 1, sizeof *t->scored);
    if (!json_scan_take(s, '['))
        return false;
    do {
        struct scored *scored = &t->scored[t->n_scored];

        *scored = (struct scored){ .id = (int)t->n_scored };
        if (t->n_scored > cap || !json_scan_take(s, '[') || !string(s, &scored->s) ||
            utf8_check(scored->s.s, scored->s.n) != scored->s.n ||
            !json_scan_take(s, ',') || !json_scan_real(s, &scored->score) ||
            !json_scan_take(s, ']') || !skim_copy(&scored->s, pool) ||
            vocab_add(&t->vocab, t->a, scored->s, scored->id, &unused) != 0)
            return false;
        pool += scored->s.n + 1;
        t->n_scored++;
    } while (json_scan_take(s, ','));
    t->vocab.n_model = t->vocab.n;
    return json_scan_take(s, ']');
}

/* Of the object that s is at. */
static bool is_unigram(struct json_scan s)
{
    struct text type;

    return json_scan_enter(&s, "type") && string(&s, &type) && type.n == 7 &&
           memcmp(type.s, "Unigram", 7) == 0;
}

/* A string without its escapes; as it stands in the file where it has none. */
static bool plain_string(struct json_scan *s, struct arena *a, struct text *out)
{
    if (!string(s, out))
        return false;
    return memchr(out->s, '\\', out->n) == NULL ||
           skim_copy(out, arena_alloc_raw(a, out->n + 1, 1));
}

/* "a b" as older files have it, or ["a", "b"]. */
static bool skim_merge(struct json_scan *s, struct arena *a, struct merge_text *m)
{
    if (json_scan_peek(s) == '"')
        return plain_string(s, a, &m->left) && bpe_merge_halves(m->left, m) == 0;
    return json_scan_take(s, '[') && plain_string(s, a, &m->left) && json_scan_take(s, ',') &&
           plain_string(s, a, &m->right) && json_scan_take(s, ']');
}

/* The list that s is at; on success s is after it. */
static bool merges(struct json_scan *s, struct tok *t)
{
    const char *begin = skim_place(s);
    size_t cap = 0, count = 0;

    if (!json_scan_take(s, '['))
        return false;
    do {
        if (count == cap) {
            cap = 2 * cap + 1024;
            t->merges = arena_grow(t->a, t->merges, count, cap, sizeof *t->merges);
        }
        if (!skim_merge(s, t->a, &t->merges[count]))
            return false;
        count++;
    } while (json_scan_take(s, ','));
    t->n_merges = count;
    return json_scan_take(s, ']') &&
           utf8_check(begin, (size_t)(skim_place(s) - begin)) == (size_t)(skim_place(s) - begin);
}

static bool any_pieces(struct json_scan *s, struct tok *t, bool unigram)
{
    return unigram ? scored_pieces(s, t) : pieces(s, &t->vocab, t->a);
}

/* The file so far with "null" for what begins at value; rest goes on after it. */
struct rest {
    const char *done;           /* the file was copied up to here */
    char *s;
    size_t n;
};

static void skim_leave_out(struct rest *r, const char *value, const char *end)
{
    static const char instead[] = "null";
    size_t before = (size_t)(value - r->done);

    memcpy(r->s + r->n, r->done, before);
    memcpy(r->s + r->n + before, instead, sizeof instead - 1);
    r->n += before + sizeof instead - 1;
    r->done = end;
}

/* Goes on to the map of a normaliser, or of one of a sequence. */
static bool enter_map(struct json_scan *s)
{
    static const char key[] = "precompiled_charsmap";
    struct json_scan one = *s;

    if (json_scan_enter(&one, key)) {
        *s = one;
        return true;
    }
    if (!json_scan_enter(s, "normalizers") || !json_scan_take(s, '['))
        return false;
    do {
        one = *s;
        if (json_scan_enter(&one, key)) {
            *s = one;
            return true;
        }
    } while (json_scan_skip(s) && json_scan_take(s, ','));
    return false;
}

/* Of the file that s is at, where it stands before `before`. */
static void skim_map(struct json_scan s, const char *before, struct tok *t, struct rest *r)
{
    struct text map;
    const char *value;

    if (!json_scan_enter(&s, "normalizer") || !enter_map(&s))
        return;
    json_scan_peek(&s);
    value = skim_place(&s);
    t->given.map = value < before && string(&s, &map) &&
                   charsmap_decode(t->a, map, &t->map);
    if (t->given.map)
        skim_leave_out(r, value, skim_place(&s));
    else
        t->map = (struct span){ 0 };
}

/* From after the vocabulary, where merges mostly follow. */
static void skim_merges(struct json_scan *s, struct tok *t, struct rest *r)
{
    struct json_scan scan = *s;
    const char *value;

    if (!json_scan_take(&scan, ',') || !json_scan_find_key(&scan, "merges"))
        return;
    json_scan_peek(&scan);
    value = skim_place(&scan);
    if (merges(&scan, t)) {
        t->given.merges = true;
        skim_leave_out(r, value, skim_place(&scan));
        return;
    }
    t->merges = NULL;
    t->n_merges = 0;
}

struct span skim_vocab(struct tok *t, struct span json)
{
    const char *all = (const char *)json.data;
    struct json_scan scan = { json.data, json.data, json.data + json.size };
    struct rest rest = { .done = all };
    const char *value;
    bool unigram;

    if (json.size == 0 || !json_scan_enter(&scan, "model"))
        return json;
    unigram = is_unigram(scan);
    if (!json_scan_enter(&scan, "vocab"))
        return json;
    json_scan_peek(&scan);
    value = skim_place(&scan);
    /* A bit less than pieces take. */
    vocab_init(&t->vocab, t->a, (size_t)(scan.end - scan.at) / (unigram ? 25 : 12));
    if (!any_pieces(&scan, t, unigram)) {
        t->vocab = (struct vocab){ 0 };
        t->scored = NULL;
        t->n_scored = 0;
        return json;
    }
    t->given.vocab = !unigram;
    t->given.scored = unigram;
    /* "null" may be longer than an empty text or list. */
    rest.s = arena_alloc_raw(t->a, json.size + 8, 1);
    skim_map((struct json_scan){ json.data, json.data, scan.end }, value, t, &rest);
    skim_leave_out(&rest, value, skim_place(&scan));
    if (!unigram)
        skim_merges(&scan, t, &rest);
    memcpy(rest.s + rest.n, rest.done, (size_t)((const char *)scan.end - rest.done));
    rest.n += (size_t)((const char *)scan.end - rest.done);
    return (struct span){ (unsigned char *)rest.s, rest.n };
}
