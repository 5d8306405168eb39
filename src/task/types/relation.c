/* SPDX-License-Identifier: MIT
 * Scores of --gold for each relation -> a table, and JSON objects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "task/types/types.h"

struct accuracy_row {
    int layer, head;
    double way[N_GOLD_WAY];
};

#define F(f) offsetof(struct accuracy_row, f)
#define WAY(id, which, about) \
    { id, about, .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_SHOWN, \
      .field = F(way) + (which) * sizeof(double) }
static const struct column accuracy_columns[] = {
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(layer) },
    { "head", "number of the head in its layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(head) },
    WAY("to_head", GOLD_TO_HEAD, "share of arcs whose dependent looks at its head most"),
    WAY("from_head", GOLD_FROM_HEAD,
        "share of arcs whose dependent is looked at most by its head"),
    WAY("later", GOLD_LATER, "share of arcs whose later word looks at the other most"),
};
#undef F

static const struct record accuracy_record = {
    .help = "a head's accuracies over all sentences", .size = sizeof(struct accuracy_row),
    .tuple = true, RECORD_COLUMNS(accuracy_columns),
};

struct relation_row {
    struct gold_arcs arcs;
    int layer, head;            /* the choice; -1: none */
    const char *name;           /* "L1H3" */
    const char *way;            /* NULL: none */
    struct gold_held held;
    bool holds;
    struct list heads;
};

static const char *show_offset(struct arena *a, const void *row)
{
    return arena_printf(a, "%+d", ((const struct relation_row *)row)->arcs.offset);
}

static const char *show_interval(struct arena *a, const void *row)
{
    const struct gold_held *held = &((const struct relation_row *)row)->held;

    return held->n == 0 ? "-" : arena_printf(a, "%.3f to %.3f", held->low, held->high);
}

#define F(f) offsetof(struct relation_row, f)
#define SHARE(id, title, where_to, at, about) \
    { id, about, .heading = title, .format = "%.3f", .kind = COLUMN_REAL, .where = (where_to), \
      .null = NULL_SHOWN, .field = (at) }
static const struct column relation_columns[] = {
    { "relation", "of syntax, without its subtype; all: every one but root",
      .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON, .field = F(arcs.relation) },
    { "arcs", "number of the arcs", .kind = COLUMN_LONG, .where = IN_TABLE | IN_JSON,
      .field = F(arcs.n) },
    { "arcs_scored", "those of which both words have a token", .kind = COLUMN_LONG,
      .where = IN_JSON, .field = F(arcs.n_scored) },
    { "best", "with its sign", .heading = "offset", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .show = show_offset },
    { "offset", "the best of the fixed ones from -3 to 2 for all arcs, in words",
      .kind = COLUMN_INT, .where = IN_JSON, .least = GOLD_FIRST_OFFSET,
      .most = GOLD_FIRST_OFFSET + N_GOLD_OFFSET - 1, .field = F(arcs.offset) },
    SHARE("baseline", NULL, IN_TABLE | IN_JSON, F(arcs.baseline),
          "share of all arcs that this offset finds"),
    { "choice", "layer and head", .heading = "head", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .field = F(name) },
    { "layer", "of the head that even sentences choose", .kind = COLUMN_INT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(layer) },
    { "head", "the head", .kind = COLUMN_INT, .where = IN_JSON, .null = NULL_SHOWN,
      .field = F(head) },
    { "way", "how its links go", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON,
      .null = NULL_SHOWN, .choices = gold_way_names, .field = F(way) },
    SHARE("chosen", NULL, IN_JSON, F(held.chosen), "its share of the arcs of even sentences"),
    { "held_arcs", "arcs of odd sentences", .kind = COLUMN_LONG, .where = IN_JSON,
      .field = F(held.n) },
    SHARE("accuracy", "found", IN_TABLE | IN_JSON, F(held.accuracy), "its share of these"),
    { "interval", "low and high", .heading = "95 %", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .show = show_interval },
    SHARE("low", NULL, IN_JSON, F(held.low), "lower end of its 95 % interval"),
    SHARE("high", NULL, IN_JSON, F(held.high), "upper end"),
    SHARE("held_baseline", "by offset", IN_TABLE | IN_JSON, F(held.baseline),
          "share of these that the best offset of even sentences finds"),
    { "syntactic", "the head is better by the threshold", .kind = COLUMN_BOOL,
      .where = IN_JSON, .field = F(holds) },
    { "heads", "accuracies of every head", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &accuracy_record, .field = F(heads) },
};
#undef F

const struct record types_relation_record = {
    .help = "a relation of --gold", .size = sizeof(struct relation_row),
    RECORD_COLUMNS(relation_columns),
};

/* ---- rows ---- */

static bool relation_holds(const struct types_job *job, const struct gold_held *held)
{
    return gold_holds(held, job->rules.threshold[TYPES_AT_syntactic],
                      job->rules.threshold[TYPES_AT_arcs]);
}

void types_relation_of(const struct types_job *job, int layer, int head, struct types_head *h)
{
    double best = -1;

    for (int i = 1; job->gold != NULL && i < gold_relations(job->gold); i++) {
        struct gold_held held = gold_held(job->gold, i, (int)types_place(job, layer, head));

        if (relation_holds(job, &held) && held.accuracy - held.baseline > best) {
            best = held.accuracy - held.baseline;
            h->relation = gold_arcs(job->gold, i).relation;
            h->accuracy = held.accuracy;
        }
    }
}

static struct list accuracies(const struct types_job *job, struct arena *a, int relation)
{
    const struct session *s = &job->job.s;
    struct accuracy_row *row = arena_alloc(a, (uint64_t)s->n_layers * (uint64_t)s->n_heads,
                                           sizeof *row);
    int n = 0;

    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h); n++) {
        row[n] = (struct accuracy_row){ .layer = l, .head = h };
        for (int way = 0; way < N_GOLD_WAY; way++)
            row[n].way[way] = gold_accuracy(job->gold, relation, (int)types_place(job, l, h),
                                            (enum gold_way)way);
    }
    return (struct list){ row, n };
}

static void set_row(const struct types_job *job, struct arena *a, int relation,
                    struct relation_row *row)
{
    int choice = gold_choice(job->gold, relation), n_heads = job->job.s.n_heads;

    *row = (struct relation_row){ .arcs = gold_arcs(job->gold, relation), .layer = -1, .head = -1,
                                  .heads = accuracies(job, a, relation) };
    row->held = gold_held(job->gold, relation, choice < 0 ? 0 : choice);
    if (choice < 0)
        return;
    row->layer = choice / n_heads;
    row->head = choice % n_heads;
    row->name = arena_printf(a, "L%dH%d", row->layer, row->head);
    row->way = gold_way_names[row->held.way];
    row->holds = relation_holds(job, &row->held);
}

/* The most frequent first; "all" before them. */
static int by_arcs(const void *x, const void *y)
{
    const struct relation_row *a = x, *b = y;

    return a->arcs.n != b->arcs.n ? (a->arcs.n > b->arcs.n ? -1 : 1) :
                                    strcmp(a->arcs.relation, b->arcs.relation);
}

struct list types_relation_rows(const struct types_job *job, struct arena *a)
{
    int n = job->gold != NULL ? gold_relations(job->gold) : 0;
    struct relation_row *row = arena_alloc(a, (uint64_t)n, sizeof *row);

    for (int i = 0; i < n; i++)
        set_row(job, a, i, &row[i]);
    if (n > 0)
        qsort(row + 1, (size_t)n - 1, sizeof *row, by_arcs);
    return (struct list){ row, n };
}

/* ---- parts of speech ---- */

struct share_row {
    int layer, head;
    double share;
};

#define F(f) offsetof(struct share_row, f)
static const struct column share_columns[] = {
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(layer) },
    { "head", "number of the head in its layer, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(head) },
    { "share", "the tag's share of the weight that the head gives to words", .kind = COLUMN_REAL,
      .where = IN_JSON, .null = NULL_SHOWN, .field = F(share) },
};
#undef F

static const struct record share_record = {
    .help = "a head's weight on a part of speech", .size = sizeof(struct share_row),
    .tuple = true, RECORD_COLUMNS(share_columns),
};

struct tag_row {
    const char *tag, *name;     /* name: "L1H3", of the largest share; NULL: none */
    double words, most;
    struct list heads;
};

#define F(f) offsetof(struct tag_row, f)
static const struct column tag_columns[] = {
    { "tag", "part of speech (UPOS)", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON,
      .field = F(tag) },
    SHARE("words", NULL, IN_TABLE | IN_JSON, F(words), "its share of the words"),
    { "most", "layer and head", .heading = "head", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .field = F(name) },
    { "share", "the largest of heads", .heading = "of its weight", .format = "%.3f",
      .kind = COLUMN_REAL, .where = IN_TABLE, .null = NULL_SHOWN, .field = F(most) },
    { "heads", "every head's share", .kind = COLUMN_RECORD, .list = true, .where = IN_JSON,
      .of = &share_record, .field = F(heads) },
};
#undef F

const struct record types_tag_record = {
    .help = "a part of speech of --gold", .size = sizeof(struct tag_row),
    RECORD_COLUMNS(tag_columns),
};

static void set_tag(const struct types_job *job, struct arena *a, int tag, struct tag_row *row)
{
    const struct session *s = &job->job.s;
    struct share_row *share = arena_alloc(a, (uint64_t)s->n_layers * (uint64_t)s->n_heads,
                                          sizeof *share);
    int n = 0;

    *row = (struct tag_row){ .tag = gold_tag_name(job->gold, tag), .most = NAN,
                             .words = gold_tag_words(job->gold, tag) };
    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h); n++) {
        share[n] = (struct share_row){ l, h, gold_tag_share(job->gold, tag,
                                                            (int)types_place(job, l, h)) };
        if (share[n].share > row->most || (isnan(row->most) && !isnan(share[n].share))) {
            row->most = share[n].share;
            row->name = arena_printf(a, "L%dH%d", l, h);
        }
    }
    row->heads = (struct list){ share, n };
}

struct list types_tag_rows(const struct types_job *job, struct arena *a)
{
    int n = job->gold != NULL ? gold_tags(job->gold) : 0;
    struct tag_row *row = arena_alloc(a, (uint64_t)n, sizeof *row);

    for (int i = 0; i < n; i++)
        set_tag(job, a, i, &row[i]);
    return (struct list){ row, n };
}
