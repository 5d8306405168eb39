/* SPDX-License-Identifier: MIT
 * One number per head -> a picture: a row per layer, a column per head; for an encoder-decoder one
 * panel per stack.  With --by-position one panel per head number: a row per layer, a column per
 * token. */
#include <math.h>
#include <string.h>

#include "task/ablate/ablate.h"
#include "task/figure/format.h"

static const char *const titles[] = {
    [ABLATE_DLOSS] = "change of the loss (nats)", [ABLATE_KL] = "divergence (nats)",
    [ABLATE_DIRECT] = "direct change of the loss (nats)",
    [ABLATE_CHANGE] = "relative change of the last hidden state",
    [N_ABLATE] = "0 as the text, 1 as the other",
};

/* ---- parts of a picture ---- */

/* Panels of the same size, with colours around 0 where numbers have signs. */
struct maps {
    struct panel *panel;
    int n, columns;
    struct label_list rows, cols;
    bool is_signed;
};

/* All of it undefined. */
static struct panel empty_panel(struct arena *a, const char *title, int n_rows, int n_cols)
{
    size_t n = (size_t)n_rows * (size_t)n_cols;
    float *cell = arena_alloc_raw(a, n, sizeof *cell);

    for (size_t i = 0; i < n; i++)
        cell[i] = NAN;
    return (struct panel){ title, n_rows, n_cols, cell };
}

static void ablate_picture_put(struct panel *panel, int row, int col, double value)
{
    ((float *)(uintptr_t)panel->value)[row * panel->n_cols + col] = (float)value;
}

static float ablate_picture_largest(const struct maps *maps)
{
    float most = 0;

    for (int i = 0; i < maps->n; i++)
        for (int k = 0; k < maps->panel[i].n_rows * maps->panel[i].n_cols; k++)
            most = fmaxf(most, fabsf(maps->panel[i].value[k]));    /* NaN: passed over */
    return most > 0 ? most : 1e-6f;
}

static int ablate_picture_draw(const struct ablate_job *job, const struct maps *m,
                               const char *caption, const char *path, struct err *e)
{
    const struct figure_args *figure = &job->args->shared.figure;
    float most = ablate_picture_largest(m);
    struct figure_plan plan = {
        .format = figure_format(&job->job.results.output), .n_rows = m->rows.n,
        .n_cols = m->cols.n, .n_panels = m->n, .one_bar = true, .columns = m->columns,
        .terminal = &job->job.results.output.terminal
    };
    struct heatmaps maps;
    struct part part;
    struct sheet sheet;

    if (figure_check_page(figure, e) != 0 || figure_plan(figure, &plan, e) != 0)
        return -1;
    if (plan.pool > 1)
        return err_set(e, ERR_USAGE, "%d maps of %d x %d cells do not fit in a picture", m->n,
                       m->rows.n, m->cols.n);
    maps = (struct heatmaps){
        .n_panels = m->n, .panels = m->panel, .columns = m->columns, .rows = m->rows,
        .cols = m->cols, .pool = 1, .shared = true,
        .cmap = cmap_find(m->is_signed ? "bluered" : "viridis"),
        .vmin = m->is_signed ? -most : 0, .vmax = most, .cell_px = plan.cell_px,
    };
    part = heatmap_part(&maps);
    sheet = figure_sheet(figure, &part, caption,
                         figure_metadata_run(&job->job.s, job->job.s.a, NULL));
    sheet.terminal = plan.terminal;
    return sheet_write(&sheet, plan.format, path, job->job.s.env->warn, e);
}

/* ---- heads ---- */

/* The stacks of heads that are asked for, in the order of the heads; returns how many. */
static int stacks_of(const struct ablate_job *job, enum stack_id *stack)
{
    int n = 0;

    for (int i = 0; i < job->n_asked; i++) {
        bool seen = false;

        for (int k = 0; k < n; k++)
            seen |= stack[k] == job->head[i].stack;
        if (!seen)
            stack[n++] = job->head[i].stack;
    }
    return n;
}

/* Layers, or heads of whatever layer, that are asked for, in the order of -l and -H. */
struct side {
    int n;
    int *number;                /* [n] */
    int *place;                 /* of each number among them */
};

static struct side ablate_picture_side_of(const struct ablate_job *job, struct arena *a, bool heads)
{
    struct side side = { 0, arena_alloc(a, (size_t)job->n_asked, sizeof(int)), NULL };
    int most = 0;
    bool *has;

    for (int i = 0; i < job->n_asked; i++) {
        int number = heads ? job->head[i].head : job->head[i].layer;

        most = number > most ? number : most;
    }
    has = arena_alloc(a, (size_t)most + 1, sizeof *has);
    side.place = arena_alloc(a, (size_t)most + 1, sizeof *side.place);
    for (int i = 0; i < job->n_asked; i++)
        has[heads ? job->head[i].head : job->head[i].layer] = true;
    for (int i = 0; i <= most; i++)
        if (has[i])
            side.number[side.n++] = i;
    (heads ? figure_order_heads : figure_order_layers)(&job->job.s, side.number, side.n);
    for (int i = 0; i < side.n; i++)
        side.place[side.number[i]] = i;
    return side;
}

/* number: of titles. */
static int draw_heads(const struct ablate_job *job, int number, const char *caption,
                      const double *value, const char *path, struct arena *a, struct err *e)
{
    enum stack_id stack[N_STACK];
    struct side layers = ablate_picture_side_of(job, a, false),
                heads = ablate_picture_side_of(job, a, true);
    struct panel panel[N_STACK];
    int n = stacks_of(job, stack);
    bool is_signed = number != ABLATE_KL && number != ABLATE_CHANGE;

    for (int i = 0; i < n; i++) {
        panel[i] = empty_panel(a, n == 1 ? titles[number] :
                               arena_printf(a, "%s: %s", family_stack_names[stack[i]],
                                            titles[number]), layers.n, heads.n);
        for (int k = 0; k < job->n_asked; k++)
            if (job->head[k].stack == stack[i])
                ablate_picture_put(&panel[i], layers.place[job->head[k].layer],
                                   heads.place[job->head[k].head], value[k]);
    }
    return ablate_picture_draw(job, &(struct maps){ panel, n, n,
                                                    figure_numbered(a, 'L', layers.number,
                                                                    layers.n),
                                                    figure_numbered(a, 'H', heads.number, heads.n),
                                                    is_signed },
                               caption, path, e);
}

int ablate_draw(const struct ablate_job *job, const char *caption, const double *value,
                const char *path, struct arena *a, struct err *e)
{
    return draw_heads(job, (int)ablate_shown(job), caption, value, path, a, e);
}

/* ---- --patch ---- */

static bool shows_kl(const struct ablate_job *job)
{
    return job->args->metric == 1 + ABLATE_KL;
}

static const char *patch_caption(const struct ablate_job *job, const struct ablate_patched *patched,
                                 struct arena *a)
{
    const struct answer *w = &job->answer;
    const char *other = patched->other.text_size > 0 ?
                        arena_printf(a, "“%.300s”", patched->other.text) : job->args->patch_ids;
    const char *against = patched->against < 0 ? "" :
                          arena_printf(a, " against %s", answer_name(w, a, patched->against));

    return arena_printf(a, "%s%s: heads' outputs of %s put in, logit of %s%s%s.",
                        job->job.s.model->name, figure_text(a, &patched->item), other,
                        answer_name(w, a, patched->answer), against,
                        figure_changes(a, job->job.s.asked));
}

/* One panel for each head of a layer, whose columns are its queries. */
static int draw_positions(const struct ablate_job *job, const struct ablate_patched *patched,
                          const char *path, struct arena *a, struct err *e)
{
    const struct tokens *t = ablate_rows_of(job, &patched->item, &job->head[0]);
    struct side layers = ablate_picture_side_of(job, a, false),
                heads = ablate_picture_side_of(job, a, true);
    int *place = arena_alloc(a, (size_t)t->n, sizeof *place);
    struct panel *panel = arena_alloc(a, (size_t)heads.n, sizeof *panel);

    if (ablate_several_stacks(job))
        return err_set(e, ERR_USAGE, "--by-position: a picture shows one attention: expected "
                       "-s encoder, decoder or cross");
    for (int i = 0; i < t->n; i++)
        place[i] = i;
    for (int i = 0; i < heads.n; i++)
        panel[i] = empty_panel(a, arena_printf(a, "H%d", heads.number[i]), layers.n, t->n);
    for (int i = 0; i < job->n_asked; i++)
        for (int k = 0; k < t->n; k++)
            ablate_picture_put(&panel[heads.place[job->head[i].head]],
                               layers.place[job->head[i].layer], k,
                               shows_kl(job) ? patched->at[i][k].kl : patched->at[i][k].patch);
    return ablate_picture_draw(job, &(struct maps){ panel, heads.n, heads.n < 4 ? heads.n : 4,
                                                    figure_numbered(a, 'L', layers.number,
                                                                    layers.n),
                                                    figure_labels(a, t, place, t->n),
                                                    !shows_kl(job) },
                               patch_caption(job, patched, a), path, e);
}

int ablate_patch_draw(const struct ablate_job *job, const struct ablate_patched *patched,
                      const char *path, struct arena *a, struct err *e)
{
    double *value = arena_alloc(a, (size_t)job->n_asked, sizeof *value);

    if (job->args->by_position)
        return draw_positions(job, patched, path, a, e);
    for (int i = 0; i < job->n_asked; i++)
        value[i] = shows_kl(job) ? patched->head[i].kl : patched->head[i].patch;
    return draw_heads(job, shows_kl(job) ? (int)ABLATE_KL : (int)N_ABLATE,
                      patch_caption(job, patched, a), value, path, a, e);
}
