/* SPDX-License-Identifier: MIT
 * Two passes, compared -> the table and the row that diff prints. */
#include <string.h>

#include "cmd/diff.h"

/* ---- records ---- */

#define F(f) offsetof(struct diff_head, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    { "js", "Jensen-Shannon divergence of paired rows", "nats", "JS", "%.3g", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(d.js) },
    { "entropy_first", "mean entropy of the first side's rows", "nats", "entropy", "%.3f",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(d.entropy_first) },
    { "entropy_second", "mean entropy of the second side's rows", "nats",
      .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = F(d.entropy_second) },
    { "entropy_change", "entropy_second - entropy_first", "nats", "change", "%+.4f",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(entropy_change) },
    { "links_kept", "share of the paired rows whose strongest keys are each other's "
      "counterparts", NULL, "links kept", "%.3f", COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(d.links_kept), .most = 1 },
    { "largest", "the largest difference of two weights of paired rows", NULL, NULL, "%.3g",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(d.largest) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct diff_head), RECORD_COLUMNS(head_columns),
};

struct side_row {
    const char *model, *dtype;
    struct text_span text;
    struct list tokens, labels;
};

#define F(f) offsetof(struct side_row, f)
static const struct column side_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(model) },
    { "dtype", "to what inputs of products are rounded", .kind = COLUMN_TEXT,
      .where = IN_JSON, .choices = precision_names, .field = F(dtype) },
    { "text", "as given; empty for ids and arrays", .kind = COLUMN_SPAN, .where = IN_JSON,
      .field = F(text) },
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "labels", "the text that each of the tokens stands for", .kind = COLUMN_SPAN,
      .list = true, .where = IN_JSON, .field = F(labels) },
};
#undef F

static const struct record side_record = {
    .help = "one of the two that are compared", .size = sizeof(struct side_row),
    RECORD_COLUMNS(side_columns),
};

struct pair_row {
    int index;
    const struct side_row *first, *second;
    int n_paired;
    struct list heads;
};

#define F(f) offsetof(struct pair_row, f)
static const struct column pair_columns[] = {
    { "index", "number of the text, from 0: its line less one", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .field = F(index) },
    { "first", "the first side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(first) },
    { "second", "the second side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(second) },
    { "tokens_paired", "number of the queries' tokens that have a counterpart", "tokens",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(n_paired) },
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

const struct record diff_record = {
    .schema = "mha-viz/diff/2", .help = "what changed in each head",
    .size = sizeof(struct pair_row), RECORD_COLUMNS(pair_columns),
};

/* ---- what they hold ---- */

struct diff_head diff_head(const struct diff_pair *p, int layer, int head)
{
    struct diff_head row = {
        .id = { family_stack_names[p->side[0].s->stack], layer, head },
        .d = compare_head(p->compare, layer, head),
    };

    row.entropy_change = row.d.entropy_second - row.d.entropy_first;
    return row;
}

static struct list head_rows(const struct diff_pair *p, struct arena *a)
{
    int n;
    const struct head_id *id = records_heads(p->side[0].s, &p->side[0].want, a, &n);
    struct diff_head *row = arena_alloc(a, (size_t)n, sizeof *row);

    for (int i = 0; i < n; i++)
        row[i] = diff_head(p, id[i].layer, id[i].head);
    return (struct list){ row, n };
}

static struct side_row side_row(const struct diff_side *side, struct arena *a)
{
    const struct tokens *tokens = session_queries(side->s, &side->item);

    return (struct side_row){
        side->s->model->name, precision_names[side->args.dtype],
        { side->item.text, side->item.text_size }, records_pieces(tokens),
        records_labels(a, tokens),
    };
}

void diff_table(const struct diff_pair *p, const char *title, bool after, struct arena *a,
                FILE *f)
{
    struct list rows = head_rows(p, a);

    fprintf(f, "%s%s\n", after ? "\n" : "", report_clean(a, title, strlen(title)));
    record_table(&head_record, rows.at, rows.n, a, f);
}

void diff_row(const struct diff_pair *p, struct arena *a, struct report *r)
{
    struct side_row first = side_row(&p->side[0], a), second = side_row(&p->side[1], a);

    report_row(r, &(struct pair_row){
        p->side[0].item.index, &first, &second, p->n_paired, head_rows(p, a),
    });
}
