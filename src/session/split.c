/* SPDX-License-Identifier: MIT
 * Texts that are longer than N tokens -> pieces, each a text of its own. */
#include "session/split.h"

#include <string.h>

#include "base/list.h"
#include "base/str.h"

struct split {
    const struct session *s;
    struct source *source;
    int max, overlap;           /* N:OVERLAP */
    struct arena *held;         /* of what follows, until the next text is read */
    struct item item;           /* the text that is cut */
    struct tok_split cuts;
    int part;                   /* the next of its pieces; cuts.n: there is none left */
};

/* ---- what was asked ---- */

/* "N" or "N:OVERLAP" */
static bool split_parse(const char *text, int *max, int *overlap)
{
    long long n = list_number(&text), common = 0;

    if (*text == ':') {
        text++;
        common = list_number(&text);
    }
    if (*text != '\0' || n < 1 || n > 1 << 24 || common < 0 || common >= n)
        return false;
    *max = (int)n;
    *overlap = (int)common;
    return true;
}

static int split_check(const struct session *session, int max, struct err *e)
{
    const struct asked *asked = session->asked;

    if (asked_array(asked) != NULL || asked->attention != NULL || asked->qkv != NULL ||
        (session->model != NULL && session->model->family->bare))
        return err_set(e, ERR_USAGE, "--split requires texts or ids, not arrays");
    if (session->model != NULL && max > session->model->max_tokens)
        return err_set(e, ERR_USAGE, "--split: pieces of %d tokens: %s takes at most %d", max,
                       session->model->name, session->model->max_tokens);
    return 0;
}

int split_open(const struct session *session, struct source *source, struct split **out,
               struct err *e)
{
    const char *text = session->asked->split;
    struct split *p;

    *out = NULL;
    if (text == NULL)
        return 0;
    p = arena_alloc(session->a, 1, sizeof *p);
    p->s = session;
    p->source = source;
    if (!split_parse(text, &p->max, &p->overlap))
        return err_set(e, ERR_USAGE, "--split: '%s': expected N or N:OVERLAP, 0 <= OVERLAP < N: "
                       "512:64 is pieces of 512 tokens, 64 of which two have in common", text);
    if (split_check(session, p->max, e) != 0)
        return -1;
    p->held = arena_child(session->a);
    *out = p;
    return 0;
}

/* ---- a text ---- */

/* Positions of a long text, and its translation, are not those of its pieces. */
static int check_long(const struct split *split, struct err *e)
{
    const struct item *item = &split->item;
    const struct model *model = split->s->model;
    bool decodes = model != NULL && model->decoder != NULL;

    if ((decodes && (item->pair != NULL || split->s->asked->decoder_ids != NULL)) ||
        item->target.n > 0)
        return err_set(e, ERR_INPUT, "the text has %d tokens and another for the decoder, which "
                       "has no pieces that go with its own: --split %s", item->tokens.n,
                       split->s->asked->split);
    if (item->n_global_at > 0)
        return err_set(e, ERR_INPUT, "the text has %d tokens and lists global ones: --split %s",
                       item->tokens.n, split->s->asked->split);
    return 0;
}

/* A template has the same size around every text. */
static int no_room(const struct split *split, struct err *e)
{
    int stay = split->max - split->cuts.room, least = stay + split->overlap + 1;
    const char *asked = split->s->asked->split;

    if (split->item.pair == NULL)
        return err_set(e, ERR_USAGE, "--split: '%s': the template has %d of the tokens of each "
                       "piece: expected pieces of %d at least", asked, stay, least);
    return err_set(e, ERR_INPUT, "the shorter text and the template have %d tokens, which stand "
                   "in each piece: expected pieces of %d at least, found --split %s", stay, least,
                   asked);
}

/* Reads the next text; returns as source->next. */
static int split_read_text(struct split *split, struct item *out, struct err *e)
{
    bool fits;
    int status;

    arena_reset(split->held, (struct arena_mark){ 0 });
    split->item = *out;
    split->cuts.n = split->part = 0;
    status = split->source->next(split->source, split->held, &split->item, e);
    out->index = split->item.index;
    out->passed = split->item.passed;
    if (status != SOURCE_TEXT)
        return status;
    fits = tok_split(&split->item.tokens, split->item.pair != NULL, split->max, split->overlap,
                     &split->cuts);
    if (split->cuts.n == 1 || (check_long(split, e) == 0 && (fits || no_room(split, e) == 0)))
        return SOURCE_TEXT;
    split->cuts.n = 0;
    return split->source->lines && e->kind == ERR_INPUT ? SOURCE_UNUSABLE : SOURCE_FAILED;
}

/* ---- its pieces ---- */

static const char *own(struct arena *a, const char *text, size_t size)
{
    return text != NULL ? arena_strndup(a, text, size) : NULL;
}

/* The bytes of the text that the piece's own tokens are of; all of it where they are of both
 * texts of a pair, which neither a type nor the template tells apart. */
static void cut_text(const struct split *split, const char **text, size_t *size)
{
    struct range own_tokens = tok_split_range(&split->cuts, split->part);
    const struct tokens *t = &split->item.tokens;
    int start = (int)*size, end = 0;

    for (int i = own_tokens.start; i < own_tokens.end; i++) {
        if (tok_is_frame(t, i))
            continue;
        if (t->bytes[i].start < start)
            start = t->bytes[i].start;
        if (t->bytes[i].end > end)
            end = t->bytes[i].end;
    }
    if (end < start)
        end = start;
    if (end > (int)*size)
        return;
    *text += start;
    *size = (size_t)(end - start);
}

static void fill_piece(const struct split *split, struct arena *a, struct item *out)
{
    const struct item *item = &split->item;
    struct tok_split whole;

    *out = *item;
    out->part = split->part + 1;
    tok_split_piece(&item->tokens, &split->cuts, split->part, a, &out->tokens);
    if (item->target.n > 0) {
        tok_split(&item->target, false, item->target.n, 0, &whole);
        tok_split_piece(&item->target, &whole, 0, a, &out->target);
    }
    if (split->cuts.n > 1 && item->text_size > 0)
        cut_text(split, split->cuts.second ? &out->pair : &out->text,
                 split->cuts.second ? &out->pair_size : &out->text_size);
    out->text = own(a, out->text, out->text_size);
    out->pair = own(a, out->pair, out->pair_size);
    if (item->group != NULL)
        out->group = arena_strdup(a, item->group);
    if (item->n_global_at > 0)
        out->global_at = arena_grow(a, item->global_at, (size_t)item->n_global_at,
                                    (uint64_t)item->n_global_at, sizeof *item->global_at);
}

int split_next(struct split *split, struct arena *a, struct item *out, struct err *e)
{
    int status = SOURCE_TEXT;

    if (!split_continues(split))
        status = split_read_text(split, out, e);
    if (status != SOURCE_TEXT)
        return status;
    fill_piece(split, a, out);
    split->part++;
    return SOURCE_TEXT;
}

bool split_continues(const struct split *split)
{
    return split->part < split->cuts.n;
}

int split_taken(const struct split *split)
{
    return split_continues(split) ? split->part : 0;
}

int split_skip(struct split *split, int n, struct err *e)
{
    struct item item = { .text = "" };
    int status;

    if (n == 0)
        return 0;
    status = split_read_text(split, &item, e);
    if (status == SOURCE_FAILED || (status == SOURCE_UNUSABLE && e->kind == ERR_SYSTEM))
        return -1;
    if (status != SOURCE_TEXT || n >= split->cuts.n)
        return err_set(e, ERR_INPUT, "%s: line %lld: expected a text of more than %d piece%s",
                       split->source->name, (long long)split->source->n, n, str_plural(n));
    split->part = n;
    return 0;
}
