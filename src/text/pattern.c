/* SPDX-License-Identifier: MIT
 * Patterns of steps: a literal text, or a regular expression. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

int pattern_open(struct tok *t, const json_t *j, struct pattern *out, struct err *e)
{
    const json_t *pattern = json_object_get(j, "pattern");
    struct text text;

    if (json_object_get(pattern, "Regex") != NULL) {
        if (json_field_text(pattern, "Regex", &text.s, &text.n, e) != 0)
            return -1;
        out->regex = regex_open(t, text, e);
        return out->regex != NULL ? 0 : -1;
    }
    if (json_field_text(pattern, "String", &text.s, &text.n, e) != 0)
        return err_under(e, "pattern");
    out->regex = NULL;
    out->text.s = arena_strndup(t->a, text.s, text.n);
    out->text.n = text.n;
    return 0;
}

/* An empty text matches before every character, as an empty pattern does. */
static void text_cuts(struct text t, struct work *w, const struct part *p,
                      struct cuts *c)
{
    size_t from = 0, at = 0;

    while (at + t.n <= p->n) {
        const char *hit = memmem(p->s + at, p->n - at, t.s, t.n);
        size_t start;
        int code;

        if (hit == NULL)
            break;
        start = (size_t)(hit - p->s);
        if (from < start)
            part_cuts_add(w, c, from, start, false);
        part_cuts_add(w, c, start, start + t.n, true);
        from = at = start + t.n;
        if (t.n > 0)
            continue;
        if (at == p->n)
            break;
        at += (size_t)chars_next(p->s + at, p->n - at, &code);
    }
    if (from < p->n)
        part_cuts_add(w, c, from, p->n, false);
}

int pattern_cuts(const struct pattern *m, struct work *w, const struct part *p,
                 struct cuts *c, struct err *e)
{
    c->n = 0;
    if (m->regex != NULL)
        return regex_cuts(m->regex, w, p->s, p->n, c, e);
    text_cuts(m->text, w, p, c);
    return 0;
}
