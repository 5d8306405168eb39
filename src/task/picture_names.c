/* SPDX-License-Identifier: MIT
 * The names that a picture of heads uses: titles, and a part of the caption. */
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "session/average.h"
#include "task/picture.h"

const char *picture_layers(const struct picture *p, struct arena *a)
{
    const struct session_average *average = p->s->average;

    return session_averages(p->s, AVERAGE_LAYERS) ?
               list_text(a, average->layers, average->of->config.n_layers) :
               list_text(a, p->want.layer, p->s->shown->config.n_layers);
}

/* "layer 5", "layers 0-5" */
static const char *picture_names_layers(const struct picture *p, struct arena *a)
{
    return arena_printf(a, "layer%s %s", str_plural(p->n_layers), picture_layers(p, a));
}

/* "heads 0-3", of those of any layer. */
static const char *picture_names_heads(const struct picture *p, struct arena *a)
{
    int H = p->s->shown->config.n_heads, n = 0;
    bool *which = arena_alloc(a, (size_t)H, sizeof *which);

    for (int l = 0, h = -1; session_next_head(p->s, &p->want, &l, &h);)
        which[h] = true;
    for (int h = 0; h < H; h++)
        n += which[h];
    return arena_printf(a, "head%s %s", str_plural(n), list_text(a, which, H));
}

const char *picture_subject(const struct picture *p, struct arena *a)
{
    const char *mean = average_text(p->s, a);

    if (p->look.rollout)
        return arena_printf(a, "rollout of %s, mean of %s", picture_names_layers(p, a),
                            session_names_heads(p->s->asked) ? p->s->asked->head :
                                                               picture_names_heads(p, a));
    if (p->s->asked->chosen != NULL)
        return arena_printf(a, "%s, %s", picture_names_layers(p, a), p->s->asked->chosen);
    if (mean == NULL || session_averages(p->s, AVERAGE_LAYERS))
        return mean != NULL ? mean : picture_names_layers(p, a);
    return arena_printf(a, "%s, %s", picture_names_layers(p, a), mean);
}

static bool is_of_all(const struct picture *p)
{
    return p->look.rollout || (session_averages(p->s, AVERAGE_HEADS) &&
                               session_averages(p->s, AVERAGE_LAYERS));
}

const char *picture_unit(const struct picture *p)
{
    return is_of_all(p) ? "map" : session_averages(p->s, AVERAGE_HEADS) ? "layer" : "head";
}

static const char *picture_names_type_of(const struct picture *p, int i)
{
    const struct picture_panel *panel = &p->panel[i];

    return p->look.type == NULL || panel->layer < 0 || panel->head < 0 ? NULL :
               p->look.type[panel->layer * p->s->shown->config.n_heads + panel->head];
}

const char *picture_title(const struct picture *p, struct arena *a, int i)
{
    const struct picture_panel *panel = &p->panel[i];
    const char *type = picture_names_type_of(p, i);

    if (p->look.rollout)
        return "Rollout";
    if (is_of_all(p))
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
    const char *mean = average_text(p->s, a);

    if (p->look.rollout)
        return picture_names_layers(p, a);
    if (mean != NULL)
        return is_of_all(p) ? mean + strlen("mean of ") : mean;
    return p->n_layers > 1 ? picture_names_type_of(p, i) : NULL;
}
