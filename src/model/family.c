/* SPDX-License-Identifier: MIT
 * The table of families, and what each slot holds. */
#include "model/family.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FAMILY(name) extern const struct family family_##name;
#include "model/families.def"
#undef FAMILY

const struct family *const family_table[] = {
#define FAMILY(name) &family_##name,
#include "model/families.def"
#undef FAMILY
    NULL
};

const char *const family_stack_names[] = { "encoder", "decoder", "cross", NULL };

const struct slot_row family_slots[N_SLOT] = {
    [W_TOK]        = { "embeddings", SLOT_TABLE, DIM_V, DIM_E, PER_STACK, false },
    [W_POS]        = { "embeddings", SLOT_TABLE, DIM_POS, DIM_EMB, PER_STACK, false },
    [W_AXIS_0]     = { "embeddings", SLOT_ROWS, DIM_AXIS_0, DIM_WIDTH_0, PER_STACK, false },
    [W_AXIS_1]     = { "embeddings", SLOT_COLUMNS, DIM_AXIS_1, DIM_WIDTH_1, PER_STACK, false },
    [W_PATCH]      = { "embeddings", SLOT_PATCH, DIM_D, DIM_CHANNELS, PER_STACK, false },
    [W_CLS]        = { "embeddings", SLOT_VECTOR, DIM_D, DIM_NONE, PER_STACK, false },
    [W_CONV_1]     = { "embeddings", SLOT_CONV, DIM_D, DIM_MEL, PER_STACK, false },
    [W_CONV_2]     = { "embeddings", SLOT_CONV, DIM_D, DIM_D, PER_STACK, false },
    [W_TYPE]       = { "embeddings", SLOT_TABLE, DIM_TYPE, DIM_EMB, PER_STACK, true },
    [W_TOK_PROJ]   = { "embeddings", SLOT_LINEAR, DIM_D, DIM_E, PER_STACK, true },
    [W_EMB_NORM]   = { "norms", SLOT_NORM, DIM_EMB_NORM, DIM_NONE, PER_STACK, false },
    [W_EMB_PROJ]   = { "embeddings", SLOT_LINEAR, DIM_D, DIM_E, PER_STACK, true },
    [W_FINAL_NORM] = { "norms", SLOT_NORM, DIM_END, DIM_NONE, PER_STACK, false },
    [W_FINAL_PROJ] = { "head", SLOT_LINEAR, DIM_E, DIM_D, PER_STACK, true },
    [W_HEAD_DENSE] = { "head", SLOT_LINEAR, DIM_HEAD_IN, DIM_END, PER_STACK, true },
    [W_HEAD_NORM]  = { "head", SLOT_NORM, DIM_HEAD_IN, DIM_NONE, PER_STACK, true },
    [W_HEAD]       = { "head", SLOT_TABLE, DIM_HEAD, DIM_HEAD_IN, PER_STACK, true },
    [W_HEAD_BIAS]  = { "head", SLOT_VECTOR, DIM_HEAD, DIM_NONE, PER_STACK, true },
    [W_REL]        = { "attention", SLOT_TABLE, DIM_BUCKETS, DIM_H, PER_STACK, false },
    [W_REL_TABLE]  = { "attention", SLOT_TABLE, DIM_REL, DIM_D, PER_STACK, false },
    [W_REL_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_STACK, false },
    [W_CONV]       = { "mlp", SLOT_CONV, DIM_D, DIM_CONV, PER_STACK, false },
    [W_CONV_NORM]  = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_STACK, false },
    [W_ATT_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_LAYER, false },
    [W_ATT_OUT]    = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_LAYER, false },
    [W_Q]          = { "attention", SLOT_LINEAR, DIM_HD, DIM_D, PER_LAYER, false },
    [W_K]          = { "attention", SLOT_LINEAR, DIM_GD, DIM_D, PER_LAYER, false },
    [W_V]          = { "attention", SLOT_LINEAR, DIM_GV, DIM_D, PER_LAYER, false },
    [W_Q_GLOBAL]   = { "attention", SLOT_LINEAR, DIM_HD, DIM_D, PER_LAYER, false },
    [W_K_GLOBAL]   = { "attention", SLOT_LINEAR, DIM_GD, DIM_D, PER_LAYER, false },
    [W_V_GLOBAL]   = { "attention", SLOT_LINEAR, DIM_GV, DIM_D, PER_LAYER, false },
    [W_QKV]        = { "attention", SLOT_LINEAR, DIM_QKV, DIM_D, PER_LAYER, false },
    [W_Q_A]        = { "attention", SLOT_LINEAR, DIM_Q_RANK, DIM_D, PER_LAYER, false },
    [W_Q_A_NORM]   = { "norms", SLOT_NORM, DIM_Q_RANK, DIM_NONE, PER_LAYER, false },
    [W_Q_B]        = { "attention", SLOT_LINEAR, DIM_HD, DIM_Q_RANK, PER_LAYER, false },
    [W_KV_A]       = { "attention", SLOT_LINEAR, DIM_KV_A, DIM_D, PER_LAYER, false },
    [W_KV_A_NORM]  = { "norms", SLOT_NORM, DIM_KV_RANK, DIM_NONE, PER_LAYER, false },
    [W_KV_B]       = { "attention", SLOT_LINEAR, DIM_KV_B, DIM_KV_RANK, PER_LAYER, false },
    [W_Q_BIAS]     = { "attention", SLOT_VECTOR, DIM_HD, DIM_NONE, PER_LAYER, false },
    [W_V_BIAS]     = { "attention", SLOT_VECTOR, DIM_GV, DIM_NONE, PER_LAYER, false },
    [W_REL_K]      = { "attention", SLOT_LINEAR, DIM_HD, DIM_D, PER_LAYER, false },
    [W_REL_Q]      = { "attention", SLOT_LINEAR, DIM_HD, DIM_D, PER_LAYER, false },
    [W_REL_BIAS]   = { "attention", SLOT_VECTOR, DIM_HD, DIM_NONE, PER_LAYER, false },
    [W_SEG]        = { "attention", SLOT_TABLE, DIM_TWO, DIM_HD, PER_LAYER, false },
    [W_SEG_BIAS]   = { "attention", SLOT_VECTOR, DIM_HD, DIM_NONE, PER_LAYER, false },
    [W_Q_NORM]     = { "norms", SLOT_NORM, DIM_Q_NORM, DIM_NONE, PER_LAYER, true },
    [W_K_NORM]     = { "norms", SLOT_NORM, DIM_K_NORM, DIM_NONE, PER_LAYER, true },
    [W_DISTANCE]   = { "attention", SLOT_TABLE, DIM_DISTANCES, DIM_ONE_HEAD, PER_LAYER, false },
    [W_O]          = { "attention", SLOT_LINEAR, DIM_D, DIM_HV, PER_LAYER, false },
    [W_CROSS_NORM] = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_LAYER, false },
    [W_CROSS_Q]    = { "cross", SLOT_LINEAR, DIM_HD, DIM_D, PER_LAYER, false },
    [W_CROSS_K]    = { "cross", SLOT_LINEAR, DIM_GD, DIM_KEY_INPUT, PER_LAYER, false },
    [W_CROSS_V]    = { "cross", SLOT_LINEAR, DIM_GV, DIM_VALUE_INPUT, PER_LAYER, false },
    [W_CROSS_DISTANCE] = { "cross", SLOT_TABLE, DIM_DISTANCES, DIM_ONE_HEAD, PER_LAYER, false },
    [W_CROSS_LAST_K] = { "cross", SLOT_VECTOR, DIM_GD, DIM_NONE, PER_LAYER, false },
    [W_CROSS_LAST_V] = { "cross", SLOT_VECTOR, DIM_GV, DIM_NONE, PER_LAYER, false },
    [W_CROSS_O]    = { "cross", SLOT_LINEAR, DIM_D, DIM_HV, PER_LAYER, false },
    [W_MLP_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_LAYER, false },
    [W_MLP_OUT]    = { "norms", SLOT_NORM, DIM_D, DIM_NONE, PER_LAYER, false },
    [W_GATE]       = { "mlp", SLOT_LINEAR, DIM_F, DIM_D, PER_LAYER, false },
    [W_UP]         = { "mlp", SLOT_LINEAR, DIM_UP, DIM_D, PER_LAYER, false },
    [W_DOWN]       = { "mlp", SLOT_LINEAR, DIM_D, DIM_F, PER_LAYER, false },
    [W_ROUTER]     = { "mlp", SLOT_LINEAR, DIM_EXPERTS, DIM_D, PER_LAYER, false },
    [W_ROUTER_BIAS] = { "mlp", SLOT_VECTOR, DIM_EXPERTS, DIM_NONE, PER_LAYER, false },
    [W_SHARED_GATE] = { "mlp", SLOT_LINEAR, DIM_FS, DIM_D, PER_LAYER, false },
    [W_SHARED_UP]   = { "mlp", SLOT_LINEAR, DIM_FS, DIM_D, PER_LAYER, false },
    [W_SHARED_DOWN] = { "mlp", SLOT_LINEAR, DIM_D, DIM_FS, PER_LAYER, false },
    [W_EXP_GATE]   = { "mlp", SLOT_LINEAR, DIM_FX, DIM_D, PER_EXPERT, false },
    [W_EXP_UP]     = { "mlp", SLOT_LINEAR, DIM_FX, DIM_D, PER_EXPERT, false },
    [W_EXP_DOWN]   = { "mlp", SLOT_LINEAR, DIM_D, DIM_FX, PER_EXPERT, false },
};

/* What a head that does not predict tokens reads: the last row, or what its dense layer
 * makes of it. */
static int head_input(const struct family *f, const struct config *c)
{
    if (c->head.task->dense != NULL)
        return c->head.d_dense > 0 ? c->head.d_dense : c->d_model;
    return f->stack.name[W_FINAL_PROJ] != NULL ? c->d_embed : family_slot_dim(f, c, DIM_END);
}

int family_slot_dim(const struct family *f, const struct config *c, enum dim d)
{
    bool full = f->qk_norm == QK_NORM_FULL;
    int hd = c->n_heads * c->d_head, gd = c->n_kv_heads * c->d_head;
    int gv = c->n_kv_heads * c->d_value;
    bool both = f->norm_place == PLACE_REVERSIBLE;
    int end = both ? 2 * c->d_model : c->d_model;

    switch (d) {
    case DIM_D:       return c->d_model;
    case DIM_E:       return c->d_embed;
    case DIM_EMB:     return f->stack.name[W_EMB_PROJ] != NULL ? c->d_embed : c->d_model;
    case DIM_EMB_NORM:
        return family_slot_dim(f, c, f->proj_before_norm ? DIM_D : DIM_EMB);
    case DIM_HD:      return hd;
    case DIM_GD:      return gd;
    case DIM_GV:      return gv;
    case DIM_HV:      return c->n_heads * c->d_value;
    case DIM_QKV:     return hd + gd + gv;
    case DIM_Q_NORM:  return full ? hd : c->d_head;
    case DIM_K_NORM:  return full ? gd : c->d_head;
    case DIM_F:       return c->d_ff;
    case DIM_UP:      return f->mlp == MLP_GATED_FUSED ? 2 * c->d_ff : c->d_ff;
    case DIM_V:       return c->n_vocab;
    case DIM_POS:     return c->n_positions + (f->positions == POS_TABLE ? f->pos_offset : 0);
    case DIM_BUCKETS: return c->bias.n_buckets;
    case DIM_H:       return c->n_heads;
    case DIM_REL:     return 2 * c->relative.span;
    case DIM_TWO:     return 2;
    case DIM_CONV:    return c->d_model / c->front.conv_groups;
    case DIM_DISTANCES: return c->relative.n_distances;
    case DIM_ONE_HEAD: return c->d_head;
    case DIM_KEY_INPUT: return c->cross.d_key > 0 ? c->cross.d_key : c->d_model;
    case DIM_VALUE_INPUT: return c->cross.d_value > 0 ? c->cross.d_value : c->d_model;
    case DIM_TYPE:    return c->n_types;
    case DIM_CHANNELS: return c->front.n_channels;
    case DIM_MEL:     return c->front.n_mel;
    case DIM_HEAD:    return c->head.task != NULL ? head_outputs(c) :
                             c->head.one_number ? 1 : c->n_vocab;
    case DIM_HEAD_IN: return c->head.task != NULL ? head_input(f, c) : both ? end :
                             c->head.one_number ? c->d_model : c->d_embed;
    case DIM_END:     return end;
    case DIM_AXIS_0:  return c->axial.shape[0];
    case DIM_AXIS_1:  return c->axial.shape[1];
    case DIM_WIDTH_0: return c->axial.width[0];
    case DIM_WIDTH_1: return c->axial.width[1];
    case DIM_EXPERTS: return c->experts.n;
    case DIM_FX:      return c->experts.d_ff;
    case DIM_FS:      return c->experts.n_shared * c->experts.d_ff;
    case DIM_Q_RANK:  return c->latent.q_rank;
    case DIM_KV_RANK: return c->latent.kv_rank;
    case DIM_KV_A:    return c->latent.kv_rank + c->latent.d_rope;
    case DIM_KV_B:    return c->n_heads * (c->latent.d_nope + c->d_value);
    case DIM_NONE:    break;
    }
    assert(0);
    return 0;
}

bool family_slot_in_out(const struct family *f, enum slot s)
{
    if (f->order == ORDER_IN_OUT_QKV)
        return s == W_Q || s == W_K || s == W_V || s == W_REL_K;
    return f->order == ORDER_IN_OUT && family_slots[s].kind == SLOT_LINEAR;
}

bool family_slot_is_linear(enum slot s)
{
    return s == W_HEAD || (family_slots[s].kind == SLOT_LINEAR && s != W_ROUTER);
}

const char *family_slot_names(const struct family *f, const struct config *c, enum slot s)
{
    const struct head_task *task = c->head.task;

    if (task != NULL && s == W_HEAD_DENSE)
        return task->dense;
    if (task != NULL && s == W_HEAD_NORM)
        return task->norm;
    if (task != NULL && s == W_HEAD)
        return task->out;
    return task != NULL && s == W_HEAD_BIAS ? NULL : f->stack.name[s];
}

const struct family *family_find(const char *model_type)
{
    for (int i = 0; family_table[i] != NULL; i++)
        if (strcmp(family_table[i]->name, model_type) == 0)
            return family_table[i];
    return NULL;
}
