/* SPDX-License-Identifier: MIT
 * What came of a text, or of all, -> the table and the row that ablate prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/ablate.h"

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
/* Where there are heads of several attentions; L0H0 is in each. */
#define STACK_COLUMN \
    { "attention", "whose rows of attention", .heading = "stack", .kind = COLUMN_TEXT, \
      .where = IN_TABLE, .field = HEAD_F(stack) }
static const struct column head_columns[] = {
    HEAD_COLUMNS, STACK_COLUMN, NUMBER_COLUMNS(F(of)),
};
#undef F

static const struct record head_record = {
    .help = "a head whose output is replaced", .size = sizeof(struct head_row),
    RECORD_COLUMNS(head_columns),
};

static const char *const set_names[] = { "chosen", "random_mean", "random_low", "random_high",
                                         NULL };
enum { SET_CHOSEN, SET_MEAN, SET_LOW, SET_HIGH, N_SET };

struct set_row {
    const char *name;
    int n_heads;
    double of[N_ABLATE];
};

#define SET_COLUMNS(type) \
    { "set", "the chosen heads; mean and range over 10 sets of as many heads of each layer, " \
      "drawn at random", .kind = COLUMN_TEXT, .where = IN_ALL, .choices = set_names, \
      .field = offsetof(type, name) }, \
    { "n_heads", "number of heads in it", "heads", "heads", .kind = COLUMN_INT, \
      .where = IN_ALL, .field = offsetof(type, n_heads) }
static const struct column set_columns[] = {
    SET_COLUMNS(struct set_row), NUMBER_COLUMNS(offsetof(struct set_row, of)),
};

static const struct record set_record = {
    .help = "heads whose outputs are replaced at once", .size = sizeof(struct set_row),
    RECORD_COLUMNS(set_columns),
};

/* ---- a text ---- */

struct text_row {
    struct records_text_id id;
    const char *with, *measure;
    double loss;
    int n_rows, sample;
    struct list masked, heads, sets;
};

#define F(f) offsetof(struct text_row, f)
#define WITH_COLUMNS(type) \
    { "with", "what stands in place of a head's output", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .choices = ablate_withs, .field = offsetof(type, with) }, \
    { "measure", "next: the loss of each next token; masked: of tokens that are masked in " \
      "turn; hidden: the model has no output head", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .choices = ablate_measures, \
      .field = offsetof(type, measure) }
#define LISTS(heads_record, sets_record, type) \
    { "heads", "one object per head, whose output alone is replaced", .kind = COLUMN_RECORD, \
      .list = true, .optional = true, .where = IN_TSV | IN_JSON, .of = (heads_record), \
      .field = offsetof(type, heads) }, \
    { "sets", "--together: the heads that are replaced at once, and random ones", \
      .kind = COLUMN_RECORD, .list = true, .optional = true, .where = IN_TSV | IN_JSON, \
      .of = (sets_record), .field = offsetof(type, sets) }
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    WITH_COLUMNS(struct text_row),
    { "loss", "without a change: mean over its rows", "nats", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(loss) },
    { "n_rows", "rows of the loss", "tokens", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(n_rows) },
    { "masked", "positions of the tokens that were masked in turn", .kind = COLUMN_INT,
      .list = true, .where = IN_JSON, .optional = true, .field = F(masked) },
    LISTS(&head_record, &set_record, struct text_row),
};
#undef F

const struct record ablate_record = {
    .schema = "mha-viz/ablate/1", .help = "what heads are worth in a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* ---- many texts ---- */

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
    HEAD_COLUMNS, STACK_COLUMN, ESTIMATES(offsetof(struct mean_row, numbers)),
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
    SET_COLUMNS(struct set_mean_row), ESTIMATES(offsetof(struct set_mean_row, numbers)),
};

static const struct record set_mean_record = {
    .help = "heads whose outputs are replaced at once, over many texts",
    .size = sizeof(struct set_mean_row), RECORD_COLUMNS(set_mean_columns),
};

struct summary_row {
    const char *model, *family, *with, *measure;
    int64_t n_texts, n_partnerless, n_rows;
    double loss;
    struct list heads, sets;
};

#define F(f) offsetof(struct summary_row, f)
static const struct column summary_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(family) },
    WITH_COLUMNS(struct summary_row),
    { "n_texts", "number of the texts", "texts", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n_texts) },
    { "n_partnerless", "--with resample: texts without one of as many tokens before them; they "
      "are in no mean", "texts", .kind = COLUMN_LONG, .where = IN_JSON,
      .field = F(n_partnerless) },
    { "n_rows", "rows of the loss, of all texts", "tokens", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n_rows) },
    { "loss", "without a change: mean over these rows", "nats", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(loss) },
    LISTS(&mean_record, &set_mean_record, struct summary_row),
};
#undef F

const struct record ablate_summary_record = {
    .schema = "mha-viz/ablate-summary/1", .help = "what heads are worth over many texts",
    .size = sizeof(struct summary_row), RECORD_COLUMNS(summary_columns),
};

/* ---- which columns ---- */

bool ablate_several_stacks(const struct ablate_job *j)
{
    for (int i = 1; i < j->n_asked; i++)
        if (j->head[i].stack != j->head[0].stack)
            return true;
    return false;
}

/* What the output of the model, and the options, have no numbers for. */
static const struct record *shown(const struct ablate_job *j, const struct record *r)
{
    static const char *const of_loss[] = { "dloss", "dloss_token", "kl", "direct", NULL };
    static const char *const of_hidden[] = { "change", NULL };
    static const char *const of_direct[] = { "direct", NULL };
    static const char *const of_masks[] = { "masked", NULL };
    static const char *const of_sets[] = { "sets", NULL };
    static const char *const of_heads[] = { "heads", NULL };
    static const char *const of_stacks[] = { "attention", NULL };
    struct arena *a = j->job.s.a;

    r = record_without(a, r, IN_ALL, j->measure == ABLATE_HIDDEN ? of_loss : of_hidden);
    if (!j->has_direct)
        r = record_without(a, r, IN_ALL, of_direct);
    if (j->measure != ABLATE_MASKED)
        r = record_without(a, r, IN_ALL, of_masks);
    if (!ablate_several_stacks(j))
        r = record_without(a, r, IN_TABLE, of_stacks);
    return record_without(a, r, IN_TSV | IN_JSON, j->args->together ? of_heads : of_sets);
}

void ablate_columns(struct ablate_job *j)
{
    struct arena *a = j->job.s.a;
    bool summary = j->args->summary, together = j->args->together;

    j->job.record = shown(j, summary ? &ablate_summary_record : &ablate_record);
    j->record = shown(j, summary ? together ? &set_mean_record : &mean_record :
                         together ? &set_record : &head_record);
    if (!summary)
        return;
    j->job.record = records_without_bootstrap(a, j->job.record);
    j->record = records_without_bootstrap(a, j->record);
}

enum ablate_number ablate_shown(const struct ablate_job *j)
{
    return j->measure == ABLATE_HIDDEN ? ABLATE_CHANGE :
           j->args->metric > 0 ? (enum ablate_number)(j->args->metric - 1) : ABLATE_DLOSS;
}

/* ---- order ---- */

struct ranked {
    double key;
    int place;
};

static int by_key(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->place - b->place;
}

int *ablate_order(const struct ablate_job *j, struct arena *a,
                  double (*value)(const void *of, int head, int number), const void *of)
{
    struct ranked *rank = arena_alloc(a, (size_t)j->n_asked, sizeof *rank);
    int *place = arena_alloc(a, (size_t)j->n_asked, sizeof *place);

    for (int i = 0; i < j->n_asked; i++) {
        double key = j->args->sort == 0 ? 0 :
                     value(of, i, j->args->sort - 1);

        rank[i] = (struct ranked){ isnan(key) ? -INFINITY : key, i };
    }
    qsort(rank, (size_t)j->n_asked, sizeof *rank, by_key);
    for (int i = 0; i < j->n_asked; i++)
        place[i] = rank[j->args->reverse ? j->n_asked - 1 - i : i].place;
    return place;
}

struct head_id ablate_head_id(const struct ablate_head *h)
{
    return (struct head_id){ family_stack_names[h->stack], h->layer, h->head };
}

/* ---- rows of a text ---- */

static double of_text(const void *found, int head, int number)
{
    return ((const struct ablate_found *)found)->of[head][number];
}

static struct list head_rows(const struct ablate_job *j, struct arena *a,
                             const struct ablate_found *f)
{
    struct head_row *row = arena_alloc(a, (size_t)j->n_asked, sizeof *row);
    const int *place = ablate_order(j, a, of_text, f);

    for (int i = 0; i < j->n_asked; i++) {
        row[i].id = ablate_head_id(&j->head[place[i]]);
        memcpy(row[i].of, f->of[place[i]], sizeof row[i].of);
    }
    return (struct list){ row, j->n_asked };
}

/* Mean, least and largest of the random sets; NaN where one is undefined. */
static void range(const struct ablate_job *j, const double (*of)[N_ABLATE], int i,
                  double out[N_SET])
{
    double sum = 0;

    out[SET_CHOSEN] = of[0][i];
    out[SET_LOW] = INFINITY;
    out[SET_HIGH] = -INFINITY;
    for (int k = 1; k < j->n_sets; k++) {
        sum += of[k][i];
        out[SET_LOW] = fmin(out[SET_LOW], of[k][i]);
        out[SET_HIGH] = fmax(out[SET_HIGH], of[k][i]);
    }
    out[SET_MEAN] = sum / (j->n_sets - 1);
}

static struct list set_rows(const struct ablate_job *j, struct arena *a,
                            const struct ablate_found *f)
{
    struct set_row *row = arena_alloc(a, N_SET, sizeof *row);

    for (int i = 0; i < N_ABLATE; i++) {
        double of[N_SET];

        range(j, (const double (*)[N_ABLATE])f->of, i, of);
        for (int k = 0; k < N_SET; k++)
            row[k].of[i] = of[k];
    }
    for (int k = 0; k < N_SET; k++) {
        row[k].name = set_names[k];
        row[k].n_heads = j->n_asked;
    }
    return (struct list){ row, N_SET };
}

static const char *const withs[] = {
    [ABLATE_ZERO] = "zeros", [ABLATE_MEAN] = "their mean",
    [ABLATE_RESAMPLE] = "those of another text", [ABLATE_UNIFORM] = "uniform attention",
};

static const char *lead(const struct ablate_job *j, struct arena *a,
                        const struct ablate_found *f)
{
    const char *by = withs[j->args->with];

    if (f->partnerless)
        return "no text of as many tokens stands before this one\n\n";
    if (j->measure == ABLATE_HIDDEN)
        return arena_printf(a, "outputs replaced by %s; change of the last hidden state\n\n",
                            by);
    return arena_printf(a, "outputs replaced by %s; loss %.5f nats over %d %s%s%s\n\n", by,
                        f->loss, f->n_rows, j->measure == ABLATE_MASKED ? "masked " : "",
                        "token", str_plural(f->n_rows));
}

int ablate_write(struct ablate_job *j, struct arena *a, const struct item *item,
                 const struct ablate_found *found, struct err *e)
{
    struct text_row row = {
        .id = records_text_id(&j->job.s, item), .with = ablate_withs[j->args->with],
        .measure = ablate_measures[j->measure], .loss = found->loss, .n_rows = found->n_rows,
        .masked = { found->masked, found->n_masked },
    };

    if (j->args->together)
        row.sets = set_rows(j, a, found);
    else
        row.heads = head_rows(j, a, found);
    return results_text(&j->job.results, a, item, &(struct results_text){
        &row, j->record, j->args->together ? &row.sets : &row.heads, 1,
        .lead = lead(j, a, found) }, e);
}

/* ---- rows of many texts ---- */

static double of_summary(const void *job, int head, int number)
{
    const struct ablate_job *j = job;

    return summary_of(j->summary, head * N_ABLATE + number).mean;
}

static double token_mean(const struct ablate_job *j, int set)
{
    return j->n_rows > 0 ? j->sum[set] / (double)j->n_rows : NAN;
}

static struct numbers numbers_of(const struct ablate_job *j, struct arena *a, int set)
{
    struct summary_estimate *of = arena_alloc(a, N_ABLATE, sizeof *of);
    struct numbers numbers = { .dloss_token = token_mean(j, set) };

    for (int i = 0; i < N_ABLATE; i++) {
        of[i] = summary_of(j->summary, set * N_ABLATE + i);
        numbers.of[i] = &of[i];
    }
    return numbers;
}

static struct list mean_rows(const struct ablate_job *j, struct arena *a)
{
    struct mean_row *row = arena_alloc(a, (size_t)j->n_asked, sizeof *row);
    const int *place = ablate_order(j, a, of_summary, j);

    for (int i = 0; i < j->n_asked; i++) {
        row[i].id = ablate_head_id(&j->head[place[i]]);
        row[i].numbers = numbers_of(j, a, place[i]);
    }
    return (struct list){ row, j->n_asked };
}

/* Of the random sets only means over texts are known, not how sure they are. */
static struct list set_mean_rows(const struct ablate_job *j, struct arena *a)
{
    struct set_mean_row *row = arena_alloc(a, N_SET, sizeof *row);
    struct summary_estimate *of = arena_alloc(a, (size_t)N_SET * N_ABLATE, sizeof *of);

    for (int k = 0; k < N_SET; k++)
        row[k] = (struct set_mean_row){ .name = set_names[k], .n_heads = j->n_asked };
    for (int i = 0; i <= N_ABLATE; i++) {
        double (*column)[N_ABLATE] = arena_alloc(a, (size_t)j->n_sets, sizeof *column);
        double set[N_SET];

        for (int k = 0; k < j->n_sets; k++)
            column[k][0] = i == N_ABLATE ? token_mean(j, k) :
                                           of_summary(j, k, i);
        range(j, (const double (*)[N_ABLATE])column, 0, set);
        for (int k = 0; k < N_SET; k++) {
            if (i == N_ABLATE) {
                row[k].numbers.dloss_token = set[k];
                continue;
            }
            of[k * N_ABLATE + i] = k == SET_CHOSEN ?
                summary_of(j->summary, i) :
                (struct summary_estimate){ set[k], NAN, NAN, NAN, NAN, NAN,
                                           summary_of(j->summary, i).n };
            row[k].numbers.of[i] = &of[k * N_ABLATE + i];
        }
    }
    return (struct list){ row, N_SET };
}

static const char *title(const struct ablate_job *j, struct arena *a)
{
    const char *lost = j->n_partnerless == 0 ? "" :
                       arena_printf(a, " (%lld more have none of as many tokens before them)",
                                    (long long)j->n_partnerless);
    int64_t n = j->n_texts - j->n_partnerless;

    if (j->measure == ABLATE_HIDDEN)
        return arena_printf(a, "outputs replaced by %s; change of the last hidden state, mean "
                            "of %lld text%s%s", withs[j->args->with], (long long)n,
                            str_plural(n), lost);
    return arena_printf(a, "outputs replaced by %s; loss %.5f nats over %lld tokens, mean of "
                        "%lld text%s%s", withs[j->args->with],
                        j->loss_sum / (double)j->n_rows, (long long)j->n_rows,
                        (long long)n, str_plural(n), lost);
}

void ablate_write_summary(struct ablate_job *j, struct arena *a)
{
    struct report *report = &j->job.results.report;
    struct summary_row row = {
        j->job.s.name, j->job.s.model->family->name, ablate_withs[j->args->with],
        ablate_measures[j->measure], j->n_texts, j->n_partnerless, j->n_rows,
        j->n_rows > 0 ? j->loss_sum / (double)j->n_rows : NAN, { NULL, 0 }, { NULL, 0 },
    };
    const struct list *shown_list = j->args->together ? &row.sets : &row.heads;

    if (j->args->together)
        row.sets = set_mean_rows(j, a);
    else
        row.heads = mean_rows(j, a);
    if (report->format != REPORT_TABLE) {
        report_row(report, &row);
        return;
    }
    fprintf(report->file, "%s\n", title(j, a));
    record_table(j->record, shown_list->at, shown_list->n, a, report->file);
}
