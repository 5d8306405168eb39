/* SPDX-License-Identifier: MIT
 * info --attention: the card of a file of precomputed attention. */
#include <inttypes.h>
#include <string.h>

#include "cmd/info.h"
#include "model/precomputed.h"
#include "report/report.h"
#include "session/precomputed.h"

static const struct precomputed_layer *stack_of(const struct model *m, enum stack_id stack)
{
    if (!model_has_stack(m, stack))
        return NULL;
    return stack == STACK_CROSS ? m->decoder->precomputed->cross :
           stack == m->family->stack_id ? m->precomputed->self : m->decoder->precomputed->self;
}

/* The model that a stack is of, and the first of its layers that is there. */
static const struct model *owner(const struct model *m, enum stack_id stack, int *first)
{
    const struct precomputed_layer *layer = stack_of(m, stack);

    if (layer == NULL)
        return NULL;
    for (*first = 0; layer[*first].rows == NULL;)
        ++*first;
    return stack == m->family->stack_id ? m : m->decoder;
}

void info_precomputed_card(FILE *f, struct arena *a, const struct model *m)
{
    fprintf(f, "file        %s\n", report_clean(a, m->name, strlen(m->name)));
    for (int i = 0; i < N_STACK; i++) {
        int first;
        const struct model *o = owner(m, (enum stack_id)i, &first);
        const struct tensor *t;

        if (o == NULL)
            continue;
        t = stack_of(m, (enum stack_id)i)[first].rows;
        fprintf(f, "%-11s layers %s, %d heads, %" PRId64 " queries, %" PRId64 " keys, %s%s\n",
                family_stack_names[i], precomputed_layers(a, m, o->config.n_layers), o->config.n_heads,
                t->shape[1], t->shape[2], dtype_table[t->dtype].name,
                i != STACK_CROSS && o->layer[first].hi == 0 ? ", causal" : "");
    }
    fprintf(f, "hash        %016" PRIx64 "\n", m->hash);
}

static void json_stack(struct jsonw *j, const struct model *m, enum stack_id stack)
{
    int first;
    const struct model *o = owner(m, stack, &first);
    const struct precomputed_layer *layer = stack_of(m, stack);

    if (o == NULL)
        return;
    jsonw_key(j, family_stack_names[stack]);
    jsonw_object(j);
    jsonw_key(j, "layers");
    jsonw_array(j);
    for (int l = 0; l < o->config.n_layers; l++)
        if (layer[l].rows != NULL)
            jsonw_int(j, l);
    jsonw_end(j, ']');
    jsonw_key(j, "heads");
    jsonw_int(j, o->config.n_heads);
    jsonw_key(j, "queries");
    jsonw_int(j, layer[first].rows->shape[1]);
    jsonw_key(j, "keys");
    jsonw_int(j, layer[first].rows->shape[2]);
    jsonw_key(j, "dtype");
    jsonw_string(j, dtype_table[layer[first].rows->dtype].name);
    jsonw_key(j, "causal");
    jsonw_bool(j, stack != STACK_CROSS && o->layer[first].hi == 0);
    jsonw_end(j, '}');
}

void info_precomputed_json(FILE *f, const struct model *m)
{
    char hash[17];
    struct jsonw j;

    snprintf(hash, sizeof hash, "%016" PRIx64, m->hash);
    jsonw_init(&j, f);
    jsonw_object(&j);
    jsonw_key(&j, "schema");
    jsonw_string(&j, "mha-viz/info/1");
    jsonw_key(&j, "model");
    jsonw_string(&j, m->name);
    jsonw_key(&j, "family");
    jsonw_string(&j, m->family->name);
    jsonw_key(&j, "stacks");
    jsonw_object(&j);
    for (int i = 0; i < N_STACK; i++)
        json_stack(&j, m, (enum stack_id)i);
    jsonw_end(&j, '}');
    jsonw_key(&j, "hash");
    jsonw_string(&j, hash);
    jsonw_end(&j, '}');
    jsonw_newline(&j);
}
