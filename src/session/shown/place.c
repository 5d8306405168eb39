/* SPDX-License-Identifier: MIT
 * The name of a token -> its position in a text. */
#include "session/shown/place.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"

/* ---- the name ---- */

/* Takes "#2" off the end of a word that has it. */
static int take_occurrence(struct place *place, const char *option, struct err *e)
{
    size_t size = place->word_size;
    const char *digits;

    while (size > 0 && isdigit((unsigned char)place->word[size - 1]))
        size--;
    if (size < 2 || size == place->word_size || place->word[size - 1] != '#')
        return 0;
    digits = place->word + size;
    place->occurrence = list_number(&digits);
    place->word_size = size - 1;
    return place->occurrence > 0 ? 0 :
           err_set(e, ERR_USAGE, "%s: '%.40s': occurrences are counted from 1", option,
                   place->spec);
}

int place_parse(struct place *place, const char *option, const char *spec, struct err *e)
{
    bool back = spec[0] == '-';
    const char *rest = spec + back;
    long long number = list_number(&rest);

    *place = (struct place){ .spec = spec, .position = -1, .word = spec + (spec[0] == '='),
                             .occurrence = 1 };
    place->word_size = strlen(place->word);
    if (place->word_size == 0)
        return err_set(e, ERR_USAGE, "%s: '%s' names no token: expected a word, or a position "
                       "from 0, or from the end (-1)", option, spec);
    if (number < back || *rest != '\0')
        return take_occurrence(place, option, e);
    if (back)
        place->from_end = number;
    else
        place->position = number;
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

static bool is_word(const struct place *place, struct bytes b)
{
    return b.n == place->word_size && memcmp(b.s, place->word, b.n) == 0;
}

/* Takes a token's label off the front of what is left of the word. */
static bool take_label(struct bytes *left, const struct tokens *tokens, int i, bool first)
{
    struct bytes label = { tokens->label[i], tokens->label_size[i] };

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
static int last_by_labels(const struct place *place, const struct tokens *tokens, int i)
{
    struct bytes left = { place->word, place->word_size };

    for (int k = i; k < tokens->n && take_label(&left, tokens, k, k == i); k++)
        if (left.n == 0)
            return k;
    return -1;
}

static bool has_span(const struct tokens *tokens, int i)
{
    return tokens->bytes[i].end > tokens->bytes[i].start;
}

/* The same by the bytes of the text, which the labels may have in another spelling. */
static int last_by_text(const struct place *place, const struct tokens *tokens, const char *text,
                        int i)
{
    for (int k = i; text != NULL && k < tokens->n && has_span(tokens, k); k++) {
        int start = tokens->bytes[i].start, end = tokens->bytes[k].end;
        struct bytes span;

        if (end < start)
            return -1;
        span = trimmed(text + start, (size_t)(end - start));
        if (span.n > place->word_size)
            return -1;
        if (is_word(place, span) && tokens->bytes[k].start < end)
            return k;
    }
    return -1;
}

static int last_of(const struct place *place, const struct tokens *tokens, const char *text, int i)
{
    int last = last_by_labels(place, tokens, i);

    return last >= 0 ? last : last_by_text(place, tokens, text, i);
}

/* A piece as the vocabulary has it, such as "##s": no word of a text looks so. */
static bool is_piece(const struct place *place, const struct tokens *tokens, int i)
{
    return is_word(place, (struct bytes){ tokens->piece[i], strlen(tokens->piece[i]) });
}

/* ---- where words begin ---- */

/* Letters and digits; all beyond ASCII count as such. */
static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool any_blank(const struct tokens *tokens)
{
    for (int i = 0; i < tokens->n; i++)
        if (tokens->label_size[i] > 1 && tokens->label[i][0] == ' ')
            return true;
    return false;
}

/* Whether no word goes on from token i - 1 to token i, 0 <= i <= n. */
static bool is_border(const struct tokens *tokens, int i)
{
    const char *before, *after;

    if (i == 0 || i == tokens->n || tokens->special[i - 1] || tokens->special[i] ||
        tokens->label_size[i - 1] == 0 || tokens->label_size[i] == 0)
        return true;
    before = tokens->label[i - 1] + tokens->label_size[i - 1] - 1;
    after = tokens->label[i];
    if (!is_letter(*before) || !is_letter(*after))
        return true;
    if (has_span(tokens, i - 1) && has_span(tokens, i))
        return tokens->bytes[i].start > tokens->bytes[i - 1].end ||
               tokens->type[i] != tokens->type[i - 1];
    return strncmp(tokens->piece[i], "##", 2) != 0 && !any_blank(tokens);
}

/* ---- occurrences ---- */

/* The last token of the occurrence that place asks for, or -1; *first: its first one; *count: how
 * many there are, up to it. */
static int occurrence(const struct place *place, const struct tokens *tokens, const char *text,
                      bool whole, int *first, long long *count)
{
    *count = 0;
    for (int i = 0; i < tokens->n; i++) {
        int last = last_of(place, tokens, text, i);
        bool found = last >= 0 && (!whole || (is_border(tokens, i) && is_border(tokens, last + 1)));

        if (last < 0 && is_piece(place, tokens, i)) {
            last = i;
            found = true;
        }
        if (!found)
            continue;
        *first = i;
        if (++*count == place->occurrence)
            return last;
        i = last;
    }
    return -1;
}

/* Whether place names a position; *at: it, or -1 where the text has no such token. */
static bool by_position(const struct place *place, int n, int *at)
{
    *at = -1;
    if (place->position >= 0 && place->position < n)
        *at = (int)place->position;
    if (place->from_end > 0 && place->from_end <= n)
        *at = n - (int)place->from_end;
    return place->position >= 0 || place->from_end > 0;
}

int place_span(const struct place *place, const char *option, const struct tokens *tokens,
               const char *text, int *first, struct err *e)
{
    long long n_whole, n_parts = 0, count;
    int at;

    if (by_position(place, tokens->n, &at))
        return (*first = at) >= 0 ? at :
               err_set(e, ERR_INPUT, "%s: %.40s is out of range: the text has tokens 0 to %d "
                       "(=%.40s is the word)", option, place->spec, tokens->n - 1, place->spec);
    at = occurrence(place, tokens, text, true, first, &n_whole);
    if (at < 0 && n_whole == 0)
        at = occurrence(place, tokens, text, false, first, &n_parts);
    if (at >= 0)
        return at;
    if (n_whole == 0 && n_parts == 0)
        return err_set(e, ERR_INPUT, "%s: the text has no token or word '%.*s'", option,
                       (int)place->word_size, place->word);
    count = n_whole > 0 ? n_whole : n_parts;
    return err_set(e, ERR_INPUT, "%s: '%.40s': the text has '%.*s' only %lld time%s", option,
                   place->spec, (int)place->word_size, place->word, count, str_plural(count));
}

int place_find(const struct place *place, const char *option, const struct tokens *tokens,
               const char *text, struct err *e)
{
    int first;

    return place_span(place, option, tokens, text, &first, e);
}

const char *place_text(const struct item *item, enum item_side side)
{
    return side == SIDE_TARGET ? item->pair : item->pair == NULL ? item->text : NULL;
}

int place_query(const struct place *place, const char *option, const struct session *session,
                const struct item *item, struct err *e)
{
    return place_find(place, option, session_queries(session, item),
                      place_text(item, session_query_side(session)), e);
}
