/* SPDX-License-Identifier: MIT
 * --generate, and texts that need a decoder's -> whether and how texts are continued. */
#include "session/select.h"

int session_generation(struct session *s, bool text, struct err *e)
{
    enum { DEFAULT_TOKENS = 32 };
    const struct asked *asked = s->asked;
    const struct model *m = s->model, *last = m->decoder != NULL ? m->decoder : m;
    bool given = asked->generate > 0, pair = m->decoder != NULL;
    bool masked = asked->mask != NULL || asked->memory_mask != NULL ||
                  asked->rotations != NULL;
    struct generation *rules;

    if (given && !model_predicts_next(last))
        return err_set(e, ERR_USAGE, "--generate: %s predicts no next token, so it "
                       "continues no text", m->name);
    if (given && pair && text)
        return err_set(e, ERR_USAGE, "--generate: wants no text for the decoder: it is "
                       "generated");
    if (given && pair && s->stack == STACK_ENCODER)
        return err_set(e, ERR_USAGE, "--generate: the encoder's stack shows no token "
                       "that is generated: want -s decoder or cross");
    if (!given && (!pair || s->stack == STACK_ENCODER || text ||
                   asked->decoder_ids != NULL))
        return 0;
    if ((!last->has_head || masked) && !given && asked->jsonl)
        return 0;               /* its lines may have texts of their own */
    if (masked)
        return err_set(e, ERR_USAGE, "--mask, --memory-mask, --rotations: want a text "
                       "that is given, not generated");
    if (!last->has_head)
        return err_set(e, ERR_INPUT, "%s has no head in its weights, so it generates no "
                       "text%s", m->name, !pair ? "" : asked->input != NULL ?
                       ": want TEXT or --decoder-ids" : ": want TEXT_B, --decoder-ids "
                       "or -f FILE with --pairs or --jsonl");
    s->n_generate = given ? asked->generate : DEFAULT_TOKENS;
    s->rules = rules = arena_alloc(s->a, 1, sizeof *rules);
    return generation_read(rules, s->a, m, e);
}
