/* SPDX-License-Identifier: MIT
 * The names found in a bare layer's file -> a family: a name for each slot. */
#include <limits.h>
#include <string.h>

#include "model/layer/layer_priv.h"

/* Slots in the order of enum part. */
static void name_parts(struct look *look, const char *scope, const enum slot slot[N_PART])
{
    for (int i = 0; i < N_PART && look->part[i] != NULL; i++)
        look->f->stack.name[slot[i]] = arena_printf(look->a, "%s%s", scope, look->part[i]);
}

static void name_attention(struct look *look, const char *scope, bool to_memory)
{
    static const enum slot self[] = { W_Q, W_K, W_V, W_O };
    static const enum slot cross[] = { W_CROSS_Q, W_CROSS_K, W_CROSS_V, W_CROSS_O };
    const char *rel = arena_printf(look->a, "%srel_pos_encoding", scope);
    const char *first = layer_name(look->a, scope, 0);

    name_parts(look, scope, to_memory ? cross : self);
    if (layer_find(look->w, look->a, first, "rel_pos_encoding", "") != NULL)
        look->f->stack.name[to_memory ? W_CROSS_DISTANCE : W_DISTANCE] = rel;
    if (to_memory && layer_find(look->w, look->a, first, "bias_k", "") != NULL) {
        look->f->stack.name[W_CROSS_LAST_K] = arena_printf(look->a, "%sbias_k", scope);
        look->f->stack.name[W_CROSS_LAST_V] = arena_printf(look->a, "%sbias_v", scope);
    }
}

static const char *of_layer(const struct look *look, const char *name)
{
    const char *bar = strchr(name, '|');

    if (bar == NULL)
        return arena_printf(look->a, "%s%s", look->layer, name);
    return arena_printf(look->a, "%s%.*s|%s%s", look->layer, (int)(bar - name), name, look->layer,
                        bar + 1);
}

static void name_block(struct look *look)
{
    const char **name = look->f->stack.name;
    const struct layout *layout = look->layout;
    const char *last = layout->last_norm != NULL ?
                              arena_printf(look->a, "%s%s", look->base, layout->last_norm) : NULL;

    name[W_ATT_NORM] = of_layer(look, layout->norm[0]);
    name[W_CROSS_NORM] = look->cross != NULL ? of_layer(look, layout->norm[2]) : NULL;
    name[W_MLP_NORM] = of_layer(look, layout->norm[look->cross != NULL ? 3 : 1]);
    name[W_UP] = of_layer(look, layout->up);
    name[W_DOWN] = of_layer(look, layout->down);
    if (look->stacked && last != NULL && layer_find(look->w, look->a, last, ".weight", "") != NULL)
        name[W_FINAL_NORM] = last;
    if (look->cross != NULL)
        name_attention(look, of_layer(look, look->cross), true);
}

/* The norm that some attentions have before their own projections. */
static bool has_inner_norm(const struct look *look)
{
    return look->layout == NULL && look->naming->norm != NULL &&
           layer_find(look->w, look->a, layer_name(look->a, look->self, 0), look->naming->norm,
                      ".weight") != NULL;
}

/* One attention reads another input where that has widths of its own, or a key more. */
static bool reads_memory(const struct look *look)
{
    const struct config *config = look->c;

    return look->asked->memory || look->asked->zero_key || config->cross.d_key != config->d_model ||
           config->cross.d_value != config->d_model ||
           layer_find(look->w, look->a, layer_name(look->a, look->self, 0), "bias_k", "") != NULL;
}

/* ---- a whole model ---- */

static const struct tensor *layer_family_table_of(const struct look *look, const char *name)
{
    const struct tensor *tensor =
        name == NULL ? NULL : layer_find(look->w, look->a, look->base, name, ".weight");
    bool fits = tensor != NULL && tensor->n_dims == 2 && tensor->shape[0] >= 1 &&
                tensor->shape[0] <= INT_MAX && tensor->shape[1] == look->c->d_model;

    return fits ? tensor : NULL;
}

/* What stands before the last part of a name that ends with a dot. */
static const char *layer_family_above(struct arena *a, const char *base)
{
    size_t end = strlen(base);

    if (end > 0)
        end--;
    while (end > 0 && base[end - 1] != '.')
        end--;
    return arena_strndup(a, base, end);
}

/* With embeddings of tokens and of positions, layers are a model that reads ids. */
static void name_whole(struct look *look)
{
    struct family *family = look->f;
    const struct layout *layout = look->layout;
    const struct tensor *tokens = layer_family_table_of(look, layout->tokens);
    const struct tensor *positions = layer_family_table_of(look, layout->positions);

    if (!look->stacked || tokens == NULL || positions == NULL)
        return;
    family->name = layout->writer;
    family->bare = false;
    family->front = FRONT_TOKENS;
    family->positions = POS_TABLE;
    for (int group = 0; group < N_BIAS_GROUP; group++)
        family->biased[group] = BIAS_AS_STORED;
    family->stack.name[W_TOK] = arena_printf(look->a, "%s%s", look->base, layout->tokens);
    family->stack.name[W_POS] = arena_printf(look->a, "%s%s", look->base, layout->positions);
    family->stack.name[W_HEAD] = arena_printf(look->a, "%s%s|%s%s", look->base, layout->head,
                                              layer_family_above(look->a, look->base),
                                              layout->head);
    look->c->n_vocab = (int)tokens->shape[0];
    look->c->n_positions = (int)positions->shape[0];
}

void layer_family(struct look *look)
{
    struct family *family = look->f;
    const struct layout *layout = look->layout;
    bool to_memory = layout == NULL && reads_memory(look),
         decoder = look->cross != NULL || look->causal;
    bool first = look->asked->norm_first || (layout != NULL && layout->norm_first) ||
                 has_inner_norm(look);

    *family = (struct family){
        .name = layout == NULL                      ? "attention" :
                look->cross != NULL || look->causal ? "decoder layer" :
                                                      "encoder layer",
        .source = layout != NULL ? layout->writer : look->naming->writer,
        .stack_id = to_memory ? STACK_CROSS :
                    decoder   ? STACK_DECODER :
                                STACK_ENCODER,
        .bare = true,
        .by_names = true,
        .causal = decoder && !to_memory && !look->asked->unmasked,
        .norm = layout != NULL ? layout->norm_kind : NORM_LAYER,
        .norm_place = first ? PLACE_PRE : PLACE_POST,
        .positions = POS_NONE,
        .front = FRONT_ROWS,
        .qkv = QKV_SEPARATE,
        .order = ORDER_OUT_IN,
        .mlp = MLP_PLAIN,
    };
    name_attention(look, look->self, to_memory);
    if (has_inner_norm(look))
        family->stack.name[W_ATT_NORM] = arena_printf(look->a, "%s%s", look->self,
                                                      look->naming->norm);
    if (layout != NULL) {
        name_block(look);
        name_whole(look);
    }
}
