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

const void *replace_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct replace *replace = arena_alloc(tok->a, 1, sizeof *replace);

    if (pattern_open(tok, j, &replace->pattern, e) != 0 ||
        json_field_text(j, "content", &replace->content.s, &replace->content.n, e) != 0)
        return NULL;
    replace->content.s = arena_strndup(tok->a, replace->content.s, replace->content.n);
    return replace;
}

static void skip_bytes(struct rewrite *rewrite, size_t end)
{
    while (rewrite->at < end)
        fragment_rewrite_skip(rewrite);
}

static void put_text(struct rewrite *rewrite, struct text s)
{
    int code;

    for (size_t i = 0; i < s.n; ) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        fragment_rewrite_put(rewrite, code, 1);
    }
}

/* More than any text may grow to: one "" in front of every character suffices. */
static bool grows_too_large(const struct replace *replace, struct work *work,
                            const struct cuts *cuts)
{
    size_t matches = 0;

    for (size_t i = 0; i < cuts->n; i++)
        matches += cuts->v[i].match;
    if (replace->content.n > 0 && matches > work->limit / replace->content.n)
        work->too_large = true;
    return work->too_large;
}

static int replace_part(const struct replace *replace, struct work *work, struct fragment *part,
                        struct cuts *cuts, struct err *e)
{
    struct rewrite rewrite;

    if (pattern_cuts(&replace->pattern, work, part, cuts, e) != 0)
        return -1;
    if (cuts->n == 0 || (cuts->n == 1 && !cuts->v[0].match) || grows_too_large(replace, work, cuts))
        return 0;
    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0; i < cuts->n; i++) {
        if (!cuts->v[i].match) {
            fragment_rewrite_keep(&rewrite, cuts->v[i].end - cuts->v[i].start);
            continue;
        }
        skip_bytes(&rewrite, cuts->v[i].end);
        put_text(&rewrite, replace->content);
    }
    fragment_rewrite_end(&rewrite);
    return 0;
}

int replace_run(const void *self, struct work *work, struct err *e)
{
    struct cuts cuts = { 0 };

    for (size_t i = 0; i < work->parts.n && !work->too_large; i++)
        if (work->parts.v[i].id < 0 &&
            replace_part(self, work, &work->parts.v[i], &cuts, e) != 0)
            return -1;
    return 0;
}

/* ---- Prepend: nothing is put before nothing ---- */

const void *replace_prepend_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct text *text = arena_alloc(tok->a, 1, sizeof *text);

    if (json_field_text(j, "prepend", &text->s, &text->n, e) != 0)
        return NULL;
    text->s = arena_strndup(tok->a, text->s, text->n);
    return text;
}

static void prepend_part(struct text s, struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code, first;
    size_t count = (size_t)chars_next(part->s, part->n, &first);

    fragment_rewrite_begin(&rewrite, work, part);
    for (size_t i = 0, k = 0; i < s.n; k++) {
        i += (size_t)chars_next(s.s + i, s.n - i, &code);
        fragment_rewrite_put(&rewrite, code, k > 0);
    }
    fragment_rewrite_put(&rewrite, first, s.n > 0);
    fragment_rewrite_keep(&rewrite, part->n - count);
    fragment_rewrite_end(&rewrite);
}

int replace_prepend_run(const void *self, struct work *work, struct err *e)
{
    const struct text *text = self;

    (void)e;
    for (size_t i = 0; i < work->parts.n && !work->too_large; i++)
        if (work->parts.v[i].id < 0 && work->parts.v[i].n > 0)
            prepend_part(*text, work, &work->parts.v[i]);
    return 0;
}

/* ---- Strip ---- */

struct strip {
    bool left, right;
};

const void *replace_strip_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct strip *strip = arena_alloc(tok->a, 1, sizeof *strip);

    if (json_field_bool(j, "strip_left", true, &strip->left, e) != 0 ||
        json_field_bool(j, "strip_right", true, &strip->right, e) != 0)
        return NULL;
    return strip;
}

/* Where the part begins is left as it is: "first" of Metaspace asks for it. */
static void strip_part(const struct strip *strip, struct work *work, struct fragment *part)
{
    size_t start = 0, end = part->n;
    struct rewrite rewrite;
    int code, count;

    while (strip->left && start < end) {
        count = chars_next(part->s + start, end - start, &code);
        if (!chars_is_space(code))
            break;
        start += (size_t)count;
    }
    while (strip->right && end > start) {
        count = chars_before(part->s, end, &code);
        if (!chars_is_space(code))
            break;
        end -= (size_t)count;
    }
    if (start == 0 && end == part->n)
        return;
    fragment_rewrite_begin(&rewrite, work, part);
    skip_bytes(&rewrite, start);
    fragment_rewrite_keep(&rewrite, end - start);
    fragment_rewrite_end(&rewrite);
}

int replace_strip_run(const void *self, struct work *work, struct err *e)
{
    (void)e;
    for (size_t i = 0; i < work->parts.n; i++)
        if (work->parts.v[i].id < 0)
            strip_part(self, work, &work->parts.v[i]);
    return 0;
}
