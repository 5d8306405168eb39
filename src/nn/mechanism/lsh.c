/* SPDX-License-Identifier: MIT
 * Attention among neighbours in the order of a hash: queries serve as keys, of length 1.
 *
 * A hashing r turns x into the bucket argmax [x R_r; -x R_r], R_r [d, buckets / 2].
 * Positions sorted by (bucket, position) are cut into chunks; a chunk sees itself and
 * the chunk before it, the chunks of all hashings in one ring.  A row's own key scores
 * -1e5, so it counts only where there is no other.  Hashings are weighted by their sums
 * of exponentials; a key that is met twice is counted twice.
 *
 * Weights: R [H, d, rounds, buckets / 2]. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/rng.h"
#include "nn/attention.h"
#include "nn/chunks.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/lsh.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/online.h"
#include "nn/mechanism/pairs.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

/* As the reference library has it. */
static const float NORM_EPS = 1e-6f;

static uint64_t lsh_n_weights(const struct mechanism_params *params, int T, int H, int d)
{
    return (uint64_t)H * (uint64_t)d * (uint64_t)params->n_rounds *
           (uint64_t)(mechanism_buckets(params, T) / 2);
}

static void lsh_draw(float *weights, const struct mechanism_params *params, int T, int H, int d)
{
    struct rng rng;

    rng_seed(&rng, params->seed);
    rng_normal_fill(&rng, weights, (int64_t)lsh_n_weights(params, T, H, d));
}

/* ---- the order ---- */

struct order {
    int B, n_chunks;            /* buckets; chunks of one hashing */
    int *bucket;                /* [T] of one hashing */
    int *at;                    /* [rounds, T] positions in order */
    uint64_t *sorted;           /* [T] */
    float *unit;                /* [T] what makes a key's length 1 */
    float *product, *scratch;   /* [LSH_ROWS, B / 2] */
    double *room;               /* [B / 2] */
};

static void carve_order(struct order *order, const struct attention *a, struct carve *carve)
{
    uint64_t T = (uint64_t)a->T, half;

    order->B = mechanism_buckets(a->params, a->T);
    order->n_chunks = (a->T + a->params->chunk - 1) / a->params->chunk;
    half = (uint64_t)(order->B / 2);
    order->bucket = carve_take(carve, T, sizeof *order->bucket);
    order->at = carve_take(carve, (uint64_t)a->params->n_rounds * T, sizeof *order->at);
    order->sorted = carve_take(carve, T, sizeof *order->sorted);
    order->unit = carve_take(carve, T, sizeof *order->unit);
    order->product = carve_take(carve, LSH_ROWS * half, sizeof *order->product);
    order->scratch = carve_take(carve, linear_scratch(a->at.d), sizeof *order->scratch);
    order->room = carve_take(carve, half, sizeof *order->room);
}

static void make_order(struct order *order, const struct attention *a)
{
    int d = a->at.d, rounds = a->params->n_rounds, half = order->B / 2;
    struct lsh hash = { .d = d, .n_rounds = rounds, .n_factors = 1, .factor = &order->B,
                        .width = half };

    hash.rotation = a->weights + (int64_t)a->head * d * rounds * half;
    for (int round = 0; round < rounds; round++) {
        lsh_round(order->bucket, order->product, order->scratch, order->room, a->q, a->q_stride,
                  &hash, round, a->T);
        lsh_order(order->at + (int64_t)round * a->T, order->sorted, order->bucket, a->T);
    }
    for (int i = 0; i < a->T; i++) {
        const float *x = a->q + i * a->q_stride;
        double sum = 0;

        for (int c = 0; c < d; c++)
            sum += (double)x[c] * x[c];
        order->unit[i] = (float)(1 / sqrt(sum / d + NORM_EPS) / sqrt(d));
    }
}

/* The positions of chunk number c of the ring. */
static int chunk_at(const struct order *order, const struct attention *a, int c,
                    const int **at)
{
    int first = c % order->n_chunks * a->params->chunk;

    *at = order->at + (int64_t)(c / order->n_chunks) * a->T + first;
    return a->T - first < a->params->chunk ? a->T - first : a->params->chunk;
}

/* The positions that chunk c sees: those of the chunk before it, then its own. */
static int ring_keys(int *key, const struct order *order, const struct attention *a, int c)
{
    int all = a->params->n_rounds * order->n_chunks, count = 0, n_own;
    const int *own, *before;

    if (all > 1) {
        count = chunk_at(order, a, (c + all - 1) % all, &before);
        memcpy(key, before, (size_t)count * sizeof *key);
    }
    n_own = chunk_at(order, a, c, &own);
    memcpy(key + count, own, (size_t)n_own * sizeof *key);
    return count + n_own;
}

static const char *lsh_refuse(const struct attention *a)
{
    if (a->cross)
        return "queries serve as keys, and the keys here are of another text";
    if (score_has_terms(&a->at))
        return "what is added to scores belongs to the model's keys, and queries serve as keys";
    return NULL;
}

/* ---- the fast one ---- */

struct lsh_room {
    struct order order;
    int *key;                   /* [2 chunk] */
    float *w, *one;             /* [2 chunk] padded; [d_v] of one hashing */
    double *sum;                /* [T] ln of the sums of exponentials so far */
};

static uint64_t lsh_share_out(struct lsh_room *room, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    int most = a->params->chunk < a->T ? 2 * a->params->chunk : 2 * a->T;

    carve_order(&room->order, a, &carve);
    room->key = carve_take(&carve, (uint64_t)most, sizeof *room->key);
    room->w = carve_take(&carve, attention_stride(most), sizeof *room->w);
    room->one = carve_take(&carve, (uint64_t)a->at.d_v, sizeof *room->one);
    room->sum = carve_take(&carve, (uint64_t)a->T, sizeof *room->sum);
    return carve.used;
}

static uint64_t lsh_room_of(const struct attention *a)
{
    struct lsh_room lsh_room;

    return lsh_share_out(&lsh_room, a, NULL);
}

/* Scores of row i -> weights; returns how many keys it sees, *sum as in lsh_room. */
static int lsh_weigh(struct lsh_room *room, const struct attention *a, int i, int n, double *sum)
{
    float max = -INFINITY;
    struct softmax_sums sums;
    int seen = 0;

    nn_kernels()->gather(room->w, a->q + i * a->q_stride, a->q, a->q_stride, room->key, n,
                         a->at.d);
    for (int j = 0; j < n; j++) {
        room->w[j] *= room->order.unit[room->key[j]];
        if (a->at.cap > 0)
            room->w[j] = a->at.cap * elementary_tanhf(room->w[j] / a->at.cap);
        if (room->key[j] == i)
            room->w[j] = CHUNKS_LAST_RESORT;
        if (!visible(&a->at, i, room->key[j]))
            room->w[j] = 2 * SCORE_HIDDEN;
        else
            seen++;
        max = room->w[j] > max ? room->w[j] : max;
    }
    sums = softmax_row(room->w, (n + PANEL - 1) / PANEL * PANEL, 0, n, 1);
    *sum = max + elementary_log(sums.e);
    return seen;
}

static int64_t lsh_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    struct lsh_room room;
    int64_t n_scores = 0;
    int all;

    lsh_share_out(&room, a, base);
    make_order(&room.order, a);
    all = a->params->n_rounds * room.order.n_chunks;
    for (int i = 0; i < a->T; i++) {
        room.sum[i] = -INFINITY;
        memset(out + i * out_stride, 0, (size_t)a->at.d_v * sizeof *out);
    }
    for (int c = 0; c < all; c++) {
        int count = ring_keys(room.key, &room.order, a, c), n_own;
        const int *own;

        n_own = chunk_at(&room.order, a, c, &own);
        for (int t = 0; t < n_own; t++) {
            int i = own[t], seen;
            double more;

            seen = lsh_weigh(&room, a, i, count, &more);
            n_scores += seen;
            if (seen == 0)
                continue;
            precision_round(a->at.precision, room.w, room.w, count);
            nn_kernels()->blend(room.one, room.w, a->v, a->v_stride, room.key, count,
                                a->at.d_v);
            online_merge(out + i * out_stride, &room.sum[i], room.one, more, a->at.d_v);
        }
    }
    return n_scores;
}

/* ---- the reference ---- */

static uint64_t lsh_reference_room(const struct attention *a)
{
    struct carve carve = { NULL, 0 };
    struct order order;

    carve_order(&order, a, &carve);
    carve_take(&carve, 2 * (uint64_t)a->T, sizeof(int));
    carve_take(&carve, (uint64_t)a->at.S, sizeof(double));
    return carve.used;
}

/* The score of row i and key j, whatever is hidden. */
static double lsh_score(const struct attention *a, int i, int j)
{
    const float *x = a->q + i * a->q_stride, *y = a->q + j * a->q_stride;
    double dot = 0, square = 0;

    if (i == j)
        return (double)CHUNKS_LAST_RESORT;
    for (int c = 0; c < a->at.d; c++) {
        dot += (double)x[c] * y[c];
        square += (double)y[c] * y[c];
    }
    dot /= sqrt(square / a->at.d + (double)NORM_EPS) * sqrt(a->at.d);
    return a->at.cap > 0 ? a->at.cap * elementary_tanh(dot / a->at.cap) : dot;
}

/* times[T, S] = how often each row meets each key that it sees, in all hashings. */
static void count_meetings(double *times, const struct order *order, const struct attention *a,
                           int *key)
{
    int S = a->at.S, all = a->params->n_rounds * order->n_chunks;

    memset(times, 0, (size_t)a->T * (size_t)S * sizeof *times);
    for (int chunk = 0; chunk < all; chunk++) {
        int count = ring_keys(key, order, a, chunk), n_own;
        const int *own;

        n_own = chunk_at(order, a, chunk, &own);
        for (int t = 0; t < n_own; t++)
            for (int j = 0; j < count; j++)
                times[(int64_t)own[t] * S + key[j]] += visible(&a->at, own[t], key[j]);
    }
}

/* row[S] of counts becomes weights; 0 where nothing is met. */
static void weigh_counts(double *row, double *scores, const struct attention *a, int i)
{
    bool any = false;

    for (int j = 0; j < a->at.S; j++) {
        any = any || row[j] > 0;
        scores[j] = row[j] > 0 ? lsh_score(a, i, j) : -INFINITY;
    }
    if (!any)
        return;
    softmax_double(scores, row, a->at.S);
    memcpy(row, scores, (size_t)a->at.S * sizeof *row);
}

/*
 * One softmax over the keys of all hashings together: the same as weighting the hashings
 * by their sums of exponentials.
 */
static void lsh_reference(double *w, double *out, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    struct order order;
    double *scores;
    int *key;

    carve_order(&order, a, &carve);
    key = carve_take(&carve, 2 * (uint64_t)a->T, sizeof *key);
    scores = carve_take(&carve, (uint64_t)a->at.S, sizeof *scores);
    make_order(&order, a);
    count_meetings(w, &order, a, key);
    for (int i = 0; i < a->T; i++)
        weigh_counts(w + (int64_t)i * a->at.S, scores, a, i);
    pairs_values(out, w, a);
}

const struct mechanism mechanism_lsh = {
    .name = "lsh",
    .formula = "softmax_j q_i.q_j / |q_j|, j in i's chunk or the one before, by hash",
    .no_budget = "its keys are queries, as many as --chunk and --rounds say",
    .cost = "N r (c + b) d", .growth = "N (c + b)", .sparse = true,
    .source = "Kitaev et al. 2020, section 2",
    .refuse = lsh_refuse, .n_weights = lsh_n_weights, .draw = lsh_draw, .room = lsh_room_of,
    .run = lsh_run, .reference_room = lsh_reference_room, .reference = lsh_reference,
};
