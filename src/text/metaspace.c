/* SPDX-License-Identifier: MIT
 * Metaspace: blanks become a visible character that belongs to the word after
 * it, and the text (or each part of it) gets one in front. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

enum scheme { ALWAYS, FIRST, NEVER, N_SCHEME };

struct metaspace {
    struct text mark;           /* "▁" */
    int mark_cp;
    enum scheme scheme;
    bool split;
};

static const char *const scheme_names[N_SCHEME] = { "always", "first", "never" };

/* Older files have add_prefix_space in its place. */
static int open_scheme(const json_t *j, enum scheme *out, struct err *e)
{
    struct text text;
    bool prefix;

    if (json_field_bool(j, "add_prefix_space", true, &prefix, e) != 0)
        return -1;
    *out = prefix ? ALWAYS : NEVER;
    if (json_object_get(j, "prepend_scheme") == NULL)
        return 0;
    if (json_field_text(j, "prepend_scheme", &text.s, &text.n, e) != 0)
        return -1;
    for (int i = 0; i < N_SCHEME; i++) {
        if (strcmp(text.s, scheme_names[i]) != 0)
            continue;
        *out = (enum scheme)i;
        if (prefix || *out == NEVER)
            return 0;
        return err_set(e, ERR_INPUT, "\"add_prefix_space\" is false, but "
                       "\"prepend_scheme\" \"%s\"", text.s);
    }
    return err_set(e, ERR_INPUT, "\"prepend_scheme\" is \"%.80s\", expected always, first "
                   "or never", text.s);
}

const void *metaspace_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct metaspace *metaspace = arena_alloc(tok->a, 1, sizeof *metaspace);

    if (json_field_char(j, "replacement", &metaspace->mark.s, &metaspace->mark.n, e) !=
            0 ||
        open_scheme(j, &metaspace->scheme, e) != 0 ||
        json_field_bool(j, "split", true, &metaspace->split, e) != 0)
        return NULL;
    metaspace->mark.s = arena_strndup(tok->a, metaspace->mark.s, metaspace->mark.n);
    (void)chars_next(metaspace->mark.s, metaspace->mark.n, &metaspace->mark_cp);
    tok->blank = metaspace->mark;
    tok->blank_before = metaspace->scheme == NEVER;
    return metaspace;
}

static void put_marks(const struct metaspace *metaspace, struct work *work, struct fragment *part)
{
    bool prepend = metaspace->scheme == ALWAYS || (metaspace->scheme == FIRST && part->origin == 0);
    struct rewrite rewrite;
    int code;
    size_t i = 0;

    fragment_rewrite_begin(&rewrite, work, part);
    (void)chars_next(part->s, part->n, &code);
    if (prepend && code != ' ' && code != metaspace->mark_cp) {
        fragment_rewrite_put(&rewrite, metaspace->mark_cp, 0);
        fragment_rewrite_put(&rewrite, code, 1); /* both stand for the first character */
        i = rewrite.at;
    }
    while (i < part->n) {
        const char *blank = memchr(part->s + i, ' ', part->n - i);
        size_t end = blank != NULL ? (size_t)(blank - part->s) : part->n;

        fragment_rewrite_keep(&rewrite, end - i);
        if (end < part->n)
            fragment_rewrite_put(&rewrite, metaspace->mark_cp, 0);
        i = end + 1;
    }
    fragment_rewrite_end(&rewrite);
}

static int metaspace_one(const void *self, struct work *work, const struct fragment *part,
                         struct fragments *out, struct err *e)
{
    const struct metaspace *metaspace = self;
    struct fragment p = *part;
    size_t from = 0;

    (void)e;
    if (p.n == 0)
        return 0;
    put_marks(metaspace, work, &p);
    while (metaspace->split) {
        const char *mark = memmem(p.s + from + 1, p.n - from - 1, metaspace->mark.s,
                                  metaspace->mark.n);

        if (mark == NULL)
            break;
        fragment_add_slice(work, out, &p, from, (size_t)(mark - p.s));
        from = (size_t)(mark - p.s);
    }
    fragment_add_slice(work, out, &p, from, p.n);
    return 0;
}

int metaspace_run(const void *self, struct work *work, struct err *e)
{
    return fragment_each(work, self, metaspace_one, e);
}
