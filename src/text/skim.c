/* SPDX-License-Identifier: MIT
 * The vocabulary of a tokenizer.json without a tree: one of 30,000 pieces would
 * cost as much as all the rest of a start.  Only what is plain is read; the rest,
 * and all that is wrong, is left to jansson. */
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

/* Goes on to the value of a key of the object here. */
static bool enter(struct skim *s, const char *key)
{
    struct text name;

    if (!take(s, '{'))
        return false;
    do {
        if (!string(s, &name) || !take(s, ':'))
            return false;
        if (name.n == strlen(key) && memcmp(name.s, key, name.n) == 0)
            return true;
    } while (skip(s) && take(s, ','));
    return false;
}

/* No more digits than any id has; what is no whole number ends at a wrong place. */
static bool number(struct skim *s, json_int_t *v)
{
    char first = peek(s);
    int n = 0;

    for (*v = 0; n < 9 && s->at < s->end && *s->at >= '0' && *s->at <= '9'; n++)
        *v = 10 * *v + (*s->at++ - '0');
    return n > 0 && (first != '0' || n == 1);
}

/* Copies a string to the pool, with a NUL behind; false: wrong. */
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

/* The object that s is at; on success s is behind it. */
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

struct span vocab_skim(struct vocab *v, struct arena *a, struct span json)
{
    static const char instead[] = "true";
    const char *all = (const char *)json.data;
    struct skim s = { all, all + json.size };
    size_t before, n = sizeof instead - 1;
    char *rest;

    if (json.size == 0 || !enter(&s, "model") || !enter(&s, "vocab"))
        return json;
    peek(&s);
    before = (size_t)(s.at - all);
    vocab_init(v, a, (size_t)(s.end - s.at) / 12);      /* a bit less than pieces take */
    if (!pieces(&s, v, a)) {
        *v = (struct vocab){ 0 };
        return json;
    }
    rest = arena_alloc_raw(a, before + n + (size_t)(s.end - s.at), 1);
    memcpy(rest, all, before);
    memcpy(rest + before, instead, n);
    memcpy(rest + before + n, s.at, (size_t)(s.end - s.at));
    return (struct span){ (unsigned char *)rest, before + n + (size_t)(s.end - s.at) };
}
