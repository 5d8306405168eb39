/* SPDX-License-Identifier: MIT
 * One slot -> names of its tensors in the file: alternatives, endings and prefixes. */
#include "model/bind/bind_priv.h"

#include <stdio.h>
#include <string.h>

/* Old checkpoints call a norm's weight gamma and its bias beta; a parameter that is not at a
 * part of a module has no ending. */
static const char *const weight_endings[] = { ".weight", ".gamma", "", NULL };
static const char *const bias_endings[] = { ".bias", ".beta", NULL };

/* Those of torch's attention by itself are parts of a name: in_proj_weight. */
static const char *const layer_weight_endings[] = { ".weight", ".gamma", "_weight", "", NULL };
static const char *const layer_bias_endings[] = { ".bias", ".beta", "_bias", NULL };
static const char *const no_endings[] = { "", NULL };

static const char *const *endings_of(const struct binder *binder, bool bias)
{
    if (binder->family->by_names)
        return bias ? layer_bias_endings : layer_weight_endings;
    return bias ? bias_endings : weight_endings;
}

static int index_of(const struct weights *weights, const struct tensor *tensor)
{
    return (int)(tensor - weights_at(weights, 0));
}

/* Tries one name after the prefix, after its first part, where the head of a model in a
 * model stands, and bare; with each ending. */
static const struct tensor *try_name(struct binder *binder, const char *name,
                                     const char *const *endings)
{
    const int length[] = { (int)strlen(binder->prefix), (int)strcspn(binder->prefix, ".") + 1, 0 };
    char full[512];

    for (int p = binder->prefix[0] != '\0' ? 0 : 2; p < 3; p++)
        for (int i = 0; endings[i] != NULL; i++) {
            const struct tensor *tensor;

            snprintf(full, sizeof full, "%.*s%s%s", length[p], binder->prefix, name, endings[i]);
            tensor = weights_find(binder->m->weights, full);
            if (tensor != NULL) {
                binder->used[index_of(binder->m->weights, tensor)] = true;
                return tensor;
            }
        }
    return NULL;
}

/* "h.%d.mlp.experts.%d.w1" with both numbers put in. */
static char *fill_in(struct arena *a, const char *name, size_t n, struct where at)
{
    char *text = arena_strndup(a, name, n);
    const int numbers[] = { at.layer, at.part };

    for (int i = 0; i < 2; i++) {
        const char *d = strstr(text, "%d");

        if (d == NULL)
            break;
        text = arena_printf(a, "%.*s%d%s", (int)(d - text), text, numbers[i], d + 2);
    }
    return text;
}

/* The k-th alternative of "A|B", filled in; NULL: no more. */
static char *alternative(struct arena *a, const char *names, int k, struct where at)
{
    for (; k > 0; k--) {
        names = strchr(names, '|');
        if (names == NULL)
            return NULL;
        names++;
    }
    return fill_in(a, names, strcspn(names, "|"), at);
}

/* The first of the names that is there stays in *names. */
static const struct tensor *bind_name_find_first(struct binder *binder, const char **names,
                                                 struct where at, const char *const *endings)
{
    char *name;

    for (int k = 0; (name = alternative(binder->a, *names, k, at)) != NULL; k++) {
        const struct tensor *tensor = try_name(binder, name, endings);

        if (tensor != NULL) {
            *names = name;
            return tensor;
        }
    }
    return NULL;
}

static const struct tensor *bind_name_find(struct binder *binder, const char *names,
                                           struct where at, const char *const *endings)
{
    return bind_name_find_first(binder, &names, at, endings);
}

int bind_layers(const struct binder *binder)
{
    int said = binder->m->config.n_layers, most = weights_count(binder->m->weights);

    return said < most ? said : most;
}

const char *bind_names(struct binder *binder, enum slot slot)
{
    const char *names = family_slot_names(binder->m->family, &binder->m->config, slot);
    const char *language = names != NULL ? strstr(names, "%s") : NULL;

    return language == NULL ? names :
           arena_printf(binder->a, "%.*s%s%s", (int)(language - names), names,
                        binder->m->config.language.name, language + 2);
}

/* A GGUF file calls a slot alike in all layers: by the first name that any of them has. */
const char *bind_stored_names(struct binder *binder, enum slot slot)
{
    const char *names = bind_names(binder, slot), *name = names;

    if (weights_gguf(binder->m->weights) == NULL || strchr(names, '|') == NULL)
        return names;
    for (size_t n; *name != '\0'; name += n + (name[n] == '|')) {
        const char *one;

        n = strcspn(name, "|");
        one = arena_strndup(binder->a, name, n);
        for (int l = 0; l < bind_layers(binder); l++)
            if (bind_name_find(binder, one, (struct where){ l, 0 },
                               endings_of(binder, false)) != NULL)
                return one;
    }
    return names;
}

/* The family's name of it has no ending, and it has no bias. */
static bool is_whole_name(enum slot_kind kind)
{
    return kind == SLOT_VECTOR || kind == SLOT_ROWS || kind == SLOT_COLUMNS ||
           kind == SLOT_EXPERTS || kind == SLOT_BIASES || kind == SLOT_KERNEL;
}

const struct tensor *bind_weight_tensor(struct binder *binder, enum slot slot, const char **names,
                                        struct where at)
{
    bool whole = is_whole_name(family_slots[slot].kind);

    return bind_name_find_first(binder, names, at, whole ? no_endings : endings_of(binder, false));
}

const struct tensor *bind_bias_tensor(struct binder *binder, const char *names, struct where at)
{
    return bind_name_find(binder, names, at, endings_of(binder, true));
}

bool bind_is_head(enum slot slot)
{
    return slot == W_HEAD_DENSE || slot == W_HEAD_NORM || slot == W_HEAD || slot == W_HEAD_REST ||
           slot == W_HEAD_BIAS;
}

/* A head stands beside what the prefix is of, in a model in a model after its first part. */
const char *bind_name(struct binder *binder, enum slot slot, struct where at, bool bias)
{
    static const char part[] = "language_model.";
    const char *name = alternative(binder->a, bind_names(binder, slot), 0, at);
    const char *prefix = !bind_is_head(slot) ? binder->prefix :
                         strncmp(binder->prefix, part, strlen(part)) == 0 ? part : "";

    return arena_printf(binder->a, "%s%s%s", prefix, name,
                        bias ? ".bias" : is_whole_name(family_slots[slot].kind) ? "" : ".weight");
}

bool bind_mark(struct binder *binder, enum slot slot, struct where at)
{
    const char *names = bind_names(binder, slot);
    bool bias = bind_bias_tensor(binder, names, at) != NULL;

    return bind_weight_tensor(binder, slot, &names, at) != NULL || bias;
}

bool bind_is_in_parts(struct binder *binder, enum slot slot)
{
    const char *names = bind_names(binder, slot),
               *layer = names != NULL ? strstr(names, "%d") : NULL;

    return layer != NULL && strstr(layer + 2, "%d") != NULL;
}

int bind_parts(struct binder *binder, enum slot slot)
{
    const struct config *config = &binder->m->config;

    if (family_slots[slot].count == PER_EXPERT)
        return config->experts.n;
    if (family_slots[slot].count == PER_FORMER)
        return config->n_mlps - 1;
    if (family_slots[slot].group == OF_QK_NORM && bind_is_in_parts(binder, slot))
        return slot == W_Q_NORM ? config->n_heads : config->n_kv_heads;
    return config->groups.n_inner > 0 ? config->groups.n_inner : 1;
}

bool bind_has(struct binder *binder, const char *names, struct where at)
{
    return bind_name_find(binder, names, at, endings_of(binder, false)) != NULL ||
           bind_name_find(binder, names, at, endings_of(binder, true)) != NULL;
}

static bool has_first(struct binder *binder, const char *prefix, const char *names)
{
    char *name;

    for (int k = 0; (name = alternative(binder->a, names, k, (struct where){ 0 })) != NULL; k++)
        if (weights_find(binder->m->weights,
                         arena_printf(binder->a, "%s%s.weight", prefix, name)) != NULL)
            return true;
    return false;
}

/* What stands before the slot's names in the file; NULL: they are not there. */
static const char *prefix_of(struct binder *binder, const char *names)
{
    static const char *const inner[] = { "language_model.model.", "model.language_model." };
    const struct family *family = binder->m->family;

    for (int i = 0; i < 2; i++)
        if (has_first(binder, inner[i], names))
            return inner[i];
    for (int i = 0; i < FAMILY_PREFIXES && family->prefix[i] != NULL; i++)
        if (has_first(binder, family->prefix[i], names))
            return family->prefix[i];
    return has_first(binder, "", names) ? "" : NULL;
}

/* The first slot is the token embedding, or what stands in its place; where it is missing,
 * any other will do. */
const char *bind_prefix(struct binder *binder)
{
    const struct family *family = binder->m->family;
    const char *prefix = NULL;

    for (int s = 0; s < N_SLOT && prefix == NULL; s++)
        if (family_has(family, (enum slot)s))
            prefix = prefix_of(binder, family_names(family, (enum slot)s));
    return prefix != NULL ? prefix : "";
}
