/* SPDX-License-Identifier: MIT
 * --generate, or no text for the decoder -> the rules by which texts are continued, if they are. */
#include "session/select.h"

int session_generation(struct session *session, bool text, struct err *e)
{
    enum { DEFAULT_TOKENS = 32 };
    const struct asked *asked = session->asked;
    const struct model *model = session->model,
                       *last = model->decoder != NULL ? model->decoder : model;
    bool given = asked->generate > 0, pair = model->decoder != NULL;
    bool masked = asked->mask != NULL || asked->memory_mask != NULL ||
                  asked->rotations != NULL;
    struct generation *rules;

    if (given && !model_predicts_next(last))
        return err_set(e, ERR_USAGE, "--generate: %s does not predict the next token, so "
                       "it cannot continue a text", model->name);
    if (!given && last->config.head.task != NULL)
        return 0;               /* a classifier's decoder reads the text once more */
    if (given && pair && text)
        return err_set(e, ERR_USAGE, "--generate: the decoder's text is generated and "
                       "cannot be given");
    if (given && pair && session->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "--generate: the encoder's stack shows no token that "
                       "is generated: expected -s decoder or cross");
    if (!given && (!pair || session->stack == STACK_ENCODER || text ||
                   asked->decoder_ids != NULL))
        return 0;
    if ((!last->has_head || masked) && !given && asked->jsonl)
        return 0;               /* its lines may have texts of their own */
    if (masked)
        return err_set(e, ERR_USAGE, "--mask, --memory-mask, --rotations require a given "
                       "text, not a generated one");
    if (model_check_head(model, last, e) != 0)
        return err_set(e, ERR_INPUT, "%s, so it cannot generate text%s",
                       arena_strdup(session->a, e->msg), !pair ? "" : asked_array(asked) != NULL ?
                       ": expected TEXT or --decoder-ids" : ": expected TEXT_B, "
                       "--decoder-ids or -f FILE with --pairs or --jsonl");
    session->n_generate = given ? asked->generate : DEFAULT_TOKENS;
    session->rules = rules = arena_alloc(session->a, 1, sizeof *rules);
    return generation_read(rules, session->a, model, e);
}
