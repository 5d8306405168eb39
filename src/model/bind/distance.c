/* SPDX-License-Identifier: MIT
 * Binding of relative positions (DeBERTa, XLNet, W_DISTANCE): their slots and derived tables. */
#include <string.h>

#include "model/model_priv.h"

bool bind_distance_is_off(const struct model *model, int s)
{
    const struct config *c = &model->config;
    bool shared = c->relative.shared;

    if (model->family->bias != BIAS_DISENTANGLED)
        return false;
    return (s == W_REL_K && (!c->relative.on || !c->relative.c2p || shared)) ||
           (s == W_REL_Q && (!c->relative.on || !c->relative.p2c || shared)) ||
           (s == W_REL_TABLE && !c->relative.on) ||
           (s == W_REL_NORM && (!c->relative.on || !c->relative.normed));
}

void bind_free_biases(const struct model *model, struct layer_plan *plan, struct arena *a)
{
    const struct config *config = &model->config;
    const struct head_place *place = &model->place;
    const float *q = plan->slot[W_Q_BIAS].vector, *v = plan->slot[W_V_BIAS].vector;
    size_t d = (size_t)config->d_head, d_v = (size_t)config->d_value;
    float *all;

    if (model->family->qkv == QKV_SEPARATE) {
        plan->slot[W_Q].bias = q != NULL ? q : plan->slot[W_Q].bias;
        return;
    }
    if (q == NULL)                      /* values have one where queries have */
        return;
    all = arena_alloc(a, (size_t)place->width, sizeof *all);
    for (int h = 0; h < config->n_heads; h++)
        memcpy(all + place->q[h], q + (size_t)h * d, d * sizeof *all);
    for (int g = 0; g < config->n_kv_heads; g++)
        memcpy(all + place->v[g], v + (size_t)g * d_v, d_v * sizeof *all);
    plan->slot[W_QKV].bias = all;
}
