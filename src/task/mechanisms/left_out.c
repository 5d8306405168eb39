/* SPDX-License-Identifier: MIT
 * Mechanisms that cannot run on a layer -> the reasons, under a table or as warnings. */
#include <string.h>

#include "task/mechanisms/mechanisms.h"

static const char *reason(const struct mechanisms_text *text, int layer, int id)
{
    return mechanisms_covers(text->c->opts, (enum mechanism_id)id) ?
               mechanisms_at(text->c, layer, (enum mechanism_id)id)->refused : NULL;
}

static bool is_same(const char *x, const char *y)
{
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

const char *mechanisms_left_out(const struct mechanisms_text *text, struct arena *a, int layer,
                                int id)
{
    const char *why = reason(text, layer, id);
    char *names;

    if (why == NULL)
        return NULL;
    for (int i = 0; i < id; i++)
        if (is_same(reason(text, layer, i), why))
            return NULL;
    names = arena_printf(a, "%s", mechanism_names[id]);
    for (int i = id + 1; i < N_MECHANISM; i++)
        if (is_same(reason(text, layer, i), why))
            names = arena_printf(a, "%s, %s", names, mechanism_names[i]);
    return arena_printf(a, "%s: %s", names, why);
}

/* ---- where no table shows them ---- */

static int count_left(const struct mechanisms_text *text)
{
    int count = 0;

    for (int l = 0; l < text->c->n_layers; l++)
        for (int id = 0; text->layer[l] && id < N_MECHANISM; id++)
            count += mechanisms_covers(text->c->opts, (enum mechanism_id)id) &&
                     reason(text, l, id) == NULL;
    return count;
}

/* Whether every layer that was selected has this line. */
static bool is_everywhere(const struct mechanisms_text *text, struct arena *a, int id,
                          const char *line)
{
    for (int l = 0; l < text->c->n_layers; l++)
        if (text->layer[l] && !is_same(mechanisms_left_out(text, a, l, id), line))
            return false;
    return true;
}

static void warn_once(const struct mechanisms_text *text, struct mechanisms_said *said,
                      const char *line)
{
    for (int i = 0; i < said->n; i++)
        if (strcmp(said->line[i], line) == 0)
            return;
    if (said->n < (int)(sizeof said->line / sizeof *said->line))
        said->line[said->n++] = arena_strdup(text->s->a, line);
    err_warn(text->s->env->warn, "%s", line);
}

/* Of one layer: what holds in all of them is said without its number. */
static void warn_layer(const struct mechanisms_text *text, struct arena *a, int layer,
                       struct mechanisms_said *said)
{
    for (int id = 0; id < N_MECHANISM; id++) {
        const char *line = mechanisms_left_out(text, a, layer, id);

        if (line != NULL)
            warn_once(text, said, is_everywhere(text, a, id, line) ? line :
                                   arena_printf(a, "layer %d: %s", layer, line));
    }
}

static int none_left(const struct mechanisms_text *text, struct arena *a, struct err *e)
{
    const char *all = "";
    int layer = 0;

    while (!text->layer[layer])
        layer++;
    for (int id = 0; id < N_MECHANISM; id++) {
        const char *line = mechanisms_left_out(text, a, layer, id);

        if (line != NULL)
            all = arena_printf(a, "%s%s%s", all, *all != '\0' ? "; " : "", line);
    }
    return err_set(e, ERR_INPUT, "no mechanism is applicable to layer %d of %s: %s", layer,
                   text->s->model->name, all);
}

int mechanisms_say_left_out(const struct mechanisms_text *text, struct arena *a,
                            struct mechanisms_said *said, struct err *e)
{
    if (count_left(text) == 0)
        return none_left(text, a, e);
    for (int l = 0; l < text->c->n_layers; l++)
        if (text->layer[l])
            warn_layer(text, a, l, said);
    return 0;
}
