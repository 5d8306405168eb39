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
    struct text s;
    bool prefix;

    if (json_field_bool(j, "add_prefix_space", true, &prefix, e) != 0)
        return -1;
    *out = prefix ? ALWAYS : NEVER;
    if (json_object_get(j, "prepend_scheme") == NULL)
        return 0;
    if (json_field_text(j, "prepend_scheme", &s.s, &s.n, e) != 0)
        return -1;
    for (int i = 0; i < N_SCHEME; i++) {
        if (strcmp(s.s, scheme_names[i]) != 0)
            continue;
        *out = (enum scheme)i;
        if (prefix || *out == NEVER)
            return 0;
        return err_set(e, ERR_INPUT, "\"add_prefix_space\" is false, but "
                       "\"prepend_scheme\" \"%s\"", s.s);
    }
    return err_set(e, ERR_INPUT, "\"prepend_scheme\" is \"%.80s\", expected always, first "
                   "or never", s.s);
}

const void *metaspace_open(struct tok *t, const json_t *j, struct err *e)
{
    struct metaspace *m = arena_alloc(t->a, 1, sizeof *m);

    if (json_field_char(j, "replacement", &m->mark.s, &m->mark.n, e) != 0 ||
        open_scheme(j, &m->scheme, e) != 0 ||
        json_field_bool(j, "split", true, &m->split, e) != 0)
        return NULL;
    m->mark.s = arena_strndup(t->a, m->mark.s, m->mark.n);
    (void)chars_next(m->mark.s, m->mark.n, &m->mark_cp);
    t->blank = m->mark;
    return m;
}

static void put_marks(const struct metaspace *m, struct work *w, struct part *p)
{
    bool prepend = m->scheme == ALWAYS || (m->scheme == FIRST && p->origin == 0);
    struct rewrite r;
    int cp;
    size_t i = 0;

    part_rewrite_begin(&r, w, p);
    (void)chars_next(p->s, p->n, &cp);
    if (prepend && cp != ' ' && cp != m->mark_cp) {
        part_rewrite_put(&r, m->mark_cp, 0);
        part_rewrite_put(&r, cp, 1);         /* both stand for the first character */
        i = r.at;
    }
    while (i < p->n) {
        const char *blank = memchr(p->s + i, ' ', p->n - i);
        size_t end = blank != NULL ? (size_t)(blank - p->s) : p->n;

        part_rewrite_keep(&r, end - i);
        if (end < p->n)
            part_rewrite_put(&r, m->mark_cp, 0);
        i = end + 1;
    }
    part_rewrite_end(&r);
}

static int metaspace_one(const void *self, struct work *w, const struct part *part,
                         struct parts *out, struct err *e)
{
    const struct metaspace *m = self;
    struct part p = *part;
    size_t from = 0;

    (void)e;
    if (p.n == 0)
        return 0;
    put_marks(m, w, &p);
    while (m->split && from < p.n) {
        const char *mark = memmem(p.s + from + 1, p.n - from - 1, m->mark.s, m->mark.n);

        if (mark == NULL)
            break;
        part_add_slice(w, out, &p, from, (size_t)(mark - p.s));
        from = (size_t)(mark - p.s);
    }
    part_add_slice(w, out, &p, from, p.n);
    return 0;
}

int metaspace_run(const void *self, struct work *w, struct err *e)
{
    return part_each(w, self, metaspace_one, e);
}
