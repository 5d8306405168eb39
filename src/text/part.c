/* SPDX-License-Identifier: MIT
 * Parts of a text: slices, rewriting, cutting up, and the input bytes that they stand for. */
#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

struct range part_span(const struct part *p, size_t i, size_t j)
{
    struct range range;

    if (p->from != NULL) {
        range.start = p->from[i].start;
        range.end = p->from[j - 1].end;
        return range;
    }
    while (i > 0 && continues(p->s[i]))
        i--;
    while (j < p->n && continues(p->s[j]))
        j++;
    range.start = p->origin + (int)i;
    range.end = p->origin + (int)j;
    return range;
}

struct part part_slice(const struct part *p, size_t i, size_t j)
{
    struct part part = { p->s + i, j - i, NULL, p->origin + (int)i, -1 };

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
static bool is_full(struct work *w, size_t n)
{
    if (w->most > 0 && n >= w->most)
        w->too_many = w->too_large = true;
    return w->too_large;
}

void part_add(struct work *w, struct parts *p, struct part part)
{
    if (p->n == p->cap) {
        if (is_full(w, p->n))
            return;
        p->v = arena_regrow(w->a, p->v, p->n, more(p->cap), sizeof *p->v);
        p->cap = more(p->cap);
    }
    p->v[p->n++] = part;
}

void part_add_slice(struct work *w, struct parts *out, const struct part *p, size_t i,
                     size_t j)
{
    if (i < j)
        part_add(w, out, part_slice(p, i, j));
}

void part_cuts_add(struct work *w, struct cuts *c, size_t start, size_t end, bool match)
{
    if (c->n == c->cap) {
        if (is_full(w, c->n / 2))
            return;
        c->v = arena_regrow(w->a, c->v, c->n, more(c->cap), sizeof *c->v);
        c->cap = more(c->cap);
    }
    c->v[c->n++] = (struct cut){ start, end, match };
}

void part_seq_add(struct work *w, struct seq *s, struct work_token t)
{
    if (s->n == s->cap) {
        if (is_full(w, s->n))
            return;
        part_seq_reserve(w, s, more(s->cap));
    }
    s->v[s->n++] = t;
}

void part_seq_reserve(struct work *w, struct seq *s, size_t n)
{
    if (n <= s->cap)
        return;
    s->v = arena_regrow(w->a, s->v, s->n, n, sizeof *s->v);
    s->cap = n;
}

void part_emit(struct work *w, const struct part *p, int id, size_t i, size_t j)
{
    struct work_token token = { .id = id, .type = w->n_seqs - 1,
                                .pair = w->n_seqs > 1 };

    token.span = part_span(p, i, j);
    part_seq_add(w, &w->seqs[w->n_seqs - 1], token);
}

void part_emit_text(struct work *w, const struct part *p, int id, size_t i, size_t j)
{
    struct seq *seq = &w->seqs[w->n_seqs - 1];

    part_emit(w, p, id, i, j);
    seq->v[seq->n - 1].match = (struct text){ p->s + i, j - i };
}

void part_emit_added(struct work *w, const struct part *p)
{
    part_emit_text(w, p, p->id, 0, p->n);
}

/* What the next character stands for; *length is its size. */
static struct range next_range(const struct rewrite *r, size_t *length)
{
    const struct part *part = r->p;
    struct range end = { part->origin, part->origin };
    int code;

    *length = 0;
    if (r->at >= part->n)
        return end;
    *length = (size_t)chars_next(part->s + r->at, part->n - r->at, &code);
    return part_span(part, r->at, r->at + *length);
}

void part_rewrite_begin(struct rewrite *r, struct work *w, struct part *p)
{
    r->w = w;
    r->p = p;
    r->at = r->n = 0;
    r->cap = p->n + p->n / 2 + 8;
    r->s = arena_alloc_raw(w->a, r->cap, 1);
    r->from = arena_alloc_raw(w->a, r->cap, sizeof *r->from);
}

void part_rewrite_skip(struct rewrite *r)
{
    size_t length;

    (void)next_range(r, &length);
    r->at += length;
}

static void rewrite_grow(struct rewrite *r)
{
    size_t cap = 2 * r->cap;

    r->s = arena_regrow(r->w->a, r->s, r->n, cap, 1);
    r->from = arena_regrow(r->w->a, r->from, r->n, cap, sizeof *r->from);
    r->cap = cap;
}

void part_rewrite_put(struct rewrite *r, int cp, int change)
{
    struct range span = { r->p->origin, r->p->origin };
    size_t length;
    int size;

    if (change > 0) {
        if (r->at > 0)
            span = part_span(r->p, r->at - 1, r->at);
    } else {
        span = next_range(r, &length);
        r->at += length;
        for (; change < 0; change++)
            part_rewrite_skip(r);
    }
    if (r->cap - r->n < 4)
        rewrite_grow(r);
    size = utf8_encode(cp, r->s + r->n);
    for (int i = 0; i < size; i++)
        r->from[r->n++] = span;
}

void part_rewrite_keep(struct rewrite *r, size_t n)
{
    const struct part *part = r->p;
    size_t end = r->at + n, length = 0;
    struct range span = { 0, 0 };

    while (r->cap - r->n < n)
        rewrite_grow(r);
    memcpy(r->s + r->n, part->s + r->at, n);
    if (part->from != NULL)
        memcpy(r->from + r->n, part->from + r->at, n * sizeof *r->from);
    for (size_t i = r->at, next = i; part->from == NULL && i < end; i++) {
        if (i == next) {
            span = next_range(r, &length);
            r->at = next = i + length;
        }
        r->from[r->n + i + n - end] = span;
    }
    r->at = end;
    r->n += n;
}

void part_rewrite_end(struct rewrite *r)
{
    struct work *work = r->w;

    bound_spend(work, BUDGET_BYTE_REWRITTEN * r->n);
    work->grown += r->n > r->p->n ? r->n - r->p->n : 0;
    r->p->s = r->s;
    r->p->n = r->n;
    r->p->from = r->from;
    if (r->n > work->limit || work->grown > work->limit)
        work->too_large = true;
}

/* ---- memory ---- */

/* Bytes of the parts that are not the input itself. */
static size_t rewritten(const struct parts *parts)
{
    size_t sum = 0;

    for (size_t i = 0; i < parts->n; i++)
        sum += parts->v[i].from != NULL ? parts->v[i].n : 0;
    return sum;
}

/* The parts, their ranges and their bytes, in one block. */
static struct parts copy_parts(struct arena *a, const struct parts *parts, size_t n_bytes)
{
    size_t size = sizeof *parts->v, n_ranges = n_bytes;
    unsigned char *block = arena_alloc_apart(a, 1, parts->n * size + n_ranges *
                                             sizeof(struct range) + n_bytes);
    struct parts out = { (struct part *)(void *)block, parts->n, parts->n };
    struct range *from = (struct range *)(void *)(block + parts->n * size);
    char *s = (char *)(from + n_ranges);

    for (size_t i = 0; i < parts->n; i++) {
        struct part part = parts->v[i];

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

void part_settle(struct work *w)
{
    enum { MUCH = 1 << 20 };
    size_t n_bytes;

    if (arena_since(w->a, w->text) < MUCH)
        return;
    n_bytes = rewritten(&w->parts);
    if (n_bytes > w->limit) {
        w->too_large = true;
        return;
    }
    w->parts = copy_parts(w->a, &w->parts, n_bytes);
    arena_reset_below(w->a, w->text);
    w->regex = NULL;                /* it may have gone as well */
}

/* ---- cutting up ---- */

int part_each(struct work *w, const void *self,
              int (*fn)(const void *self, struct work *w, const struct part *p,
                        struct parts *out, struct err *e), struct err *e)
{
    struct parts out = { 0 };

    for (size_t i = 0; i < w->parts.n && !w->too_large; i++) {
        const struct part *part = &w->parts.v[i];

        if (part->id >= 0)
            part_add(w, &out, *part);
        else if (fn(self, w, part, &out, e) != 0)
            return -1;
    }
    w->parts = out;
    return 0;
}

/* A match joins the piece before it, unless that is a match as well. */
static void merge_previous(struct cuts *c)
{
    size_t count = 0;
    bool before = false;

    for (size_t i = 0; i < c->n; i++) {
        bool match = c->v[i].match;

        if (match && !before && count > 0)
            c->v[count - 1].end = c->v[i].end;
        else
            c->v[count++] = c->v[i];
        before = match;
    }
    c->n = count;
}

static void merge_next(struct cuts *c)
{
    size_t first = c->n;
    bool after = false;

    for (size_t i = c->n; i-- > 0; ) {
        bool match = c->v[i].match;

        if (match && !after && first < c->n)
            c->v[first].start = c->v[i].start;
        else
            c->v[--first] = c->v[i];
        after = match;
    }
    c->n -= first;
    if (c->n > 0)
        memmove(c->v, c->v + first, c->n * sizeof *c->v);
}

static void merge_contiguous(struct cuts *c)
{
    size_t count = 0;
    bool before = false;

    for (size_t i = 0; i < c->n; i++) {
        bool match = c->v[i].match;

        if (match == before && count > 0)
            c->v[count - 1].end = c->v[i].end;
        else
            c->v[count++] = c->v[i];
        before = match;
    }
    c->n = count;
}

void part_cuts_apply(struct work *w, enum behaviour b, struct cuts *c,
                     const struct part *p, struct parts *out)
{
    if (b == PREVIOUS)
        merge_previous(c);
    else if (b == NEXT)
        merge_next(c);
    else if (b == CONTIGUOUS)
        merge_contiguous(c);
    for (size_t i = 0; i < c->n; i++)
        if (b != REMOVED || !c->v[i].match)
            part_add_slice(w, out, p, c->v[i].start, c->v[i].end);
}
