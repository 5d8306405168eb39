/* SPDX-License-Identifier: MIT
 * Columns that ablate's records of one text and of many texts share. */
#ifndef TASK_ABLATE_RECORD_H
#define TASK_ABLATE_RECORD_H

#include "task/ablate/ablate.h"

/* For heads of several stacks, each of which has an L0H0. */
#define ABLATE_STACK_COLUMN \
    { "attention", "whose rows of attention", .heading = "stack", .kind = COLUMN_TEXT, \
      .where = IN_TABLE, .field = HEAD_F(stack) }

/* ---- sets ---- */

extern const char *const ablate_set_names[];     /* in the order of this enum, then NULL */
enum { SET_CHOSEN, SET_MEAN, SET_LOW, SET_HIGH, N_SET };

#define ABLATE_SET_COLUMNS(type) \
    { "set", "the chosen heads; mean and range over 10 sets of as many heads of each layer, " \
      "drawn at random", .kind = COLUMN_TEXT, .where = IN_ALL, .choices = ablate_set_names, \
      .field = offsetof(type, name) }, \
    { "n_heads", "number of heads in it", "heads", "heads", .kind = COLUMN_INT, \
      .where = IN_ALL, .field = offsetof(type, n_heads) }

/* ---- a report ---- */

#define ABLATE_WITH_COLUMNS(type) \
    { "with", "what stands in place of a head's output", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .choices = ablate_withs, .field = offsetof(type, with) }, \
    { "measure", "next: the loss of each next token; masked: of tokens that are masked in " \
      "turn; hidden: the model has no output head", .kind = COLUMN_TEXT, \
      .where = IN_TSV | IN_JSON, .choices = ablate_measures, \
      .field = offsetof(type, measure) }
#define ABLATE_LISTS(heads_record, sets_record, type) \
    { "heads", "one object per head, whose output alone is replaced", .kind = COLUMN_RECORD, \
      .list = true, .optional = true, .where = IN_TSV | IN_JSON, .of = (heads_record), \
      .field = offsetof(type, heads) }, \
    { "sets", "--together: the heads that are replaced at once, and random ones", \
      .kind = COLUMN_RECORD, .list = true, .optional = true, .where = IN_TSV | IN_JSON, \
      .of = (sets_record), .field = offsetof(type, sets) }

/* out = number i of the chosen set; its mean, least and largest over random sets; NaN if one of
 * them is undefined. */
void ablate_range(const struct ablate_job *job, const double (*of)[N_ABLATE], int i,
                  double out[N_SET]);

/* For captions, the replacement of outputs: "zeros". */
const char *ablate_with_text(const struct ablate_job *job);

/* record without the columns that the model's output, or the options, give no numbers for. */
const struct record *ablate_measured(const struct ablate_job *job, const struct record *record);

#endif
