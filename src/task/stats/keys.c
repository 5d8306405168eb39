/* SPDX-License-Identifier: MIT
 * stats --metric received: the keys of a text that receive most, as a table. */
#include <math.h>

#include "base/sort.h"
#include "task/stats/stats.h"

struct key_row {
    struct head_id most;        /* the head of max */
    int key;
    const char *key_label;      /* of a table */
    struct text_span key_text;
    double received, max;
};

static const char *head_of_most(struct arena *a, const void *row)
{
    return isnan(((const struct key_row *)row)->max) ? "-" : records_head_name(a, row);
}

#define F(f) offsetof(struct key_row, f)
static const struct column key_columns[] = {
    { "key", "position of the key, from 0", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(key) },
    { "", "text of the key", .kind = COLUMN_TEXT, .where = IN_TABLE, .field = F(key_label) },
    { "key_label", "the text that it stands for", .kind = COLUMN_SPAN, .where = IN_TSV,
      .field = F(key_text) },
    { "received", "mean over the heads of what they give it: the mean weight over the rows that "
      "see it", .format = "%.3f", .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV,
      .null = NULL_SHOWN, .field = F(received) },
    { "max", "what the head gives it that gives it most", .format = "%.3f", .kind = COLUMN_REAL,
      .where = IN_TABLE | IN_TSV, .null = NULL_SHOWN, .field = F(max) },
    { "head of max", "the head whose max it is", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .show = head_of_most },
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_TSV,
      .choices = family_stack_names, .field = F(most.stack) },
    { "layer", "layer of the head of max", .kind = COLUMN_INT, .where = IN_TSV,
      .null = NULL_SHOWN, .field = F(most.layer) },
    { "head", "number of the head of max in it", .kind = COLUMN_INT, .where = IN_TSV,
      .null = NULL_SHOWN, .field = F(most.head) },
};
#undef F

const struct record stats_key_record = {
    .help = "a key of a text", .size = sizeof(struct key_row), RECORD_COLUMNS(key_columns),
};

struct text_row {
    struct records_text_id id;  /* first: the columns' offsets are of it */
    struct records_shown shown;
    struct list keys;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_INDEX, TEXT_COLUMNS_PART,
    SHOWN_COLUMNS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "keys", "one line per key, that which receives most first", .kind = COLUMN_RECORD,
      .list = true, .where = IN_TSV, .of = &stats_key_record, .field = F(keys) },
};
#undef F

const struct record stats_keys_record = {
    .help = "the keys of a text that receive most", .size = sizeof(struct text_row),
    RECORD_COLUMNS(text_columns),
};

bool stats_shows_keys(const struct stats_job *job)
{
    enum output_format format = job->job.results.output.format;

    for (int i = 0; i < N_METRIC; i++)
        if (job->choice.wanted[i] != (i == METRIC_received))
            return false;
    return !job->job.of_many && !job->args->links && format != OUTPUT_JSON && format != OUTPUT_SUMS;
}

/* What heads give key k. */
static struct key_row key_row(const struct stats_job *job, const struct stats *stats, int text,
                              const struct head_id *head, int n_heads, int k)
{
    struct key_row row = { .key = k, .received = 0.0, .max = NAN };
    int n = 0;

    row.most = (struct head_id){ family_stack_names[job->job.s.stack], -1, -1 };
    for (int i = 0; i < n_heads; i++) {
        const struct stats_list *list =
            stats_head(stats, text, head[i].layer, head[i].head)->list;

        if (k >= list->n || isnan(list->v[k]))
            continue;
        row.received += list->v[k];
        n++;
        if (!(list->v[k] <= row.max)) {
            row.max = list->v[k];
            row.most = records_head(&job->job.s, head[i]);
        }
    }
    row.received = n > 0 ? row.received / n : NAN;
    return row;
}

static struct list key_rows(const struct stats_job *job, struct arena *a, const struct item *item,
                            const struct stats *stats, int text)
{
    const struct tokens *keys = session_keys(&job->job.s, item);
    int n, top = job->args->top < keys->n ? job->args->top : keys->n;
    const struct head_id *head = records_heads(&job->job.s, &job->job.want, a, &n);
    struct key_row *all = arena_alloc(a, (uint64_t)keys->n, sizeof *all);
    struct key_row *row = arena_alloc(a, (uint64_t)keys->n, sizeof *row);
    double *received = arena_alloc(a, (uint64_t)keys->n, sizeof *received);
    const int *place;

    for (int k = 0; k < keys->n; k++) {
        all[k] = key_row(job, stats, text, head, n, k);
        received[k] = all[k].received;
    }
    place = sort_places(a, received, keys->n, job->args->reverse);
    for (int i = 0; i < top; i++) {
        row[i] = all[place[i]];
        row[i].key_label = records_token(a, keys, row[i].key);
        row[i].key_text = records_label(keys, row[i].key);
    }
    return (struct list){ row, top };
}

struct list *stats_keys(const struct stats_job *job, struct arena *a, const struct item *item,
                        const struct stats *stats, int text, const void **of)
{
    struct text_row *row = arena_alloc(a, 1, sizeof *row);

    *row = (struct text_row){ .id = records_text_id(&job->job.s, item),
                              .shown = records_shown(&job->job.s, a, item),
                              .keys = key_rows(job, a, item, stats, text) };
    *of = row;
    return &row->keys;
}
