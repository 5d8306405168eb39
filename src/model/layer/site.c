/* SPDX-License-Identifier: MIT
 * The names of all tensors -> sites: scopes that have an attention, with its naming. */
#include "model/layer/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* ---- one naming in one place ---- */

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

static int layer_site_parts_of(const struct naming *n)
{
    int count = 0;

    for (int i = 0; i < N_PART; i++)
        count += n->part[i] != NULL;
    return count;
}

/* A matrix in the scope that is neither of the parts nor a table or mask of attentions. */
static bool has_other_matrix(const struct look *k, const struct site *s)
{
    int first, count = weights_range(k->w, s->scope, &first);

    for (int i = first; i < first + count; i++) {
        const struct tensor *tensor = weights_at(k->w, i);
        bool known = tensor->n_dims < 2 || layer_is_mask(tensor, s->scope) ||
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
    return n->kind != PROJ_TORCH && n->kind != PROJ_HEADS &&
           s->n_parts == layer_site_parts_of(n) - 1 &&
           find_part(k, s->scope, n, PART_O) == NULL && !has_other_matrix(k, s);
}

/* Of a place that one of its queries, keys and values has told. */
static void layer_site_measure(const struct look *k, struct site *s)
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
    s->n_parts += find_part(k, s->scope, s->naming, PART_O) != NULL;
    s->no_output = has_no_output(k, s);
}

/* One linear per head, or torch's: the part's name goes on. */
static bool goes_on(const struct naming *n, const char *name, int part)
{
    size_t size = strlen(n->part[part]);
    char next = n->kind == PROJ_TORCH ? '_' : '.';

    return (n->kind == PROJ_HEADS || n->kind == PROJ_TORCH) && part != PART_O &&
           strncmp(name, n->part[part], size) == 0 && name[size] == next;
}

bool layer_site_has(const struct look *k, const struct site *s, const struct tensor *t)
{
    static const char *const other[] = {
        "in_proj_weight", "in_proj_bias", "rel_pos_encoding", "bias_k", "bias_v", NULL
    };
    const struct naming *n = s->naming;
    const char *name = t->name + strlen(s->scope);
    enum form form;

    if (!str_starts_with(t->name, s->scope))
        return false;
    for (int part = PART_Q; part < N_PART; part++)
        if (n->part[part] != NULL &&
            (goes_on(n, name, part) ||
             t == layer_weight(k->w, k->a, s->scope, n->part[part], &form) ||
             t == layer_bias(k->w, k->a, s->scope, n->part[part], form)))
            return true;
    for (int i = 0; other[i] != NULL; i++)
        if (strcmp(name, other[i]) == 0)
            return true;
    return layer_is_mask(t, s->scope) ||
           (n->norm != NULL && str_starts_with(name, n->norm) &&
            name[strlen(n->norm)] == '.');
}

static bool layer_site_is_whole(const struct site *s)
{
    return s->n_parts == layer_site_parts_of(s->naming);
}

/* ---- all places ---- */

/* More than any file of layers has, each with its attentions in several namings. */
enum { MOST_SITES = 16384 };

/* How a name may end where it is this part; NULL ends. */
static const char *const *endings_of(const struct naming *n)
{
    static const char *const whole[] = { ".weight", ".kernel", "", NULL };
    static const char *const heads[] = { ".0.weight", NULL };
    static const char *const torch[] = { "_weight", NULL };

    return n->kind == PROJ_HEADS ? heads : n->kind == PROJ_TORCH ? torch : whole;
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
static bool is_known(const struct look *k, const char *scope, const struct naming *n,
                     const struct tensor *t)
{
    const char *const *ending = endings_of(n);
    const struct tensor *other = find_in_proj(k, scope, n);
    bool known = other != NULL && other < t;

    for (int part = PART_Q; part <= PART_V; part++)
        for (int i = 0; !known && n->part[part] != NULL && ending[i] != NULL; i++) {
            other = layer_find(k->w, k->a, scope, n->part[part], ending[i]);
            known = other != NULL && other < t;
        }
    return known;
}

/* The place of the tensor t; those from own on are its own. */
static void add_site(struct look *k, struct sites *s, int own, const char *scope,
                     const struct naming *n, const struct tensor *t)
{
    struct site site = { .scope = scope, .naming = n };

    if (k->asked->prefix != NULL && !str_starts_with(scope, k->asked->prefix))
        return;
    for (int i = own; i < s->n; i++)
        if (strcmp(s->of[i].scope, scope) == 0)
            return;
    if (is_known(k, scope, n, t))
        return;
    layer_site_measure(k, &site);
    if ((s->n & (s->n - 1)) == 0)       /* 0, 1, 2, 4, .. */
        s->of = arena_grow(k->a, s->of, (size_t)s->n, 2 * (size_t)s->n + 1, sizeof *s->of);
    s->of[s->n++] = site;
}

static void add_places(struct look *k, struct sites *s, const struct tensor *t,
                       const struct naming *n)
{
    const char *const *ending = endings_of(n), *scope, *name = t->name;
    int own = s->n;

    for (int part = PART_Q; part <= PART_V; part++)
        for (int i = 0; n->part[part] != NULL && ending[i] != NULL; i++) {
            scope = layer_before(k->a, name, n->part[part], ending[i]);
            if (scope != NULL)
                add_site(k, s, own, scope, n, t);
        }
    scope = n->kind == PROJ_TORCH ? layer_before(k->a, name, "in_proj_weight", "") : NULL;
    if (scope != NULL)
        add_site(k, s, own, scope, n, t);
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
        if (layer_site_is_whole(&s->of[i]))
            return true;
    return false;
}

/* Whole ones; else those without an output; of what writers of layers alone use, also those
 * with some part missing. */
static struct sites find_sites(struct look *k)
{
    struct sites all = { .n = 0 }, kept = { .n = 0 };

    for (int i = 0; i < weights_count(k->w) && all.n <= MOST_SITES; i++)
        for (const struct naming *n = k->naming; n->writer != NULL; n++)
            add_places(k, &all, weights_at(k->w, i), n);
    if (all.n > MOST_SITES)
        return all;
    if (!any_is_whole(&all))
        kept = without_output(k, &all);
    if (kept.n > 0)
        return kept;
    kept.of = arena_alloc(k->a, (size_t)all.n + 1, sizeof *kept.of);
    for (int i = 0; i < all.n; i++)
        if (layer_site_is_whole(&all.of[i]) || all.of[i].naming->sure)
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
    if (layer_site_is_whole(x) != layer_site_is_whole(y))
        return layer_site_is_whole(x) ? x : y;
    if (!layer_site_is_whole(x) && x->naming->kind == y->naming->kind)
        return x->n_parts >= y->n_parts ? x : y;
    if (fused_as_asked(k, x) != fused_as_asked(k, y))
        return fused_as_asked(k, x) ? x : y;
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
static void layer_site_find_first(const struct look *k, const struct sites *s, int *first)
{
    const struct site **sorted = arena_alloc(k->a, (size_t)s->n + 1, sizeof *sorted);

    for (int i = 0; i < s->n; i++)
        sorted[i] = &s->of[i];
    qsort(sorted, (size_t)s->n, sizeof *sorted, by_scope);
    for (int i = 0; i < s->n; i++) {
        int at = (int)(sorted[i] - s->of);
        bool other = i == 0 || strcmp(sorted[i]->scope, sorted[i - 1]->scope) != 0;

        first[at] = other ? at : first[sorted[i - 1] - s->of];
    }
}

/* One site for each place. */
static int choose_namings(struct look *k, struct sites *s)
{
    int *first = arena_alloc(k->a, (size_t)s->n + 1, sizeof *first);
    int *kept = arena_alloc(k->a, (size_t)s->n + 1, sizeof *kept), count = 0;

    layer_site_find_first(k, s, first);
    for (int i = 0; i < s->n; i++) {
        struct site *one = &s->of[i], *other;
        const struct site *best;

        if (first[i] == i) {
            kept[i] = count;
            s->of[count++] = *one;
            continue;
        }
        other = &s->of[kept[first[i]]];
        best = better(k, other, one);
        if (best == NULL)
            return two_layouts(k, other, one);
        *other = *best;
    }
    s->n = count;
    return 0;
}

/* ---- all of that ---- */

int layer_sites(struct look *k, struct sites *s)
{
    *s = find_sites(k);
    if (s->n > MOST_SITES)
        return err_set(k->e, ERR_INPUT,
                       "%s: its tensors can be read as over %d attentions; a model "
                       "needs its config.json beside it", k->name, MOST_SITES);
    return choose_namings(k, s);
}
