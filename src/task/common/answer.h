/* SPDX-License-Identifier: MIT
 * --answer, --against, --at: the logits, and the row of a text, that are analysed. */
#ifndef TASK_ANSWER_H
#define TASK_ANSWER_H

#include "report/record.h"
#include "session/shown/place.h"
#include "task/common/shared.h"

struct answer_args {
    const char *answer, *against, *at;      /* NULL: not given */
    int answer_id, against_id;              /* -1: not given */
};

struct answer {
    const struct answer_args *args;
    const struct session *s;
    const struct model *m;      /* the model that ends in logits: the session's, or its decoder */
    int id, against;            /* token ids; -1: not given */
    struct place at;
};

/* Called before the model is open.  ERR_USAGE: --at does not name a token. */
int answer_begin(struct answer *answer, const struct answer_args *args, struct err *e);

/* Finds the tokens in the vocabulary of model.  Errors: ERR_USAGE, and those of the tokeniser. */
int answer_find(struct answer *answer, const struct session *session, const struct model *model,
                struct err *e);

/* The row of the text: --at, else the last.  Errors: those of place_find. */
int answer_row(const struct answer *answer, const struct item *item, int *row, struct err *e);

/* ERR_INPUT: a logit [V] is not finite. */
int answer_check(const struct answer *answer, const float *logits, struct err *e);

/* The id of the largest logit except that of `but`, the first among equals; -1 if there is none. */
int answer_largest(const struct answer *answer, const float *logits, int but);

/* The token of an id as in the vocabulary (s NULL for id -1); and for readers: “cat” (id 7). */
struct text_span answer_text(const struct answer *answer, struct arena *a, int id);
const char *answer_name(const struct answer *answer, struct arena *a, int id);

#endif
