/* SPDX-License-Identifier: MIT
 * Relative positions in scores (DeBERTa, XLNet): embeddings of distances, once per pass; their
 * projections, once per layer; the terms of a head's scores. */
#ifndef RUN_RELATIVE_H
#define RUN_RELATIVE_H

#include "nn/relative.h"
#include "run/heads.h"
#include "run/pass.h"

/* Embeddings of all distances in the batch; then their projections, packed per head. */
struct relative {
    struct distances at;
    int n_rows;
    float *table;               /* [n_rows, D] */
    float *row;                 /* [n_rows, H d] */
    size_t size;                /* packed floats of a head */
    float *by_query, *by_key;   /* [H, size] for products with queries, keys; NULL if none */
    float *add;                 /* [H, n_rows in whole panels] bias of a distance (XLNet's
                                   r_r_bias); NULL if none */
    float *segment;             /* [H, relative_packed(2, d)] segment embeddings; NULL if none */
    float *segment_add;         /* [H, PANEL] bias of segments */
    const int *type;            /* [N] segment of each token */
};

/* Sets pass->relative: embeddings of the batch's distances, if the model uses them. */
void relative_rows(struct pass *pass);

/* Floats of scratch memory for a text of n tokens. */
double relative_memory(const struct model *model, int n_tokens);

/* Computes the layer's projections of these embeddings. */
void relative_project(struct pass *pass, const struct layer_plan *plan);

/* Data of the score terms of one head of one text. */
struct relative_terms {
    struct relative_positions positions;
    struct relative_segments segments;
};

/* Sets attend->term to the terms of one head of one text; *room must last as long as at. */
void relative_set_terms(const struct pass *pass, const struct heads *heads, int text, int head,
                        struct relative_terms *room, struct attend *attend);

#endif
