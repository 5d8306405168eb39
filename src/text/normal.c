/* SPDX-License-Identifier: MIT
 * Normalisers: they rewrite each part, and each byte keeps the input bytes that
 * it came from.  Unicode's data are utf8proc's. */
#include <string.h>
#include <utf8proc.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/* Every part that is not a token yet. */
static void each_part(struct work *work, void (*fn)(struct work *, struct fragment *))
{
    for (size_t i = 0; i < work->parts.n && !work->too_much; i++)
        if (work->parts.v[i].id < 0)
            fn(work, &work->parts.v[i]);
}

static bool is_ascii(const struct fragment *part)
{
    for (size_t i = 0; i < part->n; i++)
        if ((unsigned char)part->s[i] >= 0x80)
            return false;
    return true;
}

/* ---- one character at a time ---- */

/* U+0130 is the only character whose lower case is two; utf8proc gives one. */
static void lower_put(struct rewrite *rewrite, int cp)
{
    if (cp == 0x130) {
        fragment_rewrite_put(rewrite, 'i', 0);
        fragment_rewrite_put(rewrite, 0x307, 1);
        return;
    }
    if (cp >= 'A' && cp <= 'Z')
        cp += 'a' - 'A';
    else if (cp >= 0x80)
        cp = utf8proc_tolower(cp);
    fragment_rewrite_put(rewrite, cp, 0);
}

static void lowercase(struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code;

    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < part->n; ) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        lower_put(&rewrite, code);
    }
    fragment_rewrite_end(&rewrite);
}

static void normal_drop(struct work *work, struct fragment *part, bool (*goes)(int cp))
{
    struct rewrite rewrite;
    int code;

    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < part->n; ) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        if (goes(code))
            fragment_rewrite_skip(&rewrite);
        else
            fragment_rewrite_put(&rewrite, code, 0);
    }
    fragment_rewrite_end(&rewrite);
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

static void nmt(struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code;

    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < part->n; ) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        if (is_nmt_control(code))
            fragment_rewrite_skip(&rewrite);
        else
            fragment_rewrite_put(&rewrite, is_nmt_space(code) ? ' ' : code, 0);
    }
    fragment_rewrite_end(&rewrite);
}

static void strip_marks(struct work *work, struct fragment *part)
{
    if (!is_ascii(part))
        normal_drop(work, part, chars_is_mark);
}

/* ---- Unicode's four forms ---- */

/* Decomposed text: change is 1 for what a character brought beyond its first. */
struct decomposed {
    int *cp, *change, *ccc;
    size_t n, cap;
};

static void decomposed_add(struct decomposed *decomposed, struct arena *a, int cp, int change)
{
    if (decomposed->n == decomposed->cap) {
        size_t cap = 2 * decomposed->cap + 32;

        decomposed->cp = arena_regrow(a, decomposed->cp, decomposed->n, cap,
                                      sizeof *decomposed->cp);
        decomposed->change = arena_regrow(a, decomposed->change, decomposed->n, cap,
                                          sizeof *decomposed->change);
        decomposed->ccc = arena_regrow(a, decomposed->ccc, decomposed->n, cap,
                                       sizeof *decomposed->ccc);
        decomposed->cap = cap;
    }
    decomposed->cp[decomposed->n] = cp;
    decomposed->change[decomposed->n] = change;
    decomposed->ccc[decomposed->n++] = cp < 0x300 ? 0 : utf8proc_get_property(cp)->combining_class;
}

/*
 * Canonical order: a stable sort by class of the marks from item `from` on; by
 * counting, because a text may be a million marks.
 */
static void sort_marks(struct decomposed *decomposed, struct arena *a, size_t from)
{
    size_t count = decomposed->n - from, at[256] = { 0 }, sum = 0;
    struct arena_mark mark;
    int *copy;
    bool sorted = true;

    for (size_t i = from + 1; i < decomposed->n; i++)
        sorted = sorted && decomposed->ccc[i - 1] <= decomposed->ccc[i];
    if (sorted)
        return;
    mark = arena_mark(a);
    copy = arena_alloc_raw(a, 3 * count, sizeof *copy);
    for (size_t i = from; i < decomposed->n; i++)
        at[decomposed->ccc[i] & 255]++;
    for (int c = 0; c < 256; c++) {
        size_t here = at[c];

        at[c] = sum;
        sum += here;
    }
    for (size_t i = from; i < decomposed->n; i++) {
        size_t to = at[decomposed->ccc[i] & 255]++;

        copy[to] = decomposed->cp[i];
        copy[count + to] = decomposed->change[i];
        copy[2 * count + to] = decomposed->ccc[i];
    }
    memcpy(decomposed->cp + from, copy, count * sizeof *copy);
    memcpy(decomposed->change + from, copy + count, count * sizeof *copy);
    memcpy(decomposed->ccc + from, copy + 2 * count, count * sizeof *copy);
    arena_reset(a, mark);
}

static void decomposed_give_back(struct decomposed *decomposed, struct arena *a)
{
    arena_give_back(a, decomposed->cp, decomposed->cap, sizeof *decomposed->cp);
    arena_give_back(a, decomposed->change, decomposed->cap, sizeof *decomposed->change);
    arena_give_back(a, decomposed->ccc, decomposed->cap, sizeof *decomposed->ccc);
}

/* A code point has 12 bytes here; only compatibility makes more of them than there are bytes. */
static size_t most_decomposed(const struct work *work)
{
    return work->limit / 4;
}

static void decompose(struct work *work, const struct fragment *part, bool compat,
                      struct decomposed *decomposed)
{
    utf8proc_option_t how = UTF8PROC_DECOMPOSE | (compat ? UTF8PROC_COMPAT : 0);
    size_t marks = 0;                   /* where the marks in hand begin */

    for (size_t i = 0; i < part->n && decomposed->n <= most_decomposed(work); ) {
        utf8proc_int32_t to[32];
        int code, class;
        utf8proc_ssize_t n = 1;

        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        to[0] = code;
        if (code >= 0xa0)
            n = utf8proc_decompose_char(code, to, 32, how, &class);
        for (utf8proc_ssize_t k = 0; k < n && k < 32; k++) {
            decomposed_add(decomposed, work->a, to[k], k > 0);
            if (decomposed->ccc[decomposed->n - 1] == 0) {
                decomposed->n--;
                sort_marks(decomposed, work->a, marks);
                marks = ++decomposed->n;
            }
        }
    }
    work->too_large = work->too_large || decomposed->n > most_decomposed(work);
    sort_marks(decomposed, work->a, marks);
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
static void compose(struct decomposed *decomposed)
{
    size_t count = 0, starter = 0;
    bool have = false, blocked = false;     /* blocked: marks follow the starter */

    for (size_t i = 0; i < decomposed->n; i++) {
        int ccc = decomposed->ccc[i], both = -1;

        if (have && !(blocked && decomposed->ccc[count - 1] >= ccc))
            both = compose_pair(decomposed->cp[starter], decomposed->cp[i]);
        if (both >= 0) {
            decomposed->cp[starter] = both;
            decomposed->change[starter] += decomposed->change[i] - 1;
            continue;
        }
        if (ccc == 0) {
            starter = count;
            have = true;
            blocked = false;
        } else if (have) {
            blocked = true;
        }
        decomposed->cp[count] = decomposed->cp[i];
        decomposed->change[count] = decomposed->change[i];
        decomposed->ccc[count++] = ccc;
    }
    decomposed->n = count;
}

static void normal_form(struct work *work, struct fragment *part, bool compat, bool composed)
{
    struct decomposed decomposed = { 0 };
    struct rewrite rewrite;

    if (is_ascii(part))
        return;
    decompose(work, part, compat, &decomposed);
    if (work->too_large)
        return;
    if (composed)
        compose(&decomposed);
    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < decomposed.n; i++)
        fragment_rewrite_put(&rewrite, decomposed.cp[i], decomposed.change[i]);
    fragment_rewrite_end(&rewrite);
    decomposed_give_back(&decomposed, work->a);
}

static void nfc(struct work *work, struct fragment *part)  { normal_form(work, part, false, true); }
static void nfd(struct work *work, struct fragment *part) { normal_form(work, part, false, false); }
static void nfkc(struct work *work, struct fragment *part) { normal_form(work, part, true, true); }
static void nfkd(struct work *work, struct fragment *part) { normal_form(work, part, true, false); }

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
static void clean(struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code;

    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < part->n; ) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        if (code == '\t' || code == '\n' || code == '\r')
            fragment_rewrite_put(&rewrite, ' ', 0);
        else if (code == 0xfffd || chars_is_other(code))
            fragment_rewrite_skip(&rewrite);
        else
            fragment_rewrite_put(&rewrite, chars_is_space(code) ? ' ' : code, 0);
    }
    fragment_rewrite_end(&rewrite);
}

static void space_chinese(struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code;

    if (is_ascii(part))
        return;
    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < part->n; ) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        if (!chars_is_chinese(code)) {
            fragment_rewrite_put(&rewrite, code, 0);
            continue;
        }
        fragment_rewrite_put(&rewrite, ' ', 0);        /* all three stand for the character */
        fragment_rewrite_put(&rewrite, code, 1);
        fragment_rewrite_put(&rewrite, ' ', 1);
    }
    fragment_rewrite_end(&rewrite);
}

static const void *open_bert(struct tok *tok, const json_t *j, struct err *e)
{
    struct bert *bert = arena_alloc(tok->a, 1, sizeof *bert);

    if (json_field_bool(j, "clean_text", true, &bert->clean, e) != 0 ||
        json_field_bool(j, "handle_chinese_chars", true, &bert->chinese, e) != 0 ||
        json_field_bool(j, "lowercase", true, &bert->lower, e) != 0 ||
        json_field_bool(j, "strip_accents", bert->lower, &bert->accents, e) != 0)
        return NULL;
    return bert;
}

static int run_bert(const void *self, struct work *work, struct err *e)
{
    const struct bert *bert = self;

    (void)e;
    for (size_t i = 0; i < work->parts.n && !work->too_much; i++) {
        struct fragment *part = &work->parts.v[i];

        if (part->id >= 0)
            continue;
        if (bert->clean)
            clean(work, part);
        if (bert->chinese)
            space_chinese(work, part);
        if (bert->accents && !is_ascii(part)) {
            nfd(work, part);
            normal_drop(work, part, chars_is_nonspacing);
        }
        if (bert->lower)
            lowercase(work, part);
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
