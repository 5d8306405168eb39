/* SPDX-License-Identifier: MIT
 * Links of a text -> rows, the strongest of each query first. */
#include <stdlib.h>

#include "task/links/links.h"

struct link_row {
    struct head_id id;
    int query, key;             /* key -1: the sink that is no key */
    struct text_span query_text, key_text;
    double weight;
    int place;                  /* of the head: in its layer's order, or of --best in its rank */
};

#define F(f) offsetof(struct link_row, f)
static const struct column row_columns[] = {
    HEAD_OR_MEAN_COLUMNS,
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(query) },
    { "query_label", "the text that it stands for", .kind = COLUMN_SPAN,
      .where = IN_TSV | IN_JSON, .field = F(query_text) },
    { "key", "position of the key, from 0; null: a sink that is not a key", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(key) },
    { "key_label", "the text that it stands for", .kind = COLUMN_SPAN,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(key_text) },
    { "weight", "weight of the query on the key", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .field = F(weight) },
};
#undef F

static const struct record row_record = {
    .help = "a link that is drawn", .size = sizeof(struct link_row),
    RECORD_COLUMNS(row_columns),
};

struct text_row {
    struct records_text_id id;  /* first: the columns' offsets are of it */
    struct records_shown shown;
    int64_t n_all;
    struct list links;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_SPLIT,
    SHOWN_COLUMNS_OF_WEIGHTS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "n_links", "links that --top-share, --min-weight, --between, --from and --to leave; the "
      "4,000 strongest of them are listed", .kind = COLUMN_LONG, .where = IN_JSON,
      .field = F(n_all) },
    { "links", "one object per line of the picture: heads in the order of the layers, or of "
      "--best, then by query, the strongest first", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &row_record, .field = F(links) },
};
#undef F

const struct record links_record = {
    .schema = "mha-viz/links/1", .help = "the links that are drawn of a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* [places] the token at each. */
static const int *tokens_at(struct arena *a, const struct links_side *side)
{
    int *token = arena_alloc(a, (size_t)side->n_shown + 1, sizeof *token);

    for (int i = 0; i < side->tokens->n; i++)
        if (side->place[i] >= 0)
            token[side->place[i]] = i;
    token[side->n_shown] = -1;
    return token;
}

static int links_in_order(const void *x, const void *y)
{
    const struct link_row *a = x, *b = y;

    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->query != b->query)
        return a->query < b->query ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static struct list links_rows_of(const struct links_job *job, struct arena *a,
                                 const struct item *item, const struct links_found *found)
{
    const struct strong_links *links = &found->links;
    const int *query = tokens_at(a, &found->queries), *key = tokens_at(a, &found->keys);
    struct link_row *row = arena_alloc(a, (size_t)links->n + 1, sizeof *row);

    for (int i = 0; i < links->n; i++) {
        const struct strong_link *link = &links->link[i];
        int to = key[link->key];

        row[i] = (struct link_row){
            records_head(&job->job.s, job->head[link->head]), query[link->query], to,
            records_label(found->queries.tokens, query[link->query]),
            to < 0 ? (struct text_span){ NULL, 0 } : records_label(found->keys.tokens, to),
            (double)link->weight,
            job->args->shared.best.n > 0 ? job->place[link->head] : link->head,
        };
    }
    if (links->n < links->n_all)
        err_warn(job->job.s.env->note,
                 "text %lld: the %d strongest of %lld links are listed; export "
                 "--tsv has every weight",
                 (long long)item->index + 1, links->n, (long long)links->n_all);
    qsort(row, (size_t)links->n, sizeof *row, links_in_order);
    return (struct list){ row, links->n };
}

int links_write(struct links_job *job, struct arena *a, const struct item *item, struct err *e)
{
    struct links_found found;
    struct text_row row;

    if (links_find(job, a, item, &found, e) != 0)
        return -1;
    row = (struct text_row){ records_text_id(&job->job.s, item),
                             records_shown(&job->job.s, a, item),
                             found.links.n_all, links_rows_of(job, a, item, &found) };
    return results_text(&job->job.results, a, item, &(struct results_text){ .row = &row }, e);
}
