/* SPDX-License-Identifier: MIT
 * Every pair scored, a block of rows at a time, and the plain formula over every pair. */
#include "nn/mechanism/pairs.h"

#include <math.h>
#include <string.h>

#include "nn/attention.h"
#include "nn/nn.h"
#include "nn/mechanism/carve.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

/* Pairs that the model lets see: T S less what it hides. */
static int64_t pairs_seen(const struct attention *a)
{
    int64_t count = 0;

    for (int i = 0; i < a->T; i++) {
        struct key_range range = visible_range(&a->at, i);

        if (a->at.hidden == NULL)
            count += range.end > range.first ? range.end - range.first : 0;
        for (int64_t j = range.first; a->at.hidden != NULL && j < range.end; j++)
            count += !visible_is_hidden(&a->at, i, j);
    }
    return count;
}

/* ---- blocks ---- */

struct pairs_room {
    float *packed, *w, *spare;
    float *q, *k, *q_factor, *k_factor;         /* where rows are rounded */
    void *shared;
};

static size_t share_out(struct pairs_room *r, const struct attention *a,
                        const struct pair_steps *s, void *base)
{
    const struct attend *at = &a->at;
    struct carve carve = { base, 0 };
    size_t S = (size_t)at->S, d = (size_t)at->d;

    *r = (struct pairs_room){ 0 };
    r->packed = carve_take(&carve, attention_packed(at->S, at->d, at->d_v),
                           sizeof(float));
    r->w = carve_take(&carve, ATTEND_ROWS * attention_stride(at->S), sizeof(float));
    if (s->weigh != NULL)
        r->spare = carve_take(&carve, S, sizeof(float));
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

size_t pairs_room(const struct attention *a)
{
    struct pairs_room room;

    return share_out(&room, a, steps_of(a), NULL);
}

static void prepare(struct pairs_room *r, const struct attention *a,
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

/* Products q.k of a block, or what the mechanism has in their place. */
static void block_products(struct pairs_room *r, const struct attention *a,
                           const struct pair_steps *s, const struct attend *at,
                           int row0, int n_rows, int key0, int n_keys)
{
    size_t stride = attention_stride(at->S);
    const float *q = a->q + row0 * a->q_stride;
    int64_t q_stride = a->q_stride;

    if (s->score != NULL) {
        for (int t = 0; t < n_rows; t++)
            s->score(r->w + (size_t)t * stride, a, r->shared, row0 + t, key0, n_keys);
        return;
    }
    if (s->round != NULL) {
        for (int t = 0; t < n_rows; t++)
            r->q_factor[t] = s->round(r->q + (int64_t)t * at->d, q + t * q_stride, at->d);
        q = r->q;
        q_stride = at->d;
    }
    attention_products(r->w, stride, q, q_stride, r->packed, at, row0, n_rows);
    for (int t = 0; s->round != NULL && t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            r->w[(size_t)t * stride + (size_t)j] *=
                r->q_factor[t] * r->k_factor[key0 + j];
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

static void block(struct pairs_room *r, float *out, int64_t out_stride,
                  const struct attention *a, const struct pair_steps *s, int row0,
                  int n_rows)
{
    struct attend at = a->at;
    size_t stride = attention_stride(at.S);
    struct key_range keys = visible_keys(&at, row0, n_rows);
    int key0 = (int)keys.first, n_keys = (int)keys.end - key0;

    if (at.hidden != NULL)
        at.hidden += (size_t)row0 * at.hidden_stride + (size_t)key0;
    if (n_keys == 0) {
        for (int t = 0; t < n_rows; t++)
            memset(out + t * out_stride, 0, (size_t)at.d_v * sizeof *out);
        return;
    }
    block_products(r, a, s, &at, row0, n_rows, key0, n_keys);
    score_block(&at, r->w, stride, row0, n_rows, key0, n_keys);
    for (int t = 0; t < n_rows; t++) {
        struct key_range own = visible_range(&at, row0 + t);

        own = (struct key_range){ own.first - key0, own.end - key0 };
        weigh_row(r->w + (size_t)t * stride, (n_keys + PANEL - 1) / PANEL * PANEL, own,
                  visible_any(&at, t, own), a, s, r->spare);
    }
    attention_values(out, out_stride, r->w, stride, r->packed, &at, row0, n_rows);
}

int64_t pairs_run(float *out, int64_t out_stride, const struct attention *a, void *room)
{
    const struct pair_steps *steps = steps_of(a);
    struct pairs_room pairs_room;

    share_out(&pairs_room, a, steps, room);
    prepare(&pairs_room, a, steps);
    for (int row0 = 0; row0 < a->T; row0 += ATTEND_ROWS)
        block(&pairs_room, out + row0 * out_stride, out_stride, a, steps, row0,
              a->T - row0 < ATTEND_ROWS ? a->T - row0 : ATTEND_ROWS);
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

    (void)room;
    for (int i = 0; i < a->T; i++) {
        double *row = w + (int64_t)i * S;
        bool any = false;

        for (int j = 0; j < S; j++) {
            double score;

            row[j] = -INFINITY;
            if (!visible(&a->at, i, j) ||
                (formula->sees != NULL && !formula->sees(a, i, j)))
                continue;
            any = true;
            score = formula->score != NULL ? formula->score(a, i, j)
                                     : a->at.scale * pairs_dot(a, i, j);
            if (score_has_terms(&a->at) || a->at.cap > 0) {
                float with_terms = (float)score;

                score_terms(&a->at, &with_terms, 1, i, 1, j, 1);
                score = with_terms;
            }
            row[j] = score;
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
