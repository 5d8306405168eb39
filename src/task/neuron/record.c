/* SPDX-License-Identifier: MIT
 * Results of a text -> the table, or row, of neuron. */
#include <math.h>

#include "base/str.h"
#include "task/neuron/neuron.h"

/* ---- records ---- */

struct key_row {
    int key;
    const char *token;
    struct list k, product;
    double dot;
    float scaled, part[N_NEURON_PART], score, weight;
};

#define F(f) offsetof(struct key_row, f)
#define KEY_COLUMNS \
    { "key", "position of the key", .kind = COLUMN_INT, .where = IN_ALL, .field = F(key) }, \
    { "token", "its text", .kind = COLUMN_TEXT, .where = IN_ALL, .field = F(token) }
#define PART_COLUMN(id, called, about) \
    { .name = called, .help = about, .format = "%+.4f", .kind = COLUMN_FLOAT, .where = IN_ALL, \
      .optional = true, .field = F(part[id]) }
static const struct column key_columns[] = {
    KEY_COLUMNS,
    { "k", "the key, as it meets the query: normed and rotated", .kind = COLUMN_FLOAT,
      .list = true, .where = IN_JSON, .field = F(k) },
    { "product", "q times k in each dimension", .kind = COLUMN_FLOAT, .list = true,
      .where = IN_JSON, .field = F(product) },
    { "dot", "q.k, the sum of product", .heading = "q.k", .format = "%+.4f",
      .kind = COLUMN_REAL, .where = IN_ALL, .field = F(dot) },
    { "scaled", "dot times scale; where the model caps its scores, after that",
      .format = "%+.4f", .kind = COLUMN_FLOAT, .where = IN_ALL, .field = F(scaled) },
    PART_COLUMN(NEURON_POSITION, "position", "what the score gets by the distance alone"),
    PART_COLUMN(NEURON_QUERY_POSITION, "query_position",
                "what it gets where the query meets a row of positions"),
    PART_COLUMN(NEURON_KEY_POSITION, "key_position",
                "what it gets where the key meets a row of positions"),
    PART_COLUMN(NEURON_SEGMENT, "segment",
                "what it gets where the query meets a row of segments"),
    PART_COLUMN(NEURON_COPIES, "copies",
                "ln of how often the key is counted; of a reformer's own key, what makes its "
                "score -1e5"),
    PART_COLUMN(NEURON_MASK, "mask", "what --mask adds"),
    { "score", "what the softmax reads: scaled and what is added", .format = "%+.4f",
      .kind = COLUMN_FLOAT, .where = IN_ALL, .field = F(score) },
    { "weight", "softmax of the scores of the keys that the query sees", .format = "%.4f",
      .kind = COLUMN_FLOAT, .where = IN_ALL, .least = 0, .most = 1, .field = F(weight) },
};
#undef PART_COLUMN
#undef F

static const struct record key_record = {
    .help = "a key that the query sees", .size = sizeof(struct key_row),
    RECORD_COLUMNS(key_columns),
};

/* One dimension of a key. */
struct dim_row {
    int key;
    const char *token;
    int dim;
    float q, k, product;
};

#define F(f) offsetof(struct dim_row, f)
#define DIM_FLOAT(called, about, member) \
    { .name = called, .help = about, .format = "%+.4f", .kind = COLUMN_FLOAT, \
      .where = IN_TABLE | IN_TSV, .field = F(member) }
static const struct column dim_columns[] = {
    { "key", "position of the key", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(key) },
    { "token", "its text", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_TSV, .field = F(token) },
    { "dim", "dimension of the head, from 0", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(dim) },
    DIM_FLOAT("q", "the query there", q),
    DIM_FLOAT("k", "the key there", k),
    DIM_FLOAT("product", "q times k", product),
};
#undef DIM_FLOAT
#undef F

static const struct record dim_record = {
    .help = "a dimension of a key", .size = sizeof(struct dim_row), RECORD_COLUMNS(dim_columns),
};

struct text_row {
    struct records_text_id id;
    struct head_id head;
    int at;
    const char *query;
    float scale, cap, sink, sink_weight;
    struct list q, tokens, tokens_key, keys, dims;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .choices = family_stack_names, .field = F(head.stack) },
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(head.layer) },
    { "head", "number of the head in its layer, from 0", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .field = F(head.head) },
    { "at", "position of the query", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(at) },
    { "query", "its text", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON, .field = F(query) },
    { "scale", "what q.k is multiplied by", .kind = COLUMN_FLOAT, .where = IN_JSON,
      .field = F(scale) },
    { "cap", "scores become cap tanh(score / cap)", .kind = COLUMN_FLOAT, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(cap) },
    { "sink", "score of a sink of the model that is not a key, which the softmax reads besides",
      .kind = COLUMN_FLOAT, .where = IN_JSON, .null = NULL_ABSENT, .field = F(sink) },
    { "sink_weight", "its weight: what the others sum to less than 1", .kind = COLUMN_FLOAT,
      .where = IN_JSON, .null = NULL_ABSENT, .least = 0, .most = 1, .field = F(sink_weight) },
    { "q", "the query, as it meets keys: normed and rotated", .kind = COLUMN_FLOAT,
      .list = true, .where = IN_JSON, .field = F(q) },
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "tokens_key", "the same of the keys, where they are of another text",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .optional = true,
      .field = F(tokens_key) },
    { "keys", "one object per key that the query sees", .kind = COLUMN_RECORD, .list = true,
      .optional = true, .where = IN_TSV | IN_JSON, .of = &key_record, .field = F(keys) },
    { "dims", "--dims: a row per key and dimension", .kind = COLUMN_RECORD, .list = true,
      .optional = true, .where = IN_TSV, .of = &dim_record, .field = F(dims) },
};
#undef F

const struct record neuron_record = {
    .schema = "mha-viz/neuron/1", .help = "one query of one head, and the keys that it sees",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

void neuron_columns(struct neuron_job *job)
{
    static const char *const of_keys[] = { "keys", NULL };
    static const char *const of_dims[] = { "dims", NULL };
    static const char *const of_cross[] = { "tokens_key", NULL };
    struct arena *a = job->job.s.a;
    const struct record *text = &neuron_record, *key = &key_record;

    for (int i = 0; i < N_NEURON_PART; i++) {
        const char *const left_out[] = { neuron_part_names[i], NULL };

        if (job->has[i])
            continue;
        text = record_without(a, text, IN_ALL, left_out);
        key = record_without(a, key, IN_ALL, left_out);
    }
    text = record_without(a, text, IN_TSV, job->args->dims ? of_keys : of_dims);
    if (job->job.s.stack != STACK_CROSS)
        text = record_without(a, text, IN_JSON, of_cross);
    job->job.record = text;
    job->record = job->args->dims ? &dim_record : key;
}

/* ---- rows ---- */

static struct key_row key_row(const struct neuron *neuron, struct arena *a,
                              const struct tokens *keys, int s)
{
    float *product = arena_alloc_raw(a, (size_t)neuron->d, sizeof *product);
    struct key_row row = { .key = s, .token = records_token(a, keys, s), .dot = neuron->dot[s],
                           .scaled = neuron->scaled[s], .score = neuron->score[s],
                           .weight = neuron->weight[s] };

    for (int c = 0; c < neuron->d; c++)
        product[c] = neuron_product(neuron, s, c);
    for (int i = 0; i < N_NEURON_PART; i++)
        row.part[i] = neuron->part[i][s];
    row.k = (struct list){ neuron->k + (int64_t)s * neuron->d, neuron->d };
    row.product = (struct list){ product, neuron->d };
    return row;
}

static struct list key_rows(const struct neuron *neuron, struct arena *a, const struct tokens *keys)
{
    struct key_row *row = arena_alloc(a, (size_t)neuron->S, sizeof *row);
    int count = 0;

    for (int s = 0; s < neuron->S; s++)
        if (!neuron->hidden[s])
            row[count++] = key_row(neuron, a, keys, s);
    return (struct list){ row, count };
}

static struct list dim_rows(const struct neuron *neuron, struct arena *a, struct list keys)
{
    const struct key_row *key = keys.at;
    struct dim_row *row = arena_alloc(a, (uint64_t)keys.n * (uint64_t)neuron->d, sizeof *row),
                   *at = row;

    for (int i = 0; i < keys.n; i++)
        for (int c = 0; c < neuron->d; c++)
            *at++ = (struct dim_row){ key[i].key, key[i].token, c, neuron->q[c],
                                      neuron->k[(int64_t)key[i].key * neuron->d + c],
                                      neuron_product(neuron, key[i].key, c) };
    return (struct list){ row, keys.n * neuron->d };
}

const char *neuron_lead(const struct neuron_job *job, struct arena *a, const struct item *item,
                        const struct neuron *neuron)
{
    const struct session *s = &job->job.s;
    const struct head_id head = { family_stack_names[s->stack], neuron->layer, neuron->head };
    const char *stack = s->model->decoder != NULL ? arena_printf(a, "%s ", head.stack) : "";
    const char *cap = neuron->cap > 0 ? arena_printf(a, ", capped at %g", (double)neuron->cap) : "";
    const char *sink = isnan(neuron->sink) ? "" :
                       arena_printf(a, "; a sink that is not a key has the score %+.4f, "
                                    "weight %.4f",
                                    (double)neuron->sink, (double)neuron->sink_weight);
    int n_keys = 0;

    for (int i = 0; i < neuron->S; i++)
        n_keys += !neuron->hidden[i];
    return arena_printf(a, "%s%s: %s(%d) looks at %d key%s; scaled = %.6g q.k%s%s", stack,
                        records_head_name(a, &head),
                        records_token(a, session_queries(s, item), neuron->row), neuron->row,
                        n_keys, str_plural(n_keys), (double)neuron->scale, cap, sink);
}

int neuron_write(struct neuron_job *job, struct arena *a, const struct item *item,
                 const struct neuron *neuron, struct err *e)
{
    const struct session *s = &job->job.s;
    const struct tokens *queries = session_queries(s, item), *keys = session_keys(s, item);
    struct text_row row = {
        .id = records_text_id(s, item),
        .head = { family_stack_names[s->stack], neuron->layer, neuron->head }, .at = neuron->row,
        .query = records_token(a, queries, neuron->row), .scale = neuron->scale,
        .cap = neuron->cap > 0 ? neuron->cap : NAN, .sink = neuron->sink,
        .sink_weight = neuron->sink_weight, .q = { neuron->q, neuron->d },
        .tokens = records_pieces(queries), .tokens_key = records_pieces(keys),
        .keys = key_rows(neuron, a, keys),
    };
    struct results_text out = { &row, job->record, &row.keys, 1, NULL };

    out.lead = arena_printf(a, "%s\n\n", neuron_lead(job, a, item, neuron));
    if (job->args->dims) {
        row.dims = dim_rows(neuron, a, row.keys);
        out.tables = &row.dims;
    }
    return results_text(&job->job.results, a, item, &out, e);
}
