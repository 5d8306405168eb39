/* SPDX-License-Identifier: MIT
 * Results of a text, or of all texts -> the table, or row, of ablate. */
#include <string.h>

#include "base/str.h"
#include "task/ablate/record.h"

/* ---- numbers ---- */

#define NUMBER(called, about, measure, shape, i, at) \
    { .name = called, .help = about, .unit = measure, .format = shape, .kind = COLUMN_REAL, \
      .where = IN_ALL, .null = NULL_SHOWN, .optional = true, \
      .field = (at) + (i) * sizeof(double) }
#define NUMBER_COLUMNS(at) \
    NUMBER("dloss", "change of the loss: mean over its rows", "nats", "%+.5f", ABLATE_DLOSS, at), \
    NUMBER("kl", "divergence of the distribution from that without a change, over the same rows", \
           "nats", "%.3g", ABLATE_KL, at), \
    NUMBER("direct", "change of the loss by what heads write into the logits themselves, to " \
           "first order", "nats", "%+.5f", ABLATE_DIRECT, at), \
    NUMBER("change", "|h' - h| / |h| of the last hidden states h of all tokens", NULL, "%.4g", \
           ABLATE_CHANGE, at)

struct head_row {
    struct head_id id;
    double of[N_ABLATE];
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS, ABLATE_STACK_COLUMN, NUMBER_COLUMNS(F(of)),
};
#undef F

static const struct record head_record = {
    .help = "a head whose output is replaced", .size = sizeof(struct head_row),
    RECORD_COLUMNS(head_columns),
};

struct set_row {
    const char *name;
    int n_heads;
    double of[N_ABLATE];
};

static const struct column set_columns[] = {
    ABLATE_SET_COLUMNS(struct set_row), NUMBER_COLUMNS(offsetof(struct set_row, of)),
};

static const struct record set_record = {
    .help = "heads whose outputs are replaced at once", .size = sizeof(struct set_row),
    RECORD_COLUMNS(set_columns),
};

/* ---- a text ---- */

struct text_row {
    struct records_text_id id;
    const char *weights, *with, *measure;
    double loss;
    int n_rows, sample;
    struct list masked, heads, sets;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_SPLIT,
    WEIGHTS_COLUMN(F(weights)),
    ABLATE_WITH_COLUMNS(struct text_row),
    { "loss", "without a change: mean over its rows", "nats", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(loss) },
    { "n_rows", "rows of the loss", "tokens", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(n_rows) },
    { "masked", "positions of the tokens that were masked in turn", .kind = COLUMN_INT,
      .list = true, .where = IN_JSON, .optional = true, .field = F(masked) },
    ABLATE_LISTS(&head_record, &set_record, struct text_row),
};
#undef F

const struct record ablate_record = {
    .schema = "mha-viz/ablate/1", .help = "what heads are worth in a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

void ablate_columns(struct ablate_job *job)
{
    job->job.record = ablate_measured(job, &ablate_record);
    job->record = ablate_measured(job, job->args->together ? &set_record : &head_record);
}

/* ---- rows ---- */

static double of_text(const void *found, int head, int number)
{
    return ((const struct ablate_found *)found)->of[head][number];
}

static struct list ablate_head_rows(const struct ablate_job *job, struct arena *a,
                                    const struct ablate_found *found)
{
    struct head_row *row = arena_alloc(a, (size_t)job->n_asked, sizeof *row);
    const int *place = ablate_order(job, a, of_text, found);

    for (int i = 0; i < job->n_asked; i++) {
        row[i].id = ablate_head_id(&job->head[place[i]]);
        memcpy(row[i].of, found->of[place[i]], sizeof row[i].of);
    }
    return (struct list){ row, job->n_asked };
}

static struct list set_rows(const struct ablate_job *job, struct arena *a,
                            const struct ablate_found *found)
{
    struct set_row *row = arena_alloc(a, N_SET, sizeof *row);

    for (int i = 0; i < N_ABLATE; i++) {
        double of[N_SET];

        ablate_range(job, (const double (*)[N_ABLATE])found->of, i, of);
        for (int k = 0; k < N_SET; k++)
            row[k].of[i] = of[k];
    }
    for (int k = 0; k < N_SET; k++) {
        row[k].name = ablate_set_names[k];
        row[k].n_heads = job->n_asked;
    }
    return (struct list){ row, N_SET };
}

static const char *ablate_lead(const struct ablate_job *job, struct arena *a,
                               const struct ablate_found *found)
{
    const char *by = ablate_with_text(job);

    if (found->partnerless)
        return job->args->with == ABLATE_MEAN ? "no other text is as long as this one\n\n" :
               "no text of as many tokens stands before this one\n\n";
    if (job->measure == ABLATE_HIDDEN)
        return arena_printf(a, "outputs replaced by %s; change of the last hidden state\n\n",
                            by);
    return arena_printf(a, "outputs replaced by %s; loss %.5f nats over %d %s%s%s\n\n", by,
                        found->loss, found->n_rows, job->measure == ABLATE_MASKED ? "masked " : "",
                        "token", str_plural(found->n_rows));
}

int ablate_write(struct ablate_job *job, struct arena *a, const struct item *item,
                 const struct ablate_found *found, struct err *e)
{
    struct text_row row = {
        .id = records_text_id(&job->job.s, item), .weights = job->job.weights,
        .with = ablate_withs[job->args->with],
        .measure = ablate_measures[job->measure], .loss = found->loss, .n_rows = found->n_rows,
        .masked = { found->masked, found->n_masked },
    };

    if (job->args->together)
        row.sets = set_rows(job, a, found);
    else
        row.heads = ablate_head_rows(job, a, found);
    return results_text(&job->job.results, a, item, &(struct results_text){
        &row, job->record, job->args->together ? &row.sets : &row.heads, 1,
        .lead = ablate_lead(job, a, found) }, e);
}
