/* SPDX-License-Identifier: MIT
 * One number of each head -> a picture: layers below each other, heads side by side. */
#include <math.h>

#include "task/diff/diff.h"
#include "task/format.h"
#include "draw/heatmap.h"

const char *const diff_metrics[] = { "entropy", "js", "links_kept", NULL };

/* What each of them shows. */
static const struct shown {
    enum diff_number number;
    const char *title;
} shows[] = {
    { DIFF_ENTROPY_CHANGE, "change of entropy (nats)" },
    { DIFF_JS, "divergence (nats)" },
    { DIFF_LINKS_KEPT, "strongest links kept" },
};

/* value[L, H], NaN where a head is not shown; returns the largest magnitude. */
static float fill(const struct diff_picture *p, enum diff_number number, float *value)
{
    const struct diff_side *side = &p->sides->side[0];
    const struct config *config = &side->s.shown->config;
    float largest = 0;

    for (int i = 0; i < config->n_layers * config->n_heads; i++)
        value[i] = NAN;
    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);) {
        float x = (float)p->value(p->of, l, h, number);

        value[l * config->n_heads + h] = x;
        largest = fmaxf(largest, fabsf(x));     /* NaN: passed over */
    }
    return largest;
}

/* What is compared, of what, and what is changed on both sides. */
static const char *caption(const struct diff_picture *p, struct arena *a)
{
    const struct diff_sides *d = p->sides;
    const struct diff_side *side = &d->side[0];
    struct asked both = side->asked;
    const char *of = d->texts ? arena_printf(a, ", %s", side->s.model->name) :
                     p->whole ? "" : figure_text(a, &side->item);

    if (d->args->masks.n == 2)
        both.mask = NULL;
    if (d->args->dtypes.n == 2)
        both.dtype = PRECISION_F32;
    if (d->args->fasts.n == 2)
        both.fast = FAST_NONE;
    return arena_printf(a, "%s%s%s", p->title, of, figure_changes(a, &both));
}

int diff_draw(const struct diff_picture *p, const struct output *output, const char *path,
              struct arena *a, struct err *e)
{
    const struct figure_args *figure = &p->sides->args->shared.figure;
    const struct shown *shown = &shows[p->sides->args->metric];
    const struct session *session = &p->sides->side[0].s;
    int L = session->shown->config.n_layers, H = session->shown->config.n_heads;
    float *value = arena_alloc(a, (size_t)L, (size_t)H * sizeof *value);
    float largest = fill(p, shown->number, value);
    bool is_signed = shown->number == DIFF_ENTROPY_CHANGE;
    struct panel panel = { shown->title, L, H, value };
    struct figure_plan plan = { .format = figure_format(output), .n_rows = L, .n_cols = H,
                                .n_panels = 1, .columns = 1,
                                .terminal = &output->terminal };
    struct heatmaps maps;
    struct part part;
    struct sheet sheet;

    if (figure_check_page(figure, e) != 0 || figure_plan(figure, &plan, e) != 0)
        return -1;
    if (plan.pool > 1)
        return err_set(e, ERR_USAGE, "%d x %d heads do not fit in a picture", L, H);
    maps = (struct heatmaps){
        .n_panels = 1, .panels = &panel, .columns = 1,
        .rows = figure_numbered(a, 'L', NULL, L),
        .cols = figure_numbered(a, 'H', NULL, H), .pool = 1,
        .cmap = cmap_find(is_signed ? "bluered" : "viridis"),
        .vmin = is_signed ? -largest : 0,
        .vmax = shown->number == DIFF_LINKS_KEPT ? 1 : largest > 0 ? largest : 1e-6f,
        .cell_px = plan.cell_px,
    };
    part = heatmap_part(&maps);
    sheet = figure_sheet(figure, &part, caption(p, a),
                         figure_metadata_map(session, a, p->whole ? NULL :
                                             &p->sides->side[0].item, NULL, NULL));
    sheet.terminal = plan.terminal;
    return sheet_write(&sheet, plan.format, path, session->env->warn, e);
}
