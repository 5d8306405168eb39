/* SPDX-License-Identifier: MIT
 * -s and the other options of a selection -> the stack, layers and heads that are shown. */
#include "session/select.h"

#include <string.h>

#include "session/shown/average.h"
#include "session/shown/region.h"
#include "session/shown/shown.h"
#include "session/source/precomputed.h"

/* "only the stack decoder", or "encoder, decoder and cross". */
static const char *stacks_of(struct arena *a, const struct model *model)
{
    const char *name[N_STACK], *all;
    int count = 0;

    for (int i = 0; i < N_STACK; i++)
        if (model_has_stack(model, (enum stack_id)i))
            name[count++] = family_stack_names[i];
    all = count == 1 ? arena_printf(a, "only the stack %s", name[0]) : name[0];
    for (int i = 1; i < count; i++)
        all = arena_printf(a, "%s%s%s", all, i == count - 1 ? " and " : ", ", name[i]);
    return all;
}

/* The stack that -s names, if the model has it. */
static int find_stack(struct session *session, enum stack_id *stack, struct err *e)
{
    const struct model *model = session->model;

    for (int i = 0; i < N_STACK; i++)
        if (strcmp(session->asked->stack, family_stack_names[i]) == 0 &&
            model_has_stack(model, (enum stack_id)i)) {
            *stack = (enum stack_id)i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "%s: '%s': %s has %s", session_names(session->asked)->stack,
                   session->asked->stack, model->name, stacks_of(session->a, model));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/*
 * Without -s: cross, where the decoder has a text or the layers read another input; all
 * stacks, where several are wanted then.
 */
static enum stack_id default_stack(const struct model *model, bool target, bool all)
{
    int count = 0;

    if (model->decoder != NULL ? !target : !model_has_cross(model))
        return model->family->stack_id;
    for (int i = 0; i < N_STACK; i++)
        count += model_has_stack(model, (enum stack_id)i);
    if (all && count > 1)
        return N_STACK;
    return model_has_stack(model, STACK_CROSS) ? STACK_CROSS : STACK_DECODER;
}

static void choose_shown(struct session *session)
{
    struct model *model = session->model;

    session->shown = model->decoder != NULL && session->stack != STACK_ENCODER ? model->decoder :
                                                                                 model;
    session->n_layers = session->shown->config.n_layers;
    session->n_heads = session->shown->config.n_heads;
    if (session->stack == N_STACK) {
        session->n_layers = larger(session->n_layers, model->config.n_layers);
        session->n_heads = larger(session->n_heads, model->config.n_heads);
    }
}

/* The decoder reads the model's own text: nothing is said of any. */
static bool has_own_pair(const struct session *session, int n_operands)
{
    const struct asked *asked = session->asked;

    return n_operands == 0 && session->model->decoder != NULL &&
           session->model->config.card.pair != NULL &&
           asked->file == NULL && asked->ids == NULL && asked_array(asked) == NULL &&
           asked->decoder_ids == NULL && asked->generate == 0 && !session->env->piped;
}

int session_select(struct session *session, int n_operands, bool all, struct wanted *want,
                   struct err *e)
{
    const struct asked *asked = session->asked;
    bool text = n_operands > (asked_array(asked) == NULL ? 1 : 0) ||
                (asked->pairs && asked->half == HALF_BOTH) || session->model->family->bare ||
                has_own_pair(session, n_operands);
    bool repeats = session->model->decoder != NULL &&
                   session->model->decoder->config.head.task != NULL;
    bool target = text || repeats || asked->decoder_ids != NULL || asked->generate > 0 ||
                  (asked->jsonl && asked->half == HALF_BOTH);

    session->stack = default_stack(session->model, target, all && !average_is_asked(asked));
    if (asked->stack != NULL && find_stack(session, &session->stack, e) != 0)
        return -1;
    choose_shown(session);
    return session_generation(session, text, e) != 0 || session_heads(session, want, e) != 0 ||
           precomputed_options(session, e) != 0 || session_rotations(session, want, e) != 0 ||
           session_change(session, want, e) != 0 || shown_check(session, e) != 0 ||
           region_check(session, e) != 0 || average_select(session, want, e) != 0 ? -1 : 0;
}
