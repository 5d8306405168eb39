/* SPDX-License-Identifier: MIT
 *
 * Columns that records of several commands share: of the text, of what is shown of it, of a head,
 * of means over texts, of tokens. */
#ifndef TASK_RECORDS_H
#define TASK_RECORDS_H

#include "analysis/choice.h"
#include "analysis/links.h"
#include "analysis/summary.h"
#include "report/record.h"
#include "session/shown/shown.h"
#include "task/common/shared.h"

/* ---- the text: the first member of a row per text ---- */

struct records_text_id {
    int64_t index;              /* from 0 */
    int part;                   /* piece of --split, from 0; -1: not split */
    struct text_span text;
    const char *input;          /* file of an input that is not text; NULL if none */
    struct text_span pair, generated;   /* s NULL: none */
    int n_generated;            /* -1: no --generate */
    const char *model, *family;     /* family NULL: only the tokeniser is open */
};

/* The hash of the weights alone, by which reports of heads identify their model. */
const char *records_weights(struct arena *a, const struct model *model);

#define WEIGHTS_COLUMN(at) \
    { "weights_hash", "hash of the model's weights, whatever its name is", .kind = COLUMN_TEXT, \
      .where = IN_JSON, .null = NULL_ABSENT, .field = at }

struct records_text_id records_text_id(const struct session *session, const struct item *item);

#define TEXT_F(f) offsetof(struct records_text_id, f)
#define TEXT_COLUMNS_INDEX \
    { "index", "number of the text, from 0: its line less one", .kind = COLUMN_LONG, \
      .where = IN_TSV | IN_JSON, .field = TEXT_F(index) }

/* For commands with --split; records_without_part removes it. */
#define TEXT_COLUMNS_PART \
    { "part", "with --split: number of the piece of the text, from 0", .kind = COLUMN_INT, \
      .where = IN_TSV | IN_JSON, .null = NULL_ABSENT, .optional = true, \
      .field = TEXT_F(part) }

#define TEXT_COLUMNS_TEXT \
    { "text", "as given; empty for ids and arrays", .kind = COLUMN_SPAN, .where = IN_JSON, \
      .field = TEXT_F(text) }

#define TEXT_COLUMNS_PAIR \
    { "pair", "the second text", .kind = COLUMN_SPAN, .where = IN_JSON, \
      .null = NULL_ABSENT, .field = TEXT_F(pair) }

#define TEXT_COLUMNS_MODEL \
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .field = TEXT_F(model) }

/* For a text that is tokenised only. */
#define TEXT_COLUMNS_TOKENS \
    TEXT_COLUMNS_INDEX, TEXT_COLUMNS_PART, TEXT_COLUMNS_TEXT, TEXT_COLUMNS_PAIR, \
    TEXT_COLUMNS_MODEL

/* For a text that a model has run on; _SPLIT: or a piece of one. */
#define TEXT_COLUMNS TEXT_COLUMNS_INDEX, TEXT_COLUMNS_RUN
#define TEXT_COLUMNS_SPLIT TEXT_COLUMNS_INDEX, TEXT_COLUMNS_PART, TEXT_COLUMNS_RUN
#define TEXT_COLUMNS_RUN \
    TEXT_COLUMNS_TEXT, \
    { "input", "the file that was read instead of a text", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .null = NULL_ABSENT, .field = TEXT_F(input) }, \
    TEXT_COLUMNS_PAIR, \
    { "generated", "text of the tokens that the model added, without special ones", \
      .kind = COLUMN_SPAN, .where = IN_JSON, .null = NULL_ABSENT, \
      .field = TEXT_F(generated) }, \
    { "n_generated", "number of the tokens that the model added, the last of its own", \
      "tokens", .kind = COLUMN_INT, .where = IN_JSON, .null = NULL_ABSENT, \
      .field = TEXT_F(n_generated) }, \
    TEXT_COLUMNS_MODEL, \
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .null = NULL_ABSENT, .field = TEXT_F(family) }

/* ---- what is shown of its tokens: --weight, --hide, --renorm, --merge ---- */

struct records_shown {
    const char *weight;         /* name of the weighting of rows */
    const char *average;        /* --average, as given; NULL if nothing is averaged */
    const char *hide, *merge;   /* as given; hide NULL: no token is hidden */
    bool renorm;
    struct list hidden, hidden_key;     /* positions of hidden queries, and keys */
};

struct records_shown records_shown(const struct session *session, struct arena *a,
                                   const struct item *item);

/* record without the column of pieces, unless --split is given; in the session's arena. */
const struct record *records_without_part(const struct session *session,
                                          const struct record *record);

/* The options alone, without the positions of a text. */
struct records_shown records_shown_asked(const struct session *session);

/* record without the columns of options that are not given, in the session's arena. */
const struct record *records_without_shown(const struct session *session,
                                           const struct record *record);

/* A line above tables about hidden tokens and the rows that metrics use; NULL if none is hidden. */
const char *records_shown_line(const struct session *session, struct arena *a,
                               const struct item *item);

#define SHOWN_F(f) offsetof(struct records_shown, f)
#define WEIGHT_COLUMN(offset, formats) \
    { "weight", "what rows hold: norm, the weights times |f(x)|; value, times |v|; each row " \
      "divided by its sum", .kind = COLUMN_TEXT, .where = (formats), \
      .optional = true, .choices = weighting_names, .field = (offset) }

#define HIDE_COLUMN(at) \
    { "hide", "what --hide leaves out, as given", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .optional = true, .field = (at) + SHOWN_F(hide) }
#define MERGE_COLUMN(at) \
    { "merge", "words: tokens, rows and keys are words in place of their pieces", \
      .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON, .optional = true, \
      .choices = merge_names, .field = (at) + SHOWN_F(merge) }

/* For commands with --average. */
#define AVERAGE_COLUMN(at) \
    { "average", "what --average averages, as given", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .optional = true, .field = (at) + SHOWN_F(average) }

/* Options as given, for reports of statistics, which --renorm does not change. */
#define SHOWN_OPTION_COLUMNS(at) \
    WEIGHT_COLUMN((at) + SHOWN_F(weight), IN_TSV | IN_JSON), HIDE_COLUMN(at), MERGE_COLUMN(at)

/* For reports of statistics and links of one text, with positions. */
#define SHOWN_COLUMNS(at) SHOWN_COLUMNS_WITH(at, IN_TSV | IN_JSON)
/* For rows that have a column "weight" of their own: not a second one in TSV. */
#define SHOWN_COLUMNS_OF_WEIGHTS(at) SHOWN_COLUMNS_WITH(at, IN_JSON)
#define SHOWN_COLUMNS_WITH(at, formats) \
    WEIGHT_COLUMN((at) + SHOWN_F(weight), formats), HIDE_COLUMN(at), \
    { "renorm", "weights of links, too, are of rows divided by what --hide leaves; metrics " \
      "always are", .kind = COLUMN_BOOL, \
      .where = IN_TSV | IN_JSON, .optional = true, .field = (at) + SHOWN_F(renorm) }, \
    MERGE_COLUMN(at), \
    { "hidden", "positions of the queries that are left out; with --merge words, of words " \
      "that no piece is left of", .kind = COLUMN_INT, \
      .list = true, .where = IN_JSON, .optional = true, .field = (at) + SHOWN_F(hidden) }, \
    { "hidden_key", "positions of the keys that are left out, where they are of another " \
      "text", .kind = COLUMN_INT, .list = true, .where = IN_JSON, .optional = true, \
      .field = (at) + SHOWN_F(hidden_key) }

/* ---- the head: the first member of a row per head ---- */

struct head_id {
    const char *stack;
    int layer, head;
};

/* The selected heads of the shown model, layer by layer: [*n] of arena a. */
const struct head_id *records_heads(const struct session *session, const struct wanted *want,
                                    struct arena *a, int *n);

/* The head of a row: one of those; with --average the mean of heads or of layers, whose number is
 * then -1. */
struct head_id records_head(const struct session *session, struct head_id id);

/* Their positions in a figure, which is ordered by -l and -H: [n] in arena a. */
const int *records_places(const struct session *session, const struct head_id *head, int n,
                          struct arena *a);

/* "L1H3", for means "L1", "H3" or "all": the cell of a row that begins with a struct head_id. */
const char *records_head_name(struct arena *a, const void *row);

#define HEAD_F(f) offsetof(struct head_id, f)
#define HEAD_NAME_COLUMNS \
    { "name", "layer and head", .heading = "head", .kind = COLUMN_TEXT, .where = IN_TABLE, \
      .show = records_head_name }, \
    { "stack", "whose rows of attention", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON, \
      .choices = family_stack_names, .field = HEAD_F(stack) }
#define HEAD_COLUMNS \
    HEAD_NAME_COLUMNS, \
    { "layer", "number of the layer, from 0", .kind = COLUMN_INT, \
      .where = IN_TSV | IN_JSON, .field = HEAD_F(layer) }, \
    { "head", "number of the head in its layer, from 0", .kind = COLUMN_INT, \
      .where = IN_TSV | IN_JSON, .field = HEAD_F(head) }

/* Of commands with --average. */
#define MEAN_COLUMNS \
    { "layer", "number of the layer, from 0; null: the mean of layers (--average)", \
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = HEAD_F(layer) }, \
    { "head", "number of the head in its layer, from 0; null: the mean of heads (--average)", \
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = HEAD_F(head) }
#define HEAD_OR_MEAN_COLUMNS HEAD_NAME_COLUMNS, MEAN_COLUMNS

/* The list of a text's heads: rows of *record, in the field at this offset. */
#define HEADS_COLUMN(record, offset) \
    { "heads", "one object per head", .kind = COLUMN_RECORD, .list = true, \
      .where = IN_TSV | IN_JSON, .of = (record), .field = (offset) }

/* ---- a number over many texts ---- */

/* "0.012 to 0.034", the cell of a struct summary_estimate; "-" if undefined. */
const char *records_interval(struct arena *a, const void *estimate);

/* The same for its bootstrap interval. */
const char *records_bootstrap(struct arena *a, const void *estimate);

#define ESTIMATE_F(f) offsetof(struct summary_estimate, f)
/*
 * Columns of a struct summary_estimate for a number with this unit; heading and format are for
 * tables; shown: IN_TABLE, or 0 for none.
 */
#define ESTIMATE_COLUMNS(title, measure, shape, shown) \
    { "mean", "mean over the texts in which it is defined", measure, title, shape, \
      COLUMN_REAL, .where = (shown) | IN_TSV | IN_JSON, .null = NULL_SHOWN, \
      .field = ESTIMATE_F(mean) }, \
    { "interval", "low and high", .heading = "95 %", .kind = COLUMN_TEXT, \
      .where = (shown), .optional = true, .show = records_interval }, \
    { "bootstrap", "boot_low and boot_high", .heading = "bootstrap", .kind = COLUMN_TEXT, \
      .where = (shown), .optional = true, .show = records_bootstrap }, \
    { "sd", "standard deviation over the texts", measure, .kind = COLUMN_REAL, \
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = ESTIMATE_F(sd) }, \
    { "low", "lower end of the mean's 95 % interval", measure, .kind = COLUMN_REAL, \
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = ESTIMATE_F(low) }, \
    { "high", "its upper end", measure, .kind = COLUMN_REAL, \
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = ESTIMATE_F(high) }, \
    { "boot_low", "lower end of the 95 % interval by bootstrap", measure, \
      .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, \
      .optional = true, .field = ESTIMATE_F(boot_low) }, \
    { "boot_high", "its upper end", measure, .kind = COLUMN_REAL, \
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, \
      .field = ESTIMATE_F(boot_high) }, \
    { "n", "number of those texts", "texts", .kind = COLUMN_LONG, \
      .where = IN_TSV | IN_JSON, .field = ESTIMATE_F(n) }

/* The same as a record id_record, whose rows are a struct summary_estimate. */
#define ESTIMATE_RECORD(id, title, measure, shape, shown) \
    static const struct column id##_estimate[] = { \
        ESTIMATE_COLUMNS(title, measure, shape, shown) \
    }; \
    static const struct record id##_record = { \
        .help = "a number over many texts", .size = sizeof(struct summary_estimate), \
        RECORD_COLUMNS(id##_estimate), \
    };

/* record without the columns of a bootstrap, in arena a. */
const struct record *records_without_bootstrap(struct arena *a, const struct record *record);

/* ---- tokens, as the fields of columns ---- */

/* Token i's decoded text: COLUMN_SPAN. */
struct text_span records_label(const struct tokens *tokens, int i);

/* The same for readers: trimmed, whitespace made visible; in arena a. */
const char *records_token(struct arena *a, const struct tokens *tokens, int i);

/* "cat(6) → dog(5)", in arena a; NULL if the link has no key. */
const char *records_link(struct arena *a, const struct session *session, const struct item *item,
                         struct link link);

/* All tokens, for list columns. */
struct list records_pieces(const struct tokens *tokens);    /* COLUMN_TEXT */
/* COLUMN_SPAN: the decoded text of each */
struct list records_labels(struct arena *a, const struct tokens *tokens);
struct list records_ids(const struct tokens *tokens);       /* COLUMN_INT; undefined without ids */

#endif
