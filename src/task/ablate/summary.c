/* SPDX-License-Identifier: MIT
 * --summary: results of many texts -> the table, or row, of their means. */
#include <math.h>

#include "base/str.h"
#include "task/ablate/record.h"

/* ---- records ---- */

ESTIMATE_RECORD(dloss, "dloss", "nats", "%+.5f", IN_TABLE)
ESTIMATE_RECORD(kl, "kl", "nats", "%.3g", IN_TABLE)
ESTIMATE_RECORD(direct, "direct", "nats", "%+.5f", IN_TABLE)
ESTIMATE_RECORD(change, "change", NULL, "%.4g", IN_TABLE)

/* The same of many texts. */
struct numbers {
    const struct summary_estimate *of[N_ABLATE];
    double dloss_token;
};

#define ESTIMATE(id, about, record, i, at) \
    { .name = id, .help = about, .kind = COLUMN_RECORD, .where = IN_ALL, .optional = true, \
      .of = &record##_record, .field = (at) + (i) * sizeof(struct summary_estimate *) }
#define ESTIMATES(at) \
    ESTIMATE("dloss", "change of a text's loss", dloss, ABLATE_DLOSS, at), \
    { "dloss_token", "the same of each token, of all texts together", "nats", \
      .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, \
      .field = (at) + offsetof(struct numbers, dloss_token) }, \
    ESTIMATE("kl", "divergence of a text's distributions", kl, ABLATE_KL, at), \
    ESTIMATE("direct", "direct change of a text's loss", direct, ABLATE_DIRECT, at), \
    ESTIMATE("change", "|h' - h| / |h| of a text's last hidden states h", change, \
             ABLATE_CHANGE, at)

struct mean_row {
    struct head_id id;
    struct numbers numbers;
};

static const struct column mean_columns[] = {
    HEAD_COLUMNS, ABLATE_STACK_COLUMN, ESTIMATES(offsetof(struct mean_row, numbers)),
};

static const struct record mean_record = {
    .help = "a head whose output is replaced, over many texts",
    .size = sizeof(struct mean_row), RECORD_COLUMNS(mean_columns),
};

struct set_mean_row {
    const char *name;
    int n_heads;
    struct numbers numbers;
};

static const struct column set_mean_columns[] = {
    ABLATE_SET_COLUMNS(struct set_mean_row), ESTIMATES(offsetof(struct set_mean_row, numbers)),
};

static const struct record set_mean_record = {
    .help = "heads whose outputs are replaced at once, over many texts",
    .size = sizeof(struct set_mean_row), RECORD_COLUMNS(set_mean_columns),
};

struct summary_row {
    const char *model, *weights, *family, *with, *measure;
    int64_t n_texts, n_partnerless, n_rows;
    double loss;
    struct list heads, sets;
};

#define F(f) offsetof(struct summary_row, f)
static const struct column summary_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    WEIGHTS_COLUMN(F(weights)),
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(family) },
    ABLATE_WITH_COLUMNS(struct summary_row),
    { "n_texts", "number of the texts", "texts", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n_texts) },
    { "n_partnerless", "--with resample: texts without one of as many tokens before them; --with "
      "mean --by-position: texts that are longer than all others; they are in no mean", "texts",
      .kind = COLUMN_LONG, .where = IN_JSON, .field = F(n_partnerless) },
    { "n_rows", "rows of the loss, of all texts", "tokens", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n_rows) },
    { "loss", "without a change: mean over these rows", "nats", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(loss) },
    ABLATE_LISTS(&mean_record, &set_mean_record, struct summary_row),
};
#undef F

const struct record ablate_summary_record = {
    .schema = "mha-viz/ablate-summary/1", .help = "what heads are worth over many texts",
    .size = sizeof(struct summary_row), RECORD_COLUMNS(summary_columns),
};

void ablate_summary_columns(struct ablate_job *job)
{
    const struct record *row = job->args->together ? &set_mean_record : &mean_record;
    struct arena *a = job->job.s.a;

    job->job.record = records_without_bootstrap(a, ablate_measured(job, &ablate_summary_record));
    job->record = records_without_bootstrap(a, ablate_measured(job, row));
}

/* ---- texts ---- */

void ablate_summary_open(struct ablate_job *job)
{
    const struct summary_kind kind = { .n = job->n_sets * N_ABLATE };
    const struct summary_kind rows = { .n = job->n_sets + 1 };
    struct arena *a = job->job.s.a;

    ablate_summary_columns(job);
    job->summary = summary_new(a, &kind);
    job->rows = summary_new(a, &rows);
    job->row_value = arena_alloc(a, (uint64_t)rows.n, sizeof *job->row_value);
}

void ablate_summary_add(struct ablate_job *job, const struct item *item,
                        const struct ablate_found *found)
{
    summary_add(job->summary, item->index, found->of[0]);
    job->n_texts++;
    job->n_partnerless += found->partnerless;
    if (found->n_rows == 0)
        return;
    for (int i = 0; i < job->n_sets; i++)
        job->row_value[i] = found->of[i][ABLATE_DLOSS] * found->n_rows;
    job->row_value[job->n_sets] = found->loss * found->n_rows;
    summary_add(job->rows, item->index, job->row_value);
    job->n_rows += found->n_rows;
}

/* ---- rows ---- */

static double of_summary(const void *job, int head, int number)
{
    const struct ablate_job *j = job;

    return summary_of(j->summary, head * N_ABLATE + number).mean;
}

/* Of the set's changes of the loss; n_sets: of the loss itself. */
static double token_mean(const struct ablate_job *job, int set)
{
    return job->n_rows > 0 ? summary_total(job->rows, set) / (double)job->n_rows : NAN;
}

static struct numbers numbers_of(const struct ablate_job *job, struct arena *a, int set)
{
    struct summary_estimate *of = arena_alloc(a, N_ABLATE, sizeof *of);
    struct numbers numbers = { .dloss_token = token_mean(job, set) };

    for (int i = 0; i < N_ABLATE; i++) {
        of[i] = summary_of(job->summary, set * N_ABLATE + i);
        numbers.of[i] = &of[i];
    }
    return numbers;
}

static struct list mean_rows(const struct ablate_job *job, struct arena *a)
{
    struct mean_row *row = arena_alloc(a, (size_t)job->n_asked, sizeof *row);
    const int *place = ablate_order(job, a, of_summary, job);

    for (int i = 0; i < job->n_asked; i++) {
        row[i].id = ablate_head_id(&job->head[place[i]]);
        row[i].numbers = numbers_of(job, a, place[i]);
    }
    return (struct list){ row, job->n_asked };
}

/* Of the random sets only means over texts are known, not how sure they are. */
static struct list set_mean_rows(const struct ablate_job *job, struct arena *a)
{
    struct set_mean_row *row = arena_alloc(a, N_SET, sizeof *row);
    struct summary_estimate *of = arena_alloc(a, (size_t)N_SET * N_ABLATE, sizeof *of);

    for (int k = 0; k < N_SET; k++)
        row[k] = (struct set_mean_row){ .name = ablate_set_names[k], .n_heads = job->n_asked };
    for (int i = 0; i <= N_ABLATE; i++) {
        double (*column)[N_ABLATE] = arena_alloc(a, (size_t)job->n_sets, sizeof *column);
        double set[N_SET];

        for (int k = 0; k < job->n_sets; k++)
            column[k][0] = i == N_ABLATE ? token_mean(job, k) :
                                           of_summary(job, k, i);
        ablate_range(job, (const double (*)[N_ABLATE])column, 0, set);
        for (int k = 0; k < N_SET; k++) {
            if (i == N_ABLATE) {
                row[k].numbers.dloss_token = set[k];
                continue;
            }
            of[k * N_ABLATE + i] = k == SET_CHOSEN ?
                summary_of(job->summary, i) :
                (struct summary_estimate){ set[k], NAN, NAN, NAN, NAN, NAN,
                                           summary_of(job->summary, i).n };
            row[k].numbers.of[i] = &of[k * N_ABLATE + i];
        }
    }
    return (struct list){ row, N_SET };
}

static const char *title(const struct ablate_job *job, struct arena *a)
{
    const char *lost = job->n_partnerless == 0 ? "" :
                       arena_printf(a, job->args->with == ABLATE_MEAN ?
                                    " (%lld more are longer than all others)" :
                                    " (%lld more have none of as many tokens before them)",
                                    (long long)job->n_partnerless);
    int64_t n = job->n_texts - job->n_partnerless;

    if (job->measure == ABLATE_HIDDEN)
        return arena_printf(a, "outputs replaced by %s; change of the last hidden state, mean "
                            "of %lld text%s%s", ablate_with_text(job), (long long)n,
                            str_plural(n), lost);
    return arena_printf(a, "outputs replaced by %s; loss %.5f nats over %lld tokens, mean of "
                        "%lld text%s%s", ablate_with_text(job),
                        token_mean(job, job->n_sets), (long long)job->n_rows,
                        (long long)n, str_plural(n), lost);
}

void ablate_write_summary(struct ablate_job *job, struct arena *a)
{
    struct report *report = &job->job.results.report;
    struct summary_row row = {
        job->job.s.name, job->job.weights, job->job.s.model->family->name,
        ablate_withs[job->args->with],
        ablate_measures[job->measure], job->n_texts, job->n_partnerless, job->n_rows,
        token_mean(job, job->n_sets), { NULL, 0 }, { NULL, 0 },
    };
    const struct list *shown_list = job->args->together ? &row.sets : &row.heads;

    if (job->args->together)
        row.sets = set_mean_rows(job, a);
    else
        row.heads = mean_rows(job, a);
    report_row_or_table(report, &row, title(job, a), job->record, *shown_list, a);
}
