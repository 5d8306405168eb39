/* SPDX-License-Identifier: MIT
 * The names of all tensors -> where an attention lies, and what is around it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/layer_priv.h"

/* Tensors of one naming in one place, "encoder.layers.0.self_attn.". */
struct site {
    const char *scope;
    const struct naming *naming;
    const struct tensor *first;     /* one of its tensors, for messages */
    int n_parts;                    /* of those that the naming has, how many are there */
    bool no_output;                 /* all but the output, and no matrix that may be it */
};

struct sites {
    struct site *of;
    int n;
};

/* ---- one naming in one place ---- */

static bool starts(const char *s, const char *begin)
{
    return strncmp(s, begin, strlen(begin)) == 0;
}

static const struct tensor *find_part(const struct look *k, const char *scope,
                                      const struct naming *n, int part)
{
    const char *name = n->part[part];
    enum form form;

    if (name == NULL)
        return NULL;
    if (n->kind == PROJ_HEADS && part != PART_O)
        return layer_find(k->w, k->a, scope, name, ".0.weight");
    if (n->kind == PROJ_TORCH && part != PART_O)
        return layer_find(k->w, k->a, scope, name, "_weight");
    return layer_weight(k->w, k->a, scope, name, &form);
}

/* The projection that all of torch's have in one; NULL: the naming is not torch's. */
static const struct tensor *find_in_proj(const struct look *k, const char *scope,
                                         const struct naming *n)
{
    return n->kind == PROJ_TORCH ? layer_find(k->w, k->a, scope, "in_proj", "_weight") : NULL;
}

static int parts_of(const struct naming *n)
{
    int count = 0;

    for (int i = 0; i < N_PART; i++)
        count += n->part[i] != NULL;
    return count;
}

/* A matrix in the scope that is neither of the parts nor a table or mask of attentions. */
static bool has_other_matrix(const struct look *k, const struct site *s)
{
    for (int i = 0; i < weights_count(k->w); i++) {
        const struct tensor *tensor = weights_at(k->w, i);
        bool known = !starts(tensor->name, s->scope) || tensor->n_dims < 2 ||
                     layer_is_mask(tensor, s->scope) ||
                     strcmp(tensor->name + strlen(s->scope), "rel_pos_encoding") == 0;

        for (int part = PART_Q; !known && part <= PART_V; part++)
            known = tensor == find_part(k, s->scope, s->naming, part);
        if (!known)
            return true;
    }
    return false;
}

/* All but the output, of linears for all heads: some single heads have none. */
static bool has_no_output(const struct look *k, const struct site *s)
{
    const struct naming *n = s->naming;

    if (n->part[PART_O] == NULL)
        return true;
    return n->kind != PROJ_TORCH && n->kind != PROJ_HEADS && s->n_parts == parts_of(n) - 1 &&
           find_part(k, s->scope, n, PART_O) == NULL && !has_other_matrix(k, s);
}

/* False: none of its queries, keys and values is there. */
static bool measure(const struct look *k, struct site *s)
{
    const struct tensor *in_proj = find_in_proj(k, s->scope, s->naming);

    s->first = in_proj;
    s->n_parts = in_proj != NULL ? 3 : 0;
    for (int i = PART_Q; i <= PART_V; i++) {
        const struct tensor *tensor = find_part(k, s->scope, s->naming, i);

        s->n_parts += tensor != NULL && in_proj == NULL;
        if (s->first == NULL)
            s->first = tensor;
    }
    s->n_parts += s->first != NULL && find_part(k, s->scope, s->naming, PART_O) != NULL;
    s->no_output = s->first != NULL && has_no_output(k, s);
    return s->first != NULL;
}

static bool is_whole(const struct site *s)
{
    return s->n_parts == parts_of(s->naming);
}

/* ---- all places ---- */

/* How a name may end where it is this part; NULL ends. */
static const char *const *endings_of(const struct naming *n)
{
    static const char *const whole[] = { ".weight", ".kernel", "", NULL };
    static const char *const heads[] = { ".0.weight", NULL };
    static const char *const torch[] = { "_weight", NULL };

    return n->kind == PROJ_HEADS ? heads : n->kind == PROJ_TORCH ? torch : whole;
}

/* What stands before SUFFIX ENDING in name, in w's arena; NULL: it does not end so, or what
 * stands before cannot be part of a family's name. */
static const char *before(struct arena *a, const char *name, const char *suffix,
                          const char *ending)
{
    size_t size = strlen(name), tail = strlen(suffix) + strlen(ending);

    if (size < tail || strcmp(name + size - strlen(ending), ending) != 0 ||
        strncmp(name + size - tail, suffix, strlen(suffix)) != 0 ||
        (size > tail && name[size - tail - 1] != '.') ||
        strcspn(name, "%|") < size - tail)
        return NULL;
    return arena_strndup(a, name, size - tail);
}

static void add_site(struct look *k, struct sites *s, const char *scope,
                     const struct naming *n)
{
    struct site site = { .scope = scope, .naming = n };

    if (k->asked->prefix != NULL && !starts(scope, k->asked->prefix))
        return;
    for (int i = 0; i < s->n; i++)
        if (s->of[i].naming == n && strcmp(s->of[i].scope, scope) == 0)
            return;
    if (!measure(k, &site))
        return;
    if ((s->n & (s->n - 1)) == 0)       /* 0, 1, 2, 4, .. */
        s->of = arena_grow(k->a, s->of, (size_t)s->n, 2 * (size_t)s->n + 1, sizeof *s->of);
    s->of[s->n++] = site;
}

static void add_places(struct look *k, struct sites *s, const char *name,
                       const struct naming *n)
{
    const char *const *ending = endings_of(n), *scope;

    for (int part = PART_Q; part <= PART_V; part++)
        for (int i = 0; n->part[part] != NULL && ending[i] != NULL; i++) {
            scope = before(k->a, name, n->part[part], ending[i]);
            if (scope != NULL)
                add_site(k, s, scope, n);
        }
    scope = n->kind == PROJ_TORCH ? before(k->a, name, "in_proj_weight", "") : NULL;
    if (scope != NULL)
        add_site(k, s, scope, n);
}

/* Those without an output, if all are in one place. */
static struct sites without_output(struct look *k, const struct sites *all)
{
    struct sites kept = { .of = arena_alloc(k->a, (size_t)all->n + 1, sizeof *kept.of) };

    for (int i = 0; i < all->n; i++)
        if (all->of[i].no_output)
            kept.of[kept.n++] = all->of[i];
    for (int i = 1; i < kept.n; i++)
        if (strcmp(kept.of[i].scope, kept.of[0].scope) != 0)
            return (struct sites){ .n = 0 };
    return kept;
}

static bool any_is_whole(const struct sites *s)
{
    for (int i = 0; i < s->n; i++)
        if (is_whole(&s->of[i]))
            return true;
    return false;
}

/* Whole ones; else those without an output; of what writers of layers alone use, also those
 * with some part missing. */
static struct sites find_sites(struct look *k)
{
    struct sites all = { .n = 0 }, kept = { .n = 0 };

    for (int i = 0; i < weights_count(k->w); i++)
        for (const struct naming *n = k->naming; n->writer != NULL; n++)
            add_places(k, &all, weights_at(k->w, i)->name, n);
    if (!any_is_whole(&all))
        kept = without_output(k, &all);
    if (kept.n > 0)
        return kept;
    kept.of = arena_alloc(k->a, (size_t)all.n + 1, sizeof *kept.of);
    for (int i = 0; i < all.n; i++)
        if (is_whole(&all.of[i]) || all.of[i].naming->sure)
            kept.of[kept.n++] = all.of[i];
    return kept;
}

/* ---- which of several ---- */

static bool shares_tensor(const struct look *k, const struct site *x, const struct site *y)
{
    for (int i = PART_Q; i <= PART_V; i++)
        for (int j = PART_Q; j <= PART_V; j++) {
            const struct tensor *tensor = find_part(k, x->scope, x->naming, i);

            if (tensor != NULL && tensor == find_part(k, y->scope, y->naming, j))
                return true;
        }
    return false;
}

static int two_layouts(const struct look *k, const struct site *x, const struct site *y)
{
    if (shares_tensor(k, x, y) && x->naming->kind != y->naming->kind)
        return err_set(k->e, ERR_USAGE, "%s: %s fits two layouts: rows of each head's query, "
                       "key and value (%s), and rows of all queries, all keys, all values "
                       "(%s): give --fused heads or --fused parts", k->name, x->first->name,
                       x->naming->kind == PROJ_FUSED ? y->naming->writer : x->naming->writer,
                       x->naming->kind == PROJ_FUSED ? x->naming->writer : y->naming->writer);
    return err_set(k->e, ERR_INPUT, "%s: has two layouts at once: %s (%s) and %s (%s); give "
                   "--tensor-names Q,K,V,O", k->name, x->first->name, x->naming->writer,
                   y->first->name, y->naming->writer);
}

static bool fused_as_asked(const struct look *k, const struct site *s)
{
    bool heads = s->naming->kind == PROJ_FUSED_HEADS, all = s->naming->kind == PROJ_FUSED;

    return k->asked->fused == LAYER_FUSED_AUTO || !(heads || all) ||
           heads == (k->asked->fused == LAYER_FUSED_HEADS);
}

/* Of two sites in one place, the one that stays; NULL: both fit. */
static const struct site *better(const struct look *k, const struct site *x,
                                 const struct site *y)
{
    if (!shares_tensor(k, x, y))
        return NULL;
    if (is_whole(x) != is_whole(y))
        return is_whole(x) ? x : y;
    if (!is_whole(x) && x->naming->kind == y->naming->kind)
        return x->n_parts >= y->n_parts ? x : y;
    if (fused_as_asked(k, x) != fused_as_asked(k, y))
        return fused_as_asked(k, x) ? x : y;
    return NULL;
}

/* One site for each place. */
static int choose_namings(struct look *k, struct sites *s)
{
    int count = 0;

    for (int i = 0; i < s->n; i++) {
        int j = 0;

        while (j < count && strcmp(s->of[j].scope, s->of[i].scope) != 0)
            j++;
        if (j < count) {
            const struct site *best = better(k, &s->of[j], &s->of[i]);

            if (best == NULL)
                return two_layouts(k, &s->of[j], &s->of[i]);
            s->of[j] = *best;
        } else {
            s->of[count++] = s->of[i];
        }
    }
    s->n = count;
    return 0;
}

/* ---- what is around it ---- */

/* Any tensor whose name begins so. */
static bool has_any(const struct look *k, const char *begin)
{
    for (int i = 0; i < weights_count(k->w); i++)
        if (starts(weights_at(k->w, i)->name, begin))
            return true;
    return false;
}

/* Where the layer begins whose attention, by this name of the layout, is the scope; NULL: it
 * is not, or has no such mlp. */
static const char *layer_of(const struct look *k, const char *scope, const char *self,
                            const struct layout *layout)
{
    const char *layer = self != NULL ? before(k->a, scope, self, "") : NULL;
    enum form form;

    if (layer == NULL || (k->asked->prefix != NULL && !starts(layer, k->asked->prefix)) ||
        layer_weight(k->w, k->a, layer, layout->up, &form) == NULL)
        return NULL;
    return layer;
}

/* The layer is a decoder's where its other attention is there. */
static bool has_cross(const struct look *k, const char *layer, const struct layout *layout)
{
    return layout->cross != NULL &&
           has_any(k, arena_printf(k->a, "%s%s", layer, layout->cross));
}

/* Where the layer of one attention to another input begins; NULL: it is none. */
static const char *cross_of(const struct look *k, const char *scope)
{
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        const char *layer = layer_of(k, scope, l->cross, l);

        if (layer != NULL && has_any(k, arena_printf(k->a, "%s%s", layer, l->self)))
            return layer;
    }
    return NULL;
}

/* An attention beside norms of a layer, whose mlp has names that are not known: alone it
 * would not read what it reads there. */
static int check_half(const struct look *k, const char *scope)
{
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        const char *layer = before(k->a, scope, l->self, "");
        const char *norm = layer == NULL ? NULL : arena_printf(k->a, "%s%s", layer, l->norm[0]);

        if (layer == NULL || (k->asked->prefix != NULL && !starts(layer, k->asked->prefix)) ||
            starts(norm, scope) || !has_any(k, arena_printf(k->a, "%s.", norm)))
            continue;
        return err_set(k->e, ERR_INPUT, "%s: has %s* and %s, but no mlp of a known layout, such "
                       "as %slinear1 or %sfeed_forward.0; --prefix %s reads the attention alone",
                       k->name, scope, norm, layer, layer, scope);
    }
    return 0;
}

/* The layout of what is around the attention in scope, *layer where that begins. */
static int find_layout(struct look *k, const char *scope, const struct layout **out,
                       const char **layer)
{
    const char *at;

    *out = NULL;
    *layer = "";
    for (const struct layout *l = layer_layout; l->writer != NULL; l++) {
        at = layer_of(k, scope, l->self, l);
        /* torch's and the documents' decoders may be mixed. */
        if (at == NULL)
            continue;
        if (*out != NULL && strcmp((*out)->up, l->up) != 0)
            return err_set(k->e, ERR_INPUT, "%s: has two layouts at once: %s%s (%s) and %s%s "
                           "(%s)", k->name, at, (*out)->up, (*out)->writer, at, l->up,
                           l->writer);
        if (*out == NULL || (has_cross(k, at, l) && !has_cross(k, at, *out)))
            *out = l;
        *layer = at;
    }
    return 0;
}

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

static void set_place(struct look *k, const struct site *s, const struct layout *layout,
                      const char *layer)
{
    const char *pattern = layout != NULL ? pattern_of(k->a, layer) : NULL;

    k->naming = s->naming;
    k->layout = layout;
    k->no_output = s->no_output && layout == NULL;
    k->stacked = pattern != NULL &&
                 has_any(k, arena_printf(k->a, "%s%s", layer_name(k->a, pattern, 0),
                                         layout->self));
    k->layer = k->stacked ? pattern : layer;
    k->base = k->stacked ? base_of(k->a, pattern) : layer;
    k->self = layout == NULL ? s->scope :
                               arena_printf(k->a, "%s%s", k->layer, layout->self);
    k->cross = layout != NULL && has_cross(k, layer, layout) ? layout->cross : NULL;
}

static int two_places(const struct look *k, const char *one, const char *other)
{
    const char *first = layer_name(k->a, one, 0), *second = layer_name(k->a, other, 0);
    size_t same = 0, end;

    for (size_t i = 0; first[i] != '\0' && first[i] == second[i]; i++)
        if (first[i] == '.')
            same = i + 1;
    end = same + strcspn(first + same, ".") + (strchr(first + same, '.') != NULL);
    return err_set(k->e, ERR_USAGE, "%s: has two attentions that fit, %s* and %s*: give "
                   "--prefix %.*s or --prefix %.*s; a whole model needs its config.json "
                   "beside it", k->name, first, second, (int)end, first,
                   (int)(same + strcspn(second + same, ".") +
                         (strchr(second + same, '.') != NULL)), second);
}

/* All sites are those of one layer, or of one list of layers. */
static int choose_place(struct look *k, const struct sites *s)
{
    const char *self = NULL;

    for (int i = 0; i < s->n; i++) {
        const struct site *site = &s->of[i];
        const struct layout *layout;
        const char *layer, *pattern;
        struct look found = *k;

        if (cross_of(k, site->scope) != NULL)
            continue;
        if (find_layout(k, site->scope, &layout, &layer) != 0)
            return -1;
        if (layout == NULL && check_half(k, site->scope) != 0)
            return -1;
        set_place(&found, site, layout, layer);
        pattern = found.self;
        if (self != NULL && strcmp(self, pattern) != 0)
            return two_places(k, self, pattern);
        if (self == NULL)
            *k = found;
        self = pattern;
    }
    return self != NULL ? 0 : layer_unknown(k);
}

/* ---- the whole ---- */

int layer_search(struct look *k)
{
    struct sites sites = find_sites(k);

    if (sites.n == 0)
        return layer_unknown(k);
    return choose_namings(k, &sites) != 0 || choose_place(k, &sites) != 0 ? -1 : 0;
}
