/* SPDX-License-Identifier: MIT
 * The names that a picture of heads uses: titles, and a part of the caption. */
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "session/shown/average.h"
#include "task/figure/picture.h"

const char *picture_layers(const struct picture *picture, struct arena *a)
{
    const struct session_average *average = picture->s->average;

    return session_averages(picture->s, AVERAGE_LAYERS) ?
               list_text(a, average->layers, average->of->config.n_layers) :
               list_text(a, picture->want.layer, picture->s->shown->config.n_layers);
}

/* "layer 5", "layers 0-5" */
static const char *picture_names_layers(const struct picture *picture, struct arena *a)
{
    return arena_printf(a, "layer%s %s", str_plural(picture->n_layers), picture_layers(picture, a));
}

/* "heads 0-3", of those of any layer. */
static const char *picture_names_heads(const struct picture *picture, struct arena *a)
{
    int H = picture->s->shown->config.n_heads, n = 0;
    bool *which = arena_alloc(a, (size_t)H, sizeof *which);

    for (int l = 0, h = -1; session_next_head(picture->s, &picture->want, &l, &h);)
        which[h] = true;
    for (int h = 0; h < H; h++)
        n += which[h];
    return arena_printf(a, "head%s %s", str_plural(n), list_text(a, which, H));
}

const char *picture_subject(const struct picture *picture, struct arena *a)
{
    const char *mean = average_text(picture->s, a);

    if (picture->look.rollout)
        return arena_printf(a, "rollout of %s, mean of %s", picture_names_layers(picture, a),
                            session_names_heads(picture->s->asked) ?
                                picture->s->asked->head :
                                picture_names_heads(picture, a));
    if (picture->s->asked->chosen != NULL)
        return arena_printf(a, "%s, %s", picture_names_layers(picture, a),
                            picture->s->asked->chosen);
    if (mean == NULL || session_averages(picture->s, AVERAGE_LAYERS))
        return mean != NULL ? mean : picture_names_layers(picture, a);
    return arena_printf(a, "%s, %s", picture_names_layers(picture, a), mean);
}

static bool is_of_all(const struct picture *picture)
{
    return picture->look.rollout || (session_averages(picture->s, AVERAGE_HEADS) &&
                                     session_averages(picture->s, AVERAGE_LAYERS));
}

const char *picture_unit(const struct picture *picture)
{
    return is_of_all(picture) ? "map" : session_averages(picture->s, AVERAGE_HEADS) ? "layer" :
           "head";
}

static const char *picture_names_type_of(const struct picture *picture, int i)
{
    const struct picture_panel *panel = &picture->panel[i];

    return picture->look.type == NULL || panel->layer < 0 || panel->head < 0 ? NULL :
               picture->look.type[panel->layer * picture->s->shown->config.n_heads + panel->head];
}

const char *picture_title(const struct picture *picture, struct arena *a, int i)
{
    const struct picture_panel *panel = &picture->panel[i];
    const char *type = picture_names_type_of(picture, i);

    if (picture->look.rollout)
        return "Rollout";
    if (is_of_all(picture))
        return "Mean of all";
    if (panel->head < 0)
        return arena_printf(a, "Layer %d", panel->layer);
    if (panel->layer >= 0 && picture->n_layers > 1)
        return arena_printf(a, "L%dH%d", panel->layer, panel->head);
    if (type == NULL)
        return arena_printf(a, "Head %d", panel->head);
    return arena_printf(a, "Head %d: %s", panel->head, type);
}

const char *picture_note(const struct picture *picture, struct arena *a, int i)
{
    const struct picture_panel *panel = &picture->panel[i];
    const char *mean = average_text(picture->s, a);

    if (picture->look.rollout)
        return picture_names_layers(picture, a);
    if (mean == NULL)
        return picture->n_layers > 1 ? picture_names_type_of(picture, i) : NULL;
    if (is_of_all(picture))
        return mean + strlen("mean of ");
    return session_names_heads(picture->s->asked) ?
               arena_printf(a, "mean of %s", average_names(picture->s, a, panel->layer,
                                                           panel->head)) : mean;
}
