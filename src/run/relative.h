/* SPDX-License-Identifier: MIT
 * Positions that queries and keys look at: rows by distance, once per pass; their
 * projections, once per layer; what a head adds to its scores. */
#ifndef RUN_RELATIVE_H
#define RUN_RELATIVE_H

#include "nn/relative.h"
#include "run/heads.h"
#include "run/pass.h"

/* Rows of all distances that the texts hold, then projected and packed a head at a time. */
struct relative {
    struct distances at;
    int n_rows;
    float *table;               /* [n_rows, D] */
    float *row;                 /* [n_rows, H d] */
    size_t size;                /* floats of a head, packed */
    float *by_query, *by_key;   /* [H, size] for relative_positions; NULL: none */
    float *add;                 /* [H, n_rows in whole panels]; NULL: none */
    float *segment;             /* [H, relative_packed(2, d)]; NULL: none */
    float *segment_add;         /* [H, PANEL] */
    const int *type;            /* [N] */
};

/* p->relative: rows of the batch's distances, where the model looks at them. */
void relative_rows(struct pass *p);

/* The floats that they take for a text of n tokens. */
double relative_memory(const struct model *m, int n_tokens);

/* The layer's projections of these rows. */
void relative_project(struct pass *p, const struct layer_plan *plan);

/* What the terms of one head of one text read. */
struct relative_terms {
    struct relative_positions positions;
    struct relative_segments segments;
};

/* Sets at->term to what one head of one text adds by distance; *room lives as long. */
void relative_set_terms(const struct pass *p, const struct heads *h, int text, int head,
                        struct relative_terms *room, struct attend *at);

#endif
