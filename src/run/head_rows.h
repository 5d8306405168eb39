/* SPDX-License-Identifier: MIT
 * One head of one text -> its rows of attention, a block at a time. */
#ifndef RUN_HEAD_ROWS_H
#define RUN_HEAD_ROWS_H

#include "run/heads.h"
#include "run/pass.h"
#include "run/value_norms.h"

/* The arguments that all heads of a layer share. */
struct attend_job {
    const struct pass *p;
    const struct heads *heads;
    int layer;
    bool keep_out;          /* the heads' outputs are computed */
    bool wanted;            /* rows of this layer go to the sinks */
    const struct value_norms *norms;    /* factors of the weights; NULL: none */
    int *bad_row;           /* [texts, H] the first row that is not finite; -1 if all are */
};

struct head_rows;

/* The iterator of one head, in scratch, with its keys and values packed. */
struct head_rows *head_rows_new(struct arena *scratch, const struct attend_job *job,
                                int text, int head);

/*
 * Attends from rows row0 .. row0 + ATTEND_ROWS - 1, or to the text's end; *rows describes
 * them until the next block.
 */
void head_rows_block(struct head_rows *r, int row0, struct rows *rows);

#endif
