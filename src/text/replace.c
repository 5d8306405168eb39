/* SPDX-License-Identifier: MIT
 * Normalisers that search for strings: Replace, Prepend and Strip. */
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
    struct replace *replace = arena_alloc(t->a, 1, sizeof *replace);

    if (pattern_open(t, j, &replace->pattern, e) != 0 ||
        json_field_text(j, "content", &replace->content.s, &replace->content.n, e) != 0)
        return NULL;
    replace->content.s = arena_strndup(t->a, replace->content.s, replace->content.n);
    return replace;
}

static void skip_bytes(struct rewrite *r, size_t end)
{
    while (r->at < end)
        part_rewrite_skip(r);
}

static void put_text(struct rewrite *r, struct text s)
{
    int code;

    for (size_t i = 0; i < s.n; ) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        part_rewrite_put(r, code, 1);
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
    struct rewrite rewrite;

    if (pattern_cuts(&s->pattern, w, p, c, e) != 0)
        return -1;
    if (c->n == 0 || (c->n == 1 && !c->v[0].match) || grows_too_large(s, w, c))
        return 0;
    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0; i < c->n; i++) {
        if (!c->v[i].match) {
            part_rewrite_keep(&rewrite, c->v[i].end - c->v[i].start);
            continue;
        }
        skip_bytes(&rewrite, c->v[i].end);
        put_text(&rewrite, s->content);
    }
    part_rewrite_end(&rewrite);
    return 0;
}

int replace_run(const void *self, struct work *w, struct err *e)
{
    struct cuts cuts = { 0 };

    for (size_t i = 0; i < w->parts.n && !w->too_large; i++)
        if (w->parts.v[i].id < 0 &&
            replace_part(self, w, &w->parts.v[i], &cuts, e) != 0)
            return -1;
    return 0;
}

/* ---- Prepend: nothing is put before nothing ---- */

const void *replace_prepend_open(struct tok *t, const json_t *j, struct err *e)
{
    struct text *text = arena_alloc(t->a, 1, sizeof *text);

    if (json_field_text(j, "prepend", &text->s, &text->n, e) != 0)
        return NULL;
    text->s = arena_strndup(t->a, text->s, text->n);
    return text;
}

static void prepend_part(struct text s, struct work *w, struct part *p)
{
    struct rewrite rewrite;
    int code, first;
    size_t count = (size_t)chars_next(p->s, p->n, &first);

    part_rewrite_begin(&rewrite, w, p);
    for (size_t i = 0, k = 0; i < s.n; k++) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        part_rewrite_put(&rewrite, code, k > 0);
    }
    part_rewrite_put(&rewrite, first, s.n > 0);
    part_rewrite_keep(&rewrite, p->n - count);
    part_rewrite_end(&rewrite);
}

int replace_prepend_run(const void *self, struct work *w, struct err *e)
{
    const struct text *text = self;

    (void)e;
    for (size_t i = 0; i < w->parts.n && !w->too_large; i++)
        if (w->parts.v[i].id < 0 && w->parts.v[i].n > 0)
            prepend_part(*text, w, &w->parts.v[i]);
    return 0;
}

/* ---- Strip ---- */

struct strip {
    bool left, right;
};

const void *replace_strip_open(struct tok *t, const json_t *j, struct err *e)
{
    struct strip *strip = arena_alloc(t->a, 1, sizeof *strip);

    if (json_field_bool(j, "strip_left", true, &strip->left, e) != 0 ||
        json_field_bool(j, "strip_right", true, &strip->right, e) != 0)
        return NULL;
    return strip;
}

/* Where the part begins is left as it is: "first" of Metaspace asks for it. */
static void strip_part(const struct strip *s, struct work *w, struct part *p)
{
    size_t start = 0, end = p->n;
    struct rewrite rewrite;
    int code, count;

    while (s->left && start < end) {
        count = chars_next(p->s + start, end - start, &code);
        if (!chars_is_space(code))
            break;
        start += (size_t)count;
    }
    while (s->right && end > start) {
        count = chars_before(p->s, end, &code);
        if (!chars_is_space(code))
            break;
        end -= (size_t)count;
    }
    if (start == 0 && end == p->n)
        return;
    part_rewrite_begin(&rewrite, w, p);
    skip_bytes(&rewrite, start);
    part_rewrite_keep(&rewrite, end - start);
    part_rewrite_end(&rewrite);
}

int replace_strip_run(const void *self, struct work *w, struct err *e)
{
    (void)e;
    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.v[i].id < 0)
            strip_part(self, w, &w->parts.v[i]);
    return 0;
}
