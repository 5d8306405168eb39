/* SPDX-License-Identifier: MIT
 * Normalisers: they rewrite each part, and each byte keeps the input bytes that
 * it came from.  Unicode's data are utf8proc's. */
#include <string.h>
#include <utf8proc.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/* Every part that is not a token yet. */
static void each_part(struct work *w, void (*fn)(struct work *, struct part *))
{
    for (size_t i = 0; i < w->parts.n && !w->too_much; i++)
        if (w->parts.v[i].id < 0)
            fn(w, &w->parts.v[i]);
}

static bool is_ascii(const struct part *p)
{
    for (size_t i = 0; i < p->n; i++)
        if ((unsigned char)p->s[i] >= 0x80)
            return false;
    return true;
}

/* ---- one character at a time ---- */

/* U+0130 is the only character whose lower case is two; utf8proc gives one. */
static void lower_put(struct rewrite *r, int cp)
{
    if (cp == 0x130) {
        part_rewrite_put(r, 'i', 0);
        part_rewrite_put(r, 0x307, 1);
        return;
    }
    if (cp >= 'A' && cp <= 'Z')
        cp += 'a' - 'A';
    else if (cp >= 0x80)
        cp = utf8proc_tolower(cp);
    part_rewrite_put(r, cp, 0);
}

static void lowercase(struct work *w, struct part *p)
{
    struct rewrite rewrite;
    int code;

    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < p->n; ) {
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        lower_put(&rewrite, code);
    }
    part_rewrite_end(&rewrite);
}

static void normal_drop(struct work *w, struct part *p, bool (*goes)(int cp))
{
    struct rewrite rewrite;
    int code;

    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < p->n; ) {
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        if (goes(code))
            part_rewrite_skip(&rewrite);
        else
            part_rewrite_put(&rewrite, code, 0);
    }
    part_rewrite_end(&rewrite);
}

/* Controls that SentencePiece drops, and what it takes for a blank. */
static bool is_nmt_control(int cp)
{
    return (cp >= 0x01 && cp <= 0x08) || cp == 0x0b || (cp >= 0x0e && cp <= 0x1f) ||
           cp == 0x7f || cp == 0x8f || cp == 0x9f;
}

static bool is_nmt_space(int cp)
{
    return cp == 0x09 || cp == 0x0a || cp == 0x0c || cp == 0x0d || cp == 0x1680 ||
           (cp >= 0x200b && cp <= 0x200f) || cp == 0x2028 || cp == 0x2029 ||
           cp == 0x2581 || cp == 0xfeff || cp == 0xfffd;
}

static void nmt(struct work *w, struct part *p)
{
    struct rewrite rewrite;
    int code;

    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < p->n; ) {
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        if (is_nmt_control(code))
            part_rewrite_skip(&rewrite);
        else
            part_rewrite_put(&rewrite, is_nmt_space(code) ? ' ' : code, 0);
    }
    part_rewrite_end(&rewrite);
}

static void strip_marks(struct work *w, struct part *p)
{
    if (!is_ascii(p))
        normal_drop(w, p, chars_is_mark);
}

/* ---- Unicode's four forms ---- */

/* Decomposed text: change is 1 for what a character brought beyond its first. */
struct decomposed {
    int *cp, *change, *ccc;
    size_t n, cap;
};

static void decomposed_add(struct decomposed *d, struct arena *a, int cp, int change)
{
    if (d->n == d->cap) {
        size_t cap = 2 * d->cap + 32;

        d->cp = arena_regrow(a, d->cp, d->n, cap, sizeof *d->cp);
        d->change = arena_regrow(a, d->change, d->n, cap, sizeof *d->change);
        d->ccc = arena_regrow(a, d->ccc, d->n, cap, sizeof *d->ccc);
        d->cap = cap;
    }
    d->cp[d->n] = cp;
    d->change[d->n] = change;
    d->ccc[d->n++] = cp < 0x300 ? 0 : utf8proc_get_property(cp)->combining_class;
}

/*
 * Canonical order: a stable sort by class of the marks from item `from` on; by
 * counting, because a text may be a million marks.
 */
static void sort_marks(struct decomposed *d, struct arena *a, size_t from)
{
    size_t count = d->n - from, at[256] = { 0 }, sum = 0;
    struct arena_mark mark;
    int *copy;
    bool sorted = true;

    for (size_t i = from + 1; i < d->n; i++)
        sorted = sorted && d->ccc[i - 1] <= d->ccc[i];
    if (sorted)
        return;
    mark = arena_mark(a);
    copy = arena_alloc_raw(a, 3 * count, sizeof *copy);
    for (size_t i = from; i < d->n; i++)
        at[d->ccc[i] & 255]++;
    for (int c = 0; c < 256; c++) {
        size_t here = at[c];

        at[c] = sum;
        sum += here;
    }
    for (size_t i = from; i < d->n; i++) {
        size_t to = at[d->ccc[i] & 255]++;

        copy[to] = d->cp[i];
        copy[count + to] = d->change[i];
        copy[2 * count + to] = d->ccc[i];
    }
    memcpy(d->cp + from, copy, count * sizeof *copy);
    memcpy(d->change + from, copy + count, count * sizeof *copy);
    memcpy(d->ccc + from, copy + 2 * count, count * sizeof *copy);
    arena_reset(a, mark);
}

static void decomposed_give_back(struct decomposed *d, struct arena *a)
{
    arena_give_back(a, d->cp, d->cap, sizeof *d->cp);
    arena_give_back(a, d->change, d->cap, sizeof *d->change);
    arena_give_back(a, d->ccc, d->cap, sizeof *d->ccc);
}

/* A code point has 12 bytes here; only compatibility makes more of them than there are bytes. */
static size_t most_decomposed(const struct work *w)
{
    return w->limit / 4;
}

static void decompose(struct work *w, const struct part *p, bool compat,
                      struct decomposed *d)
{
    utf8proc_option_t how = UTF8PROC_DECOMPOSE | (compat ? UTF8PROC_COMPAT : 0);
    size_t marks = 0;                   /* where the marks in hand begin */

    for (size_t i = 0; i < p->n && d->n <= most_decomposed(w); ) {
        utf8proc_int32_t to[32];
        int code, class;
        utf8proc_ssize_t n = 1;

        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        to[0] = code;
        if (code >= 0xa0)
            n = utf8proc_decompose_char(code, to, 32, how, &class);
        for (utf8proc_ssize_t k = 0; k < n && k < 32; k++) {
            decomposed_add(d, w->a, to[k], k > 0);
            if (d->ccc[d->n - 1] == 0) {
                d->n--;
                sort_marks(d, w->a, marks);
                marks = ++d->n;
            }
        }
    }
    w->too_large = w->too_large || d->n > most_decomposed(w);
    sort_marks(d, w->a, marks);
}

/* The composition of a and b, or -1. */
static int compose_pair(int a, int b)
{
    utf8proc_int32_t pair[2] = { a, b };

    if (b < 0x300)                      /* nothing below composes with what is before */
        return -1;
    if (utf8proc_normalize_utf32(pair, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) != 1)
        return -1;
    return pair[0];
}

/* In place; a composition uses up the characters of both. */
static void compose(struct decomposed *d)
{
    size_t count = 0, starter = 0;
    bool have = false, blocked = false;     /* blocked: marks follow the starter */

    for (size_t i = 0; i < d->n; i++) {
        int ccc = d->ccc[i], both = -1;

        if (have && !(blocked && d->ccc[count - 1] >= ccc))
            both = compose_pair(d->cp[starter], d->cp[i]);
        if (both >= 0) {
            d->cp[starter] = both;
            d->change[starter] += d->change[i] - 1;
            continue;
        }
        if (ccc == 0) {
            starter = count;
            have = true;
            blocked = false;
        } else if (have) {
            blocked = true;
        }
        d->cp[count] = d->cp[i];
        d->change[count] = d->change[i];
        d->ccc[count++] = ccc;
    }
    d->n = count;
}

static void normal_form(struct work *w, struct part *p, bool compat, bool composed)
{
    struct decomposed decomposed = { 0 };
    struct rewrite rewrite;

    if (is_ascii(p))
        return;
    decompose(w, p, compat, &decomposed);
    if (w->too_large)
        return;
    if (composed)
        compose(&decomposed);
    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < decomposed.n; i++)
        part_rewrite_put(&rewrite, decomposed.cp[i], decomposed.change[i]);
    part_rewrite_end(&rewrite);
    decomposed_give_back(&decomposed, w->a);
}

static void nfc(struct work *w, struct part *p)  { normal_form(w, p, false, true); }
static void nfd(struct work *w, struct part *p)  { normal_form(w, p, false, false); }
static void nfkc(struct work *w, struct part *p) { normal_form(w, p, true, true); }
static void nfkd(struct work *w, struct part *p) { normal_form(w, p, true, false); }

#define RUN(name) \
    static int run_##name(const void *self, struct work *w, struct err *e) \
    { (void)self; (void)e; each_part(w, name); return 0; }
RUN(nfc) RUN(nfd) RUN(nfkc) RUN(nfkd) RUN(lowercase) RUN(strip_marks)
RUN(nmt)

/* ---- BERT ---- */

struct bert {
    bool clean, chinese, accents, lower;
};

/* Control characters go, every white space becomes a blank. */
static void clean(struct work *w, struct part *p)
{
    struct rewrite rewrite;
    int code;

    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < p->n; ) {
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        if (code == '\t' || code == '\n' || code == '\r')
            part_rewrite_put(&rewrite, ' ', 0);
        else if (code == 0xfffd || chars_is_other(code))
            part_rewrite_skip(&rewrite);
        else
            part_rewrite_put(&rewrite, chars_is_space(code) ? ' ' : code, 0);
    }
    part_rewrite_end(&rewrite);
}

static void space_chinese(struct work *w, struct part *p)
{
    struct rewrite rewrite;
    int code;

    if (is_ascii(p))
        return;
    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < p->n; ) {
        i += (size_t)chars_next(p->s + i, p->n - i, &code);
        if (!chars_is_chinese(code)) {
            part_rewrite_put(&rewrite, code, 0);
            continue;
        }
        part_rewrite_put(&rewrite, ' ', 0);        /* all three stand for the character */
        part_rewrite_put(&rewrite, code, 1);
        part_rewrite_put(&rewrite, ' ', 1);
    }
    part_rewrite_end(&rewrite);
}

static const void *open_bert(struct tok *t, const json_t *j, struct err *e)
{
    struct bert *bert = arena_alloc(t->a, 1, sizeof *bert);

    if (json_field_bool(j, "clean_text", true, &bert->clean, e) != 0 ||
        json_field_bool(j, "handle_chinese_chars", true, &bert->chinese, e) != 0 ||
        json_field_bool(j, "lowercase", true, &bert->lower, e) != 0 ||
        json_field_bool(j, "strip_accents", bert->lower, &bert->accents, e) != 0)
        return NULL;
    return bert;
}

static int run_bert(const void *self, struct work *w, struct err *e)
{
    const struct bert *bert = self;

    (void)e;
    for (size_t i = 0; i < w->parts.n && !w->too_much; i++) {
        struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            continue;
        if (bert->clean)
            clean(w, part);
        if (bert->chinese)
            space_chinese(w, part);
        if (bert->accents && !is_ascii(part)) {
            nfd(w, part);
            normal_drop(w, part, chars_is_nonspacing);
        }
        if (bert->lower)
            lowercase(w, part);
    }
    return 0;
}

static const struct step_kind rows[] = {
    { "BertNormalizer", open_bert, run_bert },
    { "NFC", NULL, run_nfc },
    { "NFD", NULL, run_nfd },
    { "NFKC", NULL, run_nfkc },
    { "NFKD", NULL, run_nfkd },
    { "Lowercase", NULL, run_lowercase },
    { "StripAccents", NULL, run_strip_marks },
    { "Nmt", NULL, run_nmt },
    { "Replace", replace_open, replace_run },
    { "Prepend", replace_prepend_open, replace_prepend_run },
    { "Strip", replace_strip_open, replace_strip_run },
    { "Precompiled", charsmap_open, charsmap_run },
    { "ByteLevel", byte_level_normal_open, byte_level_normal_run },
    { 0 }
};

const struct step_table normal_table = { "normalizer", "normalizers", rows };
