/* SPDX-License-Identifier: MIT
 * --answer, --against, --at -> ids of two tokens, and the row that predicts them. */
#include "task/common/answer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the options ---- */

static const struct tok *tok_of(const struct answer *answer)
{
    return answer->m == answer->s->model ? answer->s->tok : answer->s->target_tok;
}

/* "'New', ' York'" */
static const char *pieces(struct arena *a, const struct tokens *tokens)
{
    const char *text = "";

    for (int i = 0; i < tokens->n; i++)
        text = arena_printf(a, "%s%s'%s'", text, i > 0 ? ", " : "",
                            report_clean(a, tokens->piece[i], strlen(tokens->piece[i])));
    return text;
}

static int check_id(const struct answer *answer, const char *option, int id, struct err *e)
{
    if (id < answer->m->n_logits)
        return 0;
    return err_set(e, ERR_USAGE, "%s: %d is out of range: the head of %s predicts ids 0 to %d",
                   option, id, answer->s->model->name, answer->m->n_logits - 1);
}

/* The one token of an answer; option_id: what takes an id instead. */
static int answer_encode(const struct answer *answer, const char *option, const char *text, int *id,
                         struct err *e)
{
    const struct session *s = answer->s;
    const struct tok *tok = tok_of(answer);
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
    return check_id(answer, option, *id, e);
}

static int one_id(const struct answer *answer, const char *option, const char *text,
                  int given, int *id, struct err *e)
{
    *id = given;
    return text != NULL ? answer_encode(answer, option, text, id, e) :
                          check_id(answer, arena_printf(answer->s->a, "%s-id", option), given, e);
}

int answer_begin(struct answer *answer, const struct answer_args *args, struct err *e)
{
    *answer = (struct answer){ .args = args, .id = -1, .against = -1, .at = { .position = -1 } };
    return args->at != NULL ? place_parse(&answer->at, "--at", args->at, e) : 0;
}

int answer_find(struct answer *answer, const struct session *session, const struct model *model,
                struct err *e)
{
    const struct answer_args *args = answer->args;

    answer->s = session;
    answer->m = model;
    if (one_id(answer, "--answer", args->answer, args->answer_id, &answer->id, e) != 0 ||
        one_id(answer, "--against", args->against, args->against_id, &answer->against, e) != 0)
        return -1;
    if (answer->id >= 0 && answer->id == answer->against)
        return err_set(e, ERR_USAGE, "--answer, --against: both are token %d", answer->id);
    return 0;
}

/* A text that is read has tokens: input.c. */
int answer_row(const struct answer *answer, const struct item *item, int *row, struct err *e)
{
    const struct tokens *tokens = session_queries(answer->s, item);

    assert(tokens->n > 0);
    *row = tokens->n - 1;
    if (answer->args->at == NULL)
        return 0;
    *row = place_query(&answer->at, "--at", answer->s, item, e);
    return *row >= 0 ? 0 : -1;
}

/* ---- logits ---- */

int answer_check(const struct answer *answer, const float *logits, struct err *e)
{
    for (int i = 0; i < answer->m->n_logits; i++)
        if (!isfinite(logits[i]))
            return err_set(e, ERR_INPUT, "%s: the logit of id %d is not finite: the weights "
                           "hold NaN or infinities, or overflow", answer->s->model->name, i);
    return 0;
}

int answer_largest(const struct answer *answer, const float *logits, int but)
{
    int best = -1;

    for (int i = 0; i < answer->m->n_logits; i++)
        if (i != but && (best < 0 || logits[i] > logits[best]))
            best = i;
    return best;
}

/* ---- texts of tokens ---- */

static void answer_describe(const struct answer *answer, struct arena *a, int id,
                            struct tokens *out)
{
    tok_describe(tok_of(answer), a, &id, NULL, 1, out);
}

struct text_span answer_text(const struct answer *answer, struct arena *a, int id)
{
    struct tokens tokens;

    if (id < 0)
        return (struct text_span){ NULL, 0 };
    answer_describe(answer, a, id, &tokens);
    return (struct text_span){ tokens.label[0], tokens.label_size[0] };
}

const char *answer_name(const struct answer *answer, struct arena *a, int id)
{
    struct tokens tokens;

    answer_describe(answer, a, id, &tokens);
    return arena_printf(a, "“%s” (id %d)",
                        report_clean(a, tokens.label[0], tokens.label_size[0]), id);
}
