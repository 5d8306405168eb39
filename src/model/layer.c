/* SPDX-License-Identifier: MIT
 * Names and shapes of a file without a config -> family and config. */
#include "model/layer.h"

#include <stdlib.h>
#include <string.h>

#include "model/layer_priv.h"

enum { MAX_LAYERS = 1 << 12, N_SCOPE = 3 };

/* Where an attention lies; %d is the layer. */
static const char *const scopes[N_SCOPE] = { "", "self_attn.", "layers.%d.self_attn." };

/* ---- what is there ---- */

static const struct tensor *any_of(const struct weights *w, struct arena *a,
                                   const char *scope, const struct naming *n)
{
    const struct tensor *tensor = NULL;

    if (n->kind == PROJ_TORCH)
        tensor = layer_find(w, a, scope, "in_proj", "_weight");
    for (int i = PART_Q; tensor == NULL && i <= PART_V; i++)
        tensor = n->kind == PROJ_WHOLE ? layer_find(w, a, scope, n->part[i], ".weight") :
            n->kind == PROJ_TORCH ? layer_find(w, a, scope, n->part[i], "_weight") :
            layer_find(w, a, scope, n->part[i], ".0.weight");
    return tensor;
}

bool layer_is(const struct weights *w, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    bool found = false;

    for (int s = 0; s < N_SCOPE; s++)
        for (int n = 0; layer_naming[n].part[0] != NULL; n++)
            found = found || any_of(w, scratch, layer_name(scratch, scopes[s], 0),
                                    &layer_naming[n]) != NULL;
    arena_reset(scratch, mark);
    return found;
}

static int two_layouts(const struct look *k, const char *one, const char *other)
{
    return err_set(k->e, ERR_INPUT, "%s: has two layouts at once: %s and %s", k->name,
                   one, other);
}

static int find_attention(struct look *k)
{
    const struct tensor *first = NULL;

    for (int s = 0; s < N_SCOPE; s++)
        for (int count = 0; layer_naming[count].part[0] != NULL; count++) {
            const struct tensor *tensor = any_of(
                k->w, k->a, layer_name(k->a, scopes[s], 0), &layer_naming[count]);

            if (tensor == NULL)
                continue;
            if (first != NULL)
                return two_layouts(k, first->name, tensor->name);
            first = tensor;
            k->self = scopes[s];
            k->naming = &layer_naming[count];
        }
    k->stacked = strchr(k->self, '%') != NULL;
    k->layer = k->stacked ? "layers.%d." : "";
    return 0;
}

static bool starts(const char *s, const char *begin)
{
    return strncmp(s, begin, strlen(begin)) == 0;
}

/* Any tensor of layer l whose name goes on with name. */
static bool has_any(const struct look *k, int l, const char *name)
{
    const char *begin = arena_printf(k->a, "%s%s", layer_name(k->a, k->layer, l), name);

    for (int i = 0; i < weights_count(k->w); i++)
        if (starts(weights_at(k->w, i)->name, begin))
            return true;
    return false;
}

/* layers.0, layers.1, ..: none may be left out. */
static int count_layers(struct look *k)
{
    int count = 1;

    if (!k->stacked) {
        k->c->n_layers = 1;
        return 0;
    }
    while (count < MAX_LAYERS && has_any(k, count, ""))
        count++;
    for (int i = 0; i < weights_count(k->w); i++) {
        const char *name = weights_at(k->w, i)->name;

        if (starts(name, "layers.") && strtoul(name + strlen("layers."), NULL, 10) >=
            (unsigned long)count)
            return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor of layer %d",
                           k->name, name, count);
    }
    k->c->n_layers = count;
    return 0;
}

static int find_block(struct look *k)
{
    if (k->self[0] == '\0')
        return 0;
    for (int i = 0; layer_cross[i] != NULL; i++) {
        if (!has_any(k, 0, layer_cross[i]))
            continue;
        if (k->cross != NULL)
            return two_layouts(k, k->cross, layer_cross[i]);
        k->cross = layer_cross[i];
    }
    for (int i = 0; layer_ff[i].up != NULL; i++) {
        if (!has_any(k, 0, arena_printf(k->a, "%s.", layer_ff[i].up)))
            continue;
        if (k->ff != NULL)
            return two_layouts(k, k->ff->up, layer_ff[i].up);
        k->ff = &layer_ff[i];
    }
    if (k->ff == NULL)
        return err_set(k->e, ERR_INPUT, "%s: has %s, but no tensor %s%s.weight or "
                       "%s.weight", k->name, layer_name(k->a, k->self, 0),
                       layer_name(k->a, k->layer, 0), layer_ff[0].up, layer_ff[1].up);
    return 0;
}

/* What only an attention by itself can have. */
static int check_last_key(const struct look *k)
{
    const char *scope = layer_name(k->a, k->self, 0);

    if (k->ff == NULL || layer_find(k->w, k->a, scope, "bias_k", "") == NULL)
        return 0;
    return err_set(k->e, ERR_INPUT, "%s: %sbias_k is supported only in an attention by "
                   "itself", k->name, scope);
}

static int part_all(struct look *k)
{
    int L = k->c->n_layers, count = 0;
    const char **scope = arena_alloc(k->a, 2 * (size_t)L, sizeof *scope);

    for (int layer = 0; layer < L; layer++) {
        scope[count++] = layer_name(k->a, k->self, layer);
        if (k->cross != NULL)
            scope[count++] = arena_printf(k->a, "%s%s", layer_name(k->a, k->layer, layer),
                                          k->cross);
    }
    if (k->naming->kind == PROJ_HEADS)
        k->n_heads = layer_heads(k->w, k->a, scope[0], k->naming->part[PART_Q]);
    if (layer_part(k->w, k->a, k->naming, scope, count, k->e) != 0)
        return err_under(k->e, "%s", k->name);
    return 0;
}

/* ---- the whole ---- */

static int check_asked(const struct look *k)
{
    const struct layer_asked *asked = k->asked;

    if (k->ff == NULL && asked->norm_first)
        return err_set(k->e, ERR_USAGE, "--norm-first: %s is one attention, without norms",
                       k->name);
    if (k->ff == NULL && asked->activation != NULL)
        return err_set(k->e, ERR_USAGE, "--activation: %s is one attention, without an mlp",
                       k->name);
    if (k->ff != NULL && k->cross == NULL && asked->memory)
        return err_set(k->e, ERR_USAGE, "--memory: %s has no attention to another input",
                       k->name);
    return 0;
}

int layer_describe(struct config *c, const struct family **family, struct arena *a,
                   struct weights *w, const char *name, const struct layer_asked *asked,
                   struct err *e)
{
    struct look look = { .c = c, .a = a, .w = w, .name = name, .asked = asked, .e = e,
                         .naming = layer_naming, .self = scopes[0], .layer = "" };
    const char *act = asked->activation;

    *c = (struct config){ .decoder.start_id = -1, .pad_id = -1, .card.layer = -1,
                          .norm.eps = 1e-5, .score.scaled = true,
                          .act = act != NULL && strcmp(act, "gelu") == 0 ? ACT_GELU
                                                                         : ACT_RELU };
    look.f = arena_alloc(a, 1, sizeof *look.f);
    *family = look.f;
    if (find_attention(&look) != 0 || find_block(&look) != 0 ||
        check_last_key(&look) != 0 || count_layers(&look) != 0 ||
        check_asked(&look) != 0 || part_all(&look) != 0 || layer_numbers(&look) != 0 ||
        layer_finite(&look) != 0)
        return -1;
    layer_family(&look);
    return 0;
}
