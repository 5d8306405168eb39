/* SPDX-License-Identifier: MIT
 * Softmax over chosen keys, row by row: time grows with the number of chosen keys. */
#include "nn/mechanism/chosen.h"

#include <string.h>

#include "nn/attention.h"
#include "nn/kernels.h"
#include "nn/mechanism/budget.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/pairs.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

struct chosen_room {
    int *key;                   /* [S] */
    float *w;                   /* [S], aligned and padded for softmax_row */
    double *exact;              /* [S] the same for learn */
    void *shared;
};

static uint64_t chosen_share_out(struct chosen_room *room, const struct attention *a, void *base)
{
    const struct chosen_steps *steps = a->mechanism->chosen;
    struct carve carve = { base, 0 };

    room->key = carve_take(&carve, (uint64_t)a->at.S, sizeof *room->key);
    room->w = carve_take(&carve, attention_stride(a->at.S), sizeof *room->w);
    if (steps != NULL) {
        room->exact = carve_take(&carve, (uint64_t)a->at.S, sizeof *room->exact);
        room->shared = carve_take(&carve, steps->shared(a), 1);
    }
    return carve.used;
}

uint64_t chosen_room(const struct attention *a)
{
    struct chosen_room room;

    return chosen_share_out(&room, a, NULL);
}

const char *chosen_refuse(const struct attention *a)
{
    return a->cross ? "its pattern is of positions in one text" : NULL;
}

/* Leaves out what the model hides by itself. */
static int drop_hidden(int *key, const struct attention *a, int i, int n)
{
    int kept = 0;

    if (a->at.hidden == NULL)
        return n;
    for (int j = 0; j < n; j++)
        if (!visible_is_hidden(&a->at, i, key[j]))
            key[kept++] = key[j];
    return kept;
}

/* The keys of row i by the pattern, or all where a budget covers them. */
static int pattern(int *key, const struct attention *a, int i, int first, int end)
{
    int count = 0;

    if (!budget_covers_row(a, i))
        return a->mechanism->keys(key, a, i, first, end);
    for (int j = first; j < end; j++)
        key[count++] = j;
    return count;
}

static int row_keys(struct chosen_room *room, const struct attention *a, int i)
{
    const struct chosen_steps *steps = a->mechanism->chosen;
    struct key_range own = visible_range(&a->at, i);
    int first = (int)own.first, end = (int)own.end;

    if (end <= first)
        return 0;
    if (steps != NULL)
        return steps->choose(room->key, room->shared, a, i, first, end);
    return drop_hidden(room->key, a, i, pattern(room->key, a, i, first, end));
}

/* Terms and cap, a run of neighbouring keys at a time. */
static void add_terms(float *w, const struct attention *a, const int *key, int i, int n)
{
    for (int j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && key[end] == key[end - 1] + 1; end++)
            ;
        score_terms(&a->at, w + j, (size_t)(end - j), i, 1, key[j], end - j);
    }
}

/* Scores of the n keys of row i become weights. */
static void chosen_weigh(struct chosen_room *room, const struct attention *a, int i, int n)
{
    bool adjusted = score_has_terms(&a->at) || a->at.cap > 0;

    nn_kernels()->gather(room->w, a->q + i * a->q_stride, a->k, a->k_stride, room->key, n,
                         a->at.d);
    for (int j = 0; adjusted && j < n; j++)
        room->w[j] *= a->at.scale;
    if (adjusted)
        add_terms(room->w, a, room->key, i, n);
    softmax_row(room->w, (n + PANEL - 1) / PANEL * PANEL, 0, n, adjusted ? 1 : a->at.scale);
}

static void teach(struct chosen_room *room, const struct attention *a, int n)
{
    const struct chosen_steps *steps = a->mechanism->chosen;

    if (steps == NULL || steps->learn == NULL)
        return;
    for (int j = 0; j < n; j++)
        room->exact[j] = (double)room->w[j];
    steps->learn(room->shared, room->key, room->exact, n);
}

int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    const struct chosen_steps *steps = a->mechanism->chosen;
    struct chosen_room room;
    int64_t n_scores = 0;

    chosen_share_out(&room, a, base);
    if (steps != NULL)
        steps->prepare(room.shared, a);
    for (int i = 0; i < a->T; i++, out += out_stride) {
        int count = row_keys(&room, a, i);

        n_scores += count;
        if (count > 0) {
            chosen_weigh(&room, a, i, count);
            teach(&room, a, count);
            precision_round(a->at.precision, room.w, room.w, count);
        }
        nn_kernels()->blend(out, room.w, a->v, a->v_stride, room.key, count, a->at.d_v);
    }
    return n_scores;
}

/* ---- the reference ---- */

static uint64_t share_out_reference(struct chosen_room *room, const struct attention *a,
                                  void *base)
{
    struct carve carve = { base, 0 };

    room->key = carve_take(&carve, (uint64_t)a->at.S, sizeof *room->key);
    room->exact = carve_take(&carve, (uint64_t)a->at.S, sizeof *room->exact);
    room->shared = carve_take(&carve, a->mechanism->chosen->shared(a), 1);
    return carve.used;
}

uint64_t chosen_reference_room(const struct attention *a)
{
    struct chosen_room room;

    return share_out_reference(&room, a, NULL);
}

void chosen_reference(double *w, double *out, const struct attention *a, void *base)
{
    const struct chosen_steps *steps = a->mechanism->chosen;
    struct chosen_room room;

    share_out_reference(&room, a, base);
    steps->prepare(room.shared, a);
    memset(w, 0, (size_t)a->T * (size_t)a->at.S * sizeof *w);
    for (int i = 0; i < a->T; i++) {
        int count = row_keys(&room, a, i);

        if (count == 0)
            continue;
        for (int j = 0; j < count; j++)
            room.exact[j] = pairs_with_terms(a, i, room.key[j],
                                             a->at.scale * pairs_dot(a, i, room.key[j]));
        softmax_double(room.exact, NULL, count);
        if (steps->learn != NULL)
            steps->learn(room.shared, room.key, room.exact, count);
        for (int j = 0; j < count; j++)
            w[(int64_t)i * a->at.S + room.key[j]] = room.exact[j];
    }
    pairs_values(out, w, a);
}
