/* SPDX-License-Identifier: MIT
 * --from and --to -> the queries and keys that a figure shows. */
#include "session/shown/region.h"

#include <ctype.h>
#include <string.h>

#include "base/list.h"
#include "session/shown/place.h"

/* "last", "generated", "3-7"; or one name. */
struct region_part {
    bool last, generated;
    long long from, to;         /* -1: a place */
    struct place place;
};

/* The name of n bytes, in a. */
static int part_parse(struct region_part *part, const char *option, const char *name,
                      struct arena *a, size_t n, struct err *e)
{
    const char *text = arena_strndup(a, name, n), *rest = text;
    long long from = list_number(&rest), to;

    *part = (struct region_part){ .last = strcmp(text, "last") == 0,
                           .generated = strcmp(text, "generated") == 0, .from = -1 };
    if (part->last || part->generated)
        return 0;
    if (from >= 0 && *rest == '-' && isdigit((unsigned char)rest[1])) {
        rest++;
        to = list_number(&rest);
        part->from = from;
        part->to = to;
        part->place.spec = text;
        if (*rest == '\0')
            return from <= to ? 0 :
                   err_set(e, ERR_USAGE, "%s: '%.40s': expected the smaller position first", option,
                           text);
        part->from = -1;
    }
    return place_parse(&part->place, option, text, e);
}

static int region_check_list(const char *option, const char *list, struct arena *a, struct err *e)
{
    struct region_part part;

    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");

        if (part_parse(&part, option, s, a, n, e) != 0)
            return -1;
        s += n;
        if (*s == '\0')
            return 0;
    }
}

/* The first of the tokens, or words, of a side that --generate added, to its last; -1: none of it
 * was, as none is of the text that a decoder's keys come from. */
static int first_generated(const struct item *item, enum item_side side)
{
    const int *word = item->shown[side].group;
    int first = item_side(item, side)->n - item->n_generated;

    if (item->n_generated == 0 || first < 0 || (side != SIDE_TARGET && item->target.n > 0))
        return -1;
    return word != NULL ? word[first] : first;
}

/* Marks the tokens of one part. */
static int mark(const struct region_part *part, const char *option, const struct tokens *tokens,
                const struct item *item, enum item_side side, unsigned char *named, struct err *e)
{
    int first = 0, last;

    if (part->last) {
        first = last = tokens->n - 1;
    } else if (part->generated) {
        first = first_generated(item, side);
        last = tokens->n - 1;
        if (first < 0)
            return err_set(e, ERR_INPUT, "%s: generated: no token of these was generated "
                           "(--generate N)", option);
    } else if (part->from >= 0) {
        first = (int)(part->from < tokens->n ? part->from : tokens->n);
        last = (int)(part->to < tokens->n ? part->to : tokens->n);
        if (part->to >= tokens->n)
            return err_set(e, ERR_INPUT, "%s: %.40s is out of range: the text has tokens 0 to %d",
                           option, part->place.spec, tokens->n - 1);
    } else {
        last = place_span(&part->place, option, tokens, place_text(item, side), &first, e);
    }
    for (int i = first; last >= 0 && i <= last; i++)
        named[i] = 1;
    return last >= 0 ? 0 : -1;
}

/* [queries or keys that are shown] of a, 1: named; NULL: the text has no such token. */
static const unsigned char *named_by(const char *option, const char *list,
                                     const struct session *session, const struct item *item,
                                     bool queries, struct arena *a, struct err *e)
{
    const struct tokens *t = queries ? session_queries(session, item) : session_keys(session, item);
    enum item_side side = queries ? session_query_side(session) : session_key_side(session);
    unsigned char *named = arena_alloc(a, (size_t)t->n, 1);
    struct region_part part;

    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");

        if (part_parse(&part, option, at, a, n, e) != 0 ||
            mark(&part, option, t, item, side, named, e) != 0)
            return NULL;
        at += n;
        if (*at == '\0')
            return named;
    }
}

int region_check(const struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;

    if (asked->from != NULL && region_check_list("--from", asked->from, session->a, e) != 0)
        return -1;
    return asked->to != NULL ? region_check_list("--to", asked->to, session->a, e) : 0;
}

int region_axis(const struct session *session, const struct item *item, bool queries,
                struct arena *a, const unsigned char **out, struct err *e)
{
    const char *option = queries ? "--from" : "--to";
    const char *list = queries ? session->asked->from : session->asked->to;
    int n = (queries ? session_queries(session, item) : session_keys(session, item))->n;
    const unsigned char *named;
    unsigned char *left;

    *out = item->shown[queries ? session_query_side(session) : session_key_side(session)].words_out;
    if (list == NULL)
        return 0;
    named = named_by(option, list, session, item, queries, a, e);
    if (named == NULL)
        return -1;
    left = arena_alloc(a, (size_t)n, 1);
    for (int i = 0; i < n; i++)
        left[i] = !named[i] || (*out != NULL && (*out)[i]);
    *out = left;
    return memchr(left, 0, (size_t)n) != NULL ? 0 :
           err_set(e, ERR_INPUT, "%s: %s is hidden (--hide)", option, list);
}

const char *region_text(const struct session *session, struct arena *a)
{
    const char *from = session->asked->from, *to = session->asked->to;

    if (from == NULL && to == NULL)
        return NULL;
    return arena_printf(a, "only %s%s%s%s", from != NULL ? "queries " : "",
                        from != NULL ? from : "", from != NULL && to != NULL ? ", keys " :
                        to != NULL ? "keys " : "", to != NULL ? to : "");
}
