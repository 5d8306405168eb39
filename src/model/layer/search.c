/* SPDX-License-Identifier: MIT
 * Sites of attentions -> the layer: its attention, and the layout around it. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "model/layer/site.h"

/* ---- what is around it ---- */

/* Where the layer begins whose attention, by this name of the layout, is the scope; NULL: it
 * is not, or has no such mlp. */
static const char *layer_of(const struct look *look, const char *scope, const char *self,
                            const struct layout *layout)
{
    const char *layer = self != NULL ? layer_before(look->a, scope, self, "") : NULL;
    enum form form;

    if (layer == NULL ||
        (look->asked->prefix != NULL && !str_starts_with(layer, look->asked->prefix)) ||
        layer_weight(look->w, look->a, layer, layout->up, &form) == NULL)
        return NULL;
    return layer;
}

/* Its norms have the names of the layout. */
static bool has_norms(const struct look *look, const char *layer, const struct layout *layout)
{
    return layer_any(look->w, arena_printf(look->a, "%s%s.", layer, layout->norm[0]));
}

/* The layer is a decoder's where its other attention is there. */
static bool has_cross(const struct look *look, const char *layer, const struct layout *layout)
{
    return layout->cross != NULL &&
           layer_any(look->w, arena_printf(look->a, "%s%s", layer, layout->cross));
}

/* Where the layer of one attention to another input begins; NULL: it is none. */
static const char *cross_of(const struct look *look, const char *scope)
{
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        const char *layer = layer_of(look, scope, l->cross, l);

        if (layer != NULL && layer_any(look->w, arena_printf(look->a, "%s%s", layer, l->self)))
            return layer;
    }
    return NULL;
}

/* An attention beside norms of a layer, whose mlp has names that are not known: alone it
 * would not read what it reads there. */
static int check_half(const struct look *look, const char *scope)
{
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        const char *layer = layer_before(look->a, scope, l->self, "");
        const char *norm = layer == NULL ? NULL : arena_printf(look->a, "%s%s", layer, l->norm[0]);

        if (layer == NULL ||
            (look->asked->prefix != NULL && !str_starts_with(layer, look->asked->prefix)) ||
            str_starts_with(norm, scope) || !layer_any(look->w, arena_printf(look->a, "%s.", norm)))
            continue;
        return err_set(look->e, ERR_INPUT, "%s: has %s* and %s, but no mlp of a known layout, such "
                       "as %slinear1 or %sfeed_forward.0; --prefix %s reads the attention alone",
                       look->name, scope, norm, layer, layer, scope);
    }
    return 0;
}

/* Of layouts whose mlps have the same names, the one whose norms, then whose other attention
 * the layer has. */
static int nearness(const struct look *look, const char *layer, const struct layout *layout)
{
    return 2 * has_norms(look, layer, layout) + has_cross(look, layer, layout);
}

/* The layout of what is around the attention in scope, *layer where that begins. */
static int find_layout(struct look *look, const char *scope, const struct layout **out,
                       const char **layer)
{
    const char *at;

    *out = NULL;
    *layer = "";
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        at = layer_of(look, scope, l->self, l);
        if (at == NULL)
            continue;
        if (*out != NULL && strcmp((*out)->up, l->up) != 0)
            return err_set(look->e, ERR_INPUT, "%s: has two layouts at once: %s%s (%s) and %s%s "
                           "(%s)", look->name, at, (*out)->up, (*out)->writer, at, l->up,
                           l->writer);
        if (*out == NULL || nearness(look, at, l) > nearness(look, at, *out))
            *out = l;
        *layer = at;
    }
    return 0;
}

/* ---- lists of layers ---- */

/* "encoder.layers.0." -> "encoder.layers.%d."; NULL: it does not end with a number. */
static const char *pattern_of(struct arena *a, const char *layer)
{
    size_t end = strlen(layer), first;

    if (end < 2 || layer[end - 1] != '.')
        return NULL;
    first = --end;
    while (first > 0 && isdigit((unsigned char)layer[first - 1]))
        first--;
    return first == end ? NULL : arena_printf(a, "%.*s%%d.", (int)first, layer);
}

/* "layers.%d.attn." for two names that differ in one number; NULL: they differ elsewhere. */
static const char *pattern_of_two(struct arena *a, const char *x, const char *y)
{
    size_t at = 0, n_x, n_y;

    while (x[at] != '\0' && x[at] == y[at])
        at++;
    while (at > 0 && isdigit((unsigned char)x[at - 1]))
        at--;
    n_x = strspn(x + at, "0123456789");
    n_y = strspn(y + at, "0123456789");
    if (n_x == 0 || n_y == 0 || strcmp(x + at + n_x, y + at + n_y) != 0)
        return NULL;
    return arena_printf(a, "%.*s%%d%s", (int)at, x, x + at + n_x);
}

static bool fits_pattern(const char *scope, const char *pattern)
{
    size_t at = strcspn(pattern, "%");
    size_t n = strncmp(scope, pattern, at) == 0 ? strspn(scope + at, "0123456789") : 0;

    return n > 0 && strcmp(scope + at + n, pattern + at + 2) == 0;
}

/* All tensors of the layers are those of attentions: one reads what another gives. */
static bool are_alone(const struct look *look, const struct site *site, const char *pattern)
{
    size_t at = strcspn(pattern, "%");
    int first, count = weights_range(look->w, arena_strndup(look->a, pattern, at), &first);

    for (int i = 0; i < count; i++) {
        const struct tensor *t = weights_at(look->w, first + i);
        size_t n = strspn(t->name + at, "0123456789");
        struct site layer = *site;

        if (n == 0)
            continue;
        layer.scope = arena_printf(look->a, "%.*s%s", (int)(at + n), t->name, pattern + at + 2);
        if (!layer_site_has(look, &layer, t))
            return false;
    }
    return true;
}

/* The list that the attention is of, with attentions and nothing else; NULL: there is none. */
static const char *list_alone(const struct look *look, const struct sites *all,
                              const struct site *site)
{
    for (int i = 0; i < all->n; i++) {
        const char *pattern = all->of[i].naming != site->naming ? NULL :
                              pattern_of_two(look->a, site->scope, all->of[i].scope);

        if (pattern != NULL)
            return layer_any(look->w, layer_name(look->a, pattern, 0)) &&
                   are_alone(look, site, pattern) ?
                       pattern : NULL;
    }
    return NULL;
}

/* What stands before the list of layers: "encoder." for "encoder.layers.%d.". */
static const char *base_of(struct arena *a, const char *pattern)
{
    size_t end = strcspn(pattern, "%");

    if (end > 0 && pattern[end - 1] == '.')
        end--;
    while (end > 0 && pattern[end - 1] != '.')
        end--;
    return arena_strndup(a, pattern, end);
}

/* ---- which place ---- */

/* An attention, or a list of them, with nothing around. */
static void set_alone(struct look *look, const struct sites *all, const struct site *site)
{
    const char *pattern = list_alone(look, all, site), *rest;

    look->no_output = site->no_output;
    look->stacked = pattern != NULL;
    look->self = look->stacked ? pattern : site->scope;
    if (!look->stacked)
        return;
    rest = strchr(pattern, '%') + strlen("%d.");
    look->layer = arena_strndup(look->a, pattern, (size_t)(rest - pattern));
    look->base = base_of(look->a, pattern);
}

static void set_layer(struct look *look, const struct layout *layout, const char *layer)
{
    const char *pattern = pattern_of(look->a, layer);

    look->stacked = pattern != NULL &&
                    layer_any(look->w, arena_printf(look->a, "%s%s",
                                                    layer_name(look->a, pattern, 0), layout->self));
    look->layer = look->stacked ? pattern : layer;
    look->base = look->stacked ? base_of(look->a, pattern) : layer;
    look->self = arena_printf(look->a, "%s%s", look->layer, layout->self);
    look->cross = has_cross(look, layer, layout) ? layout->cross : NULL;
}

static int two_places(const struct look *look, const char *one, const char *other)
{
    const char *first = layer_name(look->a, one, 0), *second = layer_name(look->a, other, 0);
    size_t same = 0, end;

    for (size_t i = 0; first[i] != '\0' && first[i] == second[i]; i++)
        if (first[i] == '.')
            same = i + 1;
    end = same + strcspn(first + same, ".") + (strchr(first + same, '.') != NULL);
    return err_set(look->e, ERR_USAGE, "%s: has two attentions that fit, %s* and %s*: give "
                   "--prefix %.*s or --prefix %.*s; a whole model needs its config.json "
                   "beside it", look->name, first, second, (int)end, first,
                   (int)(same + strcspn(second + same, ".") +
                         (strchr(second + same, '.') != NULL)), second);
}

/* A layer, or a list of layers, and then a decoder of the same writer that reads it. */
struct places {
    struct look of[2];
    int n;
};

/* The place of one site, if it is another than those before. */
static int add_place(struct look *look, struct places *places, const struct sites *all,
                     const struct site *site)
{
    struct look found = *look;
    const char *layer;

    for (int i = 0; i < places->n; i++)
        if (places->of[i].layout == NULL && places->of[i].stacked &&
            fits_pattern(site->scope, places->of[i].self))
            return 0;
    if (find_layout(look, site->scope, &found.layout, &layer) != 0 ||
        (found.layout == NULL && check_half(look, site->scope) != 0))
        return -1;
    found.naming = site->naming;
    if (found.layout != NULL)
        set_layer(&found, found.layout, layer);
    else
        set_alone(&found, all, site);
    for (int i = 0; i < places->n; i++)
        if (strcmp(places->of[i].self, found.self) == 0)
            return 0;
    if (places->n == 2)
        return two_places(look, places->of[0].self, places->of[1].self);
    places->of[places->n++] = found;
    return 0;
}

static bool is_pair(const struct look *encoder, const struct look *decoder)
{
    return encoder->layout != NULL && decoder->layout != NULL && encoder->cross == NULL &&
           decoder->cross != NULL && strcmp(encoder->layer, decoder->layer) != 0;
}

/* ---- the whole ---- */

int layer_search(struct look *look, struct look *decoder)
{
    struct places places = { .n = 0 };
    struct sites sites;

    if (layer_sites(look, &sites) != 0)
        return -1;
    for (int i = 0; i < sites.n; i++)
        if (cross_of(look, sites.of[i].scope) == NULL &&
            add_place(look, &places, &sites, &sites.of[i]) != 0)
            return -1;
    if (places.n == 0)
        return layer_unknown(look);
    if (places.n == 2 && is_pair(&places.of[1], &places.of[0])) {
        *look = places.of[1];
        *decoder = places.of[0];
        return 0;
    }
    if (places.n == 2 && !is_pair(&places.of[0], &places.of[1]))
        return two_places(look, places.of[0].self, places.of[1].self);
    *look = places.of[0];
    if (places.n == 2)
        *decoder = places.of[1];
    return 0;
}
