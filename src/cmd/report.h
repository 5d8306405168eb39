/* SPDX-License-Identifier: MIT
 *
 * report, in parts:
 *
 *     report.c          the command; the pass over a text, and its weights
 *     report_text.c     what the page knows of a text beside them: JSON */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "analysis/codes.h"
#include "analysis/stats.h"
#include "cmd/job.h"
#include "report/page.h"

struct report_args {
    struct shared_args shared;
    const char *compute;
    int precision, max_size;    /* 0: 8 bits, 1: 16; MiB */
};

struct report_job {
    struct job job;
    const struct report_args *args;
    struct metric_choice choice;
    struct metric_set set;          /* what choice names */
    int bits;                       /* of a weight */
    const char *const *type;        /* [layers, heads] of --types; NULL: not given */
    const struct head_id *head;     /* [n_heads], layer by layer */
    int n_heads;
    int *place;                     /* [layers, heads] among those of the layer; -1: not shown */
    uint64_t size;                  /* of the weights of the texts so far, in bytes */
    int n_texts;                    /* that are in the page */
    struct arena *packed;           /* what is packed of the text at hand */
    struct pack *pack;
    struct report_block {
        int layer;
        bool triangle;
        struct packed bytes;
    } *block;                       /* [n_blocks] of the text at hand; [layers] */
    int n_blocks;
};

/*
 * Packs what is known of the text: tokens, heads, statistics, types.  found: of the pass;
 * error: how far a weight may be from what the page has.
 *
 * Errors (ERR_SYSTEM): no memory.
 */
int report_text(struct report_job *j, struct arena *a, const struct item *item,
                const struct stats *found, double error, struct packed *packed,
                struct err *e);

#endif
