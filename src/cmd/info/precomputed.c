/* SPDX-License-Identifier: MIT
 * info --attention: the card of a file of precomputed attention. */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cmd/info/info.h"
#include "session/source/precomputed.h"

static const struct precomputed_layer *info_precomputed_stack_of(const struct model *model,
                                                                 enum stack_id stack)
{
    if (!model_has_stack(model, stack))
        return NULL;
    return stack == STACK_CROSS             ? model->decoder->precomputed->cross :
           stack == model->family->stack_id ? model->precomputed->self :
                                              model->decoder->precomputed->self;
}

/* The model that a stack is of, and the first of its layers that is there. */
static const struct model *owner(const struct model *model, enum stack_id stack, int *first)
{
    const struct precomputed_layer *layer = info_precomputed_stack_of(model, stack);

    if (layer == NULL)
        return NULL;
    for (*first = 0; layer[*first].rows == NULL;)
        ++*first;
    return stack == model->family->stack_id ? model : model->decoder;
}

static void print_card(FILE *file, struct arena *a, const struct model *model, const char *hash)
{
    fprintf(file, "file        %s\n", report_clean(a, model->name, strlen(model->name)));
    for (int i = 0; i < N_STACK; i++) {
        int first;
        const struct model *o = owner(model, (enum stack_id)i, &first);
        const struct tensor *t;

        if (o == NULL)
            continue;
        t = info_precomputed_stack_of(model, (enum stack_id)i)[first].rows;
        fprintf(file, "%-11s layers %s, %d head%s, %" PRId64 " quer%s, %" PRId64
                " key%s, %s%s\n",
                family_stack_names[i], session_layers(a, model, o->config.n_layers),
                o->config.n_heads, str_plural(o->config.n_heads), t->shape[1],
                str_plural_y(t->shape[1]), t->shape[2], str_plural(t->shape[2]),
                dtype_table[t->dtype].name,
                i != STACK_CROSS && o->layer[first].hi == 0 ? ", causal" : "");
    }
    fprintf(file, "hash        %s\n", hash);
}

/* ---- records ---- */

struct stack_row {
    struct list layers;
    int heads;
    int64_t queries, keys;
    const char *dtype;
    bool causal;
};

#define F(f) offsetof(struct stack_row, f)
#define WHERE .where = IN_ALL
static const struct column stack_columns[] = {
    { "layers", "numbers of the layers, from 0", .kind = COLUMN_INT, .list = true, WHERE,
      .field = F(layers) },
    { "heads", "number of heads", .kind = COLUMN_INT, WHERE, .field = F(heads) },
    { "queries", "number of queries", "tokens", .kind = COLUMN_LONG, WHERE,
      .field = F(queries) },
    { "keys", "number of keys", "tokens", .kind = COLUMN_LONG, WHERE, .field = F(keys) },
    { "dtype", "type of the numbers", .kind = COLUMN_TEXT, WHERE, .field = F(dtype) },
    { "causal", "whether all weights after a token's own place are 0", .kind = COLUMN_BOOL,
      WHERE, .field = F(causal) },
};
#undef F

static const struct record stack_record = {
    .help = "the attention of one stack", .size = sizeof(struct stack_row),
    RECORD_COLUMNS(stack_columns),
};

struct stacks_row {
    const struct stack_row *stack[N_STACK];     /* NULL: there is none */
};

#define STACK(name, id) \
    { name, "its attention", .kind = COLUMN_RECORD, WHERE, .null = NULL_ABSENT, \
      .of = &stack_record, .field = offsetof(struct stacks_row, stack[id]) }
static const struct column stacks_columns[] = {
    STACK("encoder", STACK_ENCODER), STACK("decoder", STACK_DECODER),
    STACK("cross", STACK_CROSS),
};
#undef STACK

static const struct record stacks_record = {
    .help = "the stacks that the file holds", .size = sizeof(struct stacks_row),
    RECORD_COLUMNS(stacks_columns),
};

struct file_row {
    const char *model, *family, *hash;
    const struct stacks_row *stacks;
};

#define F(f) offsetof(struct file_row, f)
static const struct column file_columns[] = {
    { "model", "name of the file", .kind = COLUMN_TEXT, WHERE, .field = F(model) },
    { "family", "attention", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .field = F(family) },
    { "stacks", "the stacks that the file holds", .kind = COLUMN_RECORD, WHERE,
      .of = &stacks_record, .field = F(stacks) },
    { "hash", "of the names, types and shapes of the arrays and samples of their numbers",
      .kind = COLUMN_TEXT, WHERE, .field = F(hash) },
};
#undef WHERE
#undef F

const struct record info_precomputed_record = {
    .schema = "mha-viz/info-attention/1", .help = "what a file of attention holds",
    .size = sizeof(struct file_row), RECORD_COLUMNS(file_columns),
};

/* ---- rows ---- */

static struct list layer_numbers(struct arena *a, const struct precomputed_layer *layer, int L)
{
    int *number = arena_alloc(a, (size_t)L, sizeof *number), n = 0;

    for (int l = 0; l < L; l++)
        if (layer[l].rows != NULL)
            number[n++] = l;
    return (struct list){ number, n };
}

static const struct stack_row *stack_row(struct arena *a, const struct model *model,
                                         enum stack_id stack)
{
    int first;
    const struct model *o = owner(model, stack, &first);
    const struct precomputed_layer *layer = info_precomputed_stack_of(model, stack);
    struct stack_row *row = arena_alloc(a, 1, sizeof *row);

    if (o == NULL)
        return NULL;
    *row = (struct stack_row){
        .layers = layer_numbers(a, layer, o->config.n_layers), .heads = o->config.n_heads,
        .queries = layer[first].rows->shape[1], .keys = layer[first].rows->shape[2],
        .dtype = dtype_table[layer[first].rows->dtype].name,
        .causal = stack != STACK_CROSS && o->layer[first].hi == 0,
    };
    return row;
}

void info_precomputed(const struct model *model, const char *hash, struct arena *a,
                      struct report *report)
{
    struct stacks_row stacks;

    report->record = &info_precomputed_record;
    if (report->format == REPORT_TABLE) {
        print_card(report->file, a, model, hash);
        return;
    }
    for (int i = 0; i < N_STACK; i++)
        stacks.stack[i] = stack_row(a, model, (enum stack_id)i);
    report_row(report, &(struct file_row){
        model->name, model->family->name, hash, &stacks,
    });
}
