/* SPDX-License-Identifier: MIT
 * What binding and planning share. */
#ifndef MODEL_MODEL_PRIV_H
#define MODEL_MODEL_PRIV_H

#include "model/model.h"

/* Window, scale and rotary table of layer l; plan_rope comes before. */
void plan_layer(struct model *m, int l);

/* The rotary tables that the layers point to. */
void plan_rope(struct model *m, struct arena *a);

/* What is added to scores; the stack's slots are bound before. */
void plan_bias(struct model *m, struct arena *a);

/* Biases of the grid: the stack's and layer l's, in sum; layers in order. */
void plan_grid(const struct model *m, int l, struct arena *a);

/* Rows by distance, in order; the layer's slots are bound before. */
void plan_distances(struct layer_plan *plan, const struct config *c, struct arena *a);

/* m->tap_scale, and the bias of what it scales.  Errors: a tap whose weights are all 0. */
int plan_taps(struct model *m, struct arena *a, struct err *e);

/* Layer l has experts instead of one mlp. */
bool plan_has_experts(const struct config *c, int l);

/* Slot s holds distances that the config switches off. */
bool bind_distance_is_off(const struct model *m, int s);

/*
 * Vectors that are added to queries and values become the bias of what projects them;
 * m->place says where those stand in a fused one.
 */
void bind_free_biases(const struct model *m, struct layer_plan *plan, struct arena *a);

/* Of config, tensor names, shapes and types: distinguishes models. */
uint64_t model_hash(const struct model *m);

#endif
