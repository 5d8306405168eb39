/* SPDX-License-Identifier: MIT
 * Options of a picture -> its layers and panels. */
#include "task/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/average.h"

/* ---- what is shown ---- */

/* Of all layers that there are where the default is not the layer of one picture. */
static bool picture_is_of_layers(const struct picture *p)
{
    return session_averages(p->s, AVERAGE_LAYERS) || p->look.rollout;
}

/* Panels are of heads, and not of their means. */
static bool is_of_heads(const struct picture *p)
{
    return !session_averages(p->s, AVERAGE_HEADS) && !p->look.rollout;
}

/* Those that were selected, else the default. */
static void pick_layers(struct picture *p)
{
    const struct session *session = p->s;
    int L = session->shown->config.n_layers, only = session_default_layer(session);
    bool named = session_names_heads(session->asked);
    bool given = session->asked->layer != NULL || named, *layer;

    layer = arena_alloc(session->a, (size_t)L, sizeof *layer);
    for (int l = 0; l < L; l++) {
        layer[l] = given ? wanted_layer(&p->want, l) : picture_is_of_layers(p) ?
                         wanted_layer(&p->want, l) : l == only;
        p->n_layers += layer[l];
    }
    p->want.layer = layer;
    p->sheet = p->n_layers > 1 && !named && is_of_heads(p) && !picture_is_of_layers(p);
}

static int by_rank(const void *x, const void *y)
{
    const struct picture_panel *a = x, *b = y;

    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* A mean stands where the first of its heads would. */
static void add_panel(struct picture *p, struct picture_panel *panel, struct picture_panel next)
{
    int i = next.layer >= 0 && next.head >= 0 ? p->n_panels : 0;

    while (i < p->n_panels && (panel[i].layer != next.layer || panel[i].head != next.head))
        i++;
    if (i == p->n_panels)
        panel[p->n_panels++] = next;
    else if (next.rank < panel[i].rank)
        panel[i].rank = next.rank;
}

/* In the order in which -l and -H name them. */
static void pick_panels(struct picture *p)
{
    const struct config *config = &p->s->shown->config;
    struct picture_panel *panel = arena_alloc(p->s->a, (size_t)config->n_layers,
                                              (size_t)config->n_heads * sizeof *panel);

    p->panel = panel;
    for (int l = 0, h = -1; session_next_head(p->s, &p->want, &l, &h);)
        add_panel(p, panel, (struct picture_panel){
            picture_is_of_layers(p) ? -1 : l,
            is_of_heads(p) ? h : -1,
            session_rank(p->s, l, h),
        });
    qsort(panel, (size_t)p->n_panels, sizeof *panel, by_rank);
    p->per_row = p->sheet ? p->n_panels / p->n_layers : p->n_panels;
}

/* The ends of the colours are given, one of them or both. */
static bool is_ranged(const struct picture_look *look)
{
    return !isnan(look->vmin) || !isnan(look->vmax);
}

static int check_maps(const struct picture *p, struct err *e)
{
    if (!p->look.rollout || p->s->stack != STACK_CROSS)
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

int picture_plan(struct picture *p, const struct session *s, const struct wanted *want,
                 const struct picture_look *look, struct err *e)
{
    *p = (struct picture){ .s = s, .look = *look, .want = *want,
                           .hinted = arena_alloc(s->a, 1, sizeof *p->hinted) };
    if (check_look(look, e) != 0 || check_maps(p, e) != 0)
        return -1;
    pick_layers(p);
    pick_panels(p);
    return 0;
}
