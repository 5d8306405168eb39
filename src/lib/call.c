/* SPDX-License-Identifier: MIT
 * A model, a text and a selection -> a session that is ready for one pass. */
#include "base/claims.h"
#include "lib/lib.h"

int call_claim(const struct arena *writes, const struct mhaviz_model *model,
               const struct mhaviz_text *text, struct err *e)
{
    if (model != NULL && claims_check(writes, &model->arena, e) != 0)
        return -1;
    return text != NULL ? claims_check(writes, &text->arena, e) : 0;
}

static int call_check_text(const struct session *session, const struct mhaviz_text *text,
                           struct err *e)
{
    if (text->in_pieces)
        return err_set(e, ERR_USAGE, "%s", LIB_IN_PIECES);
    if (text->model_hash != session->model->hash)
        return err_set(e, ERR_USAGE, "the text was tokenised for another model than %s",
                       session->model->name);
    return 0;
}

int call_begin(struct call *call, struct border *border, const struct mhaviz_model *model,
               const struct mhaviz_text *text, const struct mhaviz_selection *selection,
               bool all, struct err *e)
{
    struct session *session = &call->session;

    *call = (struct call){ .session = model->session, .asked = model->asked,
                           .env = model->env, .item = &text->item };
    call->asked.stack = selection->stack;
    call->asked.layer = selection->layers;
    call->asked.head = selection->heads;
    call->env.arena = &border->call;
    session->asked = &call->asked;
    session->env = &call->env;
    session->a = &border->call;
    session->input = NULL;
    par_on_full(session->par, &border->call);
    border_watch(border, model, NULL);
    if (call_check_text(session, text, e) != 0 ||
        session_select(session, text->item.pair != NULL || text->item.target.n > 0 ? 2 : 1, all,
                       &call->want, e) !=
            0)
        return -1;
    if (session->model->decoder != NULL && session->stack != STACK_ENCODER &&
        text->item.target.n == 0)
        return err_set(e, ERR_INPUT, "the text has no tokens for the decoder");
    return 0;
}
