/* SPDX-License-Identifier: MIT
 * Heads -> rows: the number or word of each that the picture shows. */
#include <math.h>

#include "task/model/model.h"

struct head_row {
    struct head_id id;
    double value, x, y;
    const char *word, *type;
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_OR_MEAN_COLUMNS,
    { "value", "the metric; null: undefined, or a word", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(value) },
    { "word", "the metric, where it is a word, or the type", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(word) },
    { "x", "--mds: place in the plane", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .optional = true, .field = F(x) },
    { "y", "--mds: the same", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .optional = true, .field = F(y) },
    { "type", "what the head is, where --mds colours its point by that", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(type) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct model_row {
    const char *model, *metric;
    int64_t n_texts;
    struct records_shown shown;
    struct list heads;
};

#define F(f) offsetof(struct model_row, f)
static const struct column model_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    { "metric", "what is shown of each head: a metric, type or mds", .kind = COLUMN_TEXT,
      .where = IN_JSON, .field = F(metric) },
    { "n_texts", "texts that numbers are means over", "texts", .kind = COLUMN_LONG,
      .where = IN_JSON, .field = F(n_texts) },
    SHOWN_OPTION_COLUMNS(F(shown)), AVERAGE_COLUMN(F(shown)),
    { "heads", "one object per head, layer by layer", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &head_record, .field = F(heads) },
};
#undef F

const struct record model_view_record = {
    .schema = "mha-viz/model/1", .help = "what a picture of a model shows of each head",
    .size = sizeof(struct model_row), RECORD_COLUMNS(model_columns),
};

static struct list model_record_rows_of(const struct model_view_job *job,
                                        const struct model_view_heads *heads, struct arena *a)
{
    struct head_row *row = arena_alloc(a, (size_t)heads->n + 1, sizeof *row);

    for (int i = 0; i < heads->n; i++) {
        const struct model_view_head *head = &heads->head[i];

        row[i] = (struct head_row){
            records_head(&job->job.s, (struct head_id){ family_stack_names[job->job.s.stack],
                                                        head->layer, head->head }),
            head->word != NULL ? NAN : head->shown,
            head->x, head->y, head->word, head->type };
    }
    return (struct list){ row, heads->n };
}

static const struct record *model_record_of(const struct model_view_job *job)
{
    static const char *const of_mds[] = { "x", "y", "type", NULL };
    static const char *const of_metric[] = { "value", "word", NULL };
    const struct record *r = records_without_shown(&job->job.s, &model_view_record);

    return record_without(job->job.s.a, r, IN_TSV | IN_JSON, job->args->mds ? of_metric : of_mds);
}

int model_view_write(struct model_view_job *job, const struct model_view_picture *picture,
                     struct arena *a, struct err *e)
{
    struct results *results = &job->job.results;
    const struct session *s = &job->job.s;
    struct model_row row = { s->name, job->args->mds ? "mds" : job->metric.name,
                             picture->item != NULL ? 1 : job->n_texts, records_shown_asked(s),
                             model_record_rows_of(job, &picture->heads, a) };

    results->run = s->provenance;
    if (results_open(results, model_record_of(job), NULL, e) != 0)
        return -1;
    if (results->output.folder)
        return results_text(results, a, picture->item, &(struct results_text){ .row = &row }, e);
    report_begin(&results->report);
    report_row(&results->report, &row);
    results_finish(results);
    return output_close(&results->output, 0, e);
}
