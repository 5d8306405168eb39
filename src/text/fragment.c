/* SPDX-License-Identifier: MIT
 * Parts of a text: slices, rewriting, cutting up, and the input bytes that they stand for. */
#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

struct range fragment_span(const struct fragment *part, size_t i, size_t j)
{
    struct range range;

    if (part->from != NULL) {
        range.start = part->from[i].start;
        range.end = part->from[j - 1].end;
        return range;
    }
    while (i > 0 && continues(part->s[i]))
        i--;
    while (j < part->n && continues(part->s[j]))
        j++;
    range.start = part->origin + (int)i;
    range.end = part->origin + (int)j;
    return range;
}

struct fragment fragment_slice(const struct fragment *p, size_t i, size_t j)
{
    struct fragment part = { p->s + i, j - i, NULL, p->origin + (int)i, -1 };

    if (p->from != NULL) {
        part.from = p->from + i;
        part.origin = p->from[i].start;
    }
    return part;
}

static size_t more(size_t cap)
{
    return cap > 0 ? 2 * cap : 32;
}

/* What comes after the most there may be is dropped: the step fails. */
static bool is_full(struct work *work, size_t n)
{
    if (work->most > 0 && n >= work->most)
        work->too_many = work->too_large = true;
    return work->too_large;
}

void fragment_add(struct work *work, struct fragments *parts, struct fragment part)
{
    if (parts->n == parts->cap) {
        if (is_full(work, parts->n))
            return;
        parts->v = arena_regrow(work->a, parts->v, parts->n, more(parts->cap), sizeof *parts->v);
        parts->cap = more(parts->cap);
    }
    parts->v[parts->n++] = part;
}

void fragment_add_slice(struct work *work, struct fragments *out, const struct fragment *part,
                        size_t i, size_t j)
{
    if (i < j)
        fragment_add(work, out, fragment_slice(part, i, j));
}

void fragment_cuts_add(struct work *work, struct cuts *cuts, size_t start, size_t end, bool match)
{
    if (cuts->n == cuts->cap) {
        if (is_full(work, cuts->n / 2))
            return;
        cuts->v = arena_regrow(work->a, cuts->v, cuts->n, more(cuts->cap), sizeof *cuts->v);
        cuts->cap = more(cuts->cap);
    }
    cuts->v[cuts->n++] = (struct cut){ start, end, match };
}

void fragment_seq_add(struct work *work, struct seq *seq, struct work_token t)
{
    if (seq->n == seq->cap) {
        if (is_full(work, seq->n))
            return;
        fragment_seq_reserve(work, seq, more(seq->cap));
    }
    seq->v[seq->n++] = t;
}

void fragment_seq_reserve(struct work *work, struct seq *seq, size_t n)
{
    if (n <= seq->cap)
        return;
    seq->v = arena_regrow(work->a, seq->v, seq->n, n, sizeof *seq->v);
    seq->cap = n;
}

void fragment_emit(struct work *work, const struct fragment *part, int id, size_t i, size_t j)
{
    struct work_token token = { .id = id, .type = work->n_seqs - 1,
                                .pair = work->n_seqs > 1 };

    token.span = fragment_span(part, i, j);
    fragment_seq_add(work, &work->seqs[work->n_seqs - 1], token);
}

void fragment_emit_text(struct work *work, const struct fragment *part, int id, size_t i, size_t j)
{
    struct seq *seq = &work->seqs[work->n_seqs - 1];

    fragment_emit(work, part, id, i, j);
    seq->v[seq->n - 1].match = (struct text){ part->s + i, j - i };
}

void fragment_emit_added(struct work *work, const struct fragment *part)
{
    fragment_emit_text(work, part, part->id, 0, part->n);
}

/* What the next character stands for; *length is its size. */
static struct range next_range(const struct rewrite *rewrite, size_t *length)
{
    const struct fragment *part = rewrite->p;
    struct range end = { part->origin, part->origin };
    int code;

    *length = 0;
    if (rewrite->at >= part->n)
        return end;
    *length = (size_t)chars_next(part->s + rewrite->at, part->n - rewrite->at, &code);
    return fragment_span(part, rewrite->at, rewrite->at + *length);
}

void fragment_rewrite_begin(struct rewrite *rewrite, struct work *work, struct fragment *part)
{
    rewrite->w = work;
    rewrite->p = part;
    rewrite->at = rewrite->n = 0;
    rewrite->cap = part->n + part->n / 2 + 8;
    rewrite->s = arena_alloc_raw(work->a, rewrite->cap, 1);
    rewrite->from = arena_alloc_raw(work->a, rewrite->cap, sizeof *rewrite->from);
}

void fragment_rewrite_skip(struct rewrite *rewrite)
{
    size_t length;

    (void)next_range(rewrite, &length);
    rewrite->at += length;
}

static void rewrite_grow(struct rewrite *rewrite)
{
    size_t cap = 2 * rewrite->cap;

    rewrite->s = arena_regrow(rewrite->w->a, rewrite->s, rewrite->n, cap, 1);
    rewrite->from = arena_regrow(rewrite->w->a, rewrite->from, rewrite->n, cap,
                                 sizeof *rewrite->from);
    rewrite->cap = cap;
}

void fragment_rewrite_put(struct rewrite *rewrite, int cp, int change)
{
    struct range span = { rewrite->p->origin, rewrite->p->origin };
    size_t length;
    int size;

    if (change > 0) {
        if (rewrite->at > 0)
            span = fragment_span(rewrite->p, rewrite->at - 1, rewrite->at);
    } else {
        span = next_range(rewrite, &length);
        rewrite->at += length;
        for (; change < 0; change++)
            fragment_rewrite_skip(rewrite);
    }
    if (rewrite->cap - rewrite->n < 4)
        rewrite_grow(rewrite);
    size = utf8_encode(cp, rewrite->s + rewrite->n);
    for (int i = 0; i < size; i++)
        rewrite->from[rewrite->n++] = span;
}

void fragment_rewrite_keep(struct rewrite *rewrite, size_t n)
{
    const struct fragment *part = rewrite->p;
    size_t end = rewrite->at + n, length = 0;
    struct range span = { 0, 0 };

    while (rewrite->cap - rewrite->n < n)
        rewrite_grow(rewrite);
    memcpy(rewrite->s + rewrite->n, part->s + rewrite->at, n);
    if (part->from != NULL)
        memcpy(rewrite->from + rewrite->n, part->from + rewrite->at, n * sizeof *rewrite->from);
    for (size_t i = rewrite->at, next = i; part->from == NULL && i < end; i++) {
        if (i == next) {
            span = next_range(rewrite, &length);
            rewrite->at = next = i + length;
        }
        rewrite->from[rewrite->n + i + n - end] = span;
    }
    rewrite->at = end;
    rewrite->n += n;
}

void fragment_rewrite_end(struct rewrite *rewrite)
{
    struct work *work = rewrite->w;

    bound_spend(work, BUDGET_BYTE_REWRITTEN * rewrite->n);
    work->grown += rewrite->n > rewrite->p->n ? rewrite->n - rewrite->p->n : 0;
    rewrite->p->s = rewrite->s;
    rewrite->p->n = rewrite->n;
    rewrite->p->from = rewrite->from;
    if (rewrite->n > work->limit || work->grown > work->limit)
        work->too_large = true;
}

/* ---- memory ---- */

/* Bytes of the parts that are not the input itself. */
static size_t rewritten(const struct fragments *parts)
{
    size_t sum = 0;

    for (size_t i = 0; i < parts->n; i++)
        sum += parts->v[i].from != NULL ? parts->v[i].n : 0;
    return sum;
}

/* The parts, their ranges and their bytes, in one block. */
static struct fragments copy_parts(struct arena *a, const struct fragments *parts, size_t n_bytes)
{
    size_t size = sizeof *parts->v, n_ranges = n_bytes;
    unsigned char *block = arena_alloc_apart(a, 1, parts->n * size + n_ranges *
                                             sizeof(struct range) + n_bytes);
    struct fragments out = { (struct fragment *)(void *)block, parts->n, parts->n };
    struct range *from = (struct range *)(void *)(block + parts->n * size);
    char *s = (char *)(from + n_ranges);

    for (size_t i = 0; i < parts->n; i++) {
        struct fragment part = parts->v[i];

        if (part.from != NULL) {
            memcpy(from, part.from, part.n * sizeof *from);
            memcpy(s, part.s, part.n);
            part.from = from;
            part.s = s;
            from += part.n;
            s += part.n;
        }
        out.v[i] = part;
    }
    return out;
}

void fragment_settle(struct work *work)
{
    enum { MUCH = 1 << 20 };
    size_t n_bytes;

    if (arena_since(work->a, work->text) < MUCH)
        return;
    n_bytes = rewritten(&work->parts);
    if (n_bytes > work->limit) {
        work->too_large = true;
        return;
    }
    work->parts = copy_parts(work->a, &work->parts, n_bytes);
    arena_reset_below(work->a, work->text);
    work->regex = NULL;                /* it may have gone as well */
}

/* ---- cutting up ---- */

int fragment_each(struct work *work, const void *self,
              int (*fn)(const void *self, struct work *work, const struct fragment *p,
                        struct fragments *out, struct err *e), struct err *e)
{
    struct fragments out = { 0 };

    for (size_t i = 0; i < work->parts.n && !work->too_large; i++) {
        const struct fragment *part = &work->parts.v[i];

        if (part->id >= 0)
            fragment_add(work, &out, *part);
        else if (fn(self, work, part, &out, e) != 0)
            return -1;
    }
    work->parts = out;
    return 0;
}

/* A match joins the piece before it, unless that is a match as well. */
static void merge_previous(struct cuts *cuts)
{
    size_t count = 0;
    bool before = false;

    for (size_t i = 0; i < cuts->n; i++) {
        bool match = cuts->v[i].match;

        if (match && !before && count > 0)
            cuts->v[count - 1].end = cuts->v[i].end;
        else
            cuts->v[count++] = cuts->v[i];
        before = match;
    }
    cuts->n = count;
}

static void merge_next(struct cuts *cuts)
{
    size_t first = cuts->n;
    bool after = false;

    for (size_t i = cuts->n; i-- > 0; ) {
        bool match = cuts->v[i].match;

        if (match && !after && first < cuts->n)
            cuts->v[first].start = cuts->v[i].start;
        else
            cuts->v[--first] = cuts->v[i];
        after = match;
    }
    cuts->n -= first;
    if (cuts->n > 0)
        memmove(cuts->v, cuts->v + first, cuts->n * sizeof *cuts->v);
}

static void merge_contiguous(struct cuts *cuts)
{
    size_t count = 0;
    bool before = false;

    for (size_t i = 0; i < cuts->n; i++) {
        bool match = cuts->v[i].match;

        if (match == before && count > 0)
            cuts->v[count - 1].end = cuts->v[i].end;
        else
            cuts->v[count++] = cuts->v[i];
        before = match;
    }
    cuts->n = count;
}

void fragment_cuts_apply(struct work *work, enum behaviour b, struct cuts *cuts,
                     const struct fragment *part, struct fragments *out)
{
    if (b == PREVIOUS)
        merge_previous(cuts);
    else if (b == NEXT)
        merge_next(cuts);
    else if (b == CONTIGUOUS)
        merge_contiguous(cuts);
    for (size_t i = 0; i < cuts->n; i++)
        if (b != REMOVED || !cuts->v[i].match)
            fragment_add_slice(work, out, part, cuts->v[i].start, cuts->v[i].end);
}
