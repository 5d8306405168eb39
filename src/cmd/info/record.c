/* SPDX-License-Identifier: MIT
 * A model -> the row that info prints. */
#include <inttypes.h>
#include <math.h>

#include "cmd/info/info.h"
#include "run/run.h"
#include "run/special/front.h"

/* ---- records ---- */

#define SIZE(type, column, about, measure) \
    { #column, about, measure, .kind = COLUMN_INT, .where = IN_ALL, \
      .field = offsetof(type, column) }

static const struct column count_columns[] = {
    { "weights", "weights", .kind = COLUMN_LONG, .where = IN_ALL,
      .field = offsetof(struct count, weights) },
    { "biases", "biases", .kind = COLUMN_LONG, .where = IN_ALL,
      .field = offsetof(struct count, biases) },
};

static const struct record count_record = {
    .help = "parameters as they are stored", .size = sizeof(struct count),
    RECORD_COLUMNS(count_columns),
};

#define PART(title, at, about) \
    { title, about, .kind = COLUMN_RECORD, .where = IN_ALL, .null = NULL_ABSENT, \
      .of = &count_record, .field = offsetof(struct parameters_row, part[at]) }
static const struct column parameter_columns[] = {
    PART("embeddings", 0, "tables of tokens, positions and types"),
    PART("attention", 1, "projections of self-attention"),
    PART("cross", 2, "projections of attention to another input"),
    PART("mixers", 3, "what some layers have instead of attention"),
    PART("mlp", 4, "feed-forward parts"),
    PART("norms", 5, "norms"),
    PART("head", 6, "the output's projection, where it is not the token table"),
};
#undef PART

static const struct record parameter_record = {
    .help = "parameters by part", .size = sizeof(struct parameters_row),
    RECORD_COLUMNS(parameter_columns),
};

static const struct column expert_columns[] = {
    SIZE(struct experts_row, number, "number of experts", NULL),
    SIZE(struct experts_row, chosen, "experts chosen for a token", NULL),
    SIZE(struct experts_row, shared, "experts that all tokens share", NULL),
    SIZE(struct experts_row, d_ff, "width of one expert", NULL),
};

static const struct record expert_record = {
    .help = "a mixture of experts", .size = sizeof(struct experts_row),
    RECORD_COLUMNS(expert_columns),
};

static const struct column decoder_columns[] = {
    SIZE(struct decoder_row, layers, "number of layers", NULL),
    SIZE(struct decoder_row, heads, "heads of queries", NULL),
    SIZE(struct decoder_row, d_head, "width of a head", NULL),
    SIZE(struct decoder_row, d_ff, "width of the feed-forward part", NULL),
    SIZE(struct decoder_row, vocab, "size of the vocabulary", "tokens"),
    { "positions", "the longest text; null: any length", "tokens", .kind = COLUMN_INT,
      .where = IN_ALL, .null = NULL_SHOWN, .field = offsetof(struct decoder_row, positions) },
};

static const struct record decoder_record = {
    .help = "the decoder of an encoder-decoder", .size = sizeof(struct decoder_row),
    RECORD_COLUMNS(decoder_columns),
};

static const char *const towers[] = { "text", "picture", NULL };

#define F(f) offsetof(struct info_row, f)
#define WHERE .where = IN_ALL
static const struct column info_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, WHERE, .field = F(model) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, WHERE,
      .field = F(family) },
    { "tower", "of a model of texts and pictures: which part this is", .kind = COLUMN_TEXT, WHERE,
      .null = NULL_ABSENT, .choices = towers, .field = F(tower) },
    { "stack", "encoder or decoder", .kind = COLUMN_TEXT, WHERE,
      .choices = family_stack_names, .field = F(stack) },
    { "causal", "whether a token sees only itself and those before", .kind = COLUMN_BOOL,
      WHERE, .field = F(causal) },
    SIZE(struct info_row, layers, "number of layers", NULL),
    { "layer_kinds", "what each layer mixes tokens by, where not all attend: attention, "
      "convolution, delta", .kind = COLUMN_TEXT, .list = true, WHERE, .null = NULL_ABSENT,
      .field = F(kinds) },
    SIZE(struct info_row, heads, "heads of queries", NULL),
    SIZE(struct info_row, kv_heads, "heads of keys and values", NULL),
    SIZE(struct info_row, d_model, "width of the model", NULL),
    SIZE(struct info_row, d_head, "width of a head's queries and keys", NULL),
    SIZE(struct info_row, d_value, "width of a head's values", NULL),
    SIZE(struct info_row, d_ff, "width of the feed-forward part", NULL),
    { "activation", "of the feed-forward part of a model without config.json",
      .kind = COLUMN_TEXT, WHERE, .null = NULL_ABSENT, .field = F(activation) },
    SIZE(struct info_row, vocab, "size of the vocabulary", "tokens"),
    { "positions", "the longest text; null: any length", "tokens", .kind = COLUMN_INT, WHERE,
      .null = NULL_SHOWN, .field = F(positions) },
    { "input", "shape of the array that the model reads; null: any length",
      .kind = COLUMN_LONG, .list = true, .null_items = true, WHERE, .null = NULL_ABSENT,
      .field = F(input) },
    { "experts", "its experts", .kind = COLUMN_RECORD, WHERE, .null = NULL_ABSENT,
      .of = &expert_record, .field = F(experts) },
    { "decoder", "its decoder", .kind = COLUMN_RECORD, WHERE, .null = NULL_ABSENT,
      .of = &decoder_record, .field = F(decoder) },
    { "quantised", "how the weights that a quantiser packed are stored", .kind = COLUMN_TEXT,
      WHERE, .null = NULL_ABSENT, .field = F(quantised) },
    { "bits", "bits a weight of those, scales included", .kind = COLUMN_REAL, WHERE,
      .null = NULL_ABSENT, .field = F(bits) },
    { "hash", "of the configuration, the tokeniser and samples of the weights, as files carry it",
      .kind = COLUMN_TEXT, WHERE, .field = F(hash) },
    { "parameters", "parameters by part", .kind = COLUMN_RECORD, WHERE,
      .of = &parameter_record, .field = F(parameters) },
    { "attention_layer", "parameters of one attention layer", .kind = COLUMN_RECORD, WHERE,
      .of = &count_record, .field = F(attention_layer) },
    { "head_weights", "weights of one head's queries, keys and values", .kind = COLUMN_LONG,
      WHERE, .null = NULL_ABSENT, .field = F(head_weights) },
    { "run_tokens", "length of the run whose memory is estimated", "tokens",
      .kind = COLUMN_INT, WHERE, .field = F(run_tokens) },
    { "run_memory", "memory of that run beyond the weights", "bytes", .kind = COLUMN_LONG,
      WHERE, .field = F(run_memory) },
};
#undef WHERE
#undef F
#undef SIZE

const struct record info_record = {
    .schema = "mha-viz/info/2", .help = "what a model is", .size = sizeof(struct info_row),
    RECORD_COLUMNS(info_columns),
};

/* ---- the table of parameters ---- */

struct part_row {
    const char *name;
    struct count count;
};

static const char *show_weights(struct arena *a, const void *row)
{
    return report_thousands(a, ((const struct part_row *)row)->count.weights);
}

static const char *show_biases(struct arena *a, const void *row)
{
    return report_thousands(a, ((const struct part_row *)row)->count.biases);
}

static const char *show_sum(struct arena *a, const void *row)
{
    const struct part_row *part = row;

    return report_thousands(a, part->count.weights + part->count.biases);
}

static const struct column part_columns[] = {
    { "parameters", "part of the model", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .field = offsetof(struct part_row, name) },
    { "weights", "weights", .kind = COLUMN_LONG, .where = IN_TABLE, .show = show_weights },
    { "biases", "biases", .kind = COLUMN_LONG, .where = IN_TABLE, .show = show_biases },
    { "sum", "both", .kind = COLUMN_LONG, .where = IN_TABLE, .show = show_sum },
};

static const struct record part_record = {
    .help = "a part of the model", .size = sizeof(struct part_row),
    RECORD_COLUMNS(part_columns),
};

void info_parts(const struct info_row *row, struct arena *a, FILE *file)
{
    struct part_row parts[N_COUNT_PART + 1], all = { "all", { 0, 0 } };
    int count = 0;

    for (int i = 0; i < N_COUNT_PART; i++) {
        const struct count *c = row->parameters->part[i];

        if (c == NULL)
            continue;
        all.count.weights += c->weights;
        all.count.biases += c->biases;
        parts[count++] = (struct part_row){ count_parts[i], *c };
    }
    parts[count++] = all;
    record_table(&part_record, parts, count, a, file);
}

/* ---- the row ---- */

bool info_any_length(const struct model *model)
{
    return model->family->front == FRONT_WAVE ||
           (model->family->bare && (model->config.relative.n_distances == 0 ||
                                    model->config.relative.clip));
}

static int longest(const struct model *model, int n)
{
    return n < model->max_tokens ? n : model->max_tokens;
}

static struct list input_of(struct arena *a, const struct model *model)
{
    int64_t *dim = arena_alloc(a, 4, sizeof *dim);
    int count = front_dims(model, dim);

    return (struct list){ dim, count > 0 ? count : -1 };
}

const char *info_kind(const struct model *model, int layer)
{
    static const char *const names[] = {
        [MIXER_NONE] = "attention", [MIXER_CONV] = "convolution", [MIXER_DELTA] = "delta",
    };

    return names[model->layer[layer].mixer];
}

static struct list info_kinds_of(struct arena *a, const struct model *model)
{
    int L = model->config.n_layers;
    const char **kind = arena_alloc(a, (size_t)L, sizeof *kind);

    for (int l = 0; l < L; l++)
        kind[l] = info_kind(model, l);
    return (struct list){ kind, model->family->mixer != MIXER_NONE ? L : -1 };
}

static const struct experts_row *experts_of(struct arena *a, const struct config *config)
{
    struct experts_row *row = arena_alloc(a, 1, sizeof *row);

    *row = (struct experts_row){ config->experts.n, config->experts.n_chosen,
                                 config->experts.n_shared, config->experts.d_ff };
    return config->experts.n > 0 ? row : NULL;
}

static const struct decoder_row *decoder_of(struct arena *a, const struct model *model)
{
    struct decoder_row *row = arena_alloc(a, 1, sizeof *row);
    const struct config *config;

    if (model->decoder == NULL)
        return NULL;
    config = &model->decoder->config;
    *row = (struct decoder_row){
        config->n_layers, config->n_heads, config->d_head, config->d_ff, config->n_vocab,
        info_any_length(model->decoder) ? -1 : config->n_positions
    };
    return row;
}

const char *info_activation(const struct model *model)
{
    static const char *const names[N_ACT] = {
        [ACT_RELU] = "relu", [ACT_GELU] = "gelu", [ACT_GELU_TANH] = "gelu_tanh",
    };

    return model->family->by_names && model->config.d_ff > 0 ? names[model->config.act] : NULL;
}

static const struct parameters_row *parameters_of(struct arena *a, const struct model *model)
{
    struct parameters_row *row = arena_alloc(a, 1, sizeof *row);
    struct count *count = arena_alloc(a, N_COUNT_PART, sizeof *count);

    for (int i = 0; i < N_COUNT_PART; i++) {
        count[i] = count_part(model, count_parts[i]);
        if (count_has_part(model, count_parts[i]))
            row->part[i] = &count[i];
    }
    return row;
}

void info_fill(struct info_row *row, struct arena *a, const struct model *model,
               const char *hash, int n, int n_threads)
{
    const struct config *config = &model->config;

    n = longest(model, n);
    *row = (struct info_row){
        .model = model->name,
        .family = model->family->name,
        .tower = config->tower != TOWER_NONE ? towers[config->tower - TOWER_TEXT] : NULL,
        .stack = family_stack_names[model->family->stack_id],
        .causal = model_attending(model)->hi == 0,
        .layers = config->n_layers,
        .kinds = info_kinds_of(a, model),
        .heads = config->n_heads,
        .kv_heads = config->n_kv_heads,
        .d_model = config->d_model,
        .d_head = config->d_head,
        .d_value = config->d_value,
        .d_ff = config->d_ff,
        .activation = info_activation(model),
        .vocab = config->n_vocab,
        .positions = info_any_length(model) ? -1 : config->n_positions,
        .input = input_of(a, model),
        .experts = experts_of(a, config),
        .decoder = decoder_of(a, model),
        .bits = (double)NAN,
        .hash = hash,
        .parameters = parameters_of(a, model),
        .attention = count_attention(model),
        .head_weights = count_has_head(model) ? count_head(model) : -1,
        .run_tokens = n,
        .run_memory = (int64_t)run_memory(model, NULL, n, n_threads),
    };
    row->attention_layer = &row->attention;
    row->quantised = weights_quantised(model->weights, &row->bits);
}
