/* SPDX-License-Identifier: MIT
 * Every pair scored, a block of rows at a time, and the plain formula over every pair. */
#include "nn/mechanism/pairs.h"

#include <math.h>
#include <string.h>

#include "nn/attention.h"
#include "nn/nn.h"
#include "nn/mechanism/budget.h"
#include "nn/mechanism/carve.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

int64_t pairs_seen(const struct attention *a)
{
    int64_t count = 0;

    for (int i = 0; i < a->T; i++)
        count += visible_count(&a->at, i);
    return count;
}

/* ---- blocks ---- */

struct pairs_room {
    float *packed, *spare;
    float *w;                                   /* of a block, or of all rows: held */
    float *q, *k, *q_factor, *k_factor;         /* where rows are rounded */
    void *shared;
};

static uint64_t pairs_share_out(struct pairs_room *room, const struct attention *a,
                        const struct pair_steps *steps, void *base)
{
    const struct attend *at = &a->at;
    struct carve carve = { base, 0 };
    uint64_t S = (uint64_t)at->S, d = (uint64_t)at->d;

    *room = (struct pairs_room){ 0 };
    room->packed = carve_take(&carve, attention_packed(at->S, at->d, at->d_v),
                              sizeof(float));
    room->w = carve_take(&carve, (steps->hold ? (uint64_t)a->T : ATTEND_ROWS) *
                         attention_stride(at->S), sizeof(float));
    if (steps->weigh != NULL)
        room->spare = carve_take(&carve, 2 * S, sizeof(float));
    if (steps->round != NULL) {
        room->q = carve_take(&carve, ATTEND_ROWS * d, sizeof(float));
        room->k = carve_take(&carve, S * d, sizeof(float));
        room->q_factor = carve_take(&carve, ATTEND_ROWS, sizeof(float));
        room->k_factor = carve_take(&carve, S, sizeof(float));
    }
    if (steps->shared != NULL)
        room->shared = carve_take(&carve, steps->shared(a), 1);
    return carve.used;
}

static const struct pair_steps *steps_of(const struct attention *a)
{
    static const struct pair_steps none;

    return a->mechanism->steps != NULL ? a->mechanism->steps : &none;
}

uint64_t pairs_room(const struct attention *a)
{
    struct pairs_room room;

    return pairs_share_out(&room, a, steps_of(a), NULL);
}

uint64_t pairs_copy(struct pairs_copy *copy, const struct attention *a, int n_keys, void *base)
{
    struct carve carve = { base, 0 };

    copy->k = carve_take(&carve, (uint64_t)n_keys * (uint64_t)a->at.d, sizeof *copy->k);
    copy->v = carve_take(&carve, (uint64_t)n_keys * (uint64_t)a->at.d_v, sizeof *copy->v);
    copy->own = *a;
    copy->own.k = copy->k;
    copy->own.v = copy->v;
    copy->own.k_stride = a->at.d;
    copy->own.v_stride = a->at.d_v;
    copy->own.at.S = n_keys;
    copy->rest = carve_take(&carve, pairs_room(&copy->own), 1);
    return carve.used;
}

static void pairs_prepare(struct pairs_room *room, const struct attention *a,
                          const struct pair_steps *steps)
{
    const float *k = a->k;
    int64_t k_stride = a->k_stride;

    if (steps->round != NULL) {
        for (int j = 0; j < a->at.S; j++)
            room->k_factor[j] = steps->round(room->k + (int64_t)j * a->at.d, a->k + j * a->k_stride,
                                             a->at.d);
        k = room->k;
        k_stride = a->at.d;
    }
    attention_pack(room->packed, k, k_stride, a->v, a->v_stride, a->at.S, a->at.d, a->at.d_v);
    if (steps->prepare != NULL)
        steps->prepare(room->shared, a);
}

/* A block of rows: what all of its steps read. */
struct block {
    struct attend at;           /* hidden: from the block's first row and key */
    float *w;                   /* [n_rows] attention_stride(S) apart */
    int row0, n_rows, key0, n_keys;
};

static struct block block_at(const struct pairs_room *room, const struct attention *a,
                             const struct pair_steps *steps, int row0)
{
    int n_rows = a->T - row0 < ATTEND_ROWS ? a->T - row0 : ATTEND_ROWS;
    struct key_range keys = visible_keys(&a->at, row0, n_rows);
    struct block block = { .at = a->at, .w = room->w, .row0 = row0, .n_rows = n_rows,
                           .key0 = (int)keys.first,
                           .n_keys = (int)(keys.end - keys.first) };

    if (steps->hold)
        block.w += (size_t)row0 * attention_stride(a->at.S);
    if (block.at.hidden != NULL)
        block.at.hidden += (size_t)row0 * block.at.hidden_stride + (size_t)block.key0;
    return block;
}

/* Products q.k of a block, or what the mechanism has in their place. */
static void block_products(struct pairs_room *room, const struct attention *a,
                           const struct pair_steps *steps, const struct block *block)
{
    size_t stride = attention_stride(a->at.S);
    const float *q = a->q + block->row0 * a->q_stride;
    int64_t q_stride = a->q_stride;
    int d = a->at.d;

    if (steps->score != NULL) {
        for (int t = 0; t < block->n_rows; t++)
            steps->score(block->w + (size_t)t * stride, a, room->shared, block->row0 + t,
                         block->key0, block->n_keys);
        return;
    }
    if (steps->round != NULL) {
        for (int t = 0; t < block->n_rows; t++)
            room->q_factor[t] = steps->round(room->q + (int64_t)t * d, q + t * q_stride, d);
        q = room->q;
        q_stride = d;
    }
    attention_products(block->w, stride, q, q_stride, room->packed, &block->at, block->row0,
                       block->n_rows);
    for (int t = 0; steps->round != NULL && t < block->n_rows; t++)
        for (int j = 0; j < block->n_keys; j++)
            block->w[(size_t)t * stride + (size_t)j] *=
                    room->q_factor[t] * room->k_factor[block->key0 + j];
}

/* Scores of one row -> weights; sees: it sees any of the keys. */
static void weigh_row(float *row, int n, struct key_range own, bool sees,
                      const struct attention *a, const struct pair_steps *steps, float *spare)
{
    if (!sees)
        memset(row, 0, (size_t)n * sizeof *row);
    else if (steps->weigh != NULL)
        steps->weigh(row, n, (int)own.first, (int)own.end, a, spare);
    else
        softmax_row(row, n, (int)own.first, (int)own.end, 1);
}

static void score_rows(struct pairs_room *room, const struct attention *a,
                       const struct pair_steps *steps, const struct block *block)
{
    if (block->n_keys == 0)
        return;
    block_products(room, a, steps, block);
    score_block(&block->at, block->w, attention_stride(a->at.S), block->row0, block->n_rows,
                block->key0, block->n_keys);
}

static void weigh_rows(struct pairs_room *room, float *out, int64_t out_stride,
                       const struct attention *a, const struct pair_steps *steps,
                       const struct block *block)
{
    size_t stride = attention_stride(a->at.S);

    for (int t = 0; t < block->n_rows && block->n_keys == 0; t++)
        memset(out + t * out_stride, 0, (size_t)a->at.d_v * sizeof *out);
    if (block->n_keys == 0)
        return;
    for (int t = 0; t < block->n_rows; t++) {
        struct key_range own = visible_range(&block->at, block->row0 + t);

        own = (struct key_range){ own.first - block->key0, own.end - block->key0 };
        weigh_row(block->w + (size_t)t * stride, (block->n_keys + PANEL - 1) / PANEL * PANEL, own,
                  visible_any(&block->at, t, own), a, steps, room->spare);
    }
    if (block->at.precision != PRECISION_F32)
        precision_round(block->at.precision, block->w, block->w,
                        (int64_t)block->n_rows * (int64_t)stride);
    attention_values(out, out_stride, block->w, stride, room->packed, &block->at, block->row0,
                     block->n_rows);
}

int64_t pairs_run(float *out, int64_t out_stride, const struct attention *a, void *room)
{
    const struct pair_steps *steps = steps_of(a);
    struct pairs_room pairs_room;

    pairs_share_out(&pairs_room, a, steps, room);
    pairs_prepare(&pairs_room, a, steps);
    for (int row0 = 0; row0 < a->T; row0 += ATTEND_ROWS) {
        struct block block = block_at(&pairs_room, a, steps, row0);

        score_rows(&pairs_room, a, steps, &block);
        if (!steps->hold)
            weigh_rows(&pairs_room, out + row0 * out_stride, out_stride, a, steps, &block);
    }
    for (int row0 = 0; steps->hold && row0 < a->T; row0 += ATTEND_ROWS) {
        struct block block = block_at(&pairs_room, a, steps, row0);

        weigh_rows(&pairs_room, out + row0 * out_stride, out_stride, a, steps, &block);
    }
    return pairs_seen(a);
}

/* ---- the reference ---- */

double pairs_dot(const struct attention *a, int i, int j)
{
    const float *q = a->q + i * a->q_stride, *k = a->k + j * a->k_stride;
    double sum = 0;

    for (int c = 0; c < a->at.d; c++)
        sum += (double)q[c] * k[c];
    return sum;
}

double pairs_with_terms(const struct attention *a, int i, int j, double score)
{
    float with_terms = (float)score;

    if (!score_has_terms(&a->at) && a->at.cap <= 0)
        return score;
    score_terms(&a->at, &with_terms, 1, i, 1, j, 1);
    return with_terms;
}

void pairs_values(double *out, const double *w, const struct attention *a)
{
    int S = a->at.S, d_v = a->at.d_v;

    for (int i = 0; i < a->T; i++, w += S, out += d_v) {
        for (int c = 0; c < d_v; c++)
            out[c] = 0;
        for (int j = 0; j < S; j++)
            for (int c = 0; w[j] != 0 && c < d_v; c++)
                out[c] += w[j] * a->v[j * a->v_stride + c];
    }
}

void pairs_reference(double *w, double *out, const struct attention *a, void *room)
{
    static const struct pair_formula all;
    const struct pair_formula *formula = a->mechanism->pairs != NULL ?
                                             a->mechanism->pairs :
                                             &all;
    int S = a->at.S;

    for (int i = 0; i < a->T; i++) {
        double *row = w + (int64_t)i * S;
        bool any = false, whole = formula->sees == NULL || budget_covers_row(a, i);

        for (int j = 0; j < S; j++) {
            double score;

            row[j] = -INFINITY;
            if (!visible(&a->at, i, j) || !(whole || formula->sees(a, i, j)))
                continue;
            any = true;
            score = formula->score != NULL ? formula->score(a, room, i, j)
                                     : a->at.scale * pairs_dot(a, i, j);
            row[j] = pairs_with_terms(a, i, j, score);
        }
        if (!any)
            memset(row, 0, (size_t)S * sizeof *row);
        else if (formula->weigh != NULL)
            formula->weigh(row, S, a);
        else
            softmax_double(row, NULL, S);
    }
    pairs_values(out, w, a);
}
