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

const char *const stack_names[] = { "encoder", "decoder", NULL };

const struct slot_row slot_table[N_SLOT] = {
    [W_TOK]        = { "embeddings", SLOT_TABLE, DIM_V, DIM_D, false, false },
    [W_POS]        = { "embeddings", SLOT_TABLE, DIM_POS, DIM_D, false, false },
    [W_TYPE]       = { "embeddings", SLOT_TABLE, DIM_TYPE, DIM_D, false, true },
    [W_EMB_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, false, false },
    [W_FINAL_NORM] = { "norms", SLOT_NORM, DIM_D, DIM_NONE, false, false },
    [W_HEAD_DENSE] = { "head", SLOT_LINEAR, DIM_D, DIM_D, false, true },
    [W_HEAD_NORM]  = { "head", SLOT_NORM, DIM_D, DIM_NONE, false, true },
    [W_HEAD]       = { "head", SLOT_TABLE, DIM_V, DIM_D, false, true },
    [W_HEAD_BIAS]  = { "head", SLOT_VECTOR, DIM_V, DIM_NONE, false, true },
    [W_ATT_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, true, false },
    [W_Q]          = { "attention", SLOT_LINEAR, DIM_HD, DIM_D, true, false },
    [W_K]          = { "attention", SLOT_LINEAR, DIM_GD, DIM_D, true, false },
    [W_V]          = { "attention", SLOT_LINEAR, DIM_GD, DIM_D, true, false },
    [W_QKV]        = { "attention", SLOT_LINEAR, DIM_QKV, DIM_D, true, false },
    [W_O]          = { "attention", SLOT_LINEAR, DIM_D, DIM_HD, true, false },
    [W_MLP_NORM]   = { "norms", SLOT_NORM, DIM_D, DIM_NONE, true, false },
    [W_GATE]       = { "mlp", SLOT_LINEAR, DIM_F, DIM_D, true, false },
    [W_UP]         = { "mlp", SLOT_LINEAR, DIM_F, DIM_D, true, false },
    [W_DOWN]       = { "mlp", SLOT_LINEAR, DIM_D, DIM_F, true, false },
};

int slot_dim(const struct config *c, enum dim d)
{
    switch (d) {
    case DIM_D:    return c->d_model;
    case DIM_HD:   return c->n_heads * c->d_head;
    case DIM_GD:   return c->n_kv_heads * c->d_head;
    case DIM_QKV:  return (c->n_heads + 2 * c->n_kv_heads) * c->d_head;
    case DIM_F:    return c->d_ff;
    case DIM_V:    return c->n_vocab;
    case DIM_POS:  return c->n_positions;
    case DIM_TYPE: return c->n_types;
    case DIM_NONE: break;
    }
    assert(0);
    return 0;
}

const struct family *family_find(const char *model_type)
{
    for (int i = 0; family_table[i] != NULL; i++)
        if (strcmp(family_table[i]->name, model_type) == 0)
            return family_table[i];
    return NULL;
}
