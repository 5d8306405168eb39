/* SPDX-License-Identifier: MIT
 * Comparisons of many texts -> the mean of each number of each head. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "task/diff/diff.h"

struct diff_summary {
    const struct diff_sides *sides;
    struct summary *summary;    /* of [L, H, N_DIFF] */
    double *value;              /* the same of one comparison; NaN where not shown */
    int64_t n;                  /* comparisons */
};

static const struct config *config_of(const struct diff_sides *sides)
{
    return &sides->side[0].s.shown->config;
}

static int diff_summary_place(const struct diff_sides *sides, int layer, int head)
{
    return (layer * config_of(sides)->n_heads + head) * N_DIFF;
}

struct diff_summary *diff_summary_new(struct arena *a, const struct diff_sides *sides)
{
    struct diff_summary *summary = arena_alloc(a, 1, sizeof *summary);
    int count = diff_summary_place(sides, config_of(sides)->n_layers, 0);
    struct summary_kind kind = { count, sides->args->bootstrap, false };

    *summary = (struct diff_summary){ .sides = sides, .summary = summary_new(a, &kind) };
    summary->value = arena_alloc(a, (size_t)count, sizeof *summary->value);
    for (int i = 0; i < count; i++)
        summary->value[i] = NAN;
    return summary;
}

void diff_summary_add(struct diff_summary *summary, const struct diff_pair *pair)
{
    const struct diff_side *side = &summary->sides->side[0];

    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);)
        for (int i = 0; i < N_DIFF; i++)
            summary->value[diff_summary_place(summary->sides, l, h) + i] = diff_number(
                pair, l, h, (enum diff_number)i);
    summary_add(summary->summary, side->item.index, summary->value);
    summary->n++;
}

struct summary_estimate diff_summary_of(const struct diff_summary *summary, int layer, int head,
                                        enum diff_number i)
{
    return summary_of(summary->summary, diff_summary_place(summary->sides, layer, head) + (int)i);
}

/* ---- records ---- */

ESTIMATE_RECORD(js, "JS", "nats", "%.3g", IN_TABLE)
ESTIMATE_RECORD(entropy, NULL, "nats", NULL, 0)
ESTIMATE_RECORD(change, "change", "nats", "%+.4f", IN_TABLE)
ESTIMATE_RECORD(kept, "links kept", NULL, "%.3f", IN_TABLE)
ESTIMATE_RECORD(largest, "largest", NULL, "%.3g", IN_TABLE)

struct head_row {
    struct head_id id;
    const struct summary_estimate *value[N_DIFF];
};

#define ESTIMATE(id, about, record, shown, i) \
    { .name = id, .help = about, .kind = COLUMN_RECORD, .where = (shown) | IN_TSV | IN_JSON, \
      .of = &record##_record, \
      .field = offsetof(struct head_row, value) + (i) * sizeof(struct summary_estimate *) }
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    ESTIMATE("js", "Jensen-Shannon divergence of paired rows", js, IN_TABLE, DIFF_JS),
    ESTIMATE("entropy_first", "mean entropy of the first side's rows", entropy, 0,
             DIFF_ENTROPY_FIRST),
    ESTIMATE("entropy_second", "mean entropy of the second side's rows", entropy, 0,
             DIFF_ENTROPY_SECOND),
    ESTIMATE("entropy_change", "entropy_second - entropy_first", change, IN_TABLE,
             DIFF_ENTROPY_CHANGE),
    ESTIMATE("links_kept", "share of the paired rows whose strongest keys are each other's "
             "counterparts", kept, IN_TABLE, DIFF_LINKS_KEPT),
    ESTIMATE("largest", "the largest difference of two weights of paired rows", largest,
             IN_TABLE, DIFF_LARGEST),
};
#undef ESTIMATE

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

static const struct column side_columns[] = { DIFF_SIDE_COLUMNS };
static const struct record side_record = {
    .help = "one of the two that are compared", .size = sizeof(struct diff_side_id),
    RECORD_COLUMNS(side_columns),
};

struct summary_row {
    const char *model;
    const struct diff_side_id *first, *second;
    int64_t n;
    struct records_shown shown;
    struct list heads;
};

#define F(f) offsetof(struct summary_row, f)
static const struct column summary_columns[] = {
    DIFF_MODEL_COLUMN(F(model)),
    { "first", "the first side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(first) },
    { "second", "the second side", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &side_record, .field = F(second) },
    { "n_texts", "number of the comparisons: texts, or pairs of texts", "texts",
      .kind = COLUMN_LONG, .where = IN_JSON, .field = F(n) },
    SHOWN_OPTION_COLUMNS(F(shown)),
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

const struct record diff_summary_record = {
    .schema = "mha-viz/diff-summary/1", .help = "what changed in each head, over many texts",
    .size = sizeof(struct summary_row), RECORD_COLUMNS(summary_columns),
};

/* ---- what they hold ---- */

static double diff_summary_value_of(const void *summary, int layer, int head, enum diff_number i)
{
    return diff_summary_of(summary, layer, head, i).mean;
}

static struct list diff_summary_head_rows(const struct diff_summary *summary, struct arena *a)
{
    int n;
    const struct head_id *id = diff_order(summary->sides, a, diff_summary_value_of, summary, &n);
    struct head_row *row = arena_alloc(a, (size_t)n, sizeof *row);
    struct summary_estimate *value = arena_alloc(a, (uint64_t)n * N_DIFF, sizeof *value);

    for (int i = 0; i < n * N_DIFF; i++) {
        struct head_id head = id[i / N_DIFF];

        row[i / N_DIFF].id = head;
        row[i / N_DIFF].value[i % N_DIFF] = &value[i];
        value[i] = diff_summary_of(summary, head.layer, head.head, (enum diff_number)(i % N_DIFF));
    }
    return (struct list){ row, n };
}

const char *diff_summary_title(const struct diff_summary *summary, struct arena *a)
{
    const struct diff_sides *d = summary->sides;
    const char *at = d->args->from, *shown = shown_asked(&d->side[0].s, a, SHOWN_NUMBERS);

    return arena_printf(a, "%s → %s%s%s, mean of %lld %s%s%s%s", diff_side_name(d, 0, true, a),
                        diff_side_name(d, 1, true, a), at != NULL ? ", at " : "",
                        at != NULL ? at : "", (long long)summary->n, d->texts ? "pair" : "text",
                        str_plural(summary->n), shown != NULL ? "; " : "",
                        shown != NULL ? shown : "");
}

void diff_summary_report(const struct diff_summary *summary, struct arena *a, struct report *report)
{
    struct diff_side_id first = diff_side_id(summary->sides, 0),
                        second = diff_side_id(summary->sides, 1);
    struct list heads = diff_summary_head_rows(summary, a);
    const struct record *record = summary->sides->args->bootstrap > 0 ? &head_record :
                                  records_without_bootstrap(a, &head_record);

    report_row_or_table(report, &(struct summary_row){
        summary->sides->called, &first, &second, summary->n,
        records_shown_asked(&summary->sides->side[0].s), heads,
    }, diff_summary_title(summary, a), record, heads, a);
}
