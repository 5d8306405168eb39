/* SPDX-License-Identifier: MIT
 * The name of a token -> its position in a text. */
#include "session/place.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"

/* ---- the name ---- */

/* Takes "#2" off the end of a word that has it. */
static int take_occurrence(struct place *p, const char *option, struct err *e)
{
    size_t size = p->word_size;
    const char *digits;

    while (size > 0 && isdigit((unsigned char)p->word[size - 1]))
        size--;
    if (size < 2 || size == p->word_size || p->word[size - 1] != '#')
        return 0;
    digits = p->word + size;
    p->occurrence = list_number(&digits);
    p->word_size = size - 1;
    return p->occurrence > 0 ? 0 :
           err_set(e, ERR_USAGE, "%s: '%.40s': occurrences are counted from 1", option,
                   p->spec);
}

int place_parse(struct place *p, const char *option, const char *spec, struct err *e)
{
    bool back = spec[0] == '-';
    const char *rest = spec + back;
    long long number = list_number(&rest);

    *p = (struct place){ .spec = spec, .position = -1, .word = spec + (spec[0] == '='),
                         .occurrence = 1 };
    p->word_size = strlen(p->word);
    if (p->word_size == 0)
        return err_set(e, ERR_USAGE, "%s: '%s' names no token: expected a word, or a position "
                       "from 0, or from the end (-1)", option, spec);
    if (number < back || *rest != '\0')
        return take_occurrence(p, option, e);
    if (back)
        p->from_end = number;
    else
        p->position = number;
    return 0;
}

/* ---- the text ---- */

struct bytes {
    const char *s;
    size_t n;
};

static struct bytes trimmed(const char *s, size_t n)
{
    while (n > 0 && *s == ' ') {
        s++;
        n--;
    }
    while (n > 0 && s[n - 1] == ' ')
        n--;
    return (struct bytes){ s, n };
}

static bool is_word(const struct place *p, struct bytes b)
{
    return b.n == p->word_size && memcmp(b.s, p->word, b.n) == 0;
}

/* Takes a token's label off the front of what is left of the word. */
static bool take_label(struct bytes *left, const struct tokens *t, int i, bool first)
{
    struct bytes label = { t->label[i], t->label_size[i] };

    if (first)
        while (label.n > 0 && *label.s == ' ') {
            label.s++;
            label.n--;
        }
    if (label.n == 0 || label.n > left->n || memcmp(label.s, left->s, label.n) != 0)
        return false;
    left->s += label.n;
    left->n -= label.n;
    return true;
}

/* The last of the tokens from i on whose labels, together, are the word; -1: they are not. */
static int last_by_labels(const struct place *p, const struct tokens *t, int i)
{
    struct bytes left = { p->word, p->word_size };

    for (int k = i; k < t->n && take_label(&left, t, k, k == i); k++)
        if (left.n == 0)
            return k;
    return -1;
}

static bool has_span(const struct tokens *t, int i)
{
    return t->bytes[i].end > t->bytes[i].start;
}

/* The same by the bytes of the text, which the labels may have in another spelling. */
static int last_by_text(const struct place *p, const struct tokens *t, const char *text,
                        int i)
{
    for (int k = i; text != NULL && k < t->n && has_span(t, k); k++) {
        int start = t->bytes[i].start, end = t->bytes[k].end;
        struct bytes span;

        if (end < start)
            return -1;
        span = trimmed(text + start, (size_t)(end - start));
        if (span.n > p->word_size)
            return -1;
        if (is_word(p, span) && t->bytes[k].start < end)
            return k;
    }
    return -1;
}

static int last_of(const struct place *p, const struct tokens *t, const char *text, int i)
{
    int last = last_by_labels(p, t, i);

    return last >= 0 ? last : last_by_text(p, t, text, i);
}

/* A piece as the vocabulary has it, such as "##s": no word of a text looks so. */
static bool is_piece(const struct place *p, const struct tokens *t, int i)
{
    return is_word(p, (struct bytes){ t->piece[i], strlen(t->piece[i]) });
}

/* ---- where words begin ---- */

/* Letters and digits; all beyond ASCII count as such. */
static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool any_blank(const struct tokens *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->label_size[i] > 1 && t->label[i][0] == ' ')
            return true;
    return false;
}

/* Whether no word goes on from token i - 1 to token i, 0 <= i <= n. */
static bool is_border(const struct tokens *t, int i)
{
    const char *before, *after;

    if (i == 0 || i == t->n || t->special[i - 1] || t->special[i] ||
        t->label_size[i - 1] == 0 || t->label_size[i] == 0)
        return true;
    before = t->label[i - 1] + t->label_size[i - 1] - 1;
    after = t->label[i];
    if (!is_letter(*before) || !is_letter(*after))
        return true;
    if (has_span(t, i - 1) && has_span(t, i))
        return t->bytes[i].start > t->bytes[i - 1].end || t->type[i] != t->type[i - 1];
    return strncmp(t->piece[i], "##", 2) != 0 && !any_blank(t);
}

/* ---- occurrences ---- */

/* The last token of the occurrence that p asks for, or -1; *first: its first one; *count: how many
 * there are, up to it. */
static int occurrence(const struct place *p, const struct tokens *t, const char *text,
                      bool whole, int *first, long long *count)
{
    *count = 0;
    for (int i = 0; i < t->n; i++) {
        int last = last_of(p, t, text, i);
        bool found = last >= 0 && (!whole || (is_border(t, i) && is_border(t, last + 1)));

        if (last < 0 && is_piece(p, t, i)) {
            last = i;
            found = true;
        }
        if (!found)
            continue;
        *first = i;
        if (++*count == p->occurrence)
            return last;
        i = last;
    }
    return -1;
}

/* Whether p names a position; *at: it, or -1 where the text has no such token. */
static bool by_position(const struct place *p, int n, int *at)
{
    *at = -1;
    if (p->position >= 0 && p->position < n)
        *at = (int)p->position;
    if (p->from_end > 0 && p->from_end <= n)
        *at = n - (int)p->from_end;
    return p->position >= 0 || p->from_end > 0;
}

int place_span(const struct place *p, const char *option, const struct tokens *t,
               const char *text, int *first, struct err *e)
{
    long long n_whole, n_parts = 0, count;
    int at;

    if (by_position(p, t->n, &at))
        return (*first = at) >= 0 ? at :
               err_set(e, ERR_INPUT, "%s: %.40s is out of range: the text has tokens 0 to %d "
                       "(=%.40s is the word)", option, p->spec, t->n - 1, p->spec);
    at = occurrence(p, t, text, true, first, &n_whole);
    if (at < 0 && n_whole == 0)
        at = occurrence(p, t, text, false, first, &n_parts);
    if (at >= 0)
        return at;
    if (n_whole == 0 && n_parts == 0)
        return err_set(e, ERR_INPUT, "%s: the text has no token or word '%.*s'", option,
                       (int)p->word_size, p->word);
    count = n_whole > 0 ? n_whole : n_parts;
    return err_set(e, ERR_INPUT, "%s: '%.40s': the text has '%.*s' only %lld time%s", option,
                   p->spec, (int)p->word_size, p->word, count, str_plural(count));
}

int place_find(const struct place *p, const char *option, const struct tokens *t,
               const char *text, struct err *e)
{
    int first;

    return place_span(p, option, t, text, &first, e);
}

const char *place_text(const struct item *item, enum item_side side)
{
    return side == SIDE_TARGET ? item->pair : item->pair == NULL ? item->text : NULL;
}

int place_query(const struct place *p, const char *option, const struct session *s,
                const struct item *item, struct err *e)
{
    return place_find(p, option, session_queries(s, item), place_text(item, session_query_side(s)),
                      e);
}
