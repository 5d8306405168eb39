/* SPDX-License-Identifier: MIT
 * --answer, --against -> ids; logits -> what is attributed. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "cmd/attribute.h"

/* ---- the options ---- */

/* "'New', ' York'" */
static const char *pieces(struct arena *a, const struct tokens *t)
{
    const char *text = "";

    for (int i = 0; i < t->n; i++)
        text = arena_printf(a, "%s%s'%s'", text, i > 0 ? ", " : "",
                            report_clean(a, t->piece[i], strlen(t->piece[i])));
    return text;
}

static int check_id(const struct attribute_job *j, const char *option, int id, struct err *e)
{
    if (id < j->m->n_logits)
        return 0;
    return err_set(e, ERR_USAGE, "%s: %d is out of range: the head of %s predicts ids 0 to %d",
                   option, id, j->job.s.model->name, j->m->n_logits - 1);
}

/* The one token of an answer; option_id: what takes an id instead. */
static int encode(const struct attribute_job *j, const char *option, const char *text, int *id,
                  struct err *e)
{
    const struct session *s = &j->job.s;
    const struct tok *tok = j->m == s->model ? s->tok : s->target_tok;
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
    return check_id(j, option, *id, e);
}

static int one_id(const struct attribute_job *j, const char *option, const char *text,
                  int given, int *id, struct err *e)
{
    *id = given;
    if (text != NULL && given >= 0)
        return err_set(e, ERR_USAGE, "%s, %s-id: only one of them can be given", option,
                       option);
    return text != NULL ? encode(j, option, text, id, e) :
                          check_id(j, arena_printf(j->job.s.a, "%s-id", option), given, e);
}

int attribute_ids(struct attribute_job *j, struct err *e)
{
    const struct attribute_args *args = j->args;

    if (one_id(j, "--answer", args->answer, args->answer_id, &j->answer_id, e) != 0 ||
        one_id(j, "--against", args->against, args->against_id, &j->against_id, e) != 0)
        return -1;
    if (j->answer_id >= 0 && j->answer_id == j->against_id)
        return err_set(e, ERR_USAGE, "--answer, --against: both are token %d", j->answer_id);
    return 0;
}

/* ---- the logits ---- */

/* The largest but `but`, the first among equals; -1: there is none. */
static int largest(const float *logits, int n, int but)
{
    int best = -1;

    for (int i = 0; i < n; i++)
        if (i != but && (best < 0 || logits[i] > logits[best]))
            best = i;
    return best;
}

static double capped(double logit, double cap)
{
    return cap * (double)elementary_tanhf((float)(logit / cap));
}

int attribute_target(struct attribute_found *f, const float *logits, struct err *e)
{
    const struct attribute_job *j = f->j;
    struct attribution_target *t = &f->target;
    double cap = j->m->config.head.cap, against;
    int V = j->m->n_logits;

    for (int i = 0; i < V; i++)
        if (!isfinite(logits[i]))
            return err_set(e, ERR_INPUT, "%s: the logit of id %d is not finite: the weights "
                           "hold NaN or infinities, or overflow", j->job.s.model->name, i);
    t->answer = j->answer_id >= 0 ? j->answer_id : largest(logits, V, -1);
    t->against = j->against_id >= 0 ? j->against_id :
                 j->answer_id >= 0 ? -1 : largest(logits, V, t->answer);
    if (t->answer == t->against)
        return err_set(e, ERR_INPUT, "--against: token %d is the one that the model predicts: "
                       "expected another, or --answer", t->against);
    t->raw = j->args->raw;
    against = t->against >= 0 ? (double)logits[t->against] : 0;
    t->logit = (double)logits[t->answer] - against;
    f->capped = cap > 0 ? capped((double)logits[t->answer], cap) - capped(against, cap) : NAN;
    return 0;
}
