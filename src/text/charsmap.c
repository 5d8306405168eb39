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

const struct charsmap *charsmap_read(struct tok *tok, struct span map, bool longest,
                                     struct err *e)
{
    struct charsmap *charsmap = arena_alloc(tok->a, 1, sizeof *charsmap);
    size_t size = map.size >= 4 ? le32(map.data) : 0;
    uint32_t *unit;

    if (map.size < 4 || size > map.size - 4 || size % 4 != 0 || size == 0) {
        err_set(e, ERR_INPUT, "character map: a trie of %zu bytes in %zu", size,
                map.size);
        return NULL;
    }
    charsmap->longest = longest;
    charsmap->kept = tok->kept;
    charsmap->n_units = size / 4;
    charsmap->unit = unit = arena_alloc_raw(tok->a, charsmap->n_units, sizeof *unit);
    for (size_t i = 0; i < charsmap->n_units; i++)
        unit[i] = le32(map.data + 4 + 4 * i);
    charsmap->texts.n = map.size - 4 - size;
    charsmap->texts.s = arena_strndup(tok->a, (const char *)map.data + 4 + size,
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

const void *charsmap_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct text text;
    struct span map;

    if (tok->given.map && json_is_null(json_object_get(j, "precompiled_charsmap"))) {
        tok->given.map = false;
        return charsmap_read(tok, tok->map, tok->given.map_longest, e);
    }
    if (json_field_text(j, "precompiled_charsmap", &text.s, &text.n, e) != 0)
        return NULL;
    if (charsmap_decode(tok->a, text, &map))
        return charsmap_read(tok, map, false, e);
    err_set(e, ERR_INPUT, "\"precompiled_charsmap\" is not base64");
    return NULL;
}

/* ---- looking up ---- */

static size_t unit_offset(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
}

/* True if a text begins at `at`. */
static bool charsmap_is_text(const struct charsmap *charsmap, size_t at)
{
    return at <= charsmap->texts.n &&
           (at == charsmap->texts.n || ((unsigned char)charsmap->texts.s[at] & 0xc0) != 0x80);
}

/*
 * The bytes of the shortest beginning of s[n] that has a text (or the longest),
 * which is then *at; 0: none; -1: damaged.  *seen grows by the bytes that were compared.
 */
static int charsmap_find(const struct charsmap *charsmap, const char *s, size_t n, size_t *at,
                         size_t *seen)
{
    size_t node = unit_offset(charsmap->unit[0]);
    int found = 0;

    for (size_t i = 0; i < n && s[i] != '\0'; i++, ++*seen) {
        unsigned char byte = (unsigned char)s[i];
        uint32_t unit;

        node ^= byte;
        if (node >= charsmap->n_units)
            return -1;
        unit = charsmap->unit[node];
        if ((unit & (1u << 31 | 0xff)) != byte)
            break;
        node ^= unit_offset(unit);
        if ((unit >> 8 & 1) == 0)
            continue;
        if (node >= charsmap->n_units ||
            !charsmap_is_text(charsmap, charsmap->unit[node] & 0x7fffffff))
            return -1;
        *at = charsmap->unit[node] & 0x7fffffff;
        found = (int)i + 1;
        if (!charsmap->longest)
            break;
    }
    return found;
}

/* ---- applying ---- */

/* The new characters, and what each does to the old ones (see fragment_rewrite_put). */
struct mapped {
    struct arena *a;
    int *cp;
    int64_t *change;
    size_t n, cap, limit;       /* nothing is added beyond limit */
    size_t seen;                /* bytes that were compared and not yet accounted for */
    bool modified;
};

static void charsmap_add(struct mapped *mapped, int cp)
{
    if (mapped->n == mapped->cap) {
        size_t cap = 2 * mapped->cap + 64;

        mapped->cp = arena_regrow(mapped->a, mapped->cp, mapped->n, cap, sizeof *mapped->cp);
        mapped->change = arena_regrow(mapped->a, mapped->change, mapped->n, cap,
                                      sizeof *mapped->change);
        mapped->cap = cap;
    }
    mapped->cp[mapped->n] = cp;
    mapped->change[mapped->n++] = 0;
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
static void charsmap_replace(struct mapped *mapped, struct text s, const char *s_old, size_t n_old)
{
    int64_t more = count_chars(s.s, s.n) - count_chars(s_old, n_old);
    int code;

    if (mapped->n > mapped->limit)
        return;
    for (size_t i = 0; i < s.n; ) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        charsmap_add(mapped, code);
    }
    for (int64_t k = 0; k < more; k++)
        mapped->change[mapped->n - 1 - (size_t)k] = 1;
    if (more < 0 && mapped->n > 0)
        mapped->change[mapped->n - 1] += more;
    mapped->modified = true;
}

/* 1: replaced, 0: there is nothing for it, -1: damaged. */
static int look_up(const struct charsmap *charsmap, struct mapped *mapped, const char *s, size_t n)
{
    size_t at = 0;
    int found = charsmap_find(charsmap, s, n, &at, &mapped->seen);

    if (found > 0)
        charsmap_replace(mapped, (struct text){ charsmap->texts.s + at,
                                                strlen(charsmap->texts.s + at) }, s, n);
    return found;
}

static int map_grapheme(const struct charsmap *charsmap, struct mapped *mapped, const char *s,
                        size_t n)
{
    int code, length, found = n < SHORT_GRAPHEME ? look_up(charsmap, mapped, s, n) : 0;

    if (found != 0)
        return found;
    for (size_t i = 0; i < n; i += (size_t)length) {
        length = chars_next(s + i, n - i, &code);
        found = look_up(charsmap, mapped, s + i, (size_t)length);
        if (found < 0)
            return -1;
        if (found == 0)
            charsmap_add(mapped, code);
    }
    return 0;
}

/* The size of the text that s[n] begins with and that stays as it is; 0: none. */
static size_t charsmap_keep(const struct charsmap *charsmap, struct mapped *mapped, const char *s,
                            size_t n)
{
    size_t length = 0;
    int code;

    if (charsmap->kept == NULL || trie_longest(charsmap->kept, s, n, &length, &mapped->seen) < 0)
        return 0;
    for (size_t i = 0; i < length; ) {
        i += (size_t)chars_next(s + i, length - i, &code);
        charsmap_add(mapped, code);
    }
    return length;
}

/* At each place the longest text there is, or the next character. */
static int map_longest(const struct charsmap *charsmap, struct work *work, struct mapped *mapped,
                       const char *s, size_t n)
{
    enum { AT_ONCE = 1000 };
    size_t at = 0, kept;
    int code;

    for (size_t i = 0; i < n; ) {
        int length;

        if (mapped->seen > AT_ONCE) {
            bound_spend(work, BUDGET_BYTE_COMPARED * mapped->seen);
            mapped->seen = 0;
        }
        if (work->too_much || mapped->n > mapped->limit)
            break;
        kept = charsmap_keep(charsmap, mapped, s + i, n - i);
        if (kept > 0) {
            i += kept;
            continue;
        }
        length = charsmap_find(charsmap, s + i, n - i, &at, &mapped->seen);
        if (length < 0 || (length > 0 && i + (size_t)length < n &&
                           ((unsigned char)s[i + (size_t)length] & 0xc0) == 0x80))
            return -1;
        if (length > 0) {
            charsmap_replace(mapped, (struct text){ charsmap->texts.s + at,
                                                    strlen(charsmap->texts.s + at) },
                             s + i, (size_t)length);
        } else {
            length = chars_next(s + i, n - i, &code);
            charsmap_add(mapped, code);
        }
        i += (size_t)length;
    }
    return 0;
}

/* The end of the grapheme that begins at i. */
static size_t grapheme_end(const struct fragment *part, size_t i)
{
    utf8proc_int32_t state = 0;
    int code, next, count = chars_next(part->s + i, part->n - i, &code);

    for (i += (size_t)count; i < part->n; i += (size_t)count) {
        count = chars_next(part->s + i, part->n - i, &next);
        if (code < 0x80 && next < 0x80 && code != '\r')
            break;
        if (utf8proc_grapheme_break_stateful(code, next, &state))
            break;
        code = next;
    }
    return i;
}

static int map_part(const struct charsmap *charsmap, struct work *work, struct fragment *part,
                    struct mapped *mapped, struct err *e)
{
    struct rewrite rewrite;

    mapped->n = 0;
    mapped->modified = false;
    for (size_t i = 0; i < part->n && mapped->n <= work->limit; ) {
        size_t end = charsmap->longest ? part->n : grapheme_end(part, i);
        int status = charsmap->longest ? map_longest(charsmap, work, mapped, part->s, part->n)
                            : map_grapheme(charsmap, mapped, part->s + i, end - i);

        if (status < 0)
            return err_set(e, ERR_INPUT, "character map: it points outside of itself");
        i = end;
    }
    bound_spend(work, BUDGET_BYTE_COMPARED * mapped->seen);
    mapped->seen = 0;
    work->too_large = work->too_large || mapped->n > work->limit;
    if (!mapped->modified || work->too_large)
        return 0;
    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < mapped->n; i++)
        fragment_rewrite_put(&rewrite, mapped->cp[i], (int)mapped->change[i]);
    fragment_rewrite_end(&rewrite);
    return 0;
}

int charsmap_run(const void *self, struct work *work, struct err *e)
{
    struct mapped mapped = { .a = work->a, .limit = work->limit };

    for (size_t i = 0; i < work->parts.n; i++)
        if (work->parts.v[i].id < 0 && map_part(self, work, &work->parts.v[i], &mapped, e) != 0)
            return -1;
    return 0;
}
