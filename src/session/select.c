/* SPDX-License-Identifier: MIT
 * -s and the other options of a selection -> the stack, layers and heads that are shown. */
#include "session/select.h"

#include <string.h>

#include "session/average.h"
#include "session/precomputed.h"
#include "session/region.h"
#include "session/shown.h"

/* "only the stack decoder", or "encoder, decoder and cross". */
static const char *stacks_of(struct arena *a, const struct model *m)
{
    const char *name[N_STACK], *all;
    int count = 0;

    for (int i = 0; i < N_STACK; i++)
        if (model_has_stack(m, (enum stack_id)i))
            name[count++] = family_stack_names[i];
    all = count == 1 ? arena_printf(a, "only the stack %s", name[0]) : name[0];
    for (int i = 1; i < count; i++)
        all = arena_printf(a, "%s%s%s", all, i == count - 1 ? " and " : ", ", name[i]);
    return all;
}

/* The stack that -s names, if the model has it. */
static int find_stack(struct session *s, enum stack_id *stack, struct err *e)
{
    const struct model *model = s->model;

    for (int i = 0; i < N_STACK; i++)
        if (strcmp(s->asked->stack, family_stack_names[i]) == 0 &&
            model_has_stack(model, (enum stack_id)i)) {
            *stack = (enum stack_id)i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "%s: '%s': %s has %s", session_names(s->asked)->stack,
                   s->asked->stack, model->name, stacks_of(s->a, model));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/*
 * Without -s: cross, where the decoder has a text or the layers read another input; all
 * stacks, where several are wanted then.
 */
static enum stack_id default_stack(const struct model *m, bool target, bool all)
{
    int count = 0;

    if (m->decoder != NULL ? !target : !model_has_cross(m))
        return m->family->stack_id;
    for (int i = 0; i < N_STACK; i++)
        count += model_has_stack(m, (enum stack_id)i);
    if (all && count > 1)
        return N_STACK;
    return model_has_stack(m, STACK_CROSS) ? STACK_CROSS : STACK_DECODER;
}

static void choose_shown(struct session *s)
{
    struct model *model = s->model;

    s->shown = model->decoder != NULL && s->stack != STACK_ENCODER ? model->decoder :
                                                                     model;
    s->n_layers = s->shown->config.n_layers;
    s->n_heads = s->shown->config.n_heads;
    if (s->stack == N_STACK) {
        s->n_layers = larger(s->n_layers, model->config.n_layers);
        s->n_heads = larger(s->n_heads, model->config.n_heads);
    }
}

/* The decoder reads the model's own text: nothing is said of any. */
static bool has_own_pair(const struct session *s, int n_operands)
{
    const struct asked *asked = s->asked;

    return n_operands == 0 && s->model->decoder != NULL && s->model->config.card.pair != NULL &&
           asked->file == NULL && asked->ids == NULL && asked_array(asked) == NULL &&
           asked->decoder_ids == NULL && asked->generate == 0 && !s->env->piped;
}

int session_select(struct session *s, int n_operands, bool all, struct wanted *want,
                   struct err *e)
{
    const struct asked *asked = s->asked;
    bool text = n_operands > (asked_array(asked) == NULL ? 1 : 0) ||
                (asked->pairs && asked->half == HALF_BOTH) || s->model->family->bare ||
                has_own_pair(s, n_operands);
    bool repeats = s->model->decoder != NULL && s->model->decoder->config.head.task != NULL;
    bool target = text || repeats || asked->decoder_ids != NULL || asked->generate > 0 ||
                  (asked->jsonl && asked->half == HALF_BOTH);

    s->stack = default_stack(s->model, target, all && asked->average == NULL);
    if (asked->stack != NULL && find_stack(s, &s->stack, e) != 0)
        return -1;
    choose_shown(s);
    return session_generation(s, text, e) != 0 || session_heads(s, want, e) != 0 ||
           precomputed_options(s, e) != 0 || session_rotations(s, want, e) != 0 ||
           session_change(s, want, e) != 0 || shown_check(s, e) != 0 ||
           region_check(s, e) != 0 || average_select(s, want, e) != 0 ? -1 : 0;
}
