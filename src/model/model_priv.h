/* SPDX-License-Identifier: MIT
 * Private interface of binding and planning: steps that set the derived data of a model. */
#ifndef MODEL_MODEL_PRIV_H
#define MODEL_MODEL_PRIV_H

#include "model/model.h"

/* Sets window, scale and rotary table of layer l, after plan_rope. */
void plan_layer(struct model *model, int l);

/* Sets the rotary tables of model, which layers index. */
void plan_rope(struct model *model, struct arena *a);

/* Sets the biases of scores; the stack's slots must be bound. */
void plan_bias(struct model *model, struct arena *a);

/* Sets the grid biases of layer l: the sum of the stack's and its own; layers in order. */
void plan_grid(const struct model *model, int l, struct arena *a);

/* Sets plan->distance and cross_distance, in order of distance; the layer's slots must be bound. */
void plan_distances(struct layer_plan *plan, const struct config *config, struct arena *a);

/* Sets model->tap_scale, and the bias of W_POS_CONV.  Errors: a tap whose weights are all 0. */
int plan_taps(struct model *model, struct arena *a, struct err *e);

/* Whether layer l has experts instead of one mlp. */
bool plan_has_experts(const struct config *config, int l);

/* Whether slot s is for relative positions that the config switches off. */
bool bind_distance_is_off(const struct model *model, int s);

/*
 * Makes separate bias vectors of queries and values (W_Q_BIAS, W_V_BIAS) the bias of their
 * projection; model->place has their offsets in a fused one.
 */
void bind_free_biases(const struct model *model, struct layer_plan *plan, struct arena *a);

/* Hash of config, and names, shapes and types of tensors, which distinguishes models. */
uint64_t model_hash(const struct model *model);

#endif
