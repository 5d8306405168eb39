/* SPDX-License-Identifier: MIT
 * Results of a text -> the table, or row, of attribute. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "task/attribute/attribute.h"

/* ---- records ---- */

struct head_row {
    struct head_id id;
    double dla;
    struct attribution_span span;
    struct list sources, weights;
    const struct attribution_heads *heads;
    bool crosses;
};

#define F(f) offsetof(struct head_row, f)
/* Of a decoder that also looks at an encoder: which of its attentions; L0H0 is in both. */
#define STACK_COLUMN \
    { "attention", "whose rows of attention", .heading = "stack", .kind = COLUMN_TEXT, \
      .where = IN_TABLE, .field = F(id.stack) }

static const struct column head_columns[] = {
    HEAD_COLUMNS,
    STACK_COLUMN,
    { "dla", "what the head writes into the logit, or the difference", .heading = "dla",
      .format = "%+.4f", .kind = COLUMN_REAL, .where = IN_ALL, .field = F(dla) },
    { "span", "--span: sum of dla_sources in the span, less n / (K - n) times that beside it",
      .format = "%+.4f", .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(span.span) },
    { "span_attention", "the same of the weights", .heading = "of weights", .format = "%+.4f",
      .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .optional = true,
      .field = F(span.attention) },
    { "span_dla", "sum over all tokens of what span is made of", .heading = "all",
      .format = "%+.4f", .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(span.all) },
    { "dla_sources", "--sources: what of dla is of each token", .kind = COLUMN_REAL,
      .list = true, .where = IN_JSON, .optional = true, .field = F(sources) },
    { "weights", "--sources: weight of each token in the row", .kind = COLUMN_FLOAT,
      .list = true, .where = IN_JSON, .optional = true, .field = F(weights) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

/* A head and a token that it sees. */
struct source_row {
    struct head_id id;
    int source;
    const char *token;
    double weight, dla;
};

#define F(f) offsetof(struct source_row, f)
static const struct column source_columns[] = {
    HEAD_COLUMNS,
    STACK_COLUMN,
    { "source", "position of the token", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(source) },
    { "token", "its text", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_TSV, .field = F(token) },
    { "weight", "weight of the token in the row", .format = "%.4f", .kind = COLUMN_REAL,
      .where = IN_TABLE | IN_TSV, .field = F(weight) },
    { "dla", "what the head writes into the logit from it", .format = "%+.4f",
      .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV, .field = F(dla) },
};
#undef F

static const struct record source_record = {
    .help = "a head and a token", .size = sizeof(struct source_row),
    RECORD_COLUMNS(source_columns),
};

struct text_row {
    struct records_text_id id;
    int at, answer_id, against_id;
    struct text_span answer, against;
    double logit, capped, heads_dla, rest, embeddings, mlps, mixers, biases, error;
    struct list tokens, tokens_key, heads, sources;
};

#define F(f) offsetof(struct text_row, f)
#define TEXT_REAL(called, about, member) \
    { .name = called, .help = about, .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, \
      .field = F(member) }
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "at", "position of the token after which the answer is predicted", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .field = F(at) },
    { "answer_id", "id of the answer", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(answer_id) },
    { "answer", "its text", .kind = COLUMN_SPAN, .where = IN_JSON, .field = F(answer) },
    { "against_id", "id of the token whose logit is subtracted; null: none is",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(against_id) },
    { "against", "its text", .kind = COLUMN_SPAN, .where = IN_JSON, .null = NULL_SHOWN,
      .field = F(against) },
    TEXT_REAL("logit", "the logit before a soft cap, or the difference", logit),
    { "logit_capped", "the same after the soft cap", .kind = COLUMN_REAL, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(capped) },
    TEXT_REAL("heads_dla", "sum of dla over all heads, also those not reported", heads_dla),
    TEXT_REAL("rest", "embeddings, mlps, mixers and biases", rest),
    { "rest_embeddings", "what the embeddings write", .kind = COLUMN_REAL, .where = IN_JSON,
      .field = F(embeddings) },
    { "rest_mlps", "the mlps", .kind = COLUMN_REAL, .where = IN_JSON, .field = F(mlps) },
    { "rest_mixers", "what layers have instead of attention", .kind = COLUMN_REAL,
      .where = IN_JSON, .null = NULL_ABSENT, .field = F(mixers) },
    { "rest_biases", "the biases", .kind = COLUMN_REAL, .where = IN_JSON, .field = F(biases) },
    TEXT_REAL("identity_error", "|heads_dla + rest - logit| / the largest part", error),
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "tokens_key", "the same of the text that cross-attention looks at", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .optional = true, .field = F(tokens_key) },
    { "heads", "one object per head", .kind = COLUMN_RECORD, .list = true, .optional = true,
      .where = IN_TSV | IN_JSON, .of = &head_record, .field = F(heads) },
    { "sources", "--sources: a row per head and token", .kind = COLUMN_RECORD, .list = true,
      .optional = true, .where = IN_TSV, .of = &source_record, .field = F(sources) },
};
#undef TEXT_REAL
#undef F

const struct record attribute_record = {
    .schema = "mha-viz/attribute/1", .help = "what heads write into a logit",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

void attribute_columns(struct attribute_job *job)
{
    static const char *const of_span[] = { "span", "span_attention", "span_dla", NULL };
    static const char *const of_sources[] = { "dla_sources", "weights", "sources", NULL };
    static const char *const of_heads[] = { "heads", NULL };
    static const char *const of_keys[] = { "tokens_key", NULL };
    static const char *const of_two[] = { "attention", NULL };
    struct arena *a = job->job.s.a;
    const struct record *text = &attribute_record;
    const struct record *head = job->args->sources ? &source_record : &head_record;

    if (job->args->span == NULL) {
        text = record_without(a, text, IN_ALL, of_span);
        head = record_without(a, head, IN_ALL, of_span);
    }
    text = job->args->sources ? record_without(a, text, IN_TSV, of_heads) :
                                record_without(a, text, IN_TSV | IN_JSON, of_sources);
    if (job->m == job->job.s.model)
        text = record_without(a, text, IN_JSON, of_keys);
    if (job->stack != N_STACK)
        head = record_without(a, head, IN_TABLE, of_two);
    job->job.record = text;
    job->record = head;
}

/* ---- heads ---- */

/* The tokens that heads of this kind look at. */
static const struct tokens *keys_of(const struct attribute_found *found, bool crosses)
{
    return crosses ? &found->item->tokens : session_queries(&found->j->job.s, found->item);
}

static struct head_row attribute_head_row(const struct attribute_found *found, bool crosses,
                                          int layer, int head)
{
    const struct attribute_job *j = found->j;
    const struct attribution_heads *of = &(crosses ? found->parts->cross :
                                                     found->parts->own)[layer];
    bool of_cross = j->m != j->job.s.model && j->stack != STACK_DECODER;
    enum stack_id stack = crosses ? STACK_CROSS : j->m->family->stack_id;
    struct head_row row = { .id = { family_stack_names[stack], layer, head },
                            .dla = of->dla[head], .span = { NAN, NAN, NAN },
                            .heads = of, .crosses = crosses };

    if (j->args->sources) {
        row.sources = (struct list){ of->source + (size_t)head * (size_t)of->S, of->S };
        row.weights = (struct list){ of->a + (size_t)head * (size_t)of->S, of->S };
    }
    if (j->span_first >= 0 && crosses == of_cross)
        row.span = attribution_contrast(of, head, j->span_first, j->span_last);
    return row;
}

static bool shows(const struct attribute_job *job, bool crosses)
{
    bool has = !crosses || job->m != job->job.s.model;

    return has && (job->stack == N_STACK || (job->stack == STACK_CROSS) == crosses);
}

static double attribute_key_of(const struct attribute_job *job, const struct head_row *row)
{
    return job->args->sort == ATTRIBUTE_LAYER ? 0 :
           job->args->sort == ATTRIBUTE_SPAN ? row->span.span : row->dla;
}

/* The rows in the order of --sort and --reverse. */
static struct head_row *sorted(const struct attribute_job *job, struct arena *a,
                               const struct head_row *rows, int n)
{
    double *key = arena_alloc(a, (size_t)n, sizeof *key);
    struct head_row *out = arena_alloc(a, (size_t)n, sizeof *out);
    const int *order;

    for (int i = 0; i < n; i++)
        key[i] = attribute_key_of(job, &rows[i]);
    order = sort_places(a, key, n, job->args->reverse);
    for (int i = 0; i < n; i++)
        out[i] = rows[order[i]];
    return out;
}

/* Those that -l, -H and -s ask for. */
static struct list attribute_head_rows(const struct attribute_found *found, struct arena *a)
{
    const struct attribute_job *j = found->j;
    const struct config *config = &j->m->config;
    struct head_row *row = arena_alloc(a, 2 * (size_t)config->n_layers,
                                       (uint64_t)config->n_heads * sizeof *row);
    int n = 0;

    for (int l = 0; l < config->n_layers; l++)
        for (int crosses = 0; crosses < 2; crosses++)
            for (int h = 0; h < config->n_heads; h++)
                if (shows(j, crosses) && wanted_layer(&j->job.want, l) &&
                    wanted_head(&j->job.want, l, h))
                    row[n++] = attribute_head_row(found, crosses, l, h);
    return (struct list){ sorted(j, a, row, n), n };
}

static struct list source_rows(const struct attribute_found *found, struct arena *a,
                               struct list heads)
{
    const struct head_row *head = heads.at;
    size_t most = 0;
    struct source_row *row;
    int n = 0;

    for (int i = 0; i < heads.n; i++)
        most += (size_t)head[i].heads->S;
    row = arena_alloc(a, most, sizeof *row);
    for (int i = 0; i < heads.n; i++)
        for (int s = 0; s < head[i].heads->S; s++) {
            const struct attribution_heads *of = head[i].heads;
            size_t at = (size_t)head[i].id.head * (size_t)of->S + (size_t)s;

            if (!of->hidden[at])
                row[n++] = (struct source_row){
                    head[i].id, s, records_token(a, keys_of(found, head[i].crosses), s),
                    (double)of->a[at], of->source[at] };
        }
    return (struct list){ row, n };
}

/* ---- the text ---- */

/* Above the table. */
static const char *attribute_lead(const struct attribute_found *found, struct arena *a)
{
    const struct attribution *p = found->parts;
    const struct attribution_target *t = &found->target;
    const struct tokens *queries = session_queries(&found->j->job.s, found->item);
    bool pair = t->against >= 0;
    const char *cap = isnan(found->capped) ? "" :
                      arena_printf(a, " (%.4f after the soft cap)", found->capped);
    const char *mixers = found->j->job.s.shown->family->mixer == MIXER_NONE ? "" :
                         arena_printf(a, " mixers %+.4f,", p->mixers);

    return arena_printf(a,
                        "%s%s%s after %s(%d)\n"
                        "%s %.4f%s = heads %+.4f, embeddings %+.4f, mlps %+.4f,%s biases %+.4f "
                        "(within %.1e of the largest part)\n\n",
                        answer_name(&found->j->answer, a, t->answer), pair ? " against " : "",
                        pair ? answer_name(&found->j->answer, a, t->against) : "",
                        records_token(a, queries, found->row), found->row,
                        pair ? "difference" : "logit", t->logit, cap, p->heads, p->embedding,
                        p->mlps, mixers, p->biases, p->error);
}

static struct text_row attribute_text_row(const struct attribute_found *found, struct arena *a,
                                          struct list heads)
{
    const struct attribution *p = found->parts;
    const struct attribution_target *t = &found->target;
    const struct session *s = &found->j->job.s;

    return (struct text_row){
        .id = records_text_id(s, found->item), .at = found->row, .answer_id = t->answer,
        .against_id = t->against, .answer = answer_text(&found->j->answer, a, t->answer),
        .against = answer_text(&found->j->answer, a, t->against), .logit = t->logit,
        .capped = found->capped, .heads_dla = p->heads,
        .rest = p->embedding + p->mlps + p->mixers + p->biases, .embeddings = p->embedding,
        .mlps = p->mlps,
        .mixers = s->shown->family->mixer == MIXER_NONE ? (double)NAN : p->mixers,
        .biases = p->biases, .error = p->error,
        .tokens = records_pieces(session_queries(s, found->item)),
        .tokens_key = records_pieces(&found->item->tokens), .heads = heads,
    };
}

int attribute_write(struct attribute_job *job, struct arena *a, const struct attribute_found *found,
                    struct err *e)
{
    struct list heads = attribute_head_rows(found, a);
    struct text_row row = attribute_text_row(found, a, heads);
    struct results_text out = { &row, job->record, &row.heads, 1, attribute_lead(found, a) };

    if (job->args->sources) {
        row.sources = source_rows(found, a, heads);
        out.tables = &row.sources;
    }
    return results_text(&job->job.results, a, found->item, &out, e);
}
