/* SPDX-License-Identifier: MIT
 * The names of all tensors -> sites: scopes that have an attention, with its naming. */
#include "model/layer/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* ---- one naming in one place ---- */

static const struct tensor *find_part(const struct look *look, const char *scope,
                                      const struct naming *naming, int part)
{
    const char *name = naming->part[part];
    enum form form;

    if (name == NULL)
        return NULL;
    if (naming->kind == PROJ_HEADS && part != PART_O)
        return layer_find(look->w, look->a, scope, name, ".0.weight");
    if (naming->kind == PROJ_TORCH && part != PART_O)
        return layer_find(look->w, look->a, scope, name, "_weight");
    return layer_weight(look->w, look->a, scope, name, &form);
}

/* The projection that all of torch's have in one; NULL: the naming is not torch's. */
static const struct tensor *find_in_proj(const struct look *look, const char *scope,
                                         const struct naming *naming)
{
    return naming->kind == PROJ_TORCH ? layer_find(look->w, look->a, scope, "in_proj", "_weight") :
           NULL;
}

static int layer_site_parts_of(const struct naming *naming)
{
    int count = 0;

    for (int i = 0; i < N_PART; i++)
        count += naming->part[i] != NULL;
    return count;
}

/* A matrix in the scope that is neither of the parts nor a table or mask of attentions. */
static bool has_other_matrix(const struct look *look, const struct site *site)
{
    int first, count = weights_range(look->w, site->scope, &first);

    for (int i = first; i < first + count; i++) {
        const struct tensor *tensor = weights_at(look->w, i);
        bool known = tensor->n_dims < 2 || layer_is_mask(tensor, site->scope) ||
                     strcmp(tensor->name + strlen(site->scope), "rel_pos_encoding") == 0;

        for (int part = PART_Q; !known && part <= PART_V; part++)
            known = tensor == find_part(look, site->scope, site->naming, part);
        if (!known)
            return true;
    }
    return false;
}

/* All but the output, of linears for all heads: some single heads have none. */
static bool has_no_output(const struct look *look, const struct site *site)
{
    const struct naming *n = site->naming;

    if (n->part[PART_O] == NULL)
        return true;
    return n->kind != PROJ_TORCH && n->kind != PROJ_HEADS &&
           site->n_parts == layer_site_parts_of(n) - 1 &&
           find_part(look, site->scope, n, PART_O) == NULL && !has_other_matrix(look, site);
}

/* Of a place that one of its queries, keys and values has told. */
static void layer_site_measure(const struct look *look, struct site *site)
{
    const struct tensor *in_proj = find_in_proj(look, site->scope, site->naming);

    site->first = in_proj;
    site->n_parts = in_proj != NULL ? 3 : 0;
    for (int i = PART_Q; i <= PART_V; i++) {
        const struct tensor *tensor = find_part(look, site->scope, site->naming, i);

        site->n_parts += tensor != NULL && in_proj == NULL;
        if (site->first == NULL)
            site->first = tensor;
    }
    site->n_parts += find_part(look, site->scope, site->naming, PART_O) != NULL;
    site->no_output = has_no_output(look, site);
}

/* One linear per head, or torch's: the part's name goes on. */
static bool goes_on(const struct naming *naming, const char *name, int part)
{
    size_t size = strlen(naming->part[part]);
    char next = naming->kind == PROJ_TORCH ? '_' : '.';

    return (naming->kind == PROJ_HEADS || naming->kind == PROJ_TORCH) && part != PART_O &&
           strncmp(name, naming->part[part], size) == 0 && name[size] == next;
}

bool layer_site_has(const struct look *look, const struct site *site, const struct tensor *tensor)
{
    static const char *const other[] = {
        "in_proj_weight", "in_proj_bias", "rel_pos_encoding", "bias_k", "bias_v", NULL
    };
    const struct naming *n = site->naming;
    const char *name = tensor->name + strlen(site->scope);
    enum form form;

    if (!str_starts_with(tensor->name, site->scope))
        return false;
    for (int part = PART_Q; part < N_PART; part++)
        if (n->part[part] != NULL &&
            (goes_on(n, name, part) ||
             tensor == layer_weight(look->w, look->a, site->scope, n->part[part], &form) ||
             tensor == layer_bias(look->w, look->a, site->scope, n->part[part], form)))
            return true;
    for (int i = 0; other[i] != NULL; i++)
        if (strcmp(name, other[i]) == 0)
            return true;
    return layer_is_mask(tensor, site->scope) ||
           (n->norm != NULL && str_starts_with(name, n->norm) &&
            name[strlen(n->norm)] == '.');
}

static bool layer_site_is_whole(const struct site *site)
{
    return site->n_parts == layer_site_parts_of(site->naming);
}

/* ---- all places ---- */

/* More than any file of layers has, each with its attentions in several namings. */
enum { MOST_SITES = 16384 };

/* How a name may end where it is this part; NULL ends. */
static const char *const *endings_of(const struct naming *naming)
{
    static const char *const whole[] = { ".weight", ".kernel", "", NULL };
    static const char *const heads[] = { ".0.weight", NULL };
    static const char *const torch[] = { "_weight", NULL };

    return naming->kind == PROJ_HEADS ? heads : naming->kind == PROJ_TORCH ? torch : whole;
}

const char *layer_before(struct arena *a, const char *name, const char *suffix,
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

/* Whether a tensor before this one is of the naming in the scope. */
static bool is_known(const struct look *look, const char *scope, const struct naming *naming,
                     const struct tensor *tensor)
{
    const char *const *ending = endings_of(naming);
    const struct tensor *other = find_in_proj(look, scope, naming);
    bool known = other != NULL && other < tensor;

    for (int part = PART_Q; part <= PART_V; part++)
        for (int i = 0; !known && naming->part[part] != NULL && ending[i] != NULL; i++) {
            other = layer_find(look->w, look->a, scope, naming->part[part], ending[i]);
            known = other != NULL && other < tensor;
        }
    return known;
}

/* The place of the tensor; those from own on are its own. */
static void add_site(struct look *look, struct sites *sites, int own, const char *scope,
                     const struct naming *naming, const struct tensor *tensor)
{
    struct site site = { .scope = scope, .naming = naming };

    if (look->asked->prefix != NULL && !str_starts_with(scope, look->asked->prefix))
        return;
    for (int i = own; i < sites->n; i++)
        if (strcmp(sites->of[i].scope, scope) == 0)
            return;
    if (is_known(look, scope, naming, tensor))
        return;
    layer_site_measure(look, &site);
    if ((sites->n & (sites->n - 1)) == 0)       /* 0, 1, 2, 4, .. */
        sites->of = arena_grow(look->a, sites->of, (size_t)sites->n, 2 * (size_t)sites->n + 1,
                               sizeof *sites->of);
    sites->of[sites->n++] = site;
}

static void add_places(struct look *look, struct sites *sites, const struct tensor *tensor,
                       const struct naming *naming)
{
    const char *const *ending = endings_of(naming), *scope, *name = tensor->name;
    int own = sites->n;

    for (int part = PART_Q; part <= PART_V; part++)
        for (int i = 0; naming->part[part] != NULL && ending[i] != NULL; i++) {
            scope = layer_before(look->a, name, naming->part[part], ending[i]);
            if (scope != NULL)
                add_site(look, sites, own, scope, naming, tensor);
        }
    scope = naming->kind == PROJ_TORCH ? layer_before(look->a, name, "in_proj_weight", "") : NULL;
    if (scope != NULL)
        add_site(look, sites, own, scope, naming, tensor);
}

/* Those without an output, if all are in one place. */
static struct sites without_output(struct look *look, const struct sites *all)
{
    struct sites kept = { .of = arena_alloc(look->a, (size_t)all->n + 1, sizeof *kept.of) };

    for (int i = 0; i < all->n; i++)
        if (all->of[i].no_output)
            kept.of[kept.n++] = all->of[i];
    for (int i = 1; i < kept.n; i++)
        if (strcmp(kept.of[i].scope, kept.of[0].scope) != 0)
            return (struct sites){ .n = 0 };
    return kept;
}

static bool any_is_whole(const struct sites *sites)
{
    for (int i = 0; i < sites->n; i++)
        if (layer_site_is_whole(&sites->of[i]))
            return true;
    return false;
}

/* Whole ones; else those without an output; of what writers of layers alone use, also those
 * with some part missing. */
static struct sites find_sites(struct look *look)
{
    struct sites all = { .n = 0 }, kept = { .n = 0 };

    for (int i = 0; i < weights_count(look->w) && all.n <= MOST_SITES; i++)
        for (const struct naming *n = look->naming; n->writer != NULL; n++)
            add_places(look, &all, weights_at(look->w, i), n);
    if (all.n > MOST_SITES)
        return all;
    if (!any_is_whole(&all))
        kept = without_output(look, &all);
    if (kept.n > 0)
        return kept;
    kept.of = arena_alloc(look->a, (size_t)all.n + 1, sizeof *kept.of);
    for (int i = 0; i < all.n; i++)
        if (layer_site_is_whole(&all.of[i]) || all.of[i].naming->sure)
            kept.of[kept.n++] = all.of[i];
    return kept;
}

/* ---- which of several ---- */

static bool shares_tensor(const struct look *look, const struct site *x, const struct site *y)
{
    for (int i = PART_Q; i <= PART_V; i++)
        for (int j = PART_Q; j <= PART_V; j++) {
            const struct tensor *tensor = find_part(look, x->scope, x->naming, i);

            if (tensor != NULL && tensor == find_part(look, y->scope, y->naming, j))
                return true;
        }
    return false;
}

static int two_layouts(const struct look *look, const struct site *x, const struct site *y)
{
    if (shares_tensor(look, x, y) && x->naming->kind != y->naming->kind)
        return err_set(look->e, ERR_USAGE, "%s: %s fits two layouts: rows of each head's query, "
                       "key and value (%s), and rows of all queries, all keys, all values "
                       "(%s): give --fused heads or --fused parts", look->name, x->first->name,
                       x->naming->kind == PROJ_FUSED ? y->naming->writer : x->naming->writer,
                       x->naming->kind == PROJ_FUSED ? x->naming->writer : y->naming->writer);
    return err_set(look->e, ERR_INPUT, "%s: has two layouts at once: %s (%s) and %s (%s); give "
                   "--tensor-names Q,K,V,O", look->name, x->first->name, x->naming->writer,
                   y->first->name, y->naming->writer);
}

static bool fused_as_asked(const struct look *look, const struct site *site)
{
    bool heads = site->naming->kind == PROJ_FUSED_HEADS, all = site->naming->kind == PROJ_FUSED;

    return look->asked->fused == LAYER_FUSED_AUTO || !(heads || all) ||
           heads == (look->asked->fused == LAYER_FUSED_HEADS);
}

/* Of two sites in one place, the one that stays; NULL: both fit. */
static const struct site *better(const struct look *look, const struct site *x,
                                 const struct site *y)
{
    if (!shares_tensor(look, x, y))
        return NULL;
    if (layer_site_is_whole(x) != layer_site_is_whole(y))
        return layer_site_is_whole(x) ? x : y;
    if (!layer_site_is_whole(x) && x->naming->kind == y->naming->kind)
        return x->n_parts >= y->n_parts ? x : y;
    if (fused_as_asked(look, x) != fused_as_asked(look, y))
        return fused_as_asked(look, x) ? x : y;
    return NULL;
}

/* Sites by their scopes; in one scope, in their own order. */
static int by_scope(const void *a, const void *b)
{
    const struct site *const *x = a, *const *y = b;
    int order = strcmp((*x)->scope, (*y)->scope);

    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* first[i] of each site i is the first one in its scope. */
static void layer_site_find_first(const struct look *look, const struct sites *sites, int *first)
{
    const struct site **sorted = arena_alloc(look->a, (size_t)sites->n + 1, sizeof *sorted);

    for (int i = 0; i < sites->n; i++)
        sorted[i] = &sites->of[i];
    qsort(sorted, (size_t)sites->n, sizeof *sorted, by_scope);
    for (int i = 0; i < sites->n; i++) {
        int at = (int)(sorted[i] - sites->of);
        bool other = i == 0 || strcmp(sorted[i]->scope, sorted[i - 1]->scope) != 0;

        first[at] = other ? at : first[sorted[i - 1] - sites->of];
    }
}

/* One site for each place. */
static int choose_namings(struct look *look, struct sites *sites)
{
    int *first = arena_alloc(look->a, (size_t)sites->n + 1, sizeof *first);
    int *kept = arena_alloc(look->a, (size_t)sites->n + 1, sizeof *kept), count = 0;

    layer_site_find_first(look, sites, first);
    for (int i = 0; i < sites->n; i++) {
        struct site *one = &sites->of[i], *other;
        const struct site *best;

        if (first[i] == i) {
            kept[i] = count;
            sites->of[count++] = *one;
            continue;
        }
        other = &sites->of[kept[first[i]]];
        best = better(look, other, one);
        if (best == NULL)
            return two_layouts(look, other, one);
        *other = *best;
    }
    sites->n = count;
    return 0;
}

/* ---- all of that ---- */

int layer_sites(struct look *look, struct sites *sites)
{
    *sites = find_sites(look);
    if (sites->n > MOST_SITES)
        return err_set(look->e, ERR_INPUT,
                       "%s: its tensors can be read as over %d attentions; a model "
                       "needs its config.json beside it", look->name, MOST_SITES);
    return choose_namings(look, sites);
}
