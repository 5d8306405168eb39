/* SPDX-License-Identifier: MIT
 * Softmax over chosen keys, row by row: time grows with the number of chosen keys. */
#include "nn/mechanism/chosen.h"

#include "nn/attention.h"
#include "nn/kernels.h"
#include "nn/mechanism/carve.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

struct chosen_room {
    int *key;                   /* [S] */
    float *w;                   /* [S], aligned and padded for softmax_row */
};

static size_t share_out(struct chosen_room *r, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };

    r->key = carve_take(&carve, (size_t)a->at.S, sizeof *r->key);
    r->w = carve_take(&carve, attention_stride(a->at.S), sizeof *r->w);
    return carve.used;
}

size_t chosen_room(const struct attention *a)
{
    struct chosen_room room;

    return share_out(&room, a, NULL);
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

/* Terms and cap, a run of neighbouring keys at a time. */
static void add_terms(float *w, const struct attention *a, const int *key, int i, int n)
{
    for (int j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && key[end] == key[end - 1] + 1; end++)
            ;
        score_terms(&a->at, w + j, (size_t)(end - j), i, 1, key[j], end - j);
    }
}

int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *room)
{
    const struct kernels *kernels = nn_kernels();
    bool adjusted = score_has_terms(&a->at) || a->at.cap > 0;
    struct chosen_room chosen_room;
    int64_t n_scores = 0;

    share_out(&chosen_room, a, room);
    for (int i = 0; i < a->T; i++, out += out_stride) {
        struct key_range own = visible_range(&a->at, i);
        int count = 0;

        if (own.end > own.first)
            count = drop_hidden(
                chosen_room.key, a, i,
                a->mechanism->keys(chosen_room.key, a, i, (int)own.first, (int)own.end));
        n_scores += count;
        if (count > 0) {
            kernels->gather(chosen_room.w, a->q + i * a->q_stride, a->k, a->k_stride,
                            chosen_room.key, count, a->at.d);
            for (int j = 0; adjusted && j < count; j++)
                chosen_room.w[j] *= a->at.scale;
            if (adjusted)
                add_terms(chosen_room.w, a, chosen_room.key, i, count);
            softmax_row(chosen_room.w, (count + PANEL - 1) / PANEL * PANEL, 0, count,
                        adjusted ? 1 : a->at.scale);
        }
        kernels->blend(out, chosen_room.w, a->v, a->v_stride, chosen_room.key, count,
                       a->at.d_v);
    }
    return n_scores;
}
