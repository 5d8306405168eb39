/* SPDX-License-Identifier: MIT
 * Texts with their sources -> continuations, in groups that fit into memory. */
#include "run/generate.h"

/* Weights are read once per step for all texts of a group. */
enum { GROUP_TEXTS = 64 };
static const double GROUP_BYTES = (double)((size_t)256 << 20);

bool generate_join(struct generate_group *group, const struct model *model, int n_tokens,
                   int n_memory)
{
    double bytes = generate_memory(model, n_tokens, n_memory);

    if (group->n == GROUP_TEXTS || (group->n > 0 && group->bytes + bytes > GROUP_BYTES))
        return false;
    group->n++;
    group->bytes += bytes;
    return true;
}

/* What the encoder makes of the sources. */
static int generate_pair_encode(const struct model *model, const struct batch *source,
                                const struct change *change, struct memory *memory, struct par *par,
                                struct arena *call, struct err *e)
{
    struct wanted want = { .change = change };

    want.hidden = arena_alloc_raw(call, (size_t)source->start[source->n_texts],
                                  (size_t)model->d_hidden * sizeof *want.hidden);
    *memory = (struct memory){ want.hidden, source->start };
    return run_forward(model, source, &want, NULL, 0, par, call, e);
}

int run_generate_pair(const struct model *model, const struct generation *rules,
                      const struct batch *source, struct continuation *text, int n_texts,
                      const struct change *change, double spare, struct par *par,
                      struct arena *call, struct err *e)
{
    struct arena_mark mark = arena_mark(call);
    struct memory memory;
    int status;

    if (source == NULL)
        return run_generate(model, rules, NULL, text, n_texts, change, spare, par, call, e);
    status = generate_pair_encode(model, source, change, &memory, par, call, e);
    if (status == 0)
        status = run_generate(model->decoder, rules, &memory, text, n_texts, change, spare, par,
                              call, e);
    arena_reset(call, mark);
    return status;
}
