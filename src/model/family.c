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

const char *family_names(const struct family *family, enum slot s)
{
    const char *names = family->stack.name[s];

    if (family->like == NULL)
        return names;
    if (names == NULL)
        return family->like->stack.name[s];
    return names[0] != '\0' ? names : NULL;
}

bool family_has(const struct family *family, enum slot s)
{
    return family_names(family, s) != NULL;
}

enum mlp family_mlp(const struct family *family, const struct config *config)
{
    const struct quirks *quirks = quirks_of(family);

    return (quirks->mlp_by_config || quirks->swiglu_by_config) && !config->gated ? MLP_PLAIN :
           family->mlp;
}

bool family_rotates(const struct family *family, const struct config *config)
{
    return family->positions == POS_ROPE || (quirks_of(family)->may_rotate &&
                                             config->rotary.instead);
}

bool family_layer_norm(const struct family *family)
{
    return family->norm == NORM_LAYER || family->norm == NORM_LAYER_PLUS_ONE;
}

bool family_norm_has_bias(const struct family *family)
{
    return family_layer_norm(family) || family->norm == NORM_AFFINE;
}

bool family_centres(const struct family *family)
{
    return family_layer_norm(family) || family->norm == NORM_DEVIATION;
}

bool family_counts_ids(const struct family *family)
{
    return family->positions == POS_TABLE_FROM_IDS ||
           family->positions == POS_SINUSOID_CLOSED_FROM_IDS;
}

const struct quirks *quirks_of(const struct family *family)
{
    static const struct quirks none = { 0 };

    return family->quirks != NULL ? family->quirks : &none;
}

const struct family *family_find(const char *model_type)
{
    for (int i = 0; family_table[i] != NULL; i++)
        if (strcmp(family_table[i]->name, model_type) == 0)
            return family_table[i];
    return NULL;
}
