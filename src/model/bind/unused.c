/* SPDX-License-Identifier: MIT
 * The tensors of a file -> those that no slot uses, and which of these belong to layers: a network
 * that computes with such tensors is not of its model_type. */
#include "model/bind/bind_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/quirks.h"

/* Of layers of any family, from the layer's number on: what a program computes for itself. */
static const char tables[] =
    "self_attn.rotary_emb.|attn.rotary_emb.|attention.rotary_emb.|self_attention.rotary_emb.|"
    "attention.self.rotary_embeddings.";

/* text begins with one of "A|B"; NULL: of none. */
static bool begins_with(const char *text, const char *list)
{
    for (size_t n; list != NULL && *list != '\0'; list += n + (list[n] == '|')) {
        n = strcspn(list, "|");
        if (strncmp(text, list, n) == 0)
            return true;
    }
    return false;
}

/* Of "h.7.attn.bias" after the stem "h." the rest, "attn.bias", and *layer; NULL: the name is not
 * of a layer there. */
static const char *after_number(const char *name, const char *stem, size_t n, int *layer)
{
    char *end;

    if (n == 0 || strncmp(name, stem, n) != 0 || !isdigit((unsigned char)name[n]))
        return NULL;
    *layer = (int)strtol(name + n, &end, 10);
    return *end == '.' ? end + 1 : NULL;
}

/* The same for the stem of any of the names "A|B" of a slot. */
static const char *after_names(const char *name, const char *names, int *layer)
{
    for (size_t n; *names != '\0'; names += n + (names[n] == '|')) {
        const char *number = strstr(names, "%d"), *rest = NULL;

        n = strcspn(names, "|");
        if (number != NULL && number < names + n)
            rest = after_number(name, names, (size_t)(number - names), layer);
        if (rest != NULL)
            return rest;
    }
    return NULL;
}

/* The same for any slot of the stack's layers; GGUF has names of its own. */
static const char *in_layer(struct binder *binder, const char *name, int *layer)
{
    static const char gguf[] = "blk.";
    const char *rest = weights_gguf(binder->m->weights) == NULL ? NULL :
                           after_number(name, gguf, strlen(gguf), layer);

    if (!str_starts_with(name, binder->prefix))
        return rest;
    for (int s = 0; s < N_SLOT && rest == NULL; s++) {
        const char *names = bind_names(binder, (enum slot)s);

        if (names != NULL && family_slots[s].count != PER_STACK &&
            family_slots[s].count != PER_WAVE)
            rest = after_names(name + strlen(binder->prefix), names, layer);
    }
    return rest;
}

/* Of a layer, and nothing that the family is known to leave alone. */
static bool is_missed(struct binder *binder, const char *name)
{
    const struct family *family = binder->m->family;
    int layer;
    const char *rest = in_layer(binder, name, &layer);

    return rest != NULL && !begins_with(rest, tables) && !begins_with(rest, family->spare) &&
           !(quirks_of(family)->spare_layers && layer >= binder->m->config.n_layers);
}

/* Those of one stack. */
static void list_missed(struct binder *binder)
{
    binder->prefix = bind_prefix(binder);
    for (int i = 0; i < weights_count(binder->m->weights); i++) {
        const char *name = weights_at(binder->m->weights, i)->name;

        if (!binder->used[i] && is_missed(binder, name))
            binder->missed[i] = true;
    }
}

void bind_list_unused(struct binder *binder)
{
    struct model *m = binder->m;
    int count = weights_count(m->weights);

    m->unused = arena_alloc(binder->a, (size_t)count, sizeof *m->unused);
    m->missed = arena_alloc(binder->a, (size_t)count, sizeof *m->missed);
    binder->missed = arena_alloc(binder->a, (size_t)count + 1, sizeof *binder->missed);
    list_missed(binder);
    if (m->decoder != NULL) {
        binder->m = m->decoder;
        list_missed(binder);
        binder->m = m;
    }
    for (int i = 0; i < count; i++) {
        if (!binder->used[i])
            m->unused[m->n_unused++] = weights_at(m->weights, i)->name;
        if (binder->missed[i])
            m->missed[m->n_missed++] = weights_at(m->weights, i)->name;
    }
}
