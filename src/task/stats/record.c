/* SPDX-License-Identifier: MIT
 * Results of one text -> the report of stats: a row per head, or one per link. */
#include <math.h>
#include <string.h>

#include "analysis/links.h"
#include "analysis/top.h"
#include "base/str.h"
#include "task/common/metric_fields.h"
#include "task/stats/stats.h"

/* ---- records ---- */

#define F(f) offsetof(struct link, f)
static const struct column link_columns[] = {
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(query) },
    { "key", "position of the key, from 0; null: the row sees no key", .kind = COLUMN_INT,
      .where = IN_JSON, .null = NULL_SHOWN, .field = F(key) },
    { "weight", "weight of the query on the key", .kind = COLUMN_FLOAT, .where = IN_JSON,
      .field = F(weight) },
};
#undef F

static const struct record link_record = {
    .help = "a link", .size = sizeof(struct link), .tuple = true,
    RECORD_COLUMNS(link_columns),
};

struct head_row {
    struct head_id id;
    struct metric_fields metrics;
    struct link words;          /* query and key -1: there is none */
    double weight;              /* of words; NaN */
    const char *type;           /* by --types; NULL: none is known */
    const char *strongest;      /* words as a person reads them; NULL: none */
    int n_skipped, n_tokens;
    struct list links, top, types;
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_OR_MEAN_COLUMNS,
#define METRIC(...) METRIC_COLUMN(F(metrics), __VA_ARGS__)
#include "analysis/metrics.def"
#undef METRIC
    { "type", "what the head is, by --types, or by the file of a built-in model",
      .kind = COLUMN_TEXT, .where = IN_TABLE, .null = NULL_SHOWN, .optional = true,
      .field = F(type) },
    { "strongest", "strongest link between two different tokens, neither of them special",
      .heading = "strongest link", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .field = F(strongest) },
    { "link_query", "query of the strongest link between two different tokens",
      .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN, .field = F(words.query) },
    { "link_key", "its key", .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN,
      .field = F(words.key) },
    { "link_weight", "its weight", .kind = COLUMN_REAL, .where = IN_TSV,
      .null = NULL_SHOWN, .field = F(weight) },
    { "rows_skipped", "rows that see no key: they are in no mean", "rows",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(n_skipped) },
    { "n_tokens", "number of the queries' tokens", "tokens", .kind = COLUMN_INT,
      .where = IN_TSV, .field = F(n_tokens) },
    { "links", "the strongest link of every row", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &link_record, .field = F(links) },
    { "top", "the strongest links of the head, the strongest first",
      .kind = COLUMN_RECORD, .list = true, .where = IN_JSON, .of = &link_record,
      .field = F(top) },
    { "types", "labels of mha-viz-types(1) that hold by the metrics computed, without probes",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .field = F(types) },
};
#undef F

const struct record stats_head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct text_row {
    struct records_text_id id;
    struct list tokens, labels, ids, tokens_key, labels_key, ids_key;
    struct records_shown shown;
    struct metric_maps maps;
    struct list heads, links;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_SPLIT,
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "labels", "the text that each of the tokens stands for", .kind = COLUMN_SPAN,
      .list = true, .where = IN_JSON, .field = F(labels) },
    { "ids", "ids of the tokens; null for arrays", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .null = NULL_SHOWN, .field = F(ids) },
    { "tokens_key", "pieces of the keys, where they are of another text",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .optional = true,
      .field = F(tokens_key) },
    { "labels_key", "the text that each of tokens_key stands for", .kind = COLUMN_SPAN,
      .list = true, .where = IN_JSON, .optional = true, .field = F(labels_key) },
    { "ids_key", "ids of tokens_key; null for arrays", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .optional = true, .null = NULL_SHOWN, .field = F(ids_key) },
    SHOWN_COLUMNS(F(shown)), AVERAGE_COLUMN(F(shown)),
#define METRIC(...) METRIC_MAP_COLUMN(F(maps), __VA_ARGS__)
#include "analysis/metrics.def"
#undef METRIC
    HEADS_COLUMN(&stats_head_record, F(heads)),
};
#undef F

const struct record stats_text_record = {
    .schema = "mha-viz/stats/2", .help = "what each head does with a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* A row of a head, of --links. */
struct link_row {
    struct head_id id;
    int query, key;
    const char *query_label, *key_label;        /* of a table */
    struct text_span query_text, key_text;
    double weight;
};

#define F(f) offsetof(struct link_row, f)
static const struct column row_columns[] = {
    HEAD_OR_MEAN_COLUMNS,
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_ALL,
      .field = F(query) },
    { "", "text of the query", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .field = F(query_label) },
    { "query_label", "the text that it stands for", .kind = COLUMN_SPAN,
      .where = IN_TSV | IN_JSON, .field = F(query_text) },
    { "key", "position of the key, from 0; null: the row sees no key", .kind = COLUMN_INT,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(key) },
    { "", "text of the key", .kind = COLUMN_TEXT, .where = IN_TABLE, .null = NULL_SHOWN,
      .field = F(key_label) },
    { "key_label", "the text that it stands for", .kind = COLUMN_SPAN,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(key_text) },
    { "weight", "weight of the query on the key", NULL, NULL, "%.4f", COLUMN_REAL,
      .where = IN_ALL, .field = F(weight) },
};
#undef F

static const struct record row_record = {
    .help = "the strongest link of a row", .size = sizeof(struct link_row),
    RECORD_COLUMNS(row_columns),
};

#define F(f) offsetof(struct text_row, f)
static const struct column links_columns[] = {
    TEXT_COLUMNS_SPLIT,
    SHOWN_COLUMNS_OF_WEIGHTS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "links", "one object per row of each head: its strongest link", .kind = COLUMN_RECORD,
      .list = true, .where = IN_TSV | IN_JSON, .of = &row_record, .field = F(links) },
};
#undef F

const struct record stats_links_record = {
    .schema = "mha-viz/stats-links/1", .help = "the strongest links of a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(links_columns),
};

/* ---- rows ---- */

static struct head_row stats_head_row(const struct stats_job *job, const struct stats_found *found,
                                      int text, struct head_id id, int n_tokens)
{
    const struct head_stats *head = stats_head(found->stats, text, id.layer, id.head);
    const struct head_links *links = links_head(found->links, text, id.layer, id.head);
    struct head_row row = {
        .id = records_head(&job->job.s, id), .words = links->words,
        .weight = (double)links->words.weight,
        .n_skipped = head->n_skipped, .n_tokens = n_tokens, .type = stats_type(job, id),
        .links = { links->row, links->n_rows },
    };

    if (found->top != NULL) {
        const struct head_top *top = top_head(found->top, text, id.layer, id.head);

        row.top = (struct list){ top->link, top->n };
    }
    metric_fields(&job->choice, head, &row.metrics);
    if (row.words.key < 0) {
        row.words.query = -1;
        row.weight = NAN;
    }
    return row;
}

static struct text_row stats_text_row(const struct stats_job *job, struct arena *a,
                                      const struct item *item, struct list heads)
{
    const struct session *session = &job->job.s;
    const struct tokens *queries = session_queries(session, item),
                        *keys = session_keys(session, item);

    return (struct text_row){
        .id = records_text_id(session, item), .tokens = records_pieces(queries),
        .labels = records_labels(a, queries), .ids = records_ids(queries),
        .tokens_key = records_pieces(keys), .labels_key = records_labels(a, keys),
        .ids_key = records_ids(keys), .shown = records_shown(session, a, item),
        .heads = heads,
    };
}

static struct link_row link_row(struct arena *a, const struct tokens *queries,
                                const struct tokens *keys, struct head_id id, struct link link)
{
    bool none = link.key < 0;

    return (struct link_row){
        id, link.query, link.key, records_token(a, queries, link.query),
        none ? NULL : records_token(a, keys, link.key), records_label(queries, link.query),
        none ? (struct text_span){ NULL, 0 } : records_label(keys, link.key),
        (double)link.weight,
    };
}

/* Those of all heads, one head after the other. */
static struct list link_rows(const struct job *job, struct arena *a, const struct item *item,
                             const struct list *heads)
{
    const struct tokens *queries = session_queries(&job->s, item);
    const struct tokens *keys = session_keys(&job->s, item);
    const struct head_row *head = heads->at;
    struct link_row *row = arena_alloc(a, (uint64_t)heads->n * (uint64_t)queries->n, sizeof *row);
    int n = 0;

    for (int i = 0; i < heads->n; i++)
        for (int k = 0; k < head[i].links.n; k++)
            row[n++] = link_row(a, queries, keys, head[i].id,
                                ((const struct link *)head[i].links.at)[k]);
    return (struct list){ row, n };
}

/* One table per head: a column of links per head would be unreadable. */
static struct list *link_tables(struct arena *a, const struct list *heads,
                                const struct list *links)
{
    const struct head_row *head = heads->at;
    const struct link_row *row = links->at;
    struct list *tables = arena_alloc(a, (size_t)heads->n, sizeof *tables);

    for (int i = 0; i < heads->n; row += head[i++].links.n)
        tables[i] = (struct list){ row, head[i].links.n };
    return tables;
}

/* What a narrow terminal can spare, the least telling first. */
static const char *const spare[] = { "|dist|", "norm", "next", "max", "self", "prev", "first",
                                     "dist", NULL };

/* ---- one text ---- */

/* The selected heads of a text, sorted. */
static const struct stats_rank *ranking(const struct stats_job *job, struct arena *a,
                                        const struct stats *stats, int text, int *n)
{
    const struct head_id *id = records_heads(&job->job.s, &job->job.want, a, n);
    double *key = arena_alloc(a, (size_t)*n, sizeof *key);
    const struct stats_rank *rank;

    for (int i = 0; i < *n && job->sort >= 0; i++) {
        double value[N_METRIC] = { 0 };

        metric_choice_spread(&job->choice, stats_head(stats, text, id[i].layer, id[i].head)->value,
                             value);
        key[i] = value[job->sort];
    }
    rank = stats_sort(job, a, id, key, *n);
    *n = stats_best(job, *n);
    return rank;
}

/* As a person reads it; NULL: there is none. */
static const char *stats_strongest(const struct stats_job *job, struct arena *a,
                                   const struct item *item, const struct head_row *row)
{
    const char *link = records_link(a, &job->job.s, item, row->words);

    return link != NULL ? arena_printf(a, "%s %.3f", link, row->weight) : NULL;
}

static struct list stats_head_rows(const struct stats_job *job, struct arena *a,
                                   const struct item *item, const struct stats_found *found,
                                   int text)
{
    int n;
    const struct stats_rank *order = ranking(job, a, found->stats, text, &n);
    int n_tokens = session_queries(&job->job.s, item)->n, n_hidden;
    enum report_format format = job->job.results.report.format;
    struct head_row *row = arena_alloc(a, (size_t)n, sizeof *row);

    shown_hidden(a, item, session_query_side(&job->job.s), &n_hidden);
    for (int i = 0; i < n; i++) {
        row[i] = stats_head_row(job, found, text, order[i].id, n_tokens);
        if (format == REPORT_JSON)
            row[i].types = stats_types(job, a, row[i].metrics.value,
                                       n_tokens - n_hidden - row[i].n_skipped,
                                       stats_types_one(row[i].metrics.value));
        else if (format == REPORT_TABLE)
            row[i].strongest = stats_strongest(job, a, item, &row[i]);
    }
    return (struct list){ row, n };
}

/* What the model added, from its first letter on; NULL: nothing. */
static const char *generated(struct arena *a, const struct item *item)
{
    size_t blank;

    if (item->generated == NULL)
        return NULL;
    blank = strspn(item->generated, " ");
    return arena_printf(a, "generated: “%s”\n",
                        report_clean(a, item->generated + blank,
                                     item->generated_size - blank));
}

/* Above the table; NULL: nothing. */
static const char *stats_lead(const struct stats_job *job, struct arena *a, const struct item *item)
{
    const char *first = generated(a, item);
    const char *second = records_shown_line(&job->job.s, a, item);

    if (first == NULL || second == NULL)
        return first != NULL ? first : second;
    return arena_printf(a, "%s%s", first, second);
}

/* "“the cat sat”, 4 tokens": above the table on a terminal. */
static const char *header(const struct stats_job *job, struct arena *a, const struct item *item,
                          const struct table_look *look)
{
    const struct session *s = &job->job.s;
    int n = session_queries(s, item)->n, n_keys = session_keys(s, item)->n;
    const char *tokens = arena_printf(a, "%d token%s", n, str_plural(n));
    const char *text = figure_text(a, item);
    int room;

    if (s->stack == STACK_CROSS)
        tokens = arena_printf(a, "%s, %d of the keys", tokens, n_keys);
    if (text[0] == '\0')
        return arena_printf(a, "%s\n", tokens);
    text += strlen(", ");
    room = look->columns > (int)strlen(tokens) + 2 ? look->columns - (int)strlen(tokens) - 2 : 1;
    text = table_cut(a, report_clean(a, text, strlen(text)), (size_t)room);
    return arena_printf(a, "%s, %s\n", text, tokens);
}

/* A rule between layers, where heads stand in their order. */
static const int *stats_layers_of(const struct stats_job *job, struct arena *a,
                                  const struct list *heads)
{
    const struct head_row *head = heads->at;
    int *layer = arena_alloc(a, (size_t)heads->n, sizeof *layer);

    for (int i = 0; i < heads->n; i++)
        layer[i] = head[i].id.layer;
    return job->sort < 0 ? layer : NULL;
}

/* ---- texts ---- */

struct telling {
    const struct stats_job *j;
    const struct item *items;
    const struct stats_found *found;
    const struct table_look *look;      /* of a terminal; NULL: the tables go to none */
};

/* On a terminal: what stands above the table, and the table's look. */
static void stats_show(const struct stats_job *job, struct arena *a, const struct item *item,
                       const struct table_look *terminal, struct results_text *text)
{
    struct table_look *look = arena_alloc(a, 1, sizeof *look);

    *look = *terminal;
    look->group = job->args->links ? NULL : stats_layers_of(job, a, text->tables);
    text->look = look;
    text->lead = arena_printf(a, "%s%s", header(job, a, item, look),
                              text->lead != NULL ? text->lead : "");
}

static void stats_tell(void *self, struct arena *a, int i, struct results_text *text)
{
    const struct telling *t = self;
    const struct stats_job *job = t->j;
    const struct item *item = &t->items[i];
    struct text_row *row = arena_alloc(a, 1, sizeof *row);

    if (stats_shows_keys(job)) {
        *text = (struct results_text){ .record = &stats_key_record, .n_tables = 1,
                                       .lead = stats_lead(job, a, item),
                                       .legend = job->args->legend };
        text->tables = stats_keys(job, a, item, t->found->stats, i, &text->row);
        return;
    }
    *row = stats_text_row(job, a, item, stats_head_rows(job, a, item, t->found, i));
    metric_fields_maps(a, &job->choice, t->found->stats, i, session_queries(&job->job.s, item)->n,
                       session_keys(&job->job.s, item)->n, &row->maps);
    *text = (struct results_text){ row, job->head_record, &row->heads, 1, stats_lead(job, a, item),
                                   .legend = job->args->legend };
    if (t->look != NULL)
        stats_show(job, a, item, t->look, text);
    if (job->args->links) {
        row->links = link_rows(&job->job, a, item, &row->heads);
        text->record = &row_record;
        text->tables = link_tables(a, &row->heads, &row->links);
        text->n_tables = row->heads.n;
    }
}

int stats_print_texts(struct stats_job *job, struct arena *a, const struct item *items, int n,
                      const struct stats_found *found, struct err *e)
{
    struct table_look look = { .spare = spare };
    struct telling telling = { job, items, found,
                               results_look(&job->job.results, &look) ? &look : NULL };

    return results_texts(&job->job.results, a, items, n, stats_tell, &telling, e);
}
