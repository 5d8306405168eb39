/* SPDX-License-Identifier: MIT
 * Results of each mechanism -> a table, TSV or JSON. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "task/mechanisms/mechanisms.h"

/* ---- one head under one mechanism ---- */

#define F(f) offsetof(struct mechanism_head_row, f)
struct mechanism_head_row {
    int head;
    double error, js, links_kept, entropy, scores;
};

static const struct column head_columns[] = {
    { "head", "number of the head, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(head) },
    { "error", "|z' - z| / |z| of the head's output, before the projection",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN, .field = F(error) },
    { "js", "Jensen-Shannon divergence of its rows and the model's", "nats",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN, .field = F(js) },
    { "links_kept", "share of the rows whose strongest key is the model's",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN, .most = 1,
      .field = F(links_kept) },
    { "entropy", "mean entropy of its rows", "nats", .kind = COLUMN_REAL, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(entropy) },
    { "scores", "pairs whose score was computed, as a share of those that the model sees",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN, .field = F(scores) },
};
#undef F

static const struct record head_record = {
    .help = "a head under a mechanism", .size = sizeof(struct mechanism_head_row),
    RECORD_COLUMNS(head_columns),
};

/* ---- one mechanism in one layer ---- */

struct mechanism_row {
    const char *name, *formula, *cost, *growth, *source;
    const char *refused, *output_refused;   /* NULL: it was not */
    double error, js, links_kept, entropy, scores, seconds, output;
    int64_t bytes;                          /* -1: refused */
    struct list heads;
};

static const char *show_scores(struct arena *a, const void *row)
{
    double scores = ((const struct mechanism_row *)row)->scores;

    return isnan(scores) ? "-" : arena_printf(a, "%.1f%%", 100 * scores);
}

static const char *show_time(struct arena *a, const void *row)
{
    double s = ((const struct mechanism_row *)row)->seconds;

    if (isnan(s))
        return "-";
    return s < 1e-3 ? arena_printf(a, "%.1f us", s * 1e6) :
           s < 1 ? arena_printf(a, "%.2f ms", s * 1e3) : arena_printf(a, "%.2f s", s);
}

static const char *show_memory(struct arena *a, const void *row)
{
    int64_t bytes = ((const struct mechanism_row *)row)->bytes;

    return bytes < 0 ? "-" : report_bytes(a, (uint64_t)bytes);
}

#define F(f) offsetof(struct mechanism_row, f)
static const struct column mechanism_columns[] = {
    { "mechanism", "name of the mechanism", .kind = COLUMN_TEXT, .where = IN_ALL,
      .field = F(name) },
    { "formula", "its formula", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(formula) },
    { "cost", "its work and memory", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(cost) },
    { "source", "where it comes from", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(source) },
    { "error", "|Y' - Y| / |Y| of the layer's output", NULL, NULL, "%.4f", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(error) },
    { "js", "Jensen-Shannon divergence of its rows and the model's", "nats", "JS", "%.4f",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(js) },
    { "links_kept", "share of the rows whose strongest key is the model's", NULL,
      "links kept", "%.3f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .most = 1,
      .field = F(links_kept) },
    { "entropy", "mean entropy of its rows", "nats", NULL, "%.3f", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(entropy) },
    { "scores", "pairs whose score was computed, as a share of those that the model sees",
      .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(scores),
      .show = show_scores },
    { "time", "of one thread for all heads, the median of --runs", "seconds",
      .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(seconds),
      .show = show_time },
    { "memory", "for one head, besides inputs and outputs", "bytes",
      .kind = COLUMN_LONG, .where = IN_ALL, .null = NULL_SHOWN, .field = F(bytes),
      .show = show_memory },
    { "growth", "order of growth of its work with the number of tokens N",
      .kind = COLUMN_TEXT, .where = IN_ALL, .field = F(growth) },
    { "output", "the error of the last hidden state, with the mechanism in all layers", NULL,
      NULL, "%.4f", COLUMN_REAL, .optional = true, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(output) },
    { "heads", "one object per selected head; none where the mechanism was left out",
      .kind = COLUMN_RECORD, .list = true, .where = IN_JSON, .of = &head_record,
      .field = F(heads) },
    { "refused", "why the mechanism was left out; null: it was not", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(refused) },
    { "output_refused", "why there is no output; null: there is one", .kind = COLUMN_TEXT,
      .optional = true, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(output_refused) },
};
#undef F

static const struct record mechanism_record = {
    .help = "a mechanism", .size = sizeof(struct mechanism_row),
    RECORD_COLUMNS(mechanism_columns),
};

/* ---- layers, parameters, the text ---- */

struct layer_row {
    int layer;
    struct list mechanisms;
};

#define F(f) offsetof(struct layer_row, f)
static const struct column layer_columns[] = {
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(layer) },
    { "mechanisms", "one object per mechanism", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &mechanism_record, .field = F(mechanisms) },
};
#undef F

static const struct record layer_record = {
    .help = "a layer", .size = sizeof(struct layer_row), RECORD_COLUMNS(layer_columns),
};

struct parameters_row {
    int budget;                 /* -1: not given */
    struct mechanism_params p;
};

#define PARAMETER(option, about, field_name) \
    { option, about, .kind = COLUMN_INT, .where = IN_JSON, \
      .field = offsetof(struct parameters_row, p.field_name) }
static const struct column parameter_columns[] = {
    { "budget", "--budget; null: not given", .kind = COLUMN_INT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = offsetof(struct parameters_row, budget) },
    PARAMETER("window", "--window", window),
    PARAMETER("n_global", "--n-global", n_global),
    PARAMETER("sinks", "--sinks", sinks),
    PARAMETER("stride", "--stride", stride),
    PARAMETER("n_columns", "--n-columns", n_columns),
    PARAMETER("block", "--block", block),
    PARAMETER("top_k", "--top-k", top_k),
    PARAMETER("recent", "--recent", recent),
    PARAMETER("page", "--page", page),
    PARAMETER("segments", "--segments", segments),
    PARAMETER("groups", "--groups", n_groups),
    PARAMETER("rank", "--rank", rank),
    PARAMETER("bits", "--bits", bits),
    PARAMETER("features", "--features", n_features),
    PARAMETER("buckets", "--buckets", n_buckets),
    PARAMETER("rounds", "--rounds", n_rounds),
    PARAMETER("chunk", "--chunk", chunk),
    { "seed", "--seed", .kind = COLUMN_LONG, .where = IN_JSON,
      .field = offsetof(struct parameters_row, p.seed) },
};
#undef PARAMETER

static const struct record parameter_record = {
    .help = "the options of the mechanisms", .size = sizeof(struct parameters_row),
    RECORD_COLUMNS(parameter_columns),
};

struct text_row {
    struct records_text_id id;
    const char *stack;
    int n_queries, n_keys;
    const struct parameters_row *params;
    struct list layers;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .choices = family_stack_names, .field = F(stack) },
    { "queries", "number of queries", "tokens", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(n_queries) },
    { "keys", "number of keys", "tokens", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(n_keys) },
    { "parameters", "the options of the mechanisms", .kind = COLUMN_RECORD,
      .where = IN_JSON, .of = &parameter_record, .field = F(params) },
    { "layers", "one object per layer", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &layer_record, .field = F(layers) },
};
#undef F

const struct record mechanisms_record = {
    .schema = "mha-viz/mechanisms/2",
    .help = "what each mechanism does in place of a model's attention",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* ---- rows ---- */

/* Of the heads that were selected. */
static struct list mechanisms_head_rows(const struct mechanisms_text *text, struct arena *a,
                                        int layer, const struct mechanism_result *result)
{
    int H = text->s->shown->config.n_heads, count = 0;
    struct mechanism_head_row *row = arena_alloc(a, (size_t)H, sizeof *row);

    for (int h = 0; h < H && result->refused == NULL; h++) {
        const struct mechanism_head_result *head = &result->head[h];

        if (wanted_head(text->c->opts->heads, layer, h))
            row[count++] = (struct mechanism_head_row){ h, head->error, head->js,
                                                        head->links_kept, head->entropy,
                                                        head->scores };
    }
    return (struct list){ row, count };
}

static struct mechanism_row mechanism_row(const struct mechanisms_text *text, struct arena *a,
                                          int layer, int id)
{
    const struct mechanism *mechanism = mechanism_table[id];
    const struct mechanism_result *result = mechanisms_at(text->c, layer,
                                                          (enum mechanism_id)id);

    return (struct mechanism_row){
        .name = mechanism->name,
        .formula = mechanism->formula,
        .cost = mechanism->cost,
        .growth = mechanism->growth,
        .source = mechanism->source,
        .refused = result->refused,
        .output_refused = text->refused[id],
        .error = result->error,
        .js = result->js,
        .links_kept = result->links_kept,
        .entropy = result->entropy,
        .scores = result->scores,
        .seconds = result->seconds,
        .output = text->change[id],
        .bytes = result->refused != NULL ? -1 : result->bytes,
        .heads = mechanisms_head_rows(text, a, layer, result),
    };
}

static struct list all_mechanisms(const struct mechanisms_text *text, struct arena *a, int layer)
{
    struct mechanism_row *row = arena_alloc(a, N_MECHANISM, sizeof *row);
    int count = 0;

    for (int id = 0; id < N_MECHANISM; id++)
        if (mechanisms_covers(text->c->opts, (enum mechanism_id)id))
            row[count++] = mechanism_row(text, a, layer, id);
    return (struct list){ row, count };
}

static struct list layer_rows(const struct mechanisms_text *text, struct arena *a)
{
    struct layer_row *row = arena_alloc(a, (size_t)text->c->n_layers, sizeof *row);
    int count = 0;

    for (int l = 0; l < text->c->n_layers; l++)
        if (text->layer[l])
            row[count++] = (struct layer_row){ l, all_mechanisms(text, a, l) };
    return (struct list){ row, count };
}

void mechanisms_row(const struct mechanisms_text *text, struct arena *a, struct report *report)
{
    struct parameters_row params = { .budget = text->c->opts->params.budget > 0 ?
                                                   text->c->opts->params.budget : -1,
                                     .p = mechanisms_used(text) };

    report_row(report, &(struct text_row){
        .id = records_text_id(text->s, text->item), .stack = family_stack_names[text->s->stack],
        .n_queries = session_queries(text->s, text->item)->n,
        .n_keys = session_keys(text->s, text->item)->n, .params = &params,
        .layers = layer_rows(text, a),
    });
}

/* ---- table ---- */

/* Without the columns that were not asked for. */
static const struct record *mechanisms_columns_of(const struct mechanisms_text *text,
                                                  struct arena *a)
{
    static const char *const of_rows[] = { "js", "links_kept", "entropy", NULL };
    static const char *const of_own[] = { "error", "js", "links_kept", NULL };
    static const char *const of_time[] = { "time", NULL };
    static const char *const of_output[] = { "output", NULL };
    const struct record *record = &mechanism_record;

    if (!text->c->opts->rows)
        record = record_without(a, record, IN_TABLE, of_rows);
    if (!text->c->opts->error)
        record = record_without(a, record, IN_TABLE, of_own);
    if (text->c->opts->repeats == 0)
        record = record_without(a, record, IN_TABLE, of_time);
    return text->propagated ? record : record_without(a, record, IN_TABLE, of_output);
}

/* Rows of those that were not left out; below them, why the others were, and why a row has
 * no output. */
static void print_table(const struct mechanisms_text *text, const struct record *record,
                        const struct layer_row *layer, struct arena *a, FILE *file)
{
    const struct mechanism_row *all = layer->mechanisms.at;
    int count = 0, n = layer->mechanisms.n;
    struct mechanism_row *shown = arena_alloc(a, (size_t)n, sizeof *shown);

    for (int i = 0; i < n; i++)
        if (all[i].refused == NULL)
            shown[count++] = all[i];
    if (count > 0)
        record_table(record, shown, count, a, file);
    for (int i = 0; i < count; i++)
        if (shown[i].output_refused != NULL)
            fprintf(file, "output: %s\n", shown[i].output_refused);
    for (int id = 0; id < N_MECHANISM; id++) {
        const char *line = mechanisms_left_out(text, a, layer->layer, id);

        if (line != NULL)
            fprintf(file, "%s\n", line);
    }
}

void mechanisms_table(const struct mechanisms_text *text, struct arena *a, FILE *file)
{
    const struct record *record = mechanisms_columns_of(text, a);
    struct list layers = layer_rows(text, a);
    const struct layer_row *row = layers.at;

    for (int i = 0; i < layers.n; i++) {
        int n_heads = text->s->shown->config.n_heads;
        int n_tokens = session_queries(text->s, text->item)->n;

        if (i > 0 || (text->named && text->item->index > 0))
            fputc('\n', file);
        if (text->named)
            fprintf(file, "text %lld, ", (long long)text->item->index + 1);
        fprintf(file, "layer %d, %d head%s, %d token%s\n", row[i].layer, n_heads,
                str_plural(n_heads), n_tokens, str_plural(n_tokens));
        print_table(text, record, &row[i], a, file);
    }
}

/* ---- the report ---- */

const struct record *mechanisms_report(struct arena *a, bool propagated)
{
    static const char *const names[] = { "output", "output_refused", NULL };

    return propagated ? &mechanisms_record :
           record_without(a, &mechanisms_record, IN_JSON, names);
}
