/* SPDX-License-Identifier: MIT
 * Texts and ids -> the tokens of source and target, within the model's maximum length. */
#include "session/encode.h"

#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "session/boxes.h"
#include "session/global.h"
#include "session/shown.h"

static bool has_decoder(const struct session *s)
{
    return s->model != NULL && s->model->decoder != NULL;
}

/* ---- the text ---- */

/* No model takes so much, and each token of it would be stored first. */
static const size_t MAX_TEXT_BYTES = (size_t)16 << 20;

static bool numbers_words(const struct asked *asked)
{
    return asked->words || asked->word_ids || asked->merge != MERGE_NONE;
}

int encode_text_within(const struct session *s, struct budget *budget, struct arena *a,
                       struct item *out, struct err *e)
{
    const struct tok_input text = {
        .text = out->text, .text_size = out->text_size,
        .pair = has_decoder(s) ? NULL : out->pair, .pair_size = out->pair_size,
        .pretokenized = s->asked->pretokenized, .no_special = s->asked->no_special,
        .words = s->asked->words, .number_words = numbers_words(s->asked),
        .lenient_words = s->asked->lenient_words,
        .budget = budget,
    };

    if (s->tok == NULL) {
        *e = s->tok_err;
        return -1;
    }
    if (out->text_size > MAX_TEXT_BYTES || out->pair_size > MAX_TEXT_BYTES)
        return err_set(e, ERR_INPUT, "the text has %zu bytes, expected at most %zu",
                       out->text_size > MAX_TEXT_BYTES ? out->text_size : out->pair_size,
                       MAX_TEXT_BYTES);
    return tok_encode(s->tok, a, &text, &out->tokens, e);
}

int encode_text(const struct session *s, struct arena *a, struct item *out, struct err *e)
{
    int before = meter_enter(s->env->meter, METER_TOKENS);
    int status = encode_text_within(s, s->budget, a, out, e);

    meter_leave(s->env->meter, before);
    return status;
}

int encode_ids(const struct session *s, struct arena *a, const struct json_ids *ids,
               const struct json_ids *types, enum err_kind kind, struct item *out,
               struct err *e)
{
    if (types->id != NULL && types->n != ids->n)
        return err_set(e, kind, "%d type%s for %d id%s, expected the same number", types->n,
                       str_plural(types->n), ids->n, str_plural(ids->n));
    tok_describe(s->tok, a, ids->id, types->id, ids->n, &out->tokens);
    return 0;
}

/* ---- the decoder's side ---- */

int encode_needs_decoder(const struct session *s, const char *what, enum err_kind kind,
                         struct err *e)
{
    const struct model *model = s->model;

    if (model == NULL)
        return err_set(e, kind, "%s: expected --ids: tokens are listed, not run", what);
    return model->decoder != NULL ?
               0 :
               err_set(e, kind, "%s: %s is not an encoder-decoder: expected --ids", what,
                       model->name);
}

/* The decoder's start token. */
static struct tokens start_token(const struct session *s, struct arena *a, int id)
{
    struct tokens tokens;

    tok_describe(s->target_tok, a, &id, NULL, 1, &tokens);
    return tokens;
}

/* The decoder's start token, then t, unless its template has put it there. */
static void put_start_before(const struct session *s, struct arena *a, struct tokens *t)
{
    int start = s->model->config.decoder.start_id;
    struct tokens first, whole;

    if (start < 0 || (t->n > 0 && t->id[0] == start))
        return;
    first = start_token(s, a, start);
    tok_join(a, &first, t, &whole);
    *t = whole;
}

/* The decoder of a classifier reads the encoder's text, one token later. */
static bool repeats_text(const struct session *s, const struct item *out)
{
    return has_decoder(s) && s->model->decoder->config.head.task != NULL &&
           s->stack != STACK_ENCODER && out->target.n == 0 && out->pair == NULL &&
           s->asked->decoder_ids == NULL && out->tokens.id != NULL;
}

/* After its start token; without one, the last token goes first. */
static void repeat_text(const struct session *s, struct arena *a, struct item *out)
{
    int count = out->tokens.n, start = s->model->config.decoder.start_id;
    int *id = arena_alloc(a, (size_t)count, sizeof *id);

    for (int i = 1; i < count; i++)
        id[i] = out->tokens.id[i - 1];
    id[0] = start >= 0 ? start : out->tokens.id[count - 1];
    tok_describe(s->target_tok, a, id, NULL, count, &out->target);
}

/* A text that is to be generated: its start. */
static int open_target(const struct session *s, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct generation *rules = s->rules;

    if (rules == NULL)
        return err_set(e, ERR_INPUT, "has no text for the decoder");
    if (rules->start < 0)
        return err_set(e, ERR_INPUT, "%s has neither decoder_start_token_id nor "
                       "bos_token_id to generate a text from: expected TEXT_B or "
                       "--decoder-ids", s->model->name);
    out->target = start_token(s, a, rules->start);
    out->open = true;
    return 0;
}

/* Through the decoder's tokeniser, whose time it is. */
static int encode_target(const struct session *s, struct arena *a, const struct tok_input *text,
                         struct tokens *out, struct err *e)
{
    int before = meter_enter(s->env->meter, METER_TOKENS);
    int status = tok_encode(s->target_tok, a, text, out, e);

    meter_leave(s->env->meter, before);
    return status;
}

/* --decoder-ids as given, or the second text after the start token, or a start. */
static int fill_target(const struct session *s, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct tok_input text = {
        .text = out->pair, .text_size = out->pair_size,
        .pretokenized = s->asked->pretokenized, .no_special = s->asked->no_special,
        .words = s->asked->words, .number_words = numbers_words(s->asked),
        .lenient_words = s->asked->lenient_words,
        .budget = s->budget,
    };
    int *ids, count;

    out->open = s->asked->generate > 0 && (!has_decoder(s) || out->pair == NULL);
    if (!has_decoder(s) || out->target.n > 0 || repeats_text(s, out))
        return 0;
    if (s->asked->decoder_ids != NULL) {
        if (list_parse_ids(a, "--decoder-ids", s->asked->decoder_ids, &ids, &count, e) !=
            0)
            return -1;
        tok_describe(s->target_tok, a, ids, NULL, count, &out->target);
        return 0;
    }
    if (out->pair == NULL)
        return s->stack == STACK_ENCODER ? 0 : open_target(s, a, out, e);
    if (s->target_tok == NULL) {
        *e = s->tok_err;
        return -1;
    }
    if (encode_target(s, a, &text, &out->target, e) != 0)
        return -1;
    put_start_before(s, a, &out->target);
    return 0;
}

/* ---- what the model takes ---- */

/* A side that is longer than the model takes is an error, or cut. */
static int fit_side(const struct session *s, struct item *out, struct tokens *t, int max,
                    struct err *e)
{
    const char *name = s->model->name;
    const char *whose = t == &out->target ? " for the decoder" : "";
    int n_cut;

    if (t->n <= max)
        return 0;
    if (!s->asked->truncate)
        return err_set(e, ERR_INPUT, "the text%s has %d token%s, %s takes at most %d%s",
                       whose, t->n, str_plural(t->n), name, max, session_names(s->asked)->cut);
    n_cut = t->n - max;
    out->n_cut += n_cut;
    tok_cut(t, max);
    err_warn(s->env->warn, "text %lld%s is cut to the %d token%s that %s takes: %d "
             "%s left out", (long long)out->index + 1, whose, t->n, str_plural(t->n), name, n_cut,
             n_cut == 1 ? "is" : "are");
    return 0;
}

int encode_fit(const struct session *s, struct arena *a, struct item *out, struct err *e)
{
    const struct model *model = s->model;

    if (model == NULL)
        return 0;
    if (fill_target(s, a, out, e) != 0)
        return -1;
    if (out->tokens.n == 0 && s->model->precomputed == NULL)
        return err_set(e, ERR_INPUT, "the text has no tokens");
    if (model->decoder != NULL && !repeats_text(s, out) &&
        fit_side(s, out, &out->target, model->decoder->max_tokens, e) != 0)
        return -1;
    if (fit_side(s, out, &out->tokens, model->max_tokens, e) != 0)
        return -1;
    if (repeats_text(s, out))
        repeat_text(s, a, out);
    if (global_fill(s, a, out, e) != 0 || boxes_fill(s, a, out, e) != 0)
        return -1;
    return out->open ? 0 : shown_fill(s, a, out, e);
}
