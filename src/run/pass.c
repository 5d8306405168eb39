/* SPDX-License-Identifier: MIT
 * The arguments of a pass -> answers for its stages: which layers are wanted, which precision. */
#include "run/pass.h"

int pass_tokens(const struct pass *pass, int text)
{
    return pass->b->start[text + 1] - pass->b->start[text];
}

int pass_before(const struct pass *pass, int text)
{
    return pass->want->cache != NULL ? pass->want->cache[text]->n : 0;
}

int64_t pass_number(const struct pass *pass, int text)
{
    const struct change *change = pass->want->change;

    return change != NULL && change->number != NULL ? change->number[text] : text;
}

bool pass_has_two_streams(const struct pass *pass)
{
    return pass->m->norm_place == PLACE_REVERSIBLE;
}

bool pass_has_memory(const struct pass *pass)
{
    return pass->want->memory != NULL ||
           (pass->want->cache != NULL && pass->want->cache[0]->n_memory > 0);
}

static enum precision asked_precision(const struct pass *pass)
{
    const struct change *change = pass->want != NULL ? pass->want->change : NULL;

    return change != NULL ? change->precision : PRECISION_F32;
}

enum precision pass_precision(const struct pass *pass)
{
    enum precision precision = asked_precision(pass);

    return precision_is_of_linears(precision) ? PRECISION_F32 : precision;
}

enum precision pass_linear_precision(const struct pass *pass, const struct param *w)
{
    enum precision precision = asked_precision(pass);

    return precision_is_of_linears(precision) && !w->is_linear ? PRECISION_F32 : precision;
}

const struct fast_kernel *pass_fast(const struct pass *pass, const struct param *w)
{
    const struct change *change = pass->want != NULL ? pass->want->change : NULL;

    return change != NULL && w->is_linear ? fast_kernel(change->fast) : NULL;
}

bool pass_wants(const struct pass *pass, int l, enum stack_id stack)
{
    const struct wanted *w = pass->want;

    return pass->n_sinks > 0 && wanted_layer(w, l) &&
           (w->stacks == 0 || (w->stacks >> stack & 1) != 0);
}

bool pass_taps(const struct pass *pass, int l, enum stack_id stack)
{
    const struct wanted *w = pass->want;

    return w->tap != NULL && wanted_layer(w, l) &&
           (w->stacks == 0 || (w->stacks >> stack & 1) != 0);
}
