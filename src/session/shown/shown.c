/* SPDX-License-Identifier: MIT
 * --hide, --renorm, --merge -> the tokens that are shown: some hidden, words in place of pieces. */
#include "session/shown/shown.h"


#include <string.h>

#include "base/list.h"

const char *const merge_names[] = { "none", "words", NULL };

/* ---- --hide ---- */

static const char *hidden_list(const struct asked *asked)
{
    return asked->hide != NULL ? asked->hide : asked->hide_special ? "special" : NULL;
}

/* One part of the list. */
struct hidden_part {
    bool first, special;
    long long from, to;         /* otherwise: positions */
};

static bool next_word(const char **s, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*s, word, n) != 0 || ((*s)[n] != ',' && (*s)[n] != '\0'))
        return false;
    *s += n;
    return true;
}

/* The part at *s, which moves after it and the comma: 1: more follow, 0: the last, -1: none. */
static int next_part(const char **s, struct hidden_part *part)
{
    *part = (struct hidden_part){ .first = next_word(s, "first") };
    part->special = !part->first && next_word(s, "special");
    if (!part->first && !part->special)
        return list_next(s, &part->from, &part->to);
    if (**s == '\0')
        return 0;
    ++*s;
    return 1;
}

static int session_shown_check_list(const char *list, struct err *e)
{
    const char *at = list;
    struct hidden_part part;
    int more = 1;

    while (more == 1)
        more = next_part(&at, &part);
    return more == 0 ? 0 :
           err_set(e, ERR_USAGE, "--hide: '%s' is not a list such as first,special,0,5-7",
                   list);
}

/* Marks what the part names; *beyond: a position that there is not. */
static void mark_part(const struct hidden_part *part, const struct tokens *tokens, bool positions,
                      unsigned char *out, long long *beyond)
{
    if (part->first && tokens->n > 0)
        out[0] = 1;
    for (int i = 0; part->special && i < tokens->n; i++)
        out[i] |= tokens->special[i] != 0;
    if (part->first || part->special || !positions)
        return;
    for (long long i = part->from; i <= part->to && i < tokens->n; i++)
        out[i] = 1;
    if (part->to >= tokens->n)
        *beyond = part->to;
}

/* The tokens of a side that are left out; NULL: none is.  Something must be left. */
static int hide_side(const struct session *session, struct arena *a, const struct item *item,
                     enum item_side side, bool positions, const unsigned char **out,
                     struct err *e)
{
    const struct tokens *t = item_side(item, side);
    unsigned char *hidden = arena_alloc(a, (size_t)t->n, 1);
    const char *at = hidden_list(session->asked);
    struct hidden_part part;
    long long beyond = -1;

    for (int more = at != NULL; more == 1;) {
        more = next_part(&at, &part);
        mark_part(&part, t, positions, hidden, &beyond);
    }
    *out = t->n > 0 && memchr(hidden, 1, (size_t)t->n) != NULL ? hidden : NULL;
    if (beyond >= 0 && !item->of_several)
        return err_set(e, ERR_INPUT, "--hide: %lld is out of range: the text has tokens 0 to %d",
                       beyond, t->n - 1);
    return *out == NULL || memchr(hidden, 0, (size_t)t->n) != NULL ?
               0 :
               err_set(e, ERR_INPUT, "--hide: nothing is left of the text");
}

/* ---- --merge ---- */

/* Tokens without a word stay by themselves, such as special ones. */
static int *group_words(struct arena *a, const struct tokens *tokens, int *n)
{
    int *group = arena_alloc(a, (size_t)tokens->n, sizeof *group);

    *n = 0;
    for (int i = 0; i < tokens->n; i++)
        group[i] = i > 0 && tokens->word[i] >= 0 && tokens->word[i] == tokens->word[i - 1] ?
                       *n - 1 :
                       (*n)++;
    return group;
}

/* Bytes of a label before the text: of "[UNK] cat" those of "[UNK] ". */
static size_t mark_of(const struct tokens *tokens, int i)
{
    size_t n = strlen(tokens->piece[i]);

    return tokens->label_size[i] > n + 1 && memcmp(tokens->label[i], tokens->piece[i], n) == 0 &&
           tokens->label[i][n] == ' ' ? n + 1 : 0;
}

/* The texts of tokens from..to-1 at *text, without blanks around them; their size. */
static size_t join_texts(struct arena *a, const struct tokens *tokens, int from, int to,
                         const char **text)
{
    size_t count = 0, skip = 0;
    char *all;

    for (int i = from; i < to; i++)
        count += tokens->label_size[i];
    *text = all = arena_alloc(a, count + 1, 1);
    count = 0;
    for (int i = from; i < to; i++) {
        size_t mark = mark_of(tokens, i), n = tokens->label_size[i] - mark;

        memcpy(all + count, tokens->label[i] + mark, n);
        count += n;
    }
    while (skip + 1 < count && all[skip] == ' ')
        skip++;
    while (count > skip + 1 && all[count - 1] == ' ')
        count--;
    all[count] = '\0';
    *text += skip;
    return count - skip;
}

/* The word of tokens from..to-1; before it the mark of the first that is unknown. */
static const char *join_labels(struct arena *a, const struct tokens *tokens, int from, int to,
                               size_t *size)
{
    const char *text;
    char *label;
    size_t count = join_texts(a, tokens, from, to, &text), mark;
    int unknown = from;

    while (unknown + 1 < to && mark_of(tokens, unknown) == 0)
        unknown++;
    mark = mark_of(tokens, unknown);
    *size = mark + count;
    if (mark == 0)
        return text;
    label = arena_alloc(a, *size + 1, 1);
    memcpy(label, tokens->label[unknown], mark);
    memcpy(label + mark, text, count);
    return label;
}

/* A word has no id, and its text for a name: one that a template put there keeps its own. */
static void name_word(struct arena *a, const struct tokens *tokens, int from, int to,
                      struct tokens *words, int at)
{
    words->special[at] = 1;
    for (int i = from; i < to; i++)
        words->special[at] &= tokens->special[i];
    words->bytes[at] = (struct range){ tokens->bytes[from].start, tokens->bytes[to - 1].end };
    words->chars[at] = (struct range){ tokens->chars[from].start, tokens->chars[to - 1].end };
    words->type[at] = tokens->type[from];
    words->label[at] = join_labels(a, tokens, from, to, &words->label_size[at]);
    words->piece[at] = tok_is_frame(tokens, from) ? tokens->piece[from] : words->label[at];
}

static void merge_side(struct arena *a, const struct tokens *tokens, struct item_shown *shown)
{
    struct tokens *words = &shown->words;
    size_t count;
    int *group = group_words(a, tokens, &words->n);

    count = (size_t)words->n;
    words->type = arena_alloc(a, count, sizeof *words->type);
    words->special = arena_alloc(a, count, 1);
    words->bytes = arena_alloc(a, count, sizeof *words->bytes);
    words->chars = arena_alloc(a, count, sizeof *words->chars);
    words->piece = arena_alloc(a, count, sizeof *words->piece);
    words->label = arena_alloc(a, count, sizeof *words->label);
    words->label_size = arena_alloc(a, count, sizeof *words->label_size);
    for (int i = 0, next; i < tokens->n; i = next) {
        for (next = i + 1; next < tokens->n && group[next] == group[i];)
            next++;
        name_word(a, tokens, i, next, words, group[i]);
    }
    shown->group = group;
}

/* What is left out of the words: those that nothing is left of. */
static void hide_words(struct arena *a, const struct tokens *tokens, struct item_shown *shown)
{
    unsigned char *out;

    shown->words_out = shown->out;
    if (shown->out == NULL || shown->group == NULL)
        return;
    out = arena_alloc(a, (size_t)shown->words.n, 1);
    memset(out, 1, (size_t)shown->words.n);
    for (int i = 0; i < tokens->n; i++)
        out[shown->group[i]] &= shown->out[i];
    shown->words_out = out;
}

static int fill_side(const struct session *session, struct arena *a, struct item *item,
                     enum item_side side, bool positions, struct err *e)
{
    const struct tokens *tokens = item_side(item, side);
    struct item_shown *shown = &item->shown[side];

    *shown = (struct item_shown){ .out = NULL };
    if (hide_side(session, a, item, side, positions, &shown->out, e) != 0)
        return -1;
    if (session->asked->merge != MERGE_NONE && tokens->word == NULL && item->generated == NULL)
        return err_set(e, ERR_INPUT, item->n_several > 0 ?
                       "--merge words, --average texts: words do not lie at the same tokens in all "
                       "texts" : "--merge words: ids have no words: expected a text");
    if (session->asked->merge != MERGE_NONE && tokens->word != NULL)
        merge_side(a, tokens, shown);
    hide_words(a, tokens, shown);
    return 0;
}

/* ---- in words ---- */

static bool has_special(const struct session *session, const struct item *item)
{
    const struct tokens *queries = item_side(item, session_query_side(session)),
                        *keys = item_side(item, session_key_side(session));

    return memchr(queries->special, 1, (size_t)queries->n) != NULL ||
           memchr(keys->special, 1, (size_t)keys->n) != NULL;
}

/* The keys that the list names by their positions, and whether it has the words. */
static unsigned char *named_keys(const struct session *session, struct arena *a,
                                 const struct item *item, struct hidden_part *words)
{
    const struct tokens *keys = item_side(item, session_key_side(session));
    unsigned char *named = arena_alloc(a, (size_t)keys->n, 1);
    const char *at = hidden_list(session->asked);
    struct hidden_part part;
    long long beyond;

    *words = (struct hidden_part){ .first = false };
    for (int more = at != NULL; more == 1;) {
        more = next_part(&at, &part);
        words->first |= part.first;
        words->special |= part.special;
        if (!part.first && !part.special)
            mark_part(&part, keys, true, named, &beyond);
    }
    return named;
}

/* "token 3", "tokens 0, 5-7"; "": none of n. */
static const char *positions_text(struct arena *a, const unsigned char *named, int n)
{
    const char *text = "";
    int count = 0;

    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; named[i] && end < n && named[end];)
            end++;
        if (!named[i])
            continue;
        text = arena_printf(a, end > i + 1 ? "%s%s%d-%d" : "%s%s%d", text,
                            count > 0 ? ", " : "", i, end - 1);
        count += end - i;
    }
    return count > 0 ? arena_printf(a, "token%s %s", count > 1 ? "s" : "", text) : "";
}

/* "first token, special tokens, tokens 0, 5-7": those that there are; "": nothing is hidden. */
static const char *hidden_text(const struct session *session, struct arena *a,
                               const struct item *item)
{
    struct hidden_part words;
    const unsigned char *named = named_keys(session, a, item, &words);
    const char *part[] = {
        words.first ? "first token" : "",
        words.special && has_special(session, item) ? "special tokens" : "",
        positions_text(a, named, item_side(item, session_key_side(session))->n),
    };
    const char *text = "";

    for (int i = 0; i < 3; i++)
        text = arena_printf(a, "%s%s%s", text, text[0] != '\0' && part[i][0] != '\0' ? ", " : "",
                            part[i]);
    return text;
}

/* What rows hold, and that words are merged, beside what is hidden; NULL: all as it is. */
static const char *put_together(struct arena *a, const struct asked *asked, const char *hidden)
{
    static const char *const weights[] = {
        [WEIGHTING_NORM] = "weights times |f(x)|, rows divided by their sum",
        [WEIGHTING_VALUE] = "weights times |v|, rows divided by their sum",
    };
    const char *part[] = {
        asked->weight != WEIGHTING_PLAIN ? weights[asked->weight] : NULL, hidden,
        asked->merge != MERGE_NONE ? "words in place of their pieces" : NULL,
    };
    const char *text = NULL;

    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i] != NULL)
            text = text != NULL ? arena_printf(a, "%s; %s", text, part[i]) : part[i];
    return text;
}

static const char *policy(const struct asked *asked, enum shown_of of)
{
    return asked->renorm || of == SHOWN_NUMBERS ? "rows divided by what is left" :
                                                  "weights not renormalised";
}

const char *shown_text(const struct session *session, struct arena *a, const struct item *item,
                       enum shown_of of)
{
    const struct asked *asked = session->asked;
    const char *hidden = hidden_text(session, a, item);

    if (hidden_list(asked) == NULL)
        hidden = NULL;
    else if (hidden[0] == '\0')
        hidden = strcmp(hidden_list(asked), "special") == 0 ?
                     "no special tokens to hide" :
                     arena_printf(a, "no such tokens to hide: %s", hidden_list(asked));
    else
        hidden = arena_printf(a, "%s hidden, %s", hidden, policy(asked, of));
    return put_together(a, asked, hidden);
}

const char *shown_asked(const struct session *session, struct arena *a, enum shown_of of)
{
    const char *list = hidden_list(session->asked);

    return put_together(a, session->asked, list == NULL ? NULL :
                        arena_printf(a, "hidden: %s, %s", list, policy(session->asked, of)));
}

bool shown_hides(const struct session *session, const struct item *item)
{
    return item->shown[session_query_side(session)].out != NULL ||
           item->shown[session_key_side(session)].out != NULL;
}

const int *shown_hidden(struct arena *a, const struct item *item, enum item_side side, int *n)
{
    const struct item_shown *shown = &item->shown[side];
    int count = shown->words.n > 0 ? shown->words.n : item_side(item, side)->n;
    int *position = arena_alloc(a, (size_t)count, sizeof *position);

    *n = 0;
    for (int i = 0; shown->words_out != NULL && i < count; i++)
        if (shown->words_out[i])
            position[(*n)++] = i;
    return position;
}

const char *shown_list(const struct session *session)
{
    return hidden_list(session->asked);
}

/* ---- what commands call ---- */

static bool is_asked(const struct asked *asked)
{
    return hidden_list(asked) != NULL || asked->merge != MERGE_NONE;
}

int shown_check_numbers(const struct session *session, struct err *e)
{
    if (!session->asked->renorm)
        return 0;
    return err_set(e, ERR_USAGE, "--renorm is of weights: numbers of heads are of divided rows "
                   "without it");
}

int shown_check(const struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;
    const char *list = hidden_list(asked);

    if (list != NULL && session_shown_check_list(list, e) != 0)
        return -1;
    if (asked->merge == MERGE_NONE || !session->model->family->bare)
        return 0;
    return err_set(e, ERR_USAGE, "--merge words requires a text, not ids or arrays");
}

int shown_fill(const struct session *session, struct arena *a, struct item *item, struct err *e)
{
    enum item_side queries = session_query_side(session), keys = session_key_side(session);

    if (!is_asked(session->asked) || session->stack == N_STACK)
        return 0;
    if (fill_side(session, a, item, keys, true, e) != 0)
        return -1;
    return keys == queries ? 0 : fill_side(session, a, item, queries, false, e);
}

static struct filter_side filter_side(const struct item *item, enum item_side side)
{
    const struct item_shown *shown = &item->shown[side];

    return (struct filter_side){ item_side(item, side)->n, shown->out, shown->group,
                                 shown->words.n };
}

int shown_sinks(const struct session *session, const struct texts *texts, struct arena *a,
                const struct sink **to, int n)
{
    struct filter *filter;
    struct filter_text *text;
    struct sink *sinks;
    bool leaves_out = false;

    if (!is_asked(session->asked) || session->stack == N_STACK || n == 0)
        return n;
    filter = arena_alloc(a, 1, sizeof *filter);
    text = arena_alloc(a, (size_t)texts->source.n_texts, sizeof *text);
    sinks = arena_alloc(a, (size_t)n, sizeof *sinks);
    for (int i = 0; i < texts->source.n_texts; i++) {
        text[i].queries = filter_side(&texts->item[i], session_query_side(session));
        text[i].keys = filter_side(&texts->item[i], session_key_side(session));
        leaves_out |= text[i].keys.out != NULL;
    }
    *filter = (struct filter){ text, texts->source.n_texts, leaves_out, session->asked->renorm };
    n = filter_sinks(a, filter, session->shown->config.n_heads, *to, n, sinks);
    *to = sinks;
    return n;
}
