/* SPDX-License-Identifier: MIT
 * One number of each head -> a picture: layers below each other, heads side by side; of an
 * encoder and a decoder one for each attention. */
#include <math.h>
#include <string.h>

#include "cmd/ablate.h"
#include "cmd/figure.h"

static const char *const titles[N_ABLATE] = {
    [ABLATE_DLOSS] = "change of the loss (nats)", [ABLATE_KL] = "divergence (nats)",
    [ABLATE_DIRECT] = "direct change of the loss (nats)",
    [ABLATE_CHANGE] = "relative change of the last hidden state",
};

/* The stacks of heads that are asked for, in the order of the heads; returns how many. */
static int stacks_of(const struct ablate_job *j, enum stack_id *stack)
{
    int n = 0;

    for (int i = 0; i < j->n_asked; i++) {
        bool seen = false;

        for (int k = 0; k < n; k++)
            seen |= stack[k] == j->head[i].stack;
        if (!seen)
            stack[n++] = j->head[i].stack;
    }
    return n;
}

/* A panel of one stack, L layers high; NaN where a head is not shown. */
static struct panel panel_of(const struct ablate_job *j, struct arena *a, enum stack_id stack,
                             const char *title, int L, int H, const double *value)
{
    float *cell = arena_alloc(a, (size_t)L, (size_t)H * sizeof *cell);

    for (int i = 0; i < L * H; i++)
        cell[i] = NAN;
    for (int i = 0; i < j->n_asked; i++)
        if (j->head[i].stack == stack)
            cell[j->head[i].layer * H + j->head[i].head] = (float)value[i];
    return (struct panel){ title, L, H, cell };
}

static float largest(const double *value, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(value[i]));      /* NaN: passed over */
    return most > 0 ? (float)most : 1e-6f;
}

static void sizes(const struct ablate_job *j, const enum stack_id *stack, int n, int *L, int *H)
{
    *L = *H = 0;
    for (int i = 0; i < n; i++) {
        const struct config *config = &ablate_model(j, stack[i])->config;

        *L = config->n_layers > *L ? config->n_layers : *L;
        *H = config->n_heads > *H ? config->n_heads : *H;
    }
}

int ablate_draw(const struct ablate_job *j, const char *caption, const double *value,
                const char *path, struct arena *a, struct err *e)
{
    const struct figure_args *figure = &j->args->shared.figure;
    enum ablate_number shown = ablate_shown(j);
    bool is_signed = shown == ABLATE_DLOSS || shown == ABLATE_DIRECT;
    enum stack_id stack[N_STACK];
    int n = stacks_of(j, stack), L, H, cell_px, pool;
    struct panel panel[N_STACK];
    float most = largest(value, j->n_asked);
    struct heatmaps maps;
    struct part part;

    sizes(j, stack, n, &L, &H);
    heatmap_plan(L, H, n, n, 0, figure->dpi, &cell_px, &pool);
    if (pool > 1)
        return err_set(e, ERR_USAGE, "%d x %d heads do not fit in a picture", L, H);
    for (int i = 0; i < n; i++)
        panel[i] = panel_of(j, a, stack[i],
                            n == 1 ? titles[shown] :
                            arena_printf(a, "%s: %s", family_stack_names[stack[i]],
                                         titles[shown]), L, H, value);
    maps = (struct heatmaps){
        .n_panels = n, .panels = panel, .columns = n, .rows = figure_numbered(a, 'L', L),
        .cols = figure_numbered(a, 'H', H), .pool = 1, .shared = true,
        .cmap = cmap_find(is_signed ? "bluered" : "viridis"), .vmin = is_signed ? -most : 0,
        .vmax = most, .cell_px = cell_px,
    };
    part = heatmap_part(&maps);
    return sheet_write(&(struct sheet){
        .title = figure->title, .caption = caption, .font = figure->font, .dpi = figure->dpi,
        .n_parts = 1, .parts = &part,
        .metadata = figure->no_metadata ? NULL : figure_metadata_model(&j->job.s),
    }, figure_format(&j->job.results.output), path, j->job.s.env->warn, e);
}
