/* SPDX-License-Identifier: MIT
 * The vocabulary and the merges of a tokenizer.json without a tree: 30,000 pieces would
 * cost as much as all the rest of a start.  Only what is plain is read; the rest,
 * and all that is wrong, is left to jansson. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

struct skim {
    const char *at, *end;
};

/* Skips blanks; the character there, '\0' at the end. */
static char peek(struct skim *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' ||
                              *s->at == '\r'))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

static bool take(struct skim *s, char c)
{
    if (peek(s) != c)
        return false;
    s->at++;
    return true;
}

/* What stands between the quotes, escapes as they are. */
static bool string(struct skim *s, struct text *out)
{
    if (!take(s, '"'))
        return false;
    out->s = s->at;
    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < ' ')
            return false;
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    }
    out->n = (size_t)(s->at - out->s);
    return take(s, '"');
}

/* Goes on to what ends a value: a comma or a bracket. */
static bool skip(struct skim *s)
{
    struct text ignored;
    int depth = 0;

    for (;;) {
        char c = peek(s);

        if (c == '\0' || (depth == 0 && (c == ',' || c == '}' || c == ']')))
            return c != '\0';
        if (c == '"') {
            if (!string(s, &ignored))
                return false;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        s->at++;
    }
}

/* Goes on to the value of a key, from before another key of its object. */
static bool find_key(struct skim *s, const char *key)
{
    struct text name;

    do {
        if (!string(s, &name) || !take(s, ':'))
            return false;
        if (name.n == strlen(key) && memcmp(name.s, key, name.n) == 0)
            return true;
    } while (skip(s) && take(s, ','));
    return false;
}

/* The same from before the object. */
static bool enter(struct skim *s, const char *key)
{
    return take(s, '{') && find_key(s, key);
}

/* No more digits than any id has; what is not a whole number ends at a wrong place. */
static bool number(struct skim *s, json_int_t *v)
{
    char first = peek(s);
    int n = 0;

    for (*v = 0; n < 9 && s->at < s->end && *s->at >= '0' && *s->at <= '9'; n++)
        *v = 10 * *v + (*s->at++ - '0');
    return n > 0 && (first != '0' || n == 1);
}

/* Copies a string to the pool, with a NUL after it; false: wrong. */
static bool copy(struct text *s, char *pool)
{
    json_t *j;
    bool ok;

    if (memchr(s->s, '\\', s->n) == NULL) {
        memcpy(pool, s->s, s->n);
        pool[s->n] = '\0';
        s->s = pool;
        return true;
    }
    j = json_loadb(s->s - 1, s->n + 2, JSON_DECODE_ANY, NULL);
    ok = json_is_string(j);
    if (ok) {
        s->n = json_string_length(j);           /* never longer than its escapes */
        memcpy(pool, json_string_value(j), s->n + 1);
        s->s = pool;
    }
    json_decref(j);
    return ok;
}

/* The object that s is at; on success s is after it. */
static bool pieces(struct skim *s, struct vocab *v, struct arena *a)
{
    /* A piece with its NUL is shorter than its quotes and colon make it. */
    char *pool = arena_alloc_raw(a, (size_t)(s->end - s->at), 1);
    struct err unused;
    struct text piece;
    json_int_t id;

    if (!take(s, '{'))
        return false;
    do {
        if (!string(s, &piece) || utf8_check(piece.s, piece.n) != piece.n ||
            !take(s, ':') || !number(s, &id) || !copy(&piece, pool) ||
            vocab_add(v, a, piece, id, &unused) != 0)
            return false;
        pool += piece.n + 1;
    } while (take(s, ','));
    v->n_model = v->n;
    return take(s, '}');
}

static size_t digits(struct skim *s)
{
    const char *from = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

static bool next_is(struct skim *s, const char *set)
{
    if (s->at == s->end || *s->at == '\0' || strchr(set, *s->at) == NULL)
        return false;
    s->at++;
    return true;
}

/* A score as JSON has it; strtod stops where it does, at what follows. */
static bool score(struct skim *s, double *v)
{
    const char *from;
    char first, *end;
    size_t n;

    first = peek(s);
    from = s->at;
    if (next_is(s, "-"))
        first = s->at < s->end ? *s->at : '\0';
    n = digits(s);
    if (n == 0 || (first == '0' && n > 1) || (next_is(s, ".") && digits(s) == 0))
        return false;
    if (next_is(s, "eE")) {
        (void)next_is(s, "+-");
        if (digits(s) == 0)
            return false;
    }
    if (s->at == s->end || strchr(" \t\r\n,]", *s->at) == NULL)   /* nor "0x1" */
        return false;
    *v = strtod(from, &end);
    return end == s->at && isfinite(*v);
}

/* The list [["piece", score], …] that s is at; on success s is after it. */
static bool scored_pieces(struct skim *s, struct tok *t)
{
    size_t cap = (size_t)(s->end - s->at) / 8;      /* ["",0], is no shorter */
    char *pool = arena_alloc_raw(t->a, (size_t)(s->end - s->at), 1);
    struct err unused;

    t->scored = arena_alloc_raw(t->a, cap + 1, sizeof *t->scored);
    if (!take(s, '['))
        return false;
    do {
        struct scored *p = &t->scored[t->n_scored];

        *p = (struct scored){ .id = (int)t->n_scored };
        if (t->n_scored > cap || !take(s, '[') || !string(s, &p->s) ||
            utf8_check(p->s.s, p->s.n) != p->s.n || !take(s, ',') ||
            !score(s, &p->score) || !take(s, ']') || !copy(&p->s, pool) ||
            vocab_add(&t->vocab, t->a, p->s, p->id, &unused) != 0)
            return false;
        pool += p->s.n + 1;
        t->n_scored++;
    } while (take(s, ','));
    t->vocab.n_model = t->vocab.n;
    return take(s, ']');
}

/* Of the object that s is at. */
static bool is_unigram(struct skim s)
{
    struct text type;

    return enter(&s, "type") && string(&s, &type) && type.n == 7 &&
           memcmp(type.s, "Unigram", 7) == 0;
}

/* A string without its escapes; as it stands in the file where it has none. */
static bool plain_string(struct skim *s, struct arena *a, struct text *out)
{
    if (!string(s, out))
        return false;
    return memchr(out->s, '\\', out->n) == NULL ||
           copy(out, arena_alloc_raw(a, out->n + 1, 1));
}

/* "a b" as older files have it, or ["a", "b"]. */
static bool merge(struct skim *s, struct arena *a, struct merge_text *m)
{
    if (peek(s) == '"')
        return plain_string(s, a, &m->left) && bpe_merge_halves(m->left, m) == 0;
    return take(s, '[') && plain_string(s, a, &m->left) && take(s, ',') &&
           plain_string(s, a, &m->right) && take(s, ']');
}

/* The list that s is at; on success s is after it. */
static bool merges(struct skim *s, struct tok *t)
{
    const char *begin = s->at;
    size_t cap = 0, n = 0;

    if (!take(s, '['))
        return false;
    do {
        if (n == cap) {
            cap = 2 * cap + 1024;
            t->merges = arena_grow(t->a, t->merges, n, cap, sizeof *t->merges);
        }
        if (!merge(s, t->a, &t->merges[n]))
            return false;
        n++;
    } while (take(s, ','));
    t->n_merges = n;
    return take(s, ']') &&
           utf8_check(begin, (size_t)(s->at - begin)) == (size_t)(s->at - begin);
}

static bool any_pieces(struct skim *s, struct tok *t, bool unigram)
{
    return unigram ? scored_pieces(s, t) : pieces(s, &t->vocab, t->a);
}

/* The file so far with "null" for what begins at value; rest goes on after it. */
struct rest {
    const char *done;           /* the file was copied up to here */
    char *s;
    size_t n;
};

static void leave_out(struct rest *r, const char *value, const char *end)
{
    static const char instead[] = "null";
    size_t before = (size_t)(value - r->done);

    memcpy(r->s + r->n, r->done, before);
    memcpy(r->s + r->n + before, instead, sizeof instead - 1);
    r->n += before + sizeof instead - 1;
    r->done = end;
}

/* Goes on to the map of a normaliser, or of one of a sequence. */
static bool enter_map(struct skim *s)
{
    static const char key[] = "precompiled_charsmap";
    struct skim one = *s;

    if (enter(&one, key)) {
        *s = one;
        return true;
    }
    if (!enter(s, "normalizers") || !take(s, '['))
        return false;
    do {
        one = *s;
        if (enter(&one, key)) {
            *s = one;
            return true;
        }
    } while (skip(s) && take(s, ','));
    return false;
}

/* Of the file that s is at, where it stands before `before`. */
static void skim_map(struct skim s, const char *before, struct tok *t, struct rest *r)
{
    struct text map;
    const char *value;

    if (!enter(&s, "normalizer") || !enter_map(&s))
        return;
    peek(&s);
    value = s.at;
    t->given.map = value < before && string(&s, &map) &&
                   charsmap_decode(t->a, map, &t->map);
    if (t->given.map)
        leave_out(r, value, s.at);
    else
        t->map = (struct span){ 0 };
}

/* From after the vocabulary, where merges mostly follow. */
static void skim_merges(struct skim *s, struct tok *t, struct rest *r)
{
    struct skim m = *s;
    const char *value;

    if (!take(&m, ',') || !find_key(&m, "merges"))
        return;
    peek(&m);
    value = m.at;
    if (merges(&m, t)) {
        t->given.merges = true;
        leave_out(r, value, m.at);
        return;
    }
    t->merges = NULL;
    t->n_merges = 0;
}

struct span vocab_skim(struct tok *t, struct span json)
{
    const char *all = (const char *)json.data;
    struct skim s = { all, all + json.size };
    struct rest rest = { .done = all };
    const char *value;
    bool unigram;

    if (json.size == 0 || !enter(&s, "model"))
        return json;
    unigram = is_unigram(s);
    if (!enter(&s, "vocab"))
        return json;
    peek(&s);
    value = s.at;
    /* A bit less than pieces take. */
    vocab_init(&t->vocab, t->a, (size_t)(s.end - s.at) / (unigram ? 25 : 12));
    if (!any_pieces(&s, t, unigram)) {
        t->vocab = (struct vocab){ 0 };
        t->scored = NULL;
        t->n_scored = 0;
        return json;
    }
    t->given.vocab = !unigram;
    t->given.scored = unigram;
    /* "null" may be longer than an empty text or list. */
    rest.s = arena_alloc_raw(t->a, json.size + 8, 1);
    skim_map((struct skim){ all, s.end }, value, t, &rest);
    leave_out(&rest, value, s.at);
    if (!unigram)
        skim_merges(&s, t, &rest);
    memcpy(rest.s + rest.n, rest.done, (size_t)(s.end - rest.done));
    rest.n += (size_t)(s.end - rest.done);
    return (struct span){ (unsigned char *)rest.s, rest.n };
}
