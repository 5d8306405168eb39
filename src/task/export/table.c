/* SPDX-License-Identifier: MIT
 * export --tsv: a long table, one row per weight, for R and pandas. */
#include "task/export/table.h"

#include <math.h>

struct weight_row {
    struct records_text_id id;  /* first: the columns' offsets are of it */
    struct head_id head;
    int query, key;
    struct text_span query_text, key_text;
    float weight;
};

#define F(f) offsetof(struct weight_row, f)
static const struct column columns[] = {
    TEXT_COLUMNS_INDEX,
    TEXT_COLUMNS_PART,
    { "stack", "encoder, decoder or cross", .kind = COLUMN_TEXT, .where = IN_TSV,
      .field = F(head.stack) },
    { "layer", "number of the layer, from 0; empty: the mean of layers", .kind = COLUMN_INT,
      .where = IN_TSV, .null = NULL_SHOWN, .field = F(head.layer) },
    { "head", "number of the head, from 0; empty: the mean of heads", .kind = COLUMN_INT,
      .where = IN_TSV, .null = NULL_SHOWN, .field = F(head.head) },
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_TSV,
      .field = F(query) },
    { "query_label", "the text that it stands for", .kind = COLUMN_SPAN, .where = IN_TSV,
      .field = F(query_text) },
    { "key", "position of a key that the query sees, from 0", .kind = COLUMN_INT,
      .where = IN_TSV, .field = F(key) },
    { "key_label", "the text that it stands for", .kind = COLUMN_SPAN, .where = IN_TSV,
      .field = F(key_text) },
    { "weight", "weight of the query on the key", .kind = COLUMN_FLOAT, .where = IN_TSV,
      .field = F(weight) },
};
#undef F

const struct record export_table_record = {
    .help = "a weight", .size = sizeof(struct weight_row), RECORD_COLUMNS(columns),
};

/* Rows of the pass, each in its place. */
struct weights {
    int H, T, S;
    const int *place;           /* [L, H] among the wanted heads */
    float *at;                  /* [wanted heads, T, S] NaN: not seen */
};

static void export_table_take(void *self, const struct rows *rows, int n_heads)
{
    const struct weights *w = self;
    const float *single = rows->single != NULL ? rows->single : rows->weight;

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        size_t row = (size_t)w->place[rows->layer * w->H + rows->head] * (size_t)w->T +
                     (size_t)(rows->row0 + t);

        for (int k = 0; k < rows->n_keys; k++) {
            size_t at = (size_t)t * rows->stride + (size_t)k;

            if (rows->hidden == NULL || !rows->hidden[at])
                w->at[row * (size_t)w->S + (size_t)(rows->key0 + k)] = single[at];
        }
    }
}

/* The i-th head. */
static void write_head(struct job *job, const struct weights *weights, int place,
                       struct weight_row *row, const struct tokens *queries,
                       const struct tokens *keys)
{
    const float *x = weights->at + (size_t)place * (size_t)weights->T * (size_t)weights->S;

    for (int i = 0; i < weights->T; i++)
        for (int k = 0; k < weights->S; k++, x++) {
            if (isnan(*x))
                continue;
            row->query = i;
            row->key = k;
            row->query_text = records_label(queries, i);
            row->key_text = records_label(keys, k);
            row->weight = *x;
            report_row(&job->results.report, row);
        }
}

double export_table_keeps(const struct job *job, const struct item *item)
{
    const struct session *s = &job->s;
    double heads = 0;

    for (int l = 0, h = -1; session_next_head(s, &job->want, &l, &h);)
        heads++;
    return sizeof(float) * heads * session_queries(s, item)->n * session_keys(s, item)->n;
}

int export_table(struct job *job, struct arena *a, const struct item *item, struct err *e)
{
    const struct session *s = &job->s;
    const struct tokens *queries = session_queries(s, item), *keys = session_keys(s, item);
    struct weights w = { .H = s->n_heads, .T = queries->n, .S = keys->n };
    struct sink sink = { SINK_HEAD, export_table_take, NULL, &w };
    struct weight_row row = { .id = records_text_id(s, item) };
    int n, *place = arena_alloc(a, (uint64_t)s->n_layers, (uint64_t)w.H * sizeof *place);
    const struct head_id *head = records_heads(s, &job->want, a, &n);
    size_t count = (size_t)n * (size_t)w.T * (size_t)w.S;

    for (int i = 0; i < n; i++)
        place[head[i].layer * w.H + head[i].head] = i;
    w.place = place;
    w.at = arena_alloc(a, count, sizeof *w.at);
    for (size_t i = 0; i < count; i++)
        w.at[i] = NAN;
    job_pack(job, a, item, 1);
    if (job_forward(job, a, &sink, 1, e) != 0 || results_begin(&job->results, a, item, e) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        row.head = records_head(s, head[i]);
        write_head(job, &w, i, &row, queries, keys);
    }
    return results_end(&job->results, e);
}
