/* SPDX-License-Identifier: MIT
 * The parameters of a model, counted as they are stored. */
#include "model/count.h"

#include <string.h>

#include "model/family_slots.h"

const char *const count_parts[] = {
    "embeddings", "attention", "cross", "mixers", "mlp", "norms", "head", NULL
};

static void model_count_add(struct count *count, const struct param *p)
{
    if (p->weight != NULL)
        count->weights += p->weight->n_elements * (p->n_parts > 0 ? p->n_parts : 1);
    if (p->bias_tensor != NULL)
        count->biases += p->bias_tensor->n_elements;
}

/* Shared layers are counted once; those of a group are its n_inner neighbours. */
static bool is_shared(const struct model *model, int l)
{
    int step = model->config.groups.n_inner > 0 ? model->config.groups.n_inner : 1;

    return l >= step &&
           model->layer[l].mixer == MIXER_NONE &&
           model->layer[l].slot[W_O].weight == model->layer[l - step].slot[W_O].weight;
}

static void model_count_add_layer(struct count *count, const struct model *model, int l, int slot)
{
    const struct layer_plan *plan = &model->layer[l];

    if (family_slots[slot].count == PER_LAYER)
        model_count_add(count, &plan->slot[slot]);
    for (int i = 0; plan->former != NULL && i < model->config.n_mlps - 1; i++)
        if (family_slots[slot].count == PER_FORMER)
            model_count_add(count, slot == W_FORMER_UP   ? &plan->former[i].up :
                                   slot == W_FORMER_DOWN ? &plan->former[i].down :
                                                           &plan->former[i].norm);
    for (int x = 0; plan->expert != NULL && x < model->config.experts.n; x++)
        if (family_slots[slot].count == PER_EXPERT && family_has(model->family, (enum slot)slot))
            model_count_add(count, slot == W_EXP_GATE ? &plan->expert[x].gate :
                                   slot == W_EXP_UP ? &plan->expert[x].up : &plan->expert[x].down);
}

/* Tables that decoder and encoder share are counted once. */
static void add_stack(struct count *count, const struct model *model, const struct model *before,
                      const char *part)
{
    for (int s = 0; s < N_SLOT; s++) {
        const struct tensor *tensor = model->slot[s].weight;

        if (strcmp(family_slots[s].part, part) != 0)
            continue;
        if (family_slots[s].count == PER_STACK &&
            (before == NULL || tensor == NULL || tensor != before->slot[s].weight))
            model_count_add(count, &model->slot[s]);
        for (int i = 0; model->wave != NULL && i < model->config.front.wave.n; i++)
            if (family_slots[s].count == PER_WAVE)
                model_count_add(count, s == W_WAVE ? &model->wave[i].conv : &model->wave[i].norm);
        for (int i = 1; family_slots[s].count == PER_STREAM && i < model->config.streams.n; i++)
            model_count_add(count, s == W_STREAM_IN ? &model->stream_in[i - 1] :
                                                      &model->stream_out[i - 1]);
        for (int l = 0; l < model->config.n_layers; l++)
            if (!is_shared(model, l))
                model_count_add_layer(count, model, l, s);
    }
}

struct count count_part(const struct model *model, const char *part)
{
    struct count count = { 0 };

    add_stack(&count, model, NULL, part);
    if (model->decoder != NULL)
        add_stack(&count, model->decoder, model, part);
    return count;
}

bool count_has_part(const struct model *model, const char *part)
{
    struct count c = count_part(model, part);

    if (model->family->bare || strcmp(part, "cross") == 0 || strcmp(part, "mixers") == 0)
        return c.weights + c.biases > 0;
    return true;
}

enum slot count_first(const struct model *model)
{
    const struct param *slot = model_attending(model)->slot;

    return slot[W_O].weight != NULL || slot[W_Q].weight != NULL ? W_Q : W_CROSS_Q;
}

enum slot count_last(const struct model *model)
{
    return count_first(model) == W_Q ? W_O : W_CROSS_O;
}

struct count count_attention(const struct model *model)
{
    struct count count = { 0 };

    for (enum slot s = count_first(model); s <= count_last(model); s++)
        if (family_slots[s].kind == SLOT_LINEAR)
            model_count_add(&count, &model_attending(model)->slot[s]);
    return count;
}

bool count_has_head(const struct model *model)
{
    const struct param *slot = model_attending(model)->slot;
    bool alike = model->family->qkv == QKV_SEPARATE && slot[W_K].weight == NULL &&
                 slot[W_CROSS_K].weight == NULL;        /* keys are queries */

    return model->config.n_kv_heads == model->config.n_heads && !alike &&
           model->family->qkv != QKV_LOW_RANK;
}

int64_t count_head(const struct model *model)
{
    const struct config *config = &model->config;
    bool other = count_first(model) != W_Q;
    int64_t keys = other ? family_slot_dim(model->family, config, DIM_KEY_INPUT) :
                           config->d_model;
    int64_t values = other ? family_slot_dim(model->family, config, DIM_VALUE_INPUT) :
                             config->d_model;

    return (config->d_model + keys) * config->d_head + values * config->d_value;
}
