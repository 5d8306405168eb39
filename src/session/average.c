/* SPDX-License-Identifier: MIT
 * --average -> the model that is shown in place of its heads or layers. */
#include "session/average.h"

#include <string.h>

#include "base/list.h"
#include "base/str.h"

/* ---- what is averaged ---- */

static int over_of(const char *name, size_t n)
{
    static const struct { const char *name; int over; } words[] = {
        { "none", 0 }, { "heads", AVERAGE_HEADS }, { "layers", AVERAGE_LAYERS },
        { "texts", AVERAGE_TEXTS }, { "both", AVERAGE_HEADS | AVERAGE_LAYERS },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == n && strncmp(words[i].name, name, n) == 0)
            return words[i].over;
    return -1;
}

static int read_over(const char *list, unsigned *over, struct err *e)
{
    *over = 0;
    for (const char *at = list; at != NULL;) {
        size_t n = strcspn(at, ",");
        int next = over_of(at, n);

        if (next < 0)
            return err_set(e, ERR_USAGE, "--average: '%s': expected heads, layers or texts, or "
                           "several of them with commas between", list);
        *over |= (unsigned)next;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return 0;
}

/* ---- the model of the means ---- */

/* [layers] that have a head which is shown, or [heads] that are shown of a layer. */
static bool *any_of(const struct session *s, const struct wanted *want, bool layers, int *n)
{
    int count = layers ? s->n_layers : s->n_heads;
    bool *any = arena_alloc(s->a, (size_t)count, sizeof *any);

    *n = 0;
    for (int l = 0, h = -1; session_next_head(s, want, &l, &h);) {
        int i = layers ? l : h;

        *n += !any[i];
        any[i] = true;
    }
    return any;
}

static int *ranks(const struct session *s, int n, int (*rank)(const struct session *s, int i))
{
    int *ranks = arena_alloc(s->a, (size_t)n, sizeof *ranks);

    for (int i = 0; i < n; i++)
        ranks[i] = rank(s, i);
    return ranks;
}

static void show_means(struct session *s, struct wanted *want, struct session_average *average)
{
    struct model *means = arena_alloc(s->a, 1, sizeof *means);
    const int *layer_rank = ranks(s, s->n_layers, session_layer_rank);
    const int *head_rank = ranks(s, s->n_heads, session_head_rank);
    bool of_layers = (average->over & AVERAGE_LAYERS) != 0,
         of_heads = (average->over & AVERAGE_HEADS) != 0;

    average->layers = any_of(s, want, true, &average->n_layers);
    average->heads = any_of(s, want, false, &average->n_heads);
    if (!of_layers && !of_heads)
        return;
    *means = *s->shown;
    means->config.n_layers = of_layers ? 1 : s->n_layers;
    means->config.n_heads = of_heads ? 1 : s->n_heads;
    s->shown = means;
    s->n_layers = means->config.n_layers;
    s->n_heads = means->config.n_heads;
    s->named_rank = NULL;
    s->layer_rank = of_layers ? NULL : layer_rank;
    s->head_rank = of_heads ? NULL : head_rank;
    want->layer = of_layers ? NULL : average->layers;
    want->head = of_heads ? NULL : average->heads;
    want->head_stride = 0;
}

int average_select(struct session *s, struct wanted *want, struct err *e)
{
    struct session_average *average;
    unsigned over;

    s->average = NULL;
    if (read_over(s->asked->average, &over, e) != 0)
        return -1;
    if (over == 0)
        return 0;
    average = arena_alloc(s->a, 1, sizeof *average);
    *average = (struct session_average){ over, s->shown, want->layer, want->head,
                                         want->head_stride, NULL, NULL, 0, 0 };
    s->average = average;
    show_means(s, want, average);
    return 0;
}

/* "heads 0-3", or their names. */
static const char *heads_text(const struct session *s, struct arena *a)
{
    const struct session_average *of = s->average;

    return session_names_heads(s->asked) ? s->asked->head :
               arena_printf(a, "head%s %s", str_plural(of->n_heads),
                            list_text(a, of->heads, of->of->config.n_heads));
}

const char *average_text(const struct session *s, struct arena *a)
{
    const struct session_average *of = s->average;
    const char *layers;

    if (!session_averages(s, AVERAGE_HEADS | AVERAGE_LAYERS))
        return NULL;
    if (!session_averages(s, AVERAGE_LAYERS))
        return arena_printf(a, "mean of %s", heads_text(s, a));
    layers = arena_printf(a, "mean of layer%s %s", str_plural(of->n_layers),
                          list_text(a, of->layers, of->of->config.n_layers));
    return session_averages(s, AVERAGE_HEADS) ?
               arena_printf(a, "%s, %s", layers, heads_text(s, a)) : layers;
}
