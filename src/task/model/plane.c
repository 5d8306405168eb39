/* SPDX-License-Identifier: MIT
 * All heads on one sheet, as points: the nearer two are, the more similar their attention. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure/scatter.h"
#include "session/shown/shown.h"
#include "task/model/model.h"

static int model_plane_by_name(const void *x, const void *y)
{
    const char *const *a = x, *const *b = y;

    return strcmp(*a, *b);
}

static int find_name(const char *const *name, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name[i], word) == 0)
            return i;
    return -1;
}

/* The types that heads have, each once; *n of them. */
static const char *const *types_of(const struct model_view_heads *heads, struct arena *a, int *n)
{
    const char **name = arena_alloc(a, (size_t)heads->n, sizeof *name);

    *n = 0;
    for (int i = 0; i < heads->n; i++)
        if (heads->head[i].type != NULL && find_name(name, *n, heads->head[i].type) < 0)
            name[(*n)++] = heads->head[i].type;
    qsort(name, (size_t)*n, sizeof *name, model_plane_by_name);
    return name;
}

static int check_places(const struct model_view_picture *picture, struct err *e)
{
    for (int i = 0; i < picture->heads.n; i++)
        if (isnan(picture->heads.head[i].x))
            return err_set(e, ERR_INPUT, "--mds: no row that was read is of L%dH%d and of each "
                           "other head, so that their distance is not known",
                           picture->heads.head[i].layer, picture->heads.head[i].head);
    return 0;
}

static void set_points(const struct model_view_picture *picture, struct scatter *scatter,
                       struct arena *a)
{
    size_t count = (size_t)picture->heads.n;
    struct scatter_point *point = arena_alloc(a, count, sizeof *point);
    float *shade = arena_alloc(a, count, sizeof *shade);

    for (int i = 0; i < picture->heads.n; i++) {
        const struct model_view_head *head = &picture->heads.head[i];

        point[i] = (struct scatter_point){
            head->x, head->y, arena_printf(a, "L%dH%d", head->layer, head->head),
            head->type != NULL ? find_name(scatter->kind, scatter->n_kinds, head->type) : -1
        };
        shade[i] = (float)head->layer;
    }
    scatter->n = picture->heads.n;
    scatter->point = point;
    scatter->shade = shade;
}

static const char *model_plane_caption(const struct model_view_picture *picture, struct arena *a,
                                       bool typed)
{
    const struct session *s = &picture->j->job.s;
    const char *shown = shown_asked(s, a, SHOWN_NUMBERS);

    return arena_printf(a, "%s: heads by how differently they attend%s%s; distance: square root "
                        "of the mean Jensen-Shannon divergence of their rows, in the plane as "
                        "far as that goes; colour: %s%s%s.", model_view_of(picture, a), picture->of,
                        figure_changes(a, s->asked), typed ? "type" : "layer",
                        shown != NULL ? "; " : "", shown != NULL ? shown : "");
}

int model_view_draw_plane(const struct model_view_picture *picture, struct arena *a, struct err *e)
{
    const struct session *s = &picture->j->job.s;
    const struct figure_args *figure = &picture->j->args->shared.figure;
    struct scatter scatter = { .cmap = &cmap_table[figure->cmap], .shade_name = "layer",
                               .no_bar = figure->no_bars, .no_names = figure->no_labels,
                               .unit = "√nats" };
    struct part part;
    struct sheet sheet;

    if (check_places(picture, e) != 0)
        return -1;
    scatter.kind = types_of(&picture->heads, a, &scatter.n_kinds);
    set_points(picture, &scatter, a);
    part = scatter_part(&scatter);
    sheet = figure_sheet(figure, &part, model_plane_caption(picture, a, scatter.n_kinds > 0),
                         figure_metadata_run(s, a, picture->item));
    sheet.terminal = &picture->j->job.results.output.terminal;
    return sheet_write(&sheet, picture->format, picture->path, s->env->warn, e);
}
