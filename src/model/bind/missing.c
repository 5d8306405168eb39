/* SPDX-License-Identifier: MIT
 * A missing tensor -> an error with its role, name, shape, and the nearest unused name. */
#include "model/bind/bind_priv.h"

#include <string.h>

#include "base/nearest.h"

/* Experts, heads, or layers of a group, end with the first that is not there at all. */
static bool mark_parts(struct binder *b, enum slot slot, int layer)
{
    int n = bind_parts(b, slot), part = 0;

    while (part < n && bind_mark(b, slot, (struct where){ layer, part }))
        part++;
    return part > 0;
}

/* All that the stack could take counts as used; so do its layers. */
static void mark_stack(struct binder *b)
{
    bool found = true;

    b->prefix = bind_prefix(b);
    for (int s = 0; s < N_SLOT; s++)
        if (bind_names(b, (enum slot)s) != NULL && family_slots[s].count == PER_STACK)
            bind_mark(b, (enum slot)s, (struct where){ 0 });
    for (int i = 0; i < b->m->config.front.wave.n; i++)
        for (int s = W_WAVE; s <= W_WAVE_NORM; s++)
            if (bind_names(b, (enum slot)s) != NULL)
                bind_mark(b, (enum slot)s, (struct where){ i, 0 });
    for (int l = 0; l < b->m->config.n_layers && found; l++) {
        found = false;
        for (int s = 0; s < N_SLOT; s++)
            if (bind_names(b, (enum slot)s) != NULL && family_slots[s].count != PER_STACK &&
                family_slots[s].count != PER_WAVE && mark_parts(b, (enum slot)s, l))
                found = true;
    }
}

static void mark_all(struct binder *b)
{
    struct model stack = *b->m;
    const struct config *config = &stack.config;
    struct binder marking = *b;

    marking.m = &stack;
    stack.family = b->family;
    mark_stack(&marking);
    stack.family = b->family->decoder;
    if (stack.family == NULL)
        return;
    if (config->decoder.n_layers > 0)
        stack.config.n_layers = config->decoder.n_layers;
    mark_stack(&marking);
}

/* NULL: all tensors are used. */
static const char *nearest_unused(struct binder *b, const char *name)
{
    const char *nearest = NULL;
    int best = 0;

    mark_all(b);
    for (int i = 0; i < weights_count(b->m->weights); i++) {
        const char *other = weights_at(b->m->weights, i)->name;
        int distance = b->used[i] ? 0 : nearest_distance(name, other);

        if (!b->used[i] && (nearest == NULL || distance < best)) {
            nearest = other;
            best = distance;
        }
    }
    return nearest;
}

/* "bias of queries, layer 3" */
static const char *bind_missing_describe(struct binder *b, enum slot slot, struct where at,
                                         bool bias)
{
    const struct slot_row *row = &family_slots[slot];
    char *text = arena_printf(b->a, "%s%s", bias ? "bias of " : "", row->role);

    if (row->count == PER_STREAM)
        return arena_printf(b->a, "%s, stream %d", text, at.layer + 1);
    if (row->count == PER_WAVE)
        text = arena_printf(b->a, "%s, the one numbered %d", text, at.layer);
    else if (row->count != PER_STACK)
        text = arena_printf(b->a, "%s, layer %d", text, at.layer);
    if (row->count == PER_EXPERT)
        text = arena_printf(b->a, "%s, expert %d", text, at.part);
    if (row->count == PER_FORMER)
        text = arena_printf(b->a, "%s, number %d", text, at.part);
    return text;
}

int bind_missing(struct binder *b, enum slot slot, struct where at, bool bias,
                 const char *shape)
{
    const char *name = bind_name(b, slot, at, bias), *nearest;

    if (bind_is_head(slot)) {
        if (b->m->head_lacks == NULL)
            b->m->head_lacks = name;
        return 0;
    }
    nearest = nearest_unused(b, name);
    return err_set(b->e, ERR_INPUT, "%s: has no tensor %s, expected %s (%s)%s%s", b->m->name,
                   name, shape, bind_missing_describe(b, slot, at, bias),
                   nearest == NULL ? "" : "; the unused tensor nearest to it is ",
                   nearest == NULL ? "" : nearest);
}
