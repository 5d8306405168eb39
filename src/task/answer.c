/* SPDX-License-Identifier: MIT
 * --answer, --against, --at -> ids of two tokens, and the row that predicts them. */
#include "task/answer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the options ---- */

static const struct tok *tok_of(const struct answer *w)
{
    return w->m == w->s->model ? w->s->tok : w->s->target_tok;
}

/* "'New', ' York'" */
static const char *pieces(struct arena *a, const struct tokens *t)
{
    const char *text = "";

    for (int i = 0; i < t->n; i++)
        text = arena_printf(a, "%s%s'%s'", text, i > 0 ? ", " : "",
                            report_clean(a, t->piece[i], strlen(t->piece[i])));
    return text;
}

static int check_id(const struct answer *w, const char *option, int id, struct err *e)
{
    if (id < w->m->n_logits)
        return 0;
    return err_set(e, ERR_USAGE, "%s: %d is out of range: the head of %s predicts ids 0 to %d",
                   option, id, w->s->model->name, w->m->n_logits - 1);
}

/* The one token of an answer; option_id: what takes an id instead. */
static int answer_encode(const struct answer *w, const char *option, const char *text, int *id,
                         struct err *e)
{
    const struct session *s = w->s;
    const struct tok *tok = tok_of(w);
    const struct tok_input in = { .text = text, .text_size = strlen(text), .no_special = true };
    struct tokens tokens;

    if (tok == NULL) {
        *e = s->tok_err;
        return err_under(e, "%s", option);
    }
    if (tok_encode(tok, s->a, &in, &tokens, e) != 0)
        return err_under(e, "%s", option);
    if (tokens.n != 1)
        return err_set(e, ERR_USAGE, "%s: '%s' is %d tokens%s%s: expected one (%s-id takes its "
                       "id)", option, text, tokens.n, tokens.n > 0 ? ", " : "",
                       pieces(s->a, &tokens), option);
    *id = tokens.id[0];
    return check_id(w, option, *id, e);
}

static int one_id(const struct answer *w, const char *option, const char *text,
                  int given, int *id, struct err *e)
{
    *id = given;
    return text != NULL ? answer_encode(w, option, text, id, e) :
                          check_id(w, arena_printf(w->s->a, "%s-id", option), given, e);
}

int answer_begin(struct answer *w, const struct answer_args *args, struct err *e)
{
    *w = (struct answer){ .args = args, .id = -1, .against = -1, .at = { .position = -1 } };
    return args->at != NULL ? place_parse(&w->at, "--at", args->at, e) : 0;
}

int answer_find(struct answer *w, const struct session *s, const struct model *m,
                struct err *e)
{
    const struct answer_args *args = w->args;

    w->s = s;
    w->m = m;
    if (one_id(w, "--answer", args->answer, args->answer_id, &w->id, e) != 0 ||
        one_id(w, "--against", args->against, args->against_id, &w->against, e) != 0)
        return -1;
    if (w->id >= 0 && w->id == w->against)
        return err_set(e, ERR_USAGE, "--answer, --against: both are token %d", w->id);
    return 0;
}

/* A text that is read has tokens: input.c. */
int answer_row(const struct answer *w, const struct item *item, int *row, struct err *e)
{
    const struct tokens *tokens = session_queries(w->s, item);

    assert(tokens->n > 0);
    *row = tokens->n - 1;
    if (w->args->at == NULL)
        return 0;
    *row = place_query(&w->at, "--at", w->s, item, e);
    return *row >= 0 ? 0 : -1;
}

/* ---- logits ---- */

int answer_check(const struct answer *w, const float *logits, struct err *e)
{
    for (int i = 0; i < w->m->n_logits; i++)
        if (!isfinite(logits[i]))
            return err_set(e, ERR_INPUT, "%s: the logit of id %d is not finite: the weights "
                           "hold NaN or infinities, or overflow", w->s->model->name, i);
    return 0;
}

int answer_largest(const struct answer *w, const float *logits, int but)
{
    int best = -1;

    for (int i = 0; i < w->m->n_logits; i++)
        if (i != but && (best < 0 || logits[i] > logits[best]))
            best = i;
    return best;
}

/* ---- texts of tokens ---- */

static void answer_describe(const struct answer *w, struct arena *a, int id, struct tokens *out)
{
    tok_describe(tok_of(w), a, &id, NULL, 1, out);
}

struct text_span answer_text(const struct answer *w, struct arena *a, int id)
{
    struct tokens tokens;

    if (id < 0)
        return (struct text_span){ NULL, 0 };
    answer_describe(w, a, id, &tokens);
    return (struct text_span){ tokens.label[0], tokens.label_size[0] };
}

const char *answer_name(const struct answer *w, struct arena *a, int id)
{
    struct tokens tokens;

    answer_describe(w, a, id, &tokens);
    return arena_printf(a, "“%s” (id %d)",
                        report_clean(a, tokens.label[0], tokens.label_size[0]), id);
}
