/* SPDX-License-Identifier: MIT
 * Normalisers that look for something: Replace, Prepend and Strip. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/* ---- Replace: what is new stands for the last character of what it replaces ---- */

struct replace {
    struct pattern pattern;
    struct text content;
};

const void *replace_open(struct tok *t, const json_t *j, struct err *e)
{
    struct replace *s = arena_alloc(t->a, 1, sizeof *s);

    if (pattern_open(t, j, &s->pattern, e) != 0 ||
        json_field_text(j, "content", &s->content.s, &s->content.n, e) != 0)
        return NULL;
    s->content.s = arena_strndup(t->a, s->content.s, s->content.n);
    return s;
}

static void skip_bytes(struct rewrite *r, size_t end)
{
    while (r->at < end)
        part_rewrite_skip(r);
}

static void put_text(struct rewrite *r, struct text s)
{
    int cp;

    for (size_t i = 0; i < s.n; ) {
        i += (size_t)chars_next(s.s + i, s.n - i, &cp);
        part_rewrite_put(r, cp, 1);
    }
}

/* More than any text may grow to: one "" in front of every character suffices. */
static bool grows_too_large(const struct replace *s, struct work *w,
                            const struct cuts *c)
{
    size_t matches = 0;

    for (size_t i = 0; i < c->n; i++)
        matches += c->v[i].match;
    if (s->content.n > 0 && matches > w->limit / s->content.n)
        w->too_large = true;
    return w->too_large;
}

static int replace_part(const struct replace *s, struct work *w, struct part *p,
                        struct cuts *c, struct err *e)
{
    struct rewrite r;

    if (pattern_cuts(&s->pattern, w, p, c, e) != 0)
        return -1;
    if (c->n == 0 || (c->n == 1 && !c->v[0].match) || grows_too_large(s, w, c))
        return 0;
    part_rewrite_begin(&r, w, p);
    for (size_t i = 0; i < c->n; i++) {
        if (!c->v[i].match) {
            part_rewrite_keep(&r, c->v[i].end - c->v[i].start);
            continue;
        }
        skip_bytes(&r, c->v[i].end);
        put_text(&r, s->content);
    }
    part_rewrite_end(&r);
    return 0;
}

int replace_run(const void *self, struct work *w, struct err *e)
{
    struct cuts cuts = { 0 };

    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.v[i].id < 0 &&
            replace_part(self, w, &w->parts.v[i], &cuts, e) != 0)
            return -1;
    return 0;
}

/* ---- Prepend: nothing is put before nothing ---- */

const void *replace_prepend_open(struct tok *t, const json_t *j, struct err *e)
{
    struct text *s = arena_alloc(t->a, 1, sizeof *s);

    if (json_field_text(j, "prepend", &s->s, &s->n, e) != 0)
        return NULL;
    s->s = arena_strndup(t->a, s->s, s->n);
    return s;
}

static void prepend_part(struct text s, struct work *w, struct part *p)
{
    struct rewrite r;
    int cp, first;
    size_t n = (size_t)chars_next(p->s, p->n, &first);

    part_rewrite_begin(&r, w, p);
    for (size_t i = 0, k = 0; i < s.n; k++) {
        i += (size_t)chars_next(s.s + i, s.n - i, &cp);
        part_rewrite_put(&r, cp, k > 0);
    }
    part_rewrite_put(&r, first, s.n > 0);
    part_rewrite_keep(&r, p->n - n);
    part_rewrite_end(&r);
}

int replace_prepend_run(const void *self, struct work *w, struct err *e)
{
    const struct text *s = self;

    (void)e;
    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.v[i].id < 0 && w->parts.v[i].n > 0)
            prepend_part(*s, w, &w->parts.v[i]);
    return 0;
}

/* ---- Strip ---- */

struct strip {
    bool left, right;
};

const void *replace_strip_open(struct tok *t, const json_t *j, struct err *e)
{
    struct strip *s = arena_alloc(t->a, 1, sizeof *s);

    if (json_field_bool(j, "strip_left", true, &s->left, e) != 0 ||
        json_field_bool(j, "strip_right", true, &s->right, e) != 0)
        return NULL;
    return s;
}

/* Where the part begins is left as it is: "first" of Metaspace asks for it. */
static void strip_part(const struct strip *s, struct work *w, struct part *p)
{
    size_t start = 0, end = p->n;
    struct rewrite r;
    int cp, n;

    while (s->left && start < end) {
        n = chars_next(p->s + start, end - start, &cp);
        if (!chars_is_space(cp))
            break;
        start += (size_t)n;
    }
    while (s->right && end > start) {
        n = chars_before(p->s, end, &cp);
        if (!chars_is_space(cp))
            break;
        end -= (size_t)n;
    }
    if (start == 0 && end == p->n)
        return;
    part_rewrite_begin(&r, w, p);
    skip_bytes(&r, start);
    part_rewrite_keep(&r, end - start);
    part_rewrite_end(&r);
}

int replace_strip_run(const void *self, struct work *w, struct err *e)
{
    (void)e;
    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.v[i].id < 0)
            strip_part(self, w, &w->parts.v[i]);
    return 0;
}
