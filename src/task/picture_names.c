/* SPDX-License-Identifier: MIT
 * The names that a picture of heads uses: titles, and a part of the caption. */
#include "base/str.h"
#include "task/picture.h"

const char *const average_names[] = { "none", "heads", "layers", "both", NULL };

/* "0-3,5" of the first n. */
static const char *list_of(struct arena *a, const bool *which, int n)
{
    const char *list = "";

    for (int i = 0; i < n; i++) {
        int first = i;

        if (!which[i])
            continue;
        while (i + 1 < n && which[i + 1])
            i++;
        list = arena_printf(a, i == first ? "%s%s%d" : "%s%s%d-%d", list,
                            list[0] != '\0' ? "," : "", first, i);
    }
    return list;
}

const char *picture_layers(const struct picture *p, struct arena *a)
{
    return list_of(a, p->want.layer, p->s->shown->config.n_layers);
}

/* "layer 5", "layers 0-5" */
static const char *layers(const struct picture *p, struct arena *a)
{
    return arena_printf(a, "layer%s %s", str_plural(p->n_layers), picture_layers(p, a));
}

/* "heads 0-3", of those of any layer. */
static const char *heads(const struct picture *p, struct arena *a)
{
    int H = p->s->shown->config.n_heads, n = 0;
    bool *which = arena_alloc(a, (size_t)H, sizeof *which);

    for (int l = 0, h = -1; session_next_head(p->s, &p->want, &l, &h);)
        which[h] = true;
    for (int h = 0; h < H; h++)
        n += which[h];
    return arena_printf(a, "head%s %s", str_plural(n), list_of(a, which, H));
}

/* Their names, where they were given by name: a list of heads would not be the same. */
static const char *averaged_heads(const struct picture *p, struct arena *a)
{
    return session_names_heads(p->s->asked) ? p->s->asked->head : heads(p, a);
}

const char *picture_subject(const struct picture *p, struct arena *a)
{
    if (p->look.rollout)
        return arena_printf(a, "rollout of %s, mean of %s", layers(p, a), averaged_heads(p, a));
    if (p->look.average == AVERAGE_HEADS)
        return arena_printf(a, "%s, mean of %s", layers(p, a), averaged_heads(p, a));
    if (p->look.average == AVERAGE_LAYERS)
        return arena_printf(a, "mean of %s", layers(p, a));
    if (p->look.average == AVERAGE_BOTH)
        return arena_printf(a, "mean of %s, %s", layers(p, a), averaged_heads(p, a));
    return layers(p, a);
}

const char *picture_unit(const struct picture *p)
{
    return p->look.rollout || p->look.average == AVERAGE_BOTH ? "map" :
           p->look.average == AVERAGE_HEADS ? "layer" : "head";
}

static const char *type_of(const struct picture *p, int i)
{
    const struct picture_panel *panel = &p->panel[i];

    return p->look.type == NULL || panel->layer < 0 || panel->head < 0 ? NULL :
               p->look.type[panel->layer * p->s->shown->config.n_heads + panel->head];
}

const char *picture_title(const struct picture *p, struct arena *a, int i)
{
    const struct picture_panel *panel = &p->panel[i];
    const char *type = type_of(p, i);

    if (p->look.rollout)
        return "Rollout";
    if (p->look.average == AVERAGE_BOTH)
        return "Mean of all";
    if (panel->head < 0)
        return arena_printf(a, "Layer %d", panel->layer);
    if (panel->layer >= 0 && p->n_layers > 1)
        return arena_printf(a, "L%dH%d", panel->layer, panel->head);
    if (type == NULL)
        return arena_printf(a, "Head %d", panel->head);
    return arena_printf(a, "Head %d: %s", panel->head, type);
}

const char *picture_note(const struct picture *p, struct arena *a, int i)
{
    if (p->look.rollout)
        return layers(p, a);
    if (p->look.average == AVERAGE_HEADS)
        return arena_printf(a, "mean of %s", heads(p, a));
    if (p->look.average == AVERAGE_LAYERS)
        return arena_printf(a, "mean of %s", layers(p, a));
    if (p->look.average == AVERAGE_BOTH)
        return arena_printf(a, "%s, %s", layers(p, a), averaged_heads(p, a));
    return p->n_layers > 1 ? type_of(p, i) : NULL;
}
