/* SPDX-License-Identifier: MIT
 * Patterns of steps: a literal text, or a regular expression. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

int pattern_open(struct tok *tok, const json_t *j, struct pattern *out, struct err *e)
{
    const json_t *pattern = json_object_get(j, "pattern");
    struct text text;

    if (json_object_get(pattern, "Regex") != NULL) {
        if (json_field_text(pattern, "Regex", &text.s, &text.n, e) != 0)
            return -1;
        out->regex = regex_open(tok, text, e);
        return out->regex != NULL ? 0 : -1;
    }
    if (json_field_text(pattern, "String", &text.s, &text.n, e) != 0)
        return err_under(e, "pattern");
    out->regex = NULL;
    out->text.s = arena_strndup(tok->a, text.s, text.n);
    out->text.n = text.n;
    return 0;
}

/* An empty text matches before every character, as an empty pattern does. */
static void text_cuts(struct text t, struct work *work, const struct fragment *part,
                      struct cuts *cuts)
{
    size_t from = 0, at = 0;

    while (at + t.n <= part->n) {
        const char *hit = memmem(part->s + at, part->n - at, t.s, t.n);
        size_t start;
        int code;

        if (hit == NULL)
            break;
        start = (size_t)(hit - part->s);
        if (from < start)
            fragment_cuts_add(work, cuts, from, start, false);
        fragment_cuts_add(work, cuts, start, start + t.n, true);
        from = at = start + t.n;
        if (t.n > 0)
            continue;
        if (at == part->n)
            break;
        at += (size_t)chars_next(part->s + at, part->n - at, &code);
    }
    if (from < part->n)
        fragment_cuts_add(work, cuts, from, part->n, false);
}

int pattern_cuts(const struct pattern *pattern, struct work *work, const struct fragment *part,
                 struct cuts *cuts, struct err *e)
{
    cuts->n = 0;
    if (pattern->regex != NULL)
        return regex_cuts(pattern->regex, work, part->s, part->n, cuts, e);
    text_cuts(pattern->text, work, part, cuts);
    return 0;
}
