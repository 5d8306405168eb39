/* SPDX-License-Identifier: MIT
 * The curve of --greedy -> its table, or row. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "task/ablate/ablate.h"

/* ---- records ---- */

struct order_row {
    struct head_id id;
    double step;
};

static const struct column order_columns[] = {
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_JSON,
      .choices = family_stack_names, .field = HEAD_F(stack) },
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = HEAD_F(layer) },
    { "head", "number of the head in its layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = HEAD_F(head) },
    { "step", "what it was chosen by, the least of those that were left: change of the loss, or "
      "of the last hidden state, by it alone; --greedy=exact: by it and all before it",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN,
      .field = offsetof(struct order_row, step) },
};

static const struct record order_record = {
    .help = "a head, in the order in which they are replaced",
    .size = sizeof(struct order_row), RECORD_COLUMNS(order_columns),
};

struct point_row {
    struct ablate_point of;
    const char *last;
};

#define F(f) offsetof(struct point_row, f)
#define POINT(called, about, measure, shape, member) \
    { .name = called, .help = about, .unit = measure, .format = shape, .kind = COLUMN_REAL, \
      .where = IN_ALL, .null = NULL_SHOWN, .optional = true, .field = F(member) }
static const struct column point_columns[] = {
    { "n_heads", "number of heads that are replaced", "heads", "heads", .kind = COLUMN_INT,
      .where = IN_ALL, .field = F(of.n_heads) },
    { "last", "the last of them", .kind = COLUMN_TEXT, .where = IN_ALL, .field = F(last) },
    POINT("dloss", "change of the loss", "nats", "%+.5f", of.of[ABLATE_DLOSS]),
    POINT("kl", "divergence", "nats", "%.3g", of.of[ABLATE_KL]),
    POINT("change", "|h' - h| / |h| of the last hidden states h", NULL, "%.4g",
          of.of[ABLATE_CHANGE]),
    { "random_mean", "dloss, or change, of 10 random sets of as many heads of each layer: mean",
      .heading = "random", .format = "%+.5f", .kind = COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(of.mean) },
    { "random_low", "the least", .heading = "least", .format = "%+.5f", .kind = COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(of.low) },
    { "random_high", "the largest", .heading = "largest", .format = "%+.5f",
      .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(of.high) },
};
#undef F

static const struct record point_record = {
    .help = "a point of the curve", .size = sizeof(struct point_row),
    RECORD_COLUMNS(point_columns),
};

struct greedy_row {
    const char *model, *family, *with, *measure;
    bool exact;
    int64_t n_texts, n_rows;
    double loss;
    struct list order, points;
};

#define F(f) offsetof(struct greedy_row, f)
static const struct column greedy_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(family) },
    { "with", "what stands in place of a head's output", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .choices = ablate_withs, .field = F(with) },
    { "measure", "as in mha-viz/ablate/1", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .choices = ablate_measures, .field = F(measure) },
    { "exact", "each head was chosen after those before it", .kind = COLUMN_BOOL,
      .where = IN_TSV | IN_JSON, .field = F(exact) },
    { "n_texts", "number of the texts that the numbers are means over", "texts",
      .kind = COLUMN_LONG, .where = IN_TSV | IN_JSON, .field = F(n_texts) },
    { "n_rows", "rows of the loss, of all texts", "tokens", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(n_rows) },
    { "loss", "without a change: mean over these rows", "nats", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(loss) },
    { "order", "one object per head", .kind = COLUMN_RECORD, .list = true, .where = IN_JSON,
      .of = &order_record, .field = F(order) },
    { "points", "1, 2, 4, ... and all heads, or those of --points", .kind = COLUMN_RECORD,
      .list = true, .where = IN_TSV | IN_JSON, .of = &point_record, .field = F(points) },
};
#undef F

const struct record ablate_greedy_record = {
    .schema = "mha-viz/ablate-greedy/1",
    .help = "what a model loses where one head after the other is replaced",
    .size = sizeof(struct greedy_row), RECORD_COLUMNS(greedy_columns),
};

/* ---- rows ---- */

static const char *greedy_name_of(const struct ablate_job *job, struct arena *a, int head)
{
    const struct ablate_head *h = &job->head[head];
    const char *name = arena_printf(a, "L%dH%d", h->layer, h->head);

    return ablate_several_stacks(job) ? arena_printf(a, "%s %s", family_stack_names[h->stack],
                                                     name) : name;
}

static struct list order_rows(const struct ablate_job *job, struct arena *a,
                              const struct ablate_curve *curve)
{
    struct order_row *row = arena_alloc(a, (size_t)job->n_asked, sizeof *row);

    for (int i = 0; i < job->n_asked; i++)
        row[i] = (struct order_row){ ablate_head_id(&job->head[curve->order[i]]), curve->step[i] };
    return (struct list){ row, job->n_asked };
}

static struct list point_rows(const struct ablate_job *job, struct arena *a,
                              const struct ablate_curve *curve)
{
    struct point_row *row = arena_alloc(a, (size_t)curve->n_points, sizeof *row);

    for (int i = 0; i < curve->n_points; i++)
        row[i] = (struct point_row){
            curve->point[i], greedy_name_of(job, a, curve->order[curve->point[i].n_heads - 1]) };
    return (struct list){ row, curve->n_points };
}

static const struct record *greedy_shown(const struct ablate_job *job, const struct record *record)
{
    static const char *const of_loss[] = { "dloss", "kl", NULL };
    static const char *const of_hidden[] = { "change", NULL };

    return record_without(job->job.s.a, record, IN_ALL,
                          job->measure == ABLATE_HIDDEN ? of_loss : of_hidden);
}

void ablate_greedy_columns(struct ablate_job *job)
{
    job->job.record = greedy_shown(job, &ablate_greedy_record);
    job->record = greedy_shown(job, &point_record);
}

/* The heads, as they go: lines of at most 80 columns. */
static void print_order(const struct ablate_job *job, struct arena *a,
                        const struct ablate_curve *curve, FILE *file)
{
    size_t column = strlen("order:");

    fputs("order:", file);
    for (int i = 0; i < job->n_asked; i++) {
        const char *name = greedy_name_of(job, a, curve->order[i]);

        if (column + 1 + strlen(name) > 79) {
            fputs("\n      ", file);
            column = strlen("order:");
        }
        fprintf(file, " %s", name);
        column += 1 + strlen(name);
    }
    putc('\n', file);
}

void ablate_greedy_write(struct ablate_job *job, struct arena *a, const struct ablate_curve *curve)
{
    struct report *r = &job->job.results.report;
    bool exact = job->args->greedy == GREEDY_EXACT;
    struct greedy_row row = { job->job.s.name, job->job.s.model->family->name,
                              ablate_withs[job->args->with], ablate_measures[job->measure], exact,
                              curve->n_texts, curve->n_rows, curve->loss, order_rows(job, a, curve),
                              point_rows(job, a, curve) };

    report_row_or_table(r, &row, arena_printf(
        a, "heads replaced one after the other, the least worth %s first; mean of %lld text%s",
        exact ? "after those before it" : "by itself", (long long)curve->n_texts,
        str_plural(curve->n_texts)), job->record, row.points, a);
    if (r->format == REPORT_TABLE)
        print_order(job, a, curve, r->file);
}
