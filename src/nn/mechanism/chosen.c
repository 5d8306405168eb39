/* SPDX-License-Identifier: MIT
 * Softmax over chosen keys, row by row: time grows with the scores that are kept. */
#include "nn/mechanism/mechanism_priv.h"

struct chosen_room {
    int *key;                   /* [S] */
    float *w;                   /* [S], aligned and padded as softmax wants it */
};

static size_t share_out(struct chosen_room *r, const struct attention *a, void *base)
{
    struct carve c = { base, 0 };

    r->key = carve_take(&c, (size_t)a->at.S, sizeof *r->key);
    r->w = carve_take(&c, attend_stride(a->at.S), sizeof *r->w);
    return c.used;
}

size_t chosen_room(const struct attention *a)
{
    struct chosen_room r;

    return share_out(&r, a, NULL);
}

const char *chosen_refuse(const struct attention *a)
{
    return a->cross ? "its pattern is of places in one text" : NULL;
}

/* Leaves out what the model hides by itself. */
static int drop_hidden(int *key, const struct attention *a, int i, int n)
{
    const unsigned char *hidden = a->at.hidden;
    int kept = 0;

    if (hidden == NULL)
        return n;
    hidden += (size_t)i * a->at.hidden_stride;
    for (int j = 0; j < n; j++)
        if (hidden[key[j]] == 0)
            key[kept++] = key[j];
    return kept;
}

/* Terms and cap, a run of neighbouring keys at a time. */
static void add_terms(float *w, const struct attention *a, const int *key, int i, int n)
{
    for (int j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && key[end] == key[end - 1] + 1; end++)
            ;
        attention_terms(a, w + j, i, key[j], end - j);
    }
}

int64_t chosen_run(float *out, int64_t out_stride, const struct attention *a, void *room)
{
    const struct kernels *kernels = nn_kernels();
    bool adjusted = attention_has_terms(a) || a->at.cap > 0;
    struct chosen_room r;
    int64_t n_scores = 0;

    share_out(&r, a, room);
    for (int i = 0; i < a->T; i++, out += out_stride) {
        struct range own = attend_range(&a->at, i);
        int n = 0;

        if (own.end > own.first)
            n = drop_hidden(r.key, a, i, a->mechanism->keys(r.key, a, i, (int)own.first,
                                                            (int)own.end));
        n_scores += n;
        if (n > 0) {
            kernels->gather(r.w, a->q + i * a->q_stride, a->k, a->k_stride, r.key, n,
                            a->at.d);
            for (int j = 0; adjusted && j < n; j++)
                r.w[j] *= a->at.scale;
            if (adjusted)
                add_terms(r.w, a, r.key, i, n);
            kernels->softmax(r.w, (n + PANEL - 1) / PANEL * PANEL, 0, n,
                             adjusted ? 1 : a->at.scale);
        }
        kernels->blend(out, r.w, a->v, a->v_stride, r.key, n, a->at.d_v);
    }
    return n_scores;
}
