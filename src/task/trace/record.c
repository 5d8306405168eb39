/* SPDX-License-Identifier: MIT
 * Results of a text -> the table, or row, of trace. */
#include <math.h>

#include "base/str.h"
#include "task/trace/trace.h"

/* ---- records ---- */

/* After which layer: layer -1, the embeddings before them all. */
struct step_id {
    int layer;
};

static const char *step_name(struct arena *a, const void *row)
{
    const struct step_id *id = row;

    return id->layer < 0 ? "input" : arena_printf(a, "L%d", id->layer);
}

#define STEP_COLUMNS \
    { "name", "the layer; input: what the first one reads", .heading = "layer", \
      .kind = COLUMN_TEXT, .where = IN_TABLE, .show = step_name }, \
    { "layer", "number of the layer, from 0; null: what the first one reads", \
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, \
      .field = offsetof(struct step_id, layer) }

struct prediction_row {
    struct step_id step;
    int rank, id;
    struct text_span token;
    double p;
};

#define F(f) offsetof(struct prediction_row, f)
#define PREDICTION_COLUMNS(places) \
    { "rank", "1: the most likely", .kind = COLUMN_INT, .where = (places) & ~(unsigned)IN_JSON, \
      .field = F(rank) }, \
    { "id", "its id in the vocabulary", .kind = COLUMN_INT, .where = (places), \
      .field = F(id) }, \
    { "token", "its text", .kind = COLUMN_SPAN, .where = (places), .field = F(token) }, \
    { "probability", "softmax of the logits of all tokens", .format = "%.4f", \
      .kind = COLUMN_REAL, .where = (places), .least = 0, .most = 1, .field = F(p) }
static const struct column prediction_columns[] = { PREDICTION_COLUMNS(IN_JSON) };
static const struct column prediction_row_columns[] = {
    STEP_COLUMNS,
    PREDICTION_COLUMNS(IN_TABLE | IN_TSV),
};
#undef F

static const struct record prediction_record = {
    .help = "a token that would be predicted, the most likely first",
    .size = sizeof(struct prediction_row), RECORD_COLUMNS(prediction_columns),
};

static const struct record prediction_row_record = {
    .help = "a prediction after a layer", .size = sizeof(struct prediction_row),
    RECORD_COLUMNS(prediction_row_columns),
};

/* A token in a layer. */
struct token_row {
    struct step_id step;
    int position;
    const char *token;
    double row, column;
};

#define F(f) offsetof(struct token_row, f)
static const struct column token_columns[] = {
    STEP_COLUMNS,
    { "position", "of another token", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(position) },
    { "token", "its text", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_TSV, .field = F(token) },
    { "row", "how much the traced token looks at it", .format = "%.4f", .kind = COLUMN_REAL,
      .where = IN_TABLE | IN_TSV, .null = NULL_SHOWN, .field = F(row) },
    { "column", "how much it looks at the traced token", .format = "%.4f",
      .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV, .null = NULL_SHOWN, .optional = true,
      .field = F(column) },
};
#undef F

static const struct record token_record = {
    .help = "a token in a layer", .size = sizeof(struct token_row),
    RECORD_COLUMNS(token_columns),
};

/* The heaviest link of a row or a column. */
struct end {
    int at;                     /* -1: none */
    const char *token;
    double weight;
};

struct layer_row {
    struct step_id step;
    int n_heads;
    struct end key, query;
    struct list row, column, predictions;
    int id;
    struct text_span token;
    double p;
    const char *predicts;       /* all of them, in words */
};

#define F(f) offsetof(struct layer_row, f)
static const char *end_text(struct arena *a, const struct end *end)
{
    return end->at < 0 ? "-" : arena_printf(a, "%s(%d)", end->token, end->at);
}

static const char *key_text(struct arena *a, const void *row)
{
    return end_text(a, &((const struct layer_row *)row)->key);
}

static const char *query_text(struct arena *a, const void *row)
{
    return end_text(a, &((const struct layer_row *)row)->query);
}

#define OF_QUERY .null = NULL_SHOWN, .optional = true
static const struct column layer_columns[] = {
    STEP_COLUMNS,
    { "n_heads", "number of the heads whose mean the weights are", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(n_heads) },
    { "looks_at", "the token that the traced one looks at most", .heading = "looks at",
      .kind = COLUMN_TEXT, .where = IN_TABLE, .show = key_text },
    { "key", "its position", .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN,
      .field = F(key.at) },
    { "key_token", "its text", .kind = COLUMN_TEXT, .where = IN_TSV, .null = NULL_SHOWN,
      .field = F(key.token) },
    { "key_weight", "and the weight", .heading = "weight", .format = "%.4f",
      .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV, .null = NULL_SHOWN,
      .field = F(key.weight) },
    { "looked_at_by", "the token that looks most at the traced one",
      .heading = "looked at by", .kind = COLUMN_TEXT, .where = IN_TABLE, .optional = true,
      .show = query_text },
    { "query", "its position", .kind = COLUMN_INT, .where = IN_TSV, OF_QUERY,
      .field = F(query.at) },
    { "query_token", "its text", .kind = COLUMN_TEXT, .where = IN_TSV, OF_QUERY,
      .field = F(query.token) },
    { "query_weight", "and the weight", .heading = "weight", .format = "%.4f",
      .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV, OF_QUERY, .field = F(query.weight) },
    { "row", "how much the traced token looks at each token; 0 where it does not see it",
      .kind = COLUMN_REAL, .list = true, .where = IN_JSON, .null = NULL_SHOWN,
      .field = F(row) },
    { "column", "how much each token looks at the traced one; 0 where it does not see it",
      .kind = COLUMN_REAL, .list = true, .where = IN_JSON, OF_QUERY, .field = F(column) },
    { "predictions", "the tokens that would be predicted after the layer",
      .kind = COLUMN_RECORD, .list = true, .where = IN_JSON, .optional = true,
      .of = &prediction_record, .field = F(predictions) },
    { "predicted_id", "the most likely one", .kind = COLUMN_INT, .where = IN_TSV,
      .optional = true, .field = F(id) },
    { "predicted", "its text", .kind = COLUMN_SPAN, .where = IN_TSV, .optional = true,
      .field = F(token) },
    { "predicted_probability", "softmax of the logits of all tokens", .kind = COLUMN_REAL,
      .where = IN_TSV, .optional = true, .field = F(p) },
    { "predicts", "tokens that would be predicted after the layer, with probabilities",
      .kind = COLUMN_TEXT, .where = IN_TABLE, .optional = true, .field = F(predicts) },
};
#undef OF_QUERY
#undef F

static const struct record layer_record = {
    .help = "a layer; first, where layer 0 is shown, what it reads",
    .size = sizeof(struct layer_row), RECORD_COLUMNS(layer_columns),
};

struct text_row {
    struct records_text_id id;
    const char *stack, *token;
    int at;
    struct list tokens, tokens_key, layers, positions, predictions;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .choices = family_stack_names, .field = F(stack) },
    { "at", "position of the traced token", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(at) },
    { "traced", "its text", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .field = F(token) },
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "tokens_key", "the same of the text that cross-attention looks at", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .optional = true, .field = F(tokens_key) },
    { "layers", "one object per layer", .kind = COLUMN_RECORD, .list = true, .optional = true,
      .where = IN_TSV | IN_JSON, .of = &layer_record, .field = F(layers) },
    { "positions", "--each token: a row per layer and token", .kind = COLUMN_RECORD,
      .list = true, .optional = true, .where = IN_TSV, .of = &token_record,
      .field = F(positions) },
    { "guesses", "--each prediction: a row per layer and prediction", .kind = COLUMN_RECORD,
      .list = true, .optional = true, .where = IN_TSV, .of = &prediction_row_record,
      .field = F(predictions) },
};
#undef F

const struct record trace_record = {
    .schema = "mha-viz/trace/1", .help = "one token through all layers",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

void trace_columns(struct trace_job *job)
{
    static const char *const lists[] = { "layers", "positions", "guesses" };
    static const struct record *const records[] = { &layer_record, &token_record,
                                                    &prediction_row_record };
    static const char *const of_query[] = { "looked_at_by", "query", "query_token",
                                            "query_weight", "column", NULL };
    static const char *const of_head[] = { "predictions", "predicted_id", "predicted",
                                           "predicted_probability", "predicts", NULL };
    static const char *const of_cross[] = { "tokens_key", NULL };
    struct arena *a = job->job.s.a;
    const struct record *text = &trace_record, *row = records[job->args->each];
    bool cross = job->job.s.stack == STACK_CROSS;

    for (int i = 0; i < 3; i++) {
        const char *const left_out[] = { lists[i], NULL };

        if (i != job->args->each)
            text = record_without(a, text, IN_TSV, left_out);
    }
    if (cross) {
        text = record_without(a, text, IN_ALL, of_query);
        row = record_without(a, row, IN_ALL, of_query);
    } else {
        text = record_without(a, text, IN_JSON, of_cross);
    }
    if (!job->predicts) {
        text = record_without(a, text, IN_ALL, of_head);
        row = record_without(a, row, IN_ALL, of_head);
    }
    job->job.record = text;
    job->record = row;
}

/* ---- weights of a layer ---- */

static int n_heads(const struct trace_found *found, int layer)
{
    int count = 0;

    for (int h = 0; h < found->t->m->config.n_heads; h++)
        count += wanted_head(&found->j->job.want, layer, h);
    return count;
}

double *trace_mean_of(const struct trace_found *found, struct arena *a, int layer, const float *x,
                      int n)
{
    int H = found->t->m->config.n_heads;
    double *out = arena_alloc(a, (size_t)n, sizeof *out);

    trace_mean(out, x + (size_t)layer * (size_t)H * (size_t)n, H, n);
    return out;
}

static struct list or_zero(struct arena *a, const double *x, int n)
{
    double *out = arena_alloc(a, (size_t)n, sizeof *out);

    for (int i = 0; i < n; i++)
        out[i] = isnan(x[i]) ? 0 : x[i];
    return (struct list){ out, n };
}

static struct end end_of(struct arena *a, const double *x, const struct tokens *tokens)
{
    int at = trace_largest(x, tokens->n);

    return at < 0 ? (struct end){ -1, NULL, NAN } :
                    (struct end){ at, records_token(a, tokens, at), x[at] };
}

static void set_weights(const struct trace_found *found, struct arena *a, struct layer_row *row)
{
    const struct session *s = &found->j->job.s;
    const struct trace *t = found->t;
    int l = row->step.layer;
    double *x;

    row->n_heads = l < 0 ? -1 : n_heads(found, l);
    row->key = row->query = (struct end){ -1, NULL, NAN };
    row->row = row->column = (struct list){ NULL, -1 };
    if (l < 0)
        return;
    x = trace_mean_of(found, a, l, t->row, t->S);
    row->key = end_of(a, x, session_keys(s, found->item));
    row->row = or_zero(a, x, t->S);
    if (t->column == NULL)
        return;
    x = trace_mean_of(found, a, l, t->column, t->T);
    row->query = end_of(a, x, session_queries(s, found->item));
    row->column = or_zero(a, x, t->T);
}

/* ---- predictions after a layer ---- */

/* The tokens of guesses, which the decoder's tokeniser describes where there is one. */
static struct list predictions_of(const struct trace_found *found, struct arena *a, int layer)
{
    const struct session *s = &found->j->job.s;
    const struct trace_guess *guess = found->guess + (size_t)(layer + 1) * (size_t)found->top;
    struct prediction_row *row = arena_alloc(a, (size_t)found->top, sizeof *row);
    int *id = arena_alloc(a, (size_t)found->top, sizeof *id);
    struct tokens *tokens = arena_alloc(a, 1, sizeof *tokens);

    for (int i = 0; i < found->top; i++)
        id[i] = guess[i].id;
    tok_describe(s->shown == s->model ? s->tok : s->target_tok, a, id, NULL, found->top, tokens);
    for (int i = 0; i < found->top; i++)
        row[i] = (struct prediction_row){ { layer }, i + 1, id[i], records_label(tokens, i),
                                          guess[i].p };
    return (struct list){ row, found->top };
}

static const char *predicts(const struct trace_found *found, struct arena *a,
                            const struct prediction_row *first)
{
    const char *text = "";

    for (int i = 0; i < found->top; i++)
        text = arena_printf(a, "%s%s“%s” %.4f", text, i > 0 ? ", " : "",
                            report_clean(a, first[i].token.s, first[i].token.n), first[i].p);
    return text;
}

const char *trace_predicts(const struct trace_found *found, struct arena *a, int layer)
{
    return predicts(found, a, predictions_of(found, a, layer).at);
}

static void set_predictions(const struct trace_found *found, struct arena *a, struct layer_row *row)
{
    const struct prediction_row *first;

    row->predictions = predictions_of(found, a, row->step.layer);
    first = row->predictions.at;
    row->id = first->id;
    row->token = first->token;
    row->p = first->p;
    row->predicts = predicts(found, a, first);
}

/* ---- the text ---- */

bool trace_shows(const struct trace_found *found, int layer)
{
    const struct trace_job *j = found->j;

    if (layer < 0)
        return found->top > 0 && wanted_layer(&j->job.want, (int)(model_attending(found->t->m) -
                                                                  found->t->m->layer));
    return wanted_layer(&j->job.want, layer) && model_has_layer(j->job.s.model, layer);
}

static struct list layer_rows(const struct trace_found *found, struct arena *a)
{
    int L = found->t->m->config.n_layers, n = 0;
    struct layer_row *row = arena_alloc(a, (size_t)L + 1, sizeof *row);

    for (int l = -1; l < L; l++) {
        if (!trace_shows(found, l))
            continue;
        row[n].step.layer = l;
        set_weights(found, a, &row[n]);
        if (found->top > 0)
            set_predictions(found, a, &row[n]);
        n++;
    }
    return (struct list){ row, n };
}

static struct list token_rows(const struct trace_found *found, struct arena *a, struct list layers)
{
    const struct trace *t = found->t;
    const struct tokens *keys = session_keys(&found->j->job.s, found->item);
    const struct layer_row *layer = layers.at;
    struct token_row *row = arena_alloc(a, (size_t)layers.n, (size_t)t->S * sizeof *row);
    int n = 0;

    for (int i = 0; i < layers.n; i++) {
        int l = layer[i].step.layer;
        const double *looks, *looked = NULL;

        if (l < 0)
            continue;
        looks = trace_mean_of(found, a, l, t->row, t->S);
        if (t->column != NULL)
            looked = trace_mean_of(found, a, l, t->column, t->T);
        for (int s = 0; s < t->S; s++)
            row[n++] = (struct token_row){ { l }, s, records_token(a, keys, s), looks[s],
                                           looked != NULL ? looked[s] : NAN };
    }
    return (struct list){ row, n };
}

static struct list prediction_rows(const struct trace_found *found, struct arena *a,
                                   struct list layers)
{
    const struct layer_row *layer = layers.at;
    struct prediction_row *row = arena_alloc(a, (size_t)layers.n, (size_t)found->top * sizeof *row);

    for (int i = 0; i < layers.n; i++)
        for (int k = 0; k < found->top; k++)
            row[i * found->top + k] =
                ((const struct prediction_row *)layer[i].predictions.at)[k];
    return (struct list){ row, layers.n * found->top };
}

const char *trace_lead(const struct trace_found *found, struct arena *a)
{
    const struct session *s = &found->j->job.s;
    const char *token = records_token(a, session_queries(s, found->item), found->t->at);
    const char *stack = s->model->decoder != NULL ?
                            arena_printf(a, ", %s", family_stack_names[s->stack]) : "";
    const char *sink = session_has_sinks(s, &found->j->job.want) ?
                           "; without what a sink takes that is not a key" : "";
    int n = n_heads(found, 0);

    if (s->asked->head != NULL && session_names_heads(s->asked))
        return arena_printf(a, "%s(%d)%s; weights: mean of %s%s", token, found->t->at, stack,
                            s->asked->head, sink);
    return arena_printf(a, "%s(%d)%s; weights: mean of %d head%s%s", token, found->t->at, stack, n,
                        str_plural(n), sink);
}

int trace_write(struct trace_job *job, struct arena *a, const struct trace_found *found,
                struct err *e)
{
    const struct session *s = &job->job.s;
    const struct tokens *queries = session_queries(s, found->item);
    struct text_row row = {
        .id = records_text_id(s, found->item), .stack = family_stack_names[s->stack],
        .token = records_token(a, queries, found->t->at), .at = found->t->at,
        .tokens = records_pieces(queries),
        .tokens_key = records_pieces(session_keys(s, found->item)), .layers = layer_rows(found, a),
    };
    struct results_text out = { &row, job->record, &row.layers, 1,
                                arena_printf(a, "%s\n\n", trace_lead(found, a)) };

    if (job->args->each == TRACE_TOKEN) {
        row.positions = token_rows(found, a, row.layers);
        out.tables = &row.positions;
    } else if (job->args->each == TRACE_PREDICTION) {
        row.predictions = prediction_rows(found, a, row.layers);
        out.tables = &row.predictions;
    }
    return results_text(&job->job.results, a, found->item, &out, e);
}
