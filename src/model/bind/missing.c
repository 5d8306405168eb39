/* SPDX-License-Identifier: MIT
 * A missing tensor -> an error with its role, name, shape, and the nearest unused name. */
#include "model/bind/bind_priv.h"

#include <string.h>

#include "base/nearest.h"

/* Experts, heads, or layers of a group, end with the first that is not there at all. */
static bool mark_parts(struct binder *binder, enum slot slot, int layer)
{
    int n = bind_parts(binder, slot), part = 0;

    while (part < n && bind_mark(binder, slot, (struct where){ layer, part }))
        part++;
    return part > 0;
}

/* All that the stack could take counts as used; so do its layers. */
static void mark_stack(struct binder *binder)
{
    bool found = true;

    binder->prefix = bind_prefix(binder);
    for (int s = 0; s < N_SLOT; s++)
        if (bind_names(binder, (enum slot)s) != NULL && family_slots[s].count == PER_STACK)
            bind_mark(binder, (enum slot)s, (struct where){ 0 });
    for (int i = 0; i < binder->m->config.front.wave.n; i++)
        for (int s = W_WAVE; s <= W_WAVE_NORM; s++)
            if (bind_names(binder, (enum slot)s) != NULL)
                bind_mark(binder, (enum slot)s, (struct where){ i, 0 });
    for (int l = 0; l < binder->m->config.n_layers && found; l++) {
        found = false;
        for (int s = 0; s < N_SLOT; s++)
            if (bind_names(binder, (enum slot)s) != NULL && family_slots[s].count != PER_STACK &&
                family_slots[s].count != PER_WAVE && mark_parts(binder, (enum slot)s, l))
                found = true;
    }
}

static void mark_all(struct binder *binder)
{
    struct model stack = *binder->m;
    const struct config *config = &stack.config;
    struct binder marking = *binder;

    marking.m = &stack;
    stack.family = binder->family;
    mark_stack(&marking);
    stack.family = binder->family->decoder;
    if (stack.family == NULL)
        return;
    if (config->decoder.n_layers > 0)
        stack.config.n_layers = config->decoder.n_layers;
    mark_stack(&marking);
}

/* NULL: all tensors are used. */
static const char *nearest_unused(struct binder *binder, const char *name)
{
    const char *nearest = NULL;
    int best = 0;

    mark_all(binder);
    for (int i = 0; i < weights_count(binder->m->weights); i++) {
        const char *other = weights_at(binder->m->weights, i)->name;
        int distance = binder->used[i] ? 0 : nearest_distance(name, other);

        if (!binder->used[i] && (nearest == NULL || distance < best)) {
            nearest = other;
            best = distance;
        }
    }
    return nearest;
}

/* "bias of queries, layer 3" */
static const char *bind_missing_describe(struct binder *binder, enum slot slot, struct where at,
                                         bool bias)
{
    const struct slot_row *row = &family_slots[slot];
    char *text = arena_printf(binder->a, "%s%s", bias ? "bias of " : "", row->role);

    if (row->count == PER_STREAM)
        return arena_printf(binder->a, "%s, stream %d", text, at.layer + 1);
    if (row->count == PER_WAVE)
        text = arena_printf(binder->a, "%s, the one numbered %d", text, at.layer);
    else if (row->count != PER_STACK)
        text = arena_printf(binder->a, "%s, layer %d", text, at.layer);
    if (row->count == PER_EXPERT)
        text = arena_printf(binder->a, "%s, expert %d", text, at.part);
    if (row->count == PER_FORMER)
        text = arena_printf(binder->a, "%s, number %d", text, at.part);
    return text;
}

int bind_missing(struct binder *binder, enum slot slot, struct where at, bool bias,
                 const char *shape)
{
    const char *name = bind_name(binder, slot, at, bias), *nearest;

    if (bind_is_head(slot)) {
        if (binder->m->head_lacks == NULL)
            binder->m->head_lacks = name;
        return 0;
    }
    nearest = nearest_unused(binder, name);
    return err_set(binder->e, ERR_INPUT, "%s: has no tensor %s, expected %s (%s)%s%s",
                   binder->m->name, name, shape, bind_missing_describe(binder, slot, at, bias),
                   nearest == NULL ? "" : "; the unused tensor nearest to it is ",
                   nearest == NULL ? "" : nearest);
}
