/* SPDX-License-Identifier: MIT
 * The table of families, and what follows from a row of it. */
#include "model/families.h"

#include <stddef.h>
#include <string.h>

#include "model/quirks.h"

const struct family *const family_table[] = {
#define FAMILY(name) &family_##name,
#include "model/families.def"
#undef FAMILY
    NULL
};

const char *const family_stack_names[] = { "encoder", "decoder", "cross", NULL };

const char *family_names(const struct family *f, enum slot s)
{
    const char *names = f->stack.name[s];

    if (f->like == NULL)
        return names;
    if (names == NULL)
        return f->like->stack.name[s];
    return names[0] != '\0' ? names : NULL;
}

bool family_has(const struct family *f, enum slot s)
{
    return family_names(f, s) != NULL;
}

enum mlp family_mlp(const struct family *f, const struct config *c)
{
    const struct quirks *quirks = quirks_of(f);

    return (quirks->mlp_by_config || quirks->swiglu_by_config) && !c->gated ? MLP_PLAIN : f->mlp;
}

bool family_rotates(const struct family *f, const struct config *c)
{
    return f->positions == POS_ROPE || (quirks_of(f)->may_rotate && c->rotary.instead);
}

bool family_layer_norm(const struct family *f)
{
    return f->norm == NORM_LAYER || f->norm == NORM_LAYER_PLUS_ONE;
}

bool family_norm_has_bias(const struct family *f)
{
    return family_layer_norm(f) || f->norm == NORM_AFFINE;
}

bool family_centres(const struct family *f)
{
    return family_layer_norm(f) || f->norm == NORM_DEVIATION;
}

bool family_counts_ids(const struct family *f)
{
    return f->positions == POS_TABLE_FROM_IDS || f->positions == POS_SINUSOID_CLOSED_FROM_IDS;
}

const struct quirks *quirks_of(const struct family *f)
{
    static const struct quirks none = { 0 };

    return f->quirks != NULL ? f->quirks : &none;
}

const struct family *family_find(const char *model_type)
{
    for (int i = 0; family_table[i] != NULL; i++)
        if (strcmp(family_table[i]->name, model_type) == 0)
            return family_table[i];
    return NULL;
}
