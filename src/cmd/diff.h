/* SPDX-License-Identifier: MIT
 * What diff.c compares, and diff_record.c shows. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include "analysis/compare.h"
#include "cmd/records.h"

/* One of the two things that are compared. */
struct diff_side {
    struct asked args;
    struct session *s;
    struct wanted want;
    struct change change;
    struct input *in;
    struct item item;
};

/* One comparison. */
struct diff_pair {
    const struct diff_side *side;   /* [2] */
    const struct compare *compare;
    int n_paired;                   /* queries */
};

/* How one head changes. */
struct diff_head {
    struct head_id id;
    struct head_difference d;
    double entropy_change;          /* nats: second less first */
};

struct diff_head diff_head(const struct diff_pair *p, int layer, int head);

/* The title, and one row per head; an empty line above where it comes after another. */
void diff_table(const struct diff_pair *p, const char *title, bool after, struct arena *a,
                FILE *f);

/* In TSV and JSON: the record of a report, and one comparison of it. */
extern const struct record diff_record;
void diff_row(const struct diff_pair *p, struct arena *a, struct report *r);

#endif
