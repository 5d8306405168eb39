/* SPDX-License-Identifier: MIT
 * Texts and ids -> the tokens of source and target, within the model's maximum length. */
#include "session/encode.h"

#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "session/shown/boxes.h"
#include "session/shown/global.h"
#include "session/shown/shown.h"

static bool has_decoder(const struct session *session)
{
    return session->model != NULL && session->model->decoder != NULL;
}

/* ---- the text ---- */

/* No model takes so much, and each token of it would be stored first. */
static const size_t MAX_TEXT_BYTES = (size_t)16 << 20;

static bool numbers_words(const struct asked *asked)
{
    return asked->words || asked->word_ids || asked->merge != MERGE_NONE;
}

int encode_text_within(const struct session *session, struct budget *budget, struct arena *a,
                       struct item *out, struct err *e)
{
    const struct tok_input text = {
        .text = out->text, .text_size = out->text_size,
        .pair = has_decoder(session) ? NULL : out->pair, .pair_size = out->pair_size,
        .pretokenized = session->asked->pretokenized, .no_special = session->asked->no_special,
        .words = session->asked->words, .number_words = numbers_words(session->asked),
        .lenient_words = session->asked->lenient_words,
        .budget = budget,
    };

    if (session->tok == NULL) {
        *e = session->tok_err;
        return -1;
    }
    if (out->text_size > MAX_TEXT_BYTES || out->pair_size > MAX_TEXT_BYTES)
        return err_set(e, ERR_INPUT, "the text has %zu bytes, expected at most %zu",
                       out->text_size > MAX_TEXT_BYTES ? out->text_size : out->pair_size,
                       MAX_TEXT_BYTES);
    return tok_encode(session->tok, a, &text, &out->tokens, e);
}

int encode_text(const struct session *session, struct arena *a, struct item *out, struct err *e)
{
    int before = meter_enter(session->env->meter, METER_TOKENS);
    int status = encode_text_within(session, session->budget, a, out, e);

    meter_leave(session->env->meter, before);
    return status;
}

int encode_ids(const struct session *session, struct arena *a, const struct json_ids *ids,
               const struct json_ids *types, enum err_kind kind, struct item *out,
               struct err *e)
{
    if (types->id != NULL && types->n != ids->n)
        return err_set(e, kind, "%d type%s for %d id%s, expected the same number", types->n,
                       str_plural(types->n), ids->n, str_plural(ids->n));
    tok_describe(session->tok, a, ids->id, types->id, ids->n, &out->tokens);
    return 0;
}

/* ---- the decoder's side ---- */

int encode_needs_decoder(const struct session *session, const char *what, enum err_kind kind,
                         struct err *e)
{
    const struct model *model = session->model;

    if (model == NULL)
        return err_set(e, kind, "%s: expected --ids: tokens are listed, not run", what);
    return model->decoder != NULL ?
               0 :
               err_set(e, kind, "%s: %s is not an encoder-decoder: expected --ids", what,
                       model->name);
}

/* The decoder's start token. */
static struct tokens start_token(const struct session *session, struct arena *a, int id)
{
    struct tokens tokens;

    tok_describe(session->target_tok, a, &id, NULL, 1, &tokens);
    return tokens;
}

/* The decoder's start token, then tokens, unless its template has put it there. */
static void put_start_before(const struct session *session, struct arena *a, struct tokens *tokens)
{
    int start = session->model->config.decoder.start_id;
    struct tokens first, whole;

    if (start < 0 || (tokens->n > 0 && tokens->id[0] == start))
        return;
    first = start_token(session, a, start);
    tok_join(a, &first, tokens, &whole);
    *tokens = whole;
}

/* The decoder of a classifier reads the encoder's text, one token later. */
static bool repeats_text(const struct session *session, const struct item *out)
{
    return has_decoder(session) && session->model->decoder->config.head.task != NULL &&
           session->stack != STACK_ENCODER && out->target.n == 0 && out->pair == NULL &&
           session->asked->decoder_ids == NULL && out->tokens.id != NULL;
}

/* After its start token; without one, the last token goes first. */
static void repeat_text(const struct session *session, struct arena *a, struct item *out)
{
    int count = out->tokens.n, start = session->model->config.decoder.start_id;
    int *id = arena_alloc(a, (size_t)count, sizeof *id);

    for (int i = 1; i < count; i++)
        id[i] = out->tokens.id[i - 1];
    id[0] = start >= 0 ? start : out->tokens.id[count - 1];
    tok_describe(session->target_tok, a, id, NULL, count, &out->target);
}

/* A text that is to be generated: its start. */
static int open_target(const struct session *session, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct generation *rules = session->rules;

    if (rules == NULL)
        return err_set(e, ERR_INPUT, "has no text for the decoder");
    if (rules->start < 0)
        return err_set(e, ERR_INPUT, "%s has neither decoder_start_token_id nor "
                       "bos_token_id to generate a text from: expected TEXT_B or "
                       "--decoder-ids", session->model->name);
    out->target = start_token(session, a, rules->start);
    out->open = true;
    return 0;
}

/* Through the decoder's tokeniser, whose time it is. */
static int encode_target(const struct session *session, struct arena *a,
                         const struct tok_input *text, struct tokens *out, struct err *e)
{
    int before = meter_enter(session->env->meter, METER_TOKENS);
    int status = tok_encode(session->target_tok, a, text, out, e);

    meter_leave(session->env->meter, before);
    return status;
}

/* --decoder-ids as given, or the second text after the start token, or a start. */
static int fill_target(const struct session *session, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct tok_input text = {
        .text = out->pair, .text_size = out->pair_size,
        .pretokenized = session->asked->pretokenized, .no_special = session->asked->no_special,
        .words = session->asked->words, .number_words = numbers_words(session->asked),
        .lenient_words = session->asked->lenient_words,
        .budget = session->budget,
    };
    int *ids, count;

    out->open = session->asked->generate > 0 && (!has_decoder(session) || out->pair == NULL);
    if (!has_decoder(session) || out->target.n > 0 || repeats_text(session, out))
        return 0;
    if (session->asked->decoder_ids != NULL) {
        if (list_parse_ids(a, "--decoder-ids", session->asked->decoder_ids, &ids, &count, e) !=
            0)
            return -1;
        tok_describe(session->target_tok, a, ids, NULL, count, &out->target);
        return 0;
    }
    if (out->pair == NULL)
        return session->stack == STACK_ENCODER ? 0 : open_target(session, a, out, e);
    if (session->target_tok == NULL) {
        *e = session->tok_err;
        return -1;
    }
    if (encode_target(session, a, &text, &out->target, e) != 0)
        return -1;
    put_start_before(session, a, &out->target);
    return 0;
}

/* ---- what the model takes ---- */

/* A side that is longer than the model takes is an error, or cut. */
static int fit_side(const struct session *session, struct item *out, struct tokens *tokens, int max,
                    struct err *e)
{
    const char *name = session->model->name;
    const char *whose = tokens == &out->target ? " for the decoder" : "";
    int n_cut;

    if (tokens->n <= max)
        return 0;
    if (!session->asked->truncate)
        return err_set(e, ERR_INPUT, "the text%s has %d token%s, %s takes at most %d%s", whose,
                       tokens->n, str_plural(tokens->n), name, max,
                       session_names(session->asked)->cut);
    n_cut = tokens->n - max;
    out->n_cut += n_cut;
    tok_cut(tokens, max);
    err_warn(session->env->warn,
             "text %lld%s is cut to the %d token%s that %s takes: %d "
             "%s left out",
             (long long)out->index + 1, whose, tokens->n, str_plural(tokens->n), name, n_cut,
             n_cut == 1 ? "is" : "are");
    return 0;
}

int encode_fit(const struct session *session, struct arena *a, struct item *out, struct err *e)
{
    const struct model *model = session->model;

    if (model == NULL)
        return 0;
    if (fill_target(session, a, out, e) != 0)
        return -1;
    if (out->tokens.n == 0 && session->model->precomputed == NULL)
        return err_set(e, ERR_INPUT, "the text has no tokens");
    if (model->decoder != NULL && !repeats_text(session, out) &&
        fit_side(session, out, &out->target, model->decoder->max_tokens, e) != 0)
        return -1;
    if (fit_side(session, out, &out->tokens, model->max_tokens, e) != 0)
        return -1;
    if (repeats_text(session, out))
        repeat_text(session, a, out);
    if (global_fill(session, a, out, e) != 0 || boxes_fill(session, a, out, e) != 0)
        return -1;
    return out->open ? 0 : shown_fill(session, a, out, e);
}
