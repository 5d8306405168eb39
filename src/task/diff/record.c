/* SPDX-License-Identifier: MIT
 * A comparison -> the table, or row, of diff. */
#include <string.h>

#include "base/str.h"
#include "base/sort.h"
#include "task/diff/diff.h"

/* ---- records ---- */

/* The row of --from: the key that it looks at most, on a side. */
struct strongest {
    int position;               /* -1: none */
    const char *label;
};

struct head_row {
    struct head_id id;
    double value[N_DIFF];
    struct strongest first, second;
    double best_js;
    int best[2];                /* layer and head; -1: there is none */
};

static const char *show_strongest(struct arena *a, struct strongest key)
{
    return key.position < 0 ? "-" : arena_printf(a, "%s(%d)", key.label, key.position);
}

static const char *show_first(struct arena *a, const void *row)
{
    return show_strongest(a, ((const struct head_row *)row)->first);
}

static const char *show_second(struct arena *a, const void *row)
{
    return show_strongest(a, ((const struct head_row *)row)->second);
}

static const char *show_best(struct arena *a, const void *row)
{
    const struct head_row *head = row;

    return head->best[0] < 0 ? "-" : arena_printf(a, "L%dH%d %.3g", head->best[0],
                                                  head->best[1], head->best_js);
}

#define F(f) offsetof(struct head_row, f)
#define VALUE(i) (F(value) + (i) * sizeof(double))
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    { "js", "Jensen-Shannon divergence of paired rows", "nats", "JS", "%.3g", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = VALUE(DIFF_JS) },
    { "entropy_first", "mean entropy of the first side's rows", "nats", "entropy", "%.3f",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = VALUE(DIFF_ENTROPY_FIRST) },
    { "entropy_second", "mean entropy of the second side's rows", "nats",
      .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .field = VALUE(DIFF_ENTROPY_SECOND) },
    { "entropy_change", "entropy_second - entropy_first", "nats", "change", "%+.4f",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = VALUE(DIFF_ENTROPY_CHANGE) },
    { "links_kept", "share of the paired rows whose strongest keys are each other's "
      "counterparts", NULL, "links kept", "%.3f", COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = VALUE(DIFF_LINKS_KEPT), .most = 1 },
    { "largest", "the largest difference of two weights of paired rows", NULL, NULL, "%.3g",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = VALUE(DIFF_LARGEST) },
    { "key_first", "with --from: the strongest key of the first side's row, from 0",
      .heading = "first looks at", .kind = COLUMN_INT, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(first.position), .show = show_first },
    { "key_second", "with --from: the same of the second side's",
      .heading = "second looks at", .kind = COLUMN_INT, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(second.position), .show = show_second },
    { "js_best", "with --nearest: least js with any head of the second side", "nats", "best match",
      NULL, COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .optional = true,
      .field = F(best_js), .show = show_best },
    { "best_layer", "the layer of that head", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .optional = true, .field = F(best) },
    { "best_head", "its number", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .optional = true, .field = F(best) + sizeof(int) },
};
#undef VALUE
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct side_row {
    struct diff_side_id id;
    const char *input;
    struct text_span text;
    int at;
    struct list tokens, labels;
};

#define F(f) offsetof(struct side_row, f)
static const struct column side_columns[] = {
    DIFF_SIDE_COLUMNS,
    { "input", "the file that was read instead of a text", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(input) },
    { "text", "as given; empty for ids and arrays", .kind = COLUMN_SPAN, .where = IN_JSON,
      .field = F(text) },
    { "at", "position of the token of --from, whose row is compared", .kind = COLUMN_INT,
      .where = IN_JSON, .null = NULL_ABSENT, .field = F(at) },
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
    int64_t index;
    const char *model;
    const struct side_row *first, *second;
    int n_paired;
    struct records_shown shown;
    struct list heads;
};

#define F(f) offsetof(struct pair_row, f)
static const struct column pair_columns[] = {
    { "index", "number of the text, from 0: its line less one", .kind = COLUMN_LONG,
      .where = IN_TSV | IN_JSON, .field = F(index) },
    DIFF_MODEL_COLUMN(F(model)),
    { "first", "the first side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(first) },
    { "second", "the second side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(second) },
    { "tokens_paired", "number of the queries' tokens that have a counterpart", "tokens",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(n_paired) },
    SHOWN_OPTION_COLUMNS(F(shown)),
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

const struct record diff_record = {
    .schema = "mha-viz/diff/2", .help = "what changed in each head",
    .size = sizeof(struct pair_row), RECORD_COLUMNS(pair_columns),
};

/* ---- what they hold ---- */

static struct strongest diff_strongest(struct arena *a, const struct diff_side *side, int key)
{
    const struct tokens *keys = session_keys(&side->s, &side->item);

    return (struct strongest){ key, key < 0 ? NULL : records_token(a, keys, key) };
}

const char *const diff_sorts[] = { "layer", "js", "entropy_first", "entropy_second",
                                   "entropy_change", "links_kept", "largest", NULL };

const struct head_id *diff_order(const struct diff_sides *sides, struct arena *a,
                                 double (*value)(const void *of, int layer, int head,
                                                 enum diff_number i), const void *of, int *n)
{
    const struct diff_side *side = &sides->side[0];
    const struct head_id *id = records_heads(&side->s, &side->want, a, n);
    struct head_id *ordered = arena_alloc(a, (size_t)*n, sizeof *ordered);
    double *key = arena_alloc(a, (size_t)*n, sizeof *key);
    const int *order;

    for (int i = 0; i < *n; i++)
        key[i] = sides->args->sort == 0 ? 0 : value(of, id[i].layer, id[i].head,
                                                    (enum diff_number)(sides->args->sort - 1));
    order = sort_places(a, key, *n, sides->args->reverse);
    for (int i = 0; i < *n; i++)
        ordered[i] = id[order[i]];
    return ordered;
}

static double diff_value_of(const void *pair, int layer, int head, enum diff_number i)
{
    return diff_number(pair, layer, head, i);
}

static struct list diff_head_rows(const struct diff_pair *pair, struct arena *a)
{
    const struct diff_side *side = pair->sides->side;
    int n, key[2];
    const struct head_id *id = diff_order(pair->sides, a, diff_value_of, pair, &n);
    struct head_row *row = arena_alloc(a, (size_t)n, sizeof *row);

    for (int i = 0; i < n; i++) {
        compare_strongest(pair->compare, id[i].layer, id[i].head, key);
        row[i] = (struct head_row){ .id = id[i], .first = diff_strongest(a, &side[0], key[0]),
                                    .second = diff_strongest(a, &side[1], key[1]) };
        row[i].best_js = compare_best(pair->compare, id[i].layer, id[i].head, row[i].best);
        for (int k = 0; k < N_DIFF; k++)
            row[i].value[k] = diff_number(pair, id[i].layer, id[i].head, (enum diff_number)k);
    }
    return (struct list){ row, n };
}

struct diff_side_id diff_side_id(const struct diff_sides *sides, int i)
{
    const struct asked *asked = &sides->side[i].asked;

    return (struct diff_side_id){ sides->side[i].s.model->name, precision_names[asked->dtype],
                                  fast_names[asked->fast], asked->mask, asked->global };
}

static struct side_row side_row(const struct diff_sides *sides, int i, struct arena *a)
{
    const struct diff_side *side = &sides->side[i];
    const struct tokens *tokens = session_queries(&side->s, &side->item);

    return (struct side_row){
        diff_side_id(sides, i), side->item.input, { side->item.text, side->item.text_size },
        side->at, records_pieces(tokens), records_labels(a, tokens),
    };
}

const char *const diff_of_models[] = { "model_second", NULL };

const struct record *diff_record_of(const struct diff_sides *sides, const struct record *record,
                                    struct arena *a)
{
    static const char *const of_at[] = { "key_first", "key_second", NULL };
    static const char *const of_best[] = { "js_best", "best_layer", "best_head", NULL };

    record = records_without_shown(&sides->side[0].s, record);
    if (sides->called == NULL)
        record = record_without(a, record, IN_ALL, diff_of_models);
    if (!sides->args->nearest)
        record = record_without(a, record, IN_ALL, of_best);
    return sides->args->from != NULL ? record : record_without(a, record, IN_ALL, of_at);
}

/* "A → B", and which of their tokens are compared where that is not all. */
static const char *paired_title(const struct diff_pair *pair, struct arena *a)
{
    const struct diff_sides *d = pair->sides;
    const struct diff_side *x = &d->side[0], *y = &d->side[1];
    int n_first = session_queries(&x->s, &x->item)->n;
    int n_second = session_queries(&y->s, &y->item)->n;
    const char *text = arena_printf(a, "%s → %s", diff_side_name(d, 0, false, a),
                                    diff_side_name(d, 1, false, a));

    if (d->args->from != NULL)
        return arena_printf(a, "%s, at %s (token %d → %d)", text, d->args->from, x->at, y->at);
    if (pair->n_paired == n_first && pair->n_paired == n_second)
        return text;
    return arena_printf(a, "%s (%d token%s paired)", text, pair->n_paired,
                        str_plural(pair->n_paired));
}

const char *diff_title(const struct diff_pair *pair, struct arena *a)
{
    const struct diff_side *both = pair->sides->side,
                           *side = &both[shown_hides(&both[1].s, &both[1].item)];
    const char *title = paired_title(pair, a);
    const char *shown = shown_text(&side->s, a, &side->item, SHOWN_NUMBERS);

    return shown != NULL ? arena_printf(a, "%s; %s", title, shown) : title;
}

void diff_report(const struct diff_pair *pair, struct arena *a, struct report *report)
{
    struct side_row first = side_row(pair->sides, 0, a), second = side_row(pair->sides, 1, a);
    struct list heads = diff_head_rows(pair, a);

    report_row_or_table(report, &(struct pair_row){
        pair->sides->side[0].item.index, pair->sides->called, &first, &second, pair->n_paired,
        records_shown(&pair->sides->side[0].s, a, &pair->sides->side[0].item), heads,
    }, diff_title(pair, a), diff_record_of(pair->sides, &head_record, a), heads, a);
}
