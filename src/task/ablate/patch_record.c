/* SPDX-License-Identifier: MIT
 * Results of --patch -> the table, the row, and the picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "task/ablate/record.h"

/* ---- records ---- */

#define PATCH_HELP \
    "(difference with the head's output of the other text - difference) / (difference of the " \
    "other text - difference): 0 as the text, 1 as the other"
#define KL_HELP "divergence of the row's distribution from that of the text"
struct head_row {
    struct head_id id;
    struct ablate_patch of;
    struct list patch_at, kl_at;
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    ABLATE_STACK_COLUMN,
    { "patch", PATCH_HELP, .format = "%+.4f", .kind = COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(of.patch) },
    { "kl", KL_HELP, "nats", .format = "%.3g", .kind = COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(of.kl) },
    { "patch_at", "--by-position: the same of the output at each of the head's queries alone",
      .kind = COLUMN_REAL, .list = true, .null_items = true, .where = IN_JSON,
      .optional = true, .field = F(patch_at) },
    { "kl_at", "the same of kl", "nats", .kind = COLUMN_REAL, .list = true,
      .null_items = true, .where = IN_JSON, .optional = true, .field = F(kl_at) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

/* A head and one of its queries. */
struct position_row {
    struct head_id id;
    int position;
    const char *token, *token_other;
    struct ablate_patch of;
};

#define F(f) offsetof(struct position_row, f)
static const struct column position_columns[] = {
    HEAD_COLUMNS,
    ABLATE_STACK_COLUMN,
    { "position", "of the query", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(position) },
    { "token", "its text", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_TSV, .field = F(token) },
    { "token_other", "that of the other text", .heading = "other", .kind = COLUMN_TEXT,
      .where = IN_TABLE | IN_TSV, .field = F(token_other) },
    { "patch", PATCH_HELP, .format = "%+.4f", .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV,
      .null = NULL_SHOWN, .field = F(of.patch) },
    { "kl", KL_HELP, "nats", .format = "%.3g", .kind = COLUMN_REAL, .where = IN_TABLE | IN_TSV,
      .null = NULL_SHOWN, .field = F(of.kl) },
};
#undef F

static const struct record position_record = {
    .help = "a head and one of its queries", .size = sizeof(struct position_row),
    RECORD_COLUMNS(position_columns),
};

struct text_row {
    struct records_text_id id;
    struct text_span patch, answer, against;
    int at, answer_id, against_id;
    double difference, difference_other;
    struct list tokens, tokens_other, heads, positions;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "patch", "the other text, as given; empty for ids", .kind = COLUMN_SPAN, .where = IN_JSON,
      .field = F(patch) },
    { "at", "position of the token after which, or in whose place, the answer is predicted",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(at) },
    { "answer_id", "id of the answer", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(answer_id) },
    { "answer", "its text", .kind = COLUMN_SPAN, .where = IN_JSON, .field = F(answer) },
    { "against_id", "id of the token whose logit is subtracted; null: none is",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(against_id) },
    { "against", "its text", .kind = COLUMN_SPAN, .where = IN_JSON, .null = NULL_SHOWN,
      .field = F(against) },
    { "difference", "of the two logits, before a soft cap", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .field = F(difference) },
    { "difference_other", "the same of the other text", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .field = F(difference_other) },
    { "tokens", "pieces of the vocabulary, of the text that the encoder reads, or the only one",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .field = F(tokens) },
    { "tokens_other", "the same of the other text", .kind = COLUMN_TEXT, .list = true,
      .where = IN_JSON, .field = F(tokens_other) },
    { "heads", "one object per head", .kind = COLUMN_RECORD, .list = true, .optional = true,
      .where = IN_TSV | IN_JSON, .of = &head_record, .field = F(heads) },
    { "positions", "--by-position: a row per head and query", .kind = COLUMN_RECORD,
      .list = true, .optional = true, .where = IN_TSV, .of = &position_record,
      .field = F(positions) },
};
#undef F

const struct record ablate_patch_record = {
    .schema = "mha-viz/ablate-patch/1",
    .help = "what outputs of heads in one text do in another",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

void ablate_patch_columns(struct ablate_job *job)
{
    static const char *const of_positions[] = { "patch_at", "kl_at", "positions", NULL };
    static const char *const of_heads[] = { "heads", NULL };
    static const char *const of_stacks[] = { "attention", NULL };
    struct arena *a = job->job.s.a;
    bool by = job->args->by_position;

    job->job.record = by ? record_without(a, &ablate_patch_record, IN_TSV, of_heads) :
                           record_without(a, &ablate_patch_record, IN_TSV | IN_JSON,
                                          of_positions);
    job->record = by ? &position_record : &head_record;
    if (!ablate_several_stacks(job))
        job->record = record_without(a, job->record, IN_TABLE, of_stacks);
}

/* ---- rows ---- */

static double of_patched(const void *patched, int head, int number)
{
    const struct ablate_patched *p = patched;

    return number == ABLATE_KL ? p->head[head].kl : p->head[head].patch;
}

/* One of the two numbers of each position. */
static struct list patch_numbers(struct arena *a, const struct ablate_patch *at, int n, bool kl)
{
    double *x = arena_alloc(a, (size_t)n, sizeof *x);

    for (int i = 0; i < n; i++)
        x[i] = kl ? at[i].kl : at[i].patch;
    return (struct list){ x, n };
}

static struct list patch_head_rows(const struct ablate_job *job, struct arena *a,
                                   const struct ablate_patched *patched, const int *place)
{
    struct head_row *row = arena_alloc(a, (size_t)job->n_asked, sizeof *row);

    for (int i = 0; i < job->n_asked; i++) {
        const struct ablate_head *head = &job->head[place[i]];
        int n = ablate_rows_of(job, &patched->item, head)->n;

        row[i] = (struct head_row){ .id = ablate_head_id(head), .of = patched->head[place[i]] };
        if (patched->at == NULL)
            continue;
        row[i].patch_at = patch_numbers(a, patched->at[place[i]], n, false);
        row[i].kl_at = patch_numbers(a, patched->at[place[i]], n, true);
    }
    return (struct list){ row, job->n_asked };
}

static struct list position_rows(const struct ablate_job *job, struct arena *a,
                                 const struct ablate_patched *patched, const int *place)
{
    struct position_row *row;
    uint64_t most = 0;
    int n = 0;

    for (int i = 0; i < job->n_asked; i++)
        most += (uint64_t)ablate_rows_of(job, &patched->item, &job->head[i])->n;
    row = arena_alloc(a, most, sizeof *row);
    for (int i = 0; i < job->n_asked; i++) {
        const struct ablate_head *head = &job->head[place[i]];
        const struct tokens *t = ablate_rows_of(job, &patched->item, head);
        const struct tokens *other = ablate_rows_of(job, &patched->other, head);

        for (int k = 0; k < t->n; k++)
            row[n++] = (struct position_row){
                ablate_head_id(head), k, records_token(a, t, k), records_token(a, other, k),
                patched->at[place[i]][k] };
    }
    return (struct list){ row, n };
}

/* Above the table. */
static const char *patch_lead(const struct ablate_job *job, struct arena *a,
                              const struct ablate_patched *patched)
{
    const struct tokens *queries = session_queries(&job->job.s, &patched->item);
    const char *against = patched->against < 0 ? "" :
                          arena_printf(a, " against %s",
                                       answer_name(&job->answer, a, patched->against));

    return arena_printf(a, "%s%s at %s(%d): %.4f; in the other text %.4f\n\n",
                        answer_name(&job->answer, a, patched->answer), against,
                        records_token(a, queries, patched->row), patched->row,
                        patched->difference[0], patched->difference[1]);
}

int ablate_patch_write(struct ablate_job *job, struct arena *a,
                       const struct ablate_patched *patched, struct err *e)
{
    const struct answer *w = &job->answer;
    const int *place = ablate_order(job, a, of_patched, patched);
    struct text_row row = {
        .id = records_text_id(&job->job.s, &patched->item),
        .patch = { patched->other.text, patched->other.text_size }, .at = patched->row,
        .answer_id = patched->answer, .answer = answer_text(w, a, patched->answer),
        .against_id = patched->against, .against = answer_text(w, a, patched->against),
        .difference = patched->difference[0], .difference_other = patched->difference[1],
        .tokens = records_pieces(&patched->item.tokens),
        .tokens_other = records_pieces(&patched->other.tokens),
        .heads = patch_head_rows(job, a, patched, place),
    };
    struct results_text out = { &row, job->record, &row.heads, 1, patch_lead(job, a, patched) };

    if (job->args->by_position) {
        row.positions = position_rows(job, a, patched, place);
        out.tables = &row.positions;
    }
    return results_text(&job->job.results, a, &patched->item, &out, e);
}
