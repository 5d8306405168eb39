/* SPDX-License-Identifier: MIT
 * The heatmap of a layer, to a file or to memory. */
#include <math.h>
#include <string.h>

#include "base/claims.h"
#include "draw/cmap.h"
#include "lib/lib.h"
#include "task/figure/picture.h"

struct drawing {
    struct mhaviz_model *model;
    const struct mhaviz_text *text;
    struct mhaviz_look look;
    struct mhaviz_selection selection;
    struct figure_args figure;
    struct picture_place place;
};

/* The place of a name in a list that NULL ends; -1: it is not there. */
static int lib_heatmap_find(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* By its name, else by the extension of the file, else PNG. */
static int find_format(const struct mhaviz_look *look, const char *path,
                       enum draw_format *format, struct err *e)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    int i = 0;

    if (look->format != NULL)
        i = lib_heatmap_find(draw_format_names, look->format);
    else if (dot != NULL && strchr(dot, '/') == NULL)
        i = lib_heatmap_find(draw_format_names, dot + 1);
    if (i < 0)
        return err_set(e, ERR_USAGE, "%s is not a format of pictures: expected png, svg or pdf",
                       look->format != NULL ? look->format : dot);
    *format = (enum draw_format)i;
    return 0;
}

/* "viridis, magma or gray" */
static const char *list_of_maps(struct arena *a)
{
    const char *list = cmap_names[0];

    for (int i = 1; cmap_names[i] != NULL; i++)
        list = arena_printf(a, "%s%s%s", list, cmap_names[i + 1] != NULL ? ", " : " or ",
                            cmap_names[i]);
    return list;
}

static int check_look(struct drawing *drawing, struct arena *a, struct err *e)
{
    struct mhaviz_look *look = &drawing->look;
    int cmap = look->colours != NULL ? lib_heatmap_find(cmap_names, look->colours) : 0;

    if (cmap < 0)
        return err_set(e, ERR_USAGE, "'%s' is not a colour map: expected %s", look->colours,
                       list_of_maps(a));
    look->dpi = look->dpi != 0 ? look->dpi : 100;
    if (look->columns < 0 || look->columns > 64)
        return err_set(e, ERR_USAGE, "columns: expected 1 to 64");
    if (look->dpi < 10 || look->dpi > 1200)
        return err_set(e, ERR_USAGE, "dpi: expected 10 to 1200");
    drawing->figure = (struct figure_args){ .cmap = cmap, .dpi = look->dpi,
                                            .shared_scale = look->shared != 0,
                                            .outlines = look->outlines != 0,
                                            .title = look->title, .font_size = NAN };
    return find_format(look, drawing->place.path, &drawing->place.format, e);
}

static int lib_heatmap_draw(void *self, struct border *border, struct err *e)
{
    struct drawing *drawing = self;
    struct picture_look look = { .figure = &drawing->figure, .vmin = (double)NAN,
                                 .vmax = (double)NAN };
    struct picture picture;
    struct call call;

    if (drawing->place.path != NULL)
        claims_write(&border->call, drawing->place.path, drawing->place.path);
    if (call_claim(&border->call, drawing->model, drawing->text, e) != 0 ||
        check_look(drawing, &border->call, e) != 0 ||
        call_begin(&call, border, drawing->model, drawing->text, &drawing->selection, false,
                   e) != 0)
        return -1;
    look.columns = drawing->look.columns;
    if (picture_plan(&picture, &call.session, &call.want, &look, e) != 0)
        return -1;
    return picture_draw(&picture, &border->call, call.item, 1, &drawing->place, e);
}

static enum mhaviz_status lib_heatmap_run(struct drawing *drawing, const struct mhaviz_look *look,
                                          struct mhaviz_error *error)
{
    struct err e;

    if (drawing->model == NULL || drawing->text == NULL)
        return border_closed(error, drawing->model == NULL ? "model" : "text");
    if ((look != NULL && sized_take(&sized_look, &drawing->look, look, &e) != 0) ||
        sized_take_selection(&drawing->selection, drawing->look.selection, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    return border_run(lib_heatmap_draw, drawing, error);
}

enum mhaviz_status mhaviz_heatmap(struct mhaviz_model *model, const struct mhaviz_text *text,
                                  const struct mhaviz_look *look, const char *path,
                                  struct mhaviz_error *error)
{
    struct drawing drawing = { .model = model, .text = text, .place = { .path = path } };

    if (path == NULL)
        return border_missing(error, "path");
    if (strcmp(path, "-") == 0)         /* a file of that name: standard output is the caller's */
        drawing.place.path = "./-";
    return lib_heatmap_run(&drawing, look, error);
}

enum mhaviz_status mhaviz_heatmap_bytes(struct mhaviz_model *model,
                                        const struct mhaviz_text *text,
                                        const struct mhaviz_look *look, void **data,
                                        size_t *size, struct mhaviz_error *error)
{
    char *bytes = NULL;
    struct drawing drawing = { .model = model, .text = text,
                               .place = { .data = &bytes, .size = size } };
    enum mhaviz_status status;

    if (data == NULL || size == NULL)
        return border_missing(error, data == NULL ? "data" : "size");
    status = lib_heatmap_run(&drawing, look, error);
    *data = status == MHAVIZ_OK ? bytes : NULL;
    return status;
}
