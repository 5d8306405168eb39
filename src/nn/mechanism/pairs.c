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

static uint64_t pairs_share_out(struct pairs_room *r, const struct attention *a,
                        const struct pair_steps *s, void *base)
{
    const struct attend *at = &a->at;
    struct carve carve = { base, 0 };
    uint64_t S = (uint64_t)at->S, d = (uint64_t)at->d;

    *r = (struct pairs_room){ 0 };
    r->packed = carve_take(&carve, attention_packed(at->S, at->d, at->d_v),
                           sizeof(float));
    r->w = carve_take(&carve, (s->hold ? (uint64_t)a->T : ATTEND_ROWS) *
                      attention_stride(at->S), sizeof(float));
    if (s->weigh != NULL)
        r->spare = carve_take(&carve, 2 * S, sizeof(float));
    if (s->round != NULL) {
        r->q = carve_take(&carve, ATTEND_ROWS * d, sizeof(float));
        r->k = carve_take(&carve, S * d, sizeof(float));
        r->q_factor = carve_take(&carve, ATTEND_ROWS, sizeof(float));
        r->k_factor = carve_take(&carve, S, sizeof(float));
    }
    if (s->shared != NULL)
        r->shared = carve_take(&carve, s->shared(a), 1);
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

uint64_t pairs_copy(struct pairs_copy *c, const struct attention *a, int n_keys, void *base)
{
    struct carve carve = { base, 0 };

    c->k = carve_take(&carve, (uint64_t)n_keys * (uint64_t)a->at.d, sizeof *c->k);
    c->v = carve_take(&carve, (uint64_t)n_keys * (uint64_t)a->at.d_v, sizeof *c->v);
    c->own = *a;
    c->own.k = c->k;
    c->own.v = c->v;
    c->own.k_stride = a->at.d;
    c->own.v_stride = a->at.d_v;
    c->own.at.S = n_keys;
    c->rest = carve_take(&carve, pairs_room(&c->own), 1);
    return carve.used;
}

static void pairs_prepare(struct pairs_room *r, const struct attention *a,
                          const struct pair_steps *s)
{
    const float *k = a->k;
    int64_t k_stride = a->k_stride;

    if (s->round != NULL) {
        for (int j = 0; j < a->at.S; j++)
            r->k_factor[j] = s->round(r->k + (int64_t)j * a->at.d, a->k + j * a->k_stride,
                                      a->at.d);
        k = r->k;
        k_stride = a->at.d;
    }
    attention_pack(r->packed, k, k_stride, a->v, a->v_stride, a->at.S, a->at.d, a->at.d_v);
    if (s->prepare != NULL)
        s->prepare(r->shared, a);
}

/* A block of rows: what all of its steps read. */
struct block {
    struct attend at;           /* hidden: from the block's first row and key */
    float *w;                   /* [n_rows] attention_stride(S) apart */
    int row0, n_rows, key0, n_keys;
};

static struct block block_at(const struct pairs_room *r, const struct attention *a,
                             const struct pair_steps *s, int row0)
{
    int n_rows = a->T - row0 < ATTEND_ROWS ? a->T - row0 : ATTEND_ROWS;
    struct key_range keys = visible_keys(&a->at, row0, n_rows);
    struct block block = { .at = a->at, .w = r->w, .row0 = row0, .n_rows = n_rows,
                           .key0 = (int)keys.first,
                           .n_keys = (int)(keys.end - keys.first) };

    if (s->hold)
        block.w += (size_t)row0 * attention_stride(a->at.S);
    if (block.at.hidden != NULL)
        block.at.hidden += (size_t)row0 * block.at.hidden_stride + (size_t)block.key0;
    return block;
}

/* Products q.k of a block, or what the mechanism has in their place. */
static void block_products(struct pairs_room *r, const struct attention *a,
                           const struct pair_steps *s, const struct block *b)
{
    size_t stride = attention_stride(a->at.S);
    const float *q = a->q + b->row0 * a->q_stride;
    int64_t q_stride = a->q_stride;
    int d = a->at.d;

    if (s->score != NULL) {
        for (int t = 0; t < b->n_rows; t++)
            s->score(b->w + (size_t)t * stride, a, r->shared, b->row0 + t, b->key0,
                     b->n_keys);
        return;
    }
    if (s->round != NULL) {
        for (int t = 0; t < b->n_rows; t++)
            r->q_factor[t] = s->round(r->q + (int64_t)t * d, q + t * q_stride, d);
        q = r->q;
        q_stride = d;
    }
    attention_products(b->w, stride, q, q_stride, r->packed, &b->at, b->row0, b->n_rows);
    for (int t = 0; s->round != NULL && t < b->n_rows; t++)
        for (int j = 0; j < b->n_keys; j++)
            b->w[(size_t)t * stride + (size_t)j] *=
                r->q_factor[t] * r->k_factor[b->key0 + j];
}

/* Scores of one row -> weights; sees: it sees any of the keys. */
static void weigh_row(float *row, int n, struct key_range own, bool sees,
                      const struct attention *a, const struct pair_steps *s, float *spare)
{
    if (!sees)
        memset(row, 0, (size_t)n * sizeof *row);
    else if (s->weigh != NULL)
        s->weigh(row, n, (int)own.first, (int)own.end, a, spare);
    else
        softmax_row(row, n, (int)own.first, (int)own.end, 1);
}

static void score_rows(struct pairs_room *r, const struct attention *a,
                       const struct pair_steps *s, const struct block *b)
{
    if (b->n_keys == 0)
        return;
    block_products(r, a, s, b);
    score_block(&b->at, b->w, attention_stride(a->at.S), b->row0, b->n_rows, b->key0,
                b->n_keys);
}

static void weigh_rows(struct pairs_room *r, float *out, int64_t out_stride,
                       const struct attention *a, const struct pair_steps *s,
                       const struct block *b)
{
    size_t stride = attention_stride(a->at.S);

    for (int t = 0; t < b->n_rows && b->n_keys == 0; t++)
        memset(out + t * out_stride, 0, (size_t)a->at.d_v * sizeof *out);
    if (b->n_keys == 0)
        return;
    for (int t = 0; t < b->n_rows; t++) {
        struct key_range own = visible_range(&b->at, b->row0 + t);

        own = (struct key_range){ own.first - b->key0, own.end - b->key0 };
        weigh_row(b->w + (size_t)t * stride, (b->n_keys + PANEL - 1) / PANEL * PANEL, own,
                  visible_any(&b->at, t, own), a, s, r->spare);
    }
    if (b->at.precision != PRECISION_F32)
        precision_round(b->at.precision, b->w, b->w, (int64_t)b->n_rows * (int64_t)stride);
    attention_values(out, out_stride, b->w, stride, r->packed, &b->at, b->row0, b->n_rows);
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
