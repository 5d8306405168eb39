/* SPDX-License-Identifier: MIT
 * --average -> the model that is shown in place of its heads or layers. */
#include "session/shown/average.h"

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
            return err_set(e, ERR_USAGE, "--average: '%s': expected heads, layers or texts, "
                           "several of them with commas between, both or none", list);
        *over |= (unsigned)next;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return 0;
}

bool average_is_asked(const struct asked *asked)
{
    struct err ignored;
    unsigned over;

    return read_over(asked->average, &over, &ignored) != 0 || over != 0;
}

/* ---- the model of the means ---- */

/* [layers] that have a head which is shown, or [heads] that are shown of a layer. */
static bool *any_of(const struct session *session, const struct wanted *want, bool layers, int *n)
{
    int count = layers ? session->n_layers : session->n_heads;
    bool *any = arena_alloc(session->a, (size_t)count, sizeof *any);

    *n = 0;
    for (int l = 0, h = -1; session_next_head(session, want, &l, &h);) {
        int i = layers ? l : h;

        *n += !any[i];
        any[i] = true;
    }
    return any;
}

static int *ranks(const struct session *session, int n,
                  int (*rank)(const struct session *session, int i))
{
    int *ranks = arena_alloc(session->a, (size_t)n, sizeof *ranks);

    for (int i = 0; i < n; i++)
        ranks[i] = rank(session, i);
    return ranks;
}

static void show_means(struct session *session, struct wanted *want,
                       struct session_average *average)
{
    struct model *means = arena_alloc(session->a, 1, sizeof *means);
    const int *layer_rank = ranks(session, session->n_layers, session_layer_rank);
    const int *head_rank = ranks(session, session->n_heads, session_head_rank);
    bool of_layers = (average->over & AVERAGE_LAYERS) != 0,
         of_heads = (average->over & AVERAGE_HEADS) != 0;

    average->layers = any_of(session, want, true, &average->n_layers);
    average->heads = any_of(session, want, false, &average->n_heads);
    if (!of_layers && !of_heads)
        return;
    *means = *session->shown;
    means->config.n_layers = of_layers ? 1 : session->n_layers;
    means->config.n_heads = of_heads ? 1 : session->n_heads;
    session->shown = means;
    session->n_layers = means->config.n_layers;
    session->n_heads = means->config.n_heads;
    session->named_rank = NULL;
    session->layer_rank = of_layers ? NULL : layer_rank;
    session->head_rank = of_heads ? NULL : head_rank;
    want->layer = of_layers ? NULL : average->layers;
    want->head = of_heads ? NULL : average->heads;
    want->head_stride = 0;
}

int average_select(struct session *session, struct wanted *want, struct err *e)
{
    struct session_average *average;
    unsigned over;

    session->average = NULL;
    if (read_over(session->asked->average, &over, e) != 0)
        return -1;
    if (over == 0)
        return 0;
    average = arena_alloc(session->a, 1, sizeof *average);
    *average = (struct session_average){ over, session->shown, want->layer, want->head,
                                         want->head_stride, NULL, NULL, 0, 0 };
    session->average = average;
    show_means(session, want, average);
    return 0;
}

int average_of_parts(struct session *session, struct err *e)
{
    struct session_average *average;
    unsigned over;

    if (read_over(session->asked->average, &over, e) != 0)
        return -1;
    if (over == 0)
        return 0;
    average = arena_alloc(session->a, 1, sizeof *average);
    *average = (struct session_average){ .over = over, .of = session->shown };
    session->average = average;
    return 0;
}

/* "heads 0-3"; of parts "heads". */
static const char *members_text(struct arena *a, const char *member, const bool *set, int n,
                                int n_set)
{
    return set == NULL ? arena_printf(a, "%ss", member) :
               arena_printf(a, "%s%s %s", member, str_plural(n_set), list_text(a, set, n));
}

const char *average_text(const struct session *session, struct arena *a)
{
    const struct session_average *of = session->average;
    const char *layers, *heads;

    if (!session_averages(session, AVERAGE_HEADS | AVERAGE_LAYERS))
        return NULL;
    if (session_names_heads(session->asked))
        return arena_printf(a, "mean of %s", session->asked->head);
    layers = members_text(a, "layer", of->layers, of->of->config.n_layers, of->n_layers);
    heads = members_text(a, "head", of->heads, of->of->config.n_heads, of->n_heads);
    if (session_averages(session, AVERAGE_LAYERS) && session_averages(session, AVERAGE_HEADS))
        return arena_printf(a, "mean of %s, %s", layers, heads);
    return arena_printf(a, "mean of %s", session_averages(session, AVERAGE_HEADS) ? heads : layers);
}

const char *average_names(const struct session *session, struct arena *a, int layer, int head)
{
    const struct session_average *of = session->average;
    const struct wanted selected = { .layer = of->layer, .head = of->head,
                                     .head_stride = of->head_stride };
    const char *names = "";

    for (int l = 0; l < of->of->config.n_layers; l++)
        for (int h = 0; h < of->of->config.n_heads; h++)
            if ((layer < 0 || l == layer) && (head < 0 || h == head) &&
                wanted_layer(&selected, l) && wanted_head(&selected, l, h))
                names = arena_printf(a, "%s%sL%dH%d", names, names[0] != '\0' ? "," : "", l, h);
    return names;
}
