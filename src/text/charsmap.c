/* SPDX-License-Identifier: MIT
 * Precompiled: SentencePiece's normaliser, a double-array trie from texts to what
 * replaces them.  SentencePiece takes the longest text at each place; the
 * tokenizers library the shortest that a grapheme begins with. */
#include <string.h>
#include <utf8proc.h>

#include "base/json_field.h"
#include "base/utf8.h"
#include "text/tok_priv.h"

enum { SHORT_GRAPHEME = 6 };    /* bytes; longer ones are looked up by character */

struct charsmap {
    const uint32_t *unit;       /* [n_units] */
    size_t n_units;
    struct text texts;          /* each ends in a NUL */
    bool longest;
    const struct trie *kept;    /* of the tokeniser; only where longest */
};

/* ---- reading ---- */

static uint32_t le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

const struct charsmap *charsmap_read(struct tok *t, struct span map, bool longest,
                                     struct err *e)
{
    struct charsmap *charsmap = arena_alloc(t->a, 1, sizeof *charsmap);
    size_t size = map.size >= 4 ? le32(map.data) : 0;
    uint32_t *unit;

    if (map.size < 4 || size > map.size - 4 || size % 4 != 0 || size == 0) {
        err_set(e, ERR_INPUT, "character map: a trie of %zu bytes in %zu", size,
                map.size);
        return NULL;
    }
    charsmap->longest = longest;
    charsmap->kept = t->kept;
    charsmap->n_units = size / 4;
    charsmap->unit = unit = arena_alloc_raw(t->a, charsmap->n_units, sizeof *unit);
    for (size_t i = 0; i < charsmap->n_units; i++)
        unit[i] = le32(map.data + 4 + 4 * i);
    charsmap->texts.n = map.size - 4 - size;
    charsmap->texts.s = arena_strndup(t->a, (const char *)map.data + 4 + size,
                                      charsmap->texts.n);
    if (utf8_check(charsmap->texts.s, charsmap->texts.n) == charsmap->texts.n)
        return charsmap;
    err_set(e, ERR_INPUT, "character map: its texts are not UTF-8");
    return NULL;
}

/* The value of each digit of base64; 64: it is none. */
static void base64_table(unsigned char value[256])
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    memset(value, 64, 256);
    for (int i = 0; i < 64; i++)
        value[(unsigned char)digits[i]] = (unsigned char)i;
}

bool charsmap_decode(struct arena *a, struct text s, struct span *out)
{
    unsigned char value[256], *to = arena_alloc_raw(a, s.n / 4 * 3 + 3, 1);
    unsigned bits = 0, wrong = 0;
    size_t pad = 0, n = 0;

    if (s.n % 4 != 0)
        return false;
    base64_table(value);
    while (pad < 2 && pad < s.n && s.s[s.n - 1 - pad] == '=')
        pad++;
    for (size_t i = 0; i < s.n; i++) {
        unsigned v = i < s.n - pad ? value[(unsigned char)s.s[i]] : 0;

        wrong |= v & 64;
        bits = bits << 6 | v;
        if (i % 4 < 3)
            continue;
        to[n++] = (unsigned char)(bits >> 16);
        to[n++] = (unsigned char)(bits >> 8);
        to[n++] = (unsigned char)bits;
    }
    *out = (struct span){ to, n - pad };
    return wrong == 0;
}

const void *charsmap_open(struct tok *t, const json_t *j, struct err *e)
{
    struct text text;
    struct span map;

    if (t->given.map && json_is_null(json_object_get(j, "precompiled_charsmap"))) {
        t->given.map = false;
        return charsmap_read(t, t->map, t->given.map_longest, e);
    }
    if (json_field_text(j, "precompiled_charsmap", &text.s, &text.n, e) != 0)
        return NULL;
    if (charsmap_decode(t->a, text, &map))
        return charsmap_read(t, map, false, e);
    err_set(e, ERR_INPUT, "\"precompiled_charsmap\" is not base64");
    return NULL;
}

/* ---- looking up ---- */

static size_t unit_offset(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
}

/* True if a text begins at `at`. */
static bool charsmap_is_text(const struct charsmap *m, size_t at)
{
    return at <= m->texts.n &&
           (at == m->texts.n || ((unsigned char)m->texts.s[at] & 0xc0) != 0x80);
}

/*
 * The bytes of the shortest beginning of s[n] that has a text (or the longest),
 * which is then *at; 0: none; -1: damaged.  *seen grows by the bytes that were compared.
 */
static int charsmap_find(const struct charsmap *m, const char *s, size_t n, size_t *at,
                         size_t *seen)
{
    size_t node = unit_offset(m->unit[0]);
    int found = 0;

    for (size_t i = 0; i < n && s[i] != '\0'; i++, ++*seen) {
        unsigned char byte = (unsigned char)s[i];
        uint32_t unit;

        node ^= byte;
        if (node >= m->n_units)
            return -1;
        unit = m->unit[node];
        if ((unit & (1u << 31 | 0xff)) != byte)
            break;
        node ^= unit_offset(unit);
        if ((unit >> 8 & 1) == 0)
            continue;
        if (node >= m->n_units || !charsmap_is_text(m, m->unit[node] & 0x7fffffff))
            return -1;
        *at = m->unit[node] & 0x7fffffff;
        found = (int)i + 1;
        if (!m->longest)
            break;
    }
    return found;
}

/* ---- applying ---- */

/* The new characters, and what each does to the old ones (see part_rewrite_put). */
struct mapped {
    struct arena *a;
    int *cp;
    int64_t *change;
    size_t n, cap, limit;       /* nothing is added beyond limit */
    size_t seen;                /* bytes that were compared and not yet accounted for */
    bool modified;
};

static void charsmap_add(struct mapped *d, int cp)
{
    if (d->n == d->cap) {
        size_t cap = 2 * d->cap + 64;

        d->cp = arena_regrow(d->a, d->cp, d->n, cap, sizeof *d->cp);
        d->change = arena_regrow(d->a, d->change, d->n, cap, sizeof *d->change);
        d->cap = cap;
    }
    d->cp[d->n] = cp;
    d->change[d->n++] = 0;
}

static int64_t count_chars(const char *s, size_t n)
{
    int64_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)s[i] & 0xc0) != 0x80;
    return count;
}

/*
 * The text at `at` for s[n].  New characters beyond the old ones are added; old
 * ones beyond the new go with the last character before, where there is one.
 */
static void charsmap_replace(struct mapped *d, struct text s, const char *s_old, size_t n_old)
{
    int64_t more = count_chars(s.s, s.n) - count_chars(s_old, n_old);
    int code;

    if (d->n > d->limit)
        return;
    for (size_t i = 0; i < s.n; ) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        charsmap_add(d, code);
    }
    for (int64_t k = 0; k < more; k++)
        d->change[d->n - 1 - (size_t)k] = 1;
    if (more < 0 && d->n > 0)
        d->change[d->n - 1] += more;
    d->modified = true;
}

/* 1: replaced, 0: there is nothing for it, -1: damaged. */
static int look_up(const struct charsmap *m, struct mapped *d, const char *s, size_t n)
{
    size_t at = 0;
    int found = charsmap_find(m, s, n, &at, &d->seen);

    if (found > 0)
        charsmap_replace(d, (struct text){ m->texts.s + at, strlen(m->texts.s + at) }, s, n);
    return found;
}

static int map_grapheme(const struct charsmap *m, struct mapped *d, const char *s,
                        size_t n)
{
    int code, length, found = n < SHORT_GRAPHEME ? look_up(m, d, s, n) : 0;

    if (found != 0)
        return found;
    for (size_t i = 0; i < n; i += (size_t)length) {
        length = chars_next(s + i, n - i, &code);
        found = look_up(m, d, s + i, (size_t)length);
        if (found < 0)
            return -1;
        if (found == 0)
            charsmap_add(d, code);
    }
    return 0;
}

/* The size of the text that s[n] begins with and that stays as it is; 0: none. */
static size_t charsmap_keep(const struct charsmap *m, struct mapped *d, const char *s, size_t n)
{
    size_t length = 0;
    int code;

    if (m->kept == NULL || trie_longest(m->kept, s, n, &length, &d->seen) < 0)
        return 0;
    for (size_t i = 0; i < length; ) {
        i += (size_t)chars_next(s + i, length - i, &code);
        charsmap_add(d, code);
    }
    return length;
}

/* At each place the longest text there is, or the next character. */
static int map_longest(const struct charsmap *m, struct work *w, struct mapped *d,
                       const char *s, size_t n)
{
    enum { AT_ONCE = 1000 };
    size_t at = 0, kept;
    int code;

    for (size_t i = 0; i < n; ) {
        int length;

        if (d->seen > AT_ONCE) {
            bound_spend(w, BUDGET_BYTE_COMPARED * d->seen);
            d->seen = 0;
        }
        if (w->too_much || d->n > d->limit)
            break;
        kept = charsmap_keep(m, d, s + i, n - i);
        if (kept > 0) {
            i += kept;
            continue;
        }
        length = charsmap_find(m, s + i, n - i, &at, &d->seen);
        if (length < 0 || (length > 0 && i + (size_t)length < n &&
                           ((unsigned char)s[i + (size_t)length] & 0xc0) == 0x80))
            return -1;
        if (length > 0) {
            charsmap_replace(d, (struct text){ m->texts.s + at, strlen(m->texts.s + at) },
                             s + i, (size_t)length);
        } else {
            length = chars_next(s + i, n - i, &code);
            charsmap_add(d, code);
        }
        i += (size_t)length;
    }
    return 0;
}

/* The end of the grapheme that begins at i. */
static size_t grapheme_end(const struct part *p, size_t i)
{
    utf8proc_int32_t state = 0;
    int code, next, count = chars_next(p->s + i, p->n - i, &code);

    for (i += (size_t)count; i < p->n; i += (size_t)count) {
        count = chars_next(p->s + i, p->n - i, &next);
        if (code < 0x80 && next < 0x80 && code != '\r')
            break;
        if (utf8proc_grapheme_break_stateful(code, next, &state))
            break;
        code = next;
    }
    return i;
}

static int map_part(const struct charsmap *m, struct work *w, struct part *p,
                    struct mapped *d, struct err *e)
{
    struct rewrite rewrite;

    d->n = 0;
    d->modified = false;
    for (size_t i = 0; i < p->n && d->n <= w->limit; ) {
        size_t end = m->longest ? p->n : grapheme_end(p, i);
        int status = m->longest ? map_longest(m, w, d, p->s, p->n)
                            : map_grapheme(m, d, p->s + i, end - i);

        if (status < 0)
            return err_set(e, ERR_INPUT, "character map: it points outside of itself");
        i = end;
    }
    bound_spend(w, BUDGET_BYTE_COMPARED * d->seen);
    d->seen = 0;
    w->too_large = w->too_large || d->n > w->limit;
    if (!d->modified || w->too_large)
        return 0;
    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < d->n; i++)
        part_rewrite_put(&rewrite, d->cp[i], (int)d->change[i]);
    part_rewrite_end(&rewrite);
    return 0;
}

int charsmap_run(const void *self, struct work *w, struct err *e)
{
    struct mapped mapped = { .a = w->a, .limit = w->limit };

    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.v[i].id < 0 && map_part(self, w, &w->parts.v[i], &mapped, e) != 0)
            return -1;
    return 0;
}
