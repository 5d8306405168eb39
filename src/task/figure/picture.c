/* SPDX-License-Identifier: MIT
 * Options of a picture -> its layers and panels. */
#include "task/figure/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/shown/average.h"

/* ---- what is shown ---- */

/* Of all layers that there are where the default is not the layer of one picture. */
static bool picture_is_of_layers(const struct picture *picture)
{
    return session_averages(picture->s, AVERAGE_LAYERS) || picture->look.rollout;
}

/* Panels are of heads, and not of their means. */
static bool is_of_heads(const struct picture *picture)
{
    return !session_averages(picture->s, AVERAGE_HEADS) && !picture->look.rollout;
}

/* Those that were selected, else the default. */
static void pick_layers(struct picture *picture)
{
    const struct session *session = picture->s;
    int L = session->shown->config.n_layers, only = session_default_layer(session);
    bool named = session_names_heads(session->asked);
    bool given = session->asked->layer != NULL || named, *layer;

    layer = arena_alloc(session->a, (size_t)L, sizeof *layer);
    for (int l = 0; l < L; l++) {
        layer[l] = given ? wanted_layer(&picture->want, l) : picture_is_of_layers(picture) ?
                         wanted_layer(&picture->want, l) : l == only;
        picture->n_layers += layer[l];
    }
    picture->want.layer = layer;
    picture->sheet = picture->n_layers > 1 && !named && is_of_heads(picture) &&
                     !picture_is_of_layers(picture);
}

static int by_rank(const void *x, const void *y)
{
    const struct picture_panel *a = x, *b = y;

    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* A mean stands where the first of its heads would. */
static void add_panel(struct picture *picture, struct picture_panel *panel,
                      struct picture_panel next)
{
    int i = next.layer >= 0 && next.head >= 0 ? picture->n_panels : 0;

    while (i < picture->n_panels && (panel[i].layer != next.layer || panel[i].head != next.head))
        i++;
    if (i == picture->n_panels)
        panel[picture->n_panels++] = next;
    else if (next.rank < panel[i].rank)
        panel[i].rank = next.rank;
}

/* In the order in which -l and -H name them. */
static void pick_panels(struct picture *picture)
{
    const struct config *config = &picture->s->shown->config;
    struct picture_panel *panel = arena_alloc(picture->s->a, (size_t)config->n_layers,
                                              (size_t)config->n_heads * sizeof *panel);

    picture->panel = panel;
    for (int l = 0, h = -1; session_next_head(picture->s, &picture->want, &l, &h);)
        add_panel(picture, panel, (struct picture_panel){
            picture_is_of_layers(picture) ? -1 : l,
            is_of_heads(picture) ? h : -1,
            session_rank(picture->s, l, h),
        });
    qsort(panel, (size_t)picture->n_panels, sizeof *panel, by_rank);
    picture->per_row = picture->sheet ? picture->n_panels / picture->n_layers : picture->n_panels;
}

/* The ends of the colours are given, one of them or both. */
static bool is_ranged(const struct picture_look *look)
{
    return !isnan(look->vmin) || !isnan(look->vmax);
}

static int check_maps(const struct picture *picture, struct err *e)
{
    if (!picture->look.rollout || picture->s->stack != STACK_CROSS)
        return 0;
    return err_set(e, ERR_USAGE, "--rollout: cross-attention reads another text: expected "
                   "-s encoder or -s decoder");
}

static int check_look(const struct picture_look *look, struct err *e)
{
    if (figure_check_page(look->figure, e) != 0 || figure_check_clip(look->figure, e) != 0)
        return -1;
    if (look->figure->clip != NULL && strcmp(look->figure->clip, "none") != 0 &&
        is_ranged(look))
        return err_set(e, ERR_USAGE, "--clip %s: --vmin and --vmax give the ends of the "
                       "colours already", look->figure->clip);
    return 0;
}

int picture_plan(struct picture *picture, const struct session *session, const struct wanted *want,
                 const struct picture_look *look, struct err *e)
{
    *picture = (struct picture){ .s = session, .look = *look, .want = *want,
                                 .hinted = arena_alloc(session->a, 1, sizeof *picture->hinted) };
    if (check_look(look, e) != 0 || check_maps(picture, e) != 0)
        return -1;
    pick_layers(picture);
    pick_panels(picture);
    return 0;
}
