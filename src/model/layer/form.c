/* SPDX-License-Identifier: MIT
 * The forms in which linears lie in files: a module's weight, a kernel, a bare parameter. */
#include <string.h>

#include "model/layer/layer_priv.h"

const struct tensor *layer_find(const struct weights *weights, struct arena *a,
                                const char *scope, const char *name,
                                const char *ending)
{
    return weights_find(weights, arena_printf(a, "%s%s%s", scope, name, ending));
}

bool layer_any(const struct weights *weights, const char *begin)
{
    int first;

    return weights_range(weights, begin, &first) > 0;
}

int layer_heads(const struct weights *weights, struct arena *a, const char *scope,
                const char *name)
{
    int count = 0;

    while (layer_find(weights, a, scope, arena_printf(a, "%s.%d", name, count), ".weight") !=
           NULL)
        count++;
    return count;
}

const struct tensor *layer_weight(const struct weights *weights, struct arena *a,
                                  const char *scope, const char *name, enum form *form)
{
    static const struct { const char *ending; enum form form; } endings[] = {
        { ".weight", FORM_WEIGHT }, { ".kernel", FORM_KERNEL }, { "", FORM_BARE },
    };

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const struct tensor *tensor = layer_find(weights, a, scope, name, endings[i].ending);

        *form = endings[i].form;
        if (tensor != NULL)
            return tensor;
    }
    *form = FORM_NONE;
    return NULL;
}

/* "mlp.b_in" for "mlp.W_in". */
static const char *bias_of_bare(struct arena *a, const char *name)
{
    const char *dot = strrchr(name, '.'), *last = dot != NULL ? dot + 1 : name;

    return last[0] != 'W' && last[0] != 'w' ? arena_printf(a, "%s_bias", name) :
           arena_printf(a, "%.*sb%s", (int)(last - name), name, last + 1);
}

const struct tensor *layer_bias(const struct weights *weights, struct arena *a, const char *scope,
                                const char *name, enum form form)
{
    return form == FORM_BARE ? layer_find(weights, a, scope, bias_of_bare(a, name), "") :
                               layer_find(weights, a, scope, name, ".bias");
}
