/* SPDX-License-Identifier: MIT
 * A view of a model's attention -> a mechanism's heads -> outputs and rows. */
#include "run/mechanism.h"

#include <math.h>
#include <string.h>

/* ---- heads ---- */

/* Heads h0 .. h0 + n - 1 side by side: out [rows, n d], head h at at[h / share]. */
static const float *side_by_side(struct arena *a, const float *x, int64_t stride,
                                 const int *at, int h0, int n, int share, int rows, int d)
{
    float *out = arena_alloc_raw(a, (size_t)rows * (size_t)n, (size_t)d * sizeof *out);

    for (int t = 0; t < rows; t++)
        for (int i = 0; i < n; i++)
            memcpy(out + ((int64_t)t * n + i) * d, x + t * stride + at[(h0 + i) / share],
                   (size_t)d * sizeof *out);
    return out;
}

/* The scale of the model is for the width of one head: that of a wider one is smaller. */
static struct attention joined_head(const struct qkv_view *v, int h0, int n,
                                    struct arena *a)
{
    int share = v->H / v->G;
    struct attend at = v->at[h0];
    struct attention head = {
        .q = side_by_side(a, v->q, v->q_stride, v->q_at, h0, n, 1, v->T, at.d),
        .k = side_by_side(a, v->kv, v->kv_stride, v->k_at, h0, n, share, v->S, at.d),
        .v = side_by_side(a, v->kv, v->kv_stride, v->v_at, h0, n, share, v->S, at.d_v),
    };

    at.d *= n;
    at.d_v *= n;
    at.scale = (float)((double)at.scale / sqrt(n));
    head.q_stride = head.k_stride = at.d;
    head.v_stride = at.d_v;
    head.at = at;
    return head;
}

static struct attention single_head(const struct qkv_view *v, int h)
{
    int group = h / (v->H / v->G);

    return (struct attention){
        .q = v->q + v->q_at[h], .k = v->kv + v->k_at[group], .v = v->kv + v->v_at[group],
        .q_stride = v->q_stride, .k_stride = v->kv_stride, .v_stride = v->kv_stride,
        .at = v->at[h],
    };
}

static const float *weights_of(const struct mechanism *m,
                               const struct mechanism_params *p, const float *given,
                               const struct qkv_view *v, struct arena *a)
{
    float *w;

    if (m->n_weights == NULL || given != NULL)
        return given;
    w = arena_alloc_raw(a, m->n_weights(p, v->T, v->H, v->at->d), sizeof *w);
    m->draw(w, p, v->T, v->H, v->at->d);
    return w;
}

struct mechanism_heads mechanism_heads(const struct mechanism *m,
                                       const struct mechanism_params *params,
                                       const float *given, const struct qkv_view *v,
                                       struct arena *a)
{
    struct mechanism_heads heads = { .mechanism = m,
                                     .joined = mechanism_joined(m->join, v->H) };
    const float *weights;

    if (heads.joined == 0) {
        heads.refused = "the number of heads is odd";
        return heads;
    }
    heads.n = v->H / heads.joined;
    heads.head = arena_alloc(a, (size_t)heads.n, sizeof *heads.head);
    for (int i = 0; i < heads.n; i++) {
        heads.head[i] = single_head(v, i * heads.joined);
        heads.head[i].T = v->T;
        heads.head[i].cross = v->stack == STACK_CROSS;
        heads.head[i].alike = v->alike;
        if (m->refuse != NULL && heads.refused == NULL)
            heads.refused = m->refuse(&heads.head[i]);
    }
    if (heads.refused != NULL)
        return heads;
    weights = weights_of(m, params, given, v, a);
    for (int i = 0; i < heads.n; i++) {
        struct attention *head = &heads.head[i];
        bool cross = head->cross;
        size_t room;

        if (heads.joined > 1)
            *head = joined_head(v, i * heads.joined, heads.joined, a);
        head->T = v->T;
        head->head = i;
        head->cross = cross;
        head->mechanism = m;
        head->params = params;
        head->weights = weights;
        room = m->room(head);
        heads.room_bytes = room > heads.room_bytes ? room : heads.room_bytes;
    }
    return heads;
}

/* ---- outputs ---- */

struct job {
    const struct mechanism_heads *h;
    float *z;
};

static int64_t run_head(const struct mechanism_heads *h, int i, float *z, void *room)
{
    int d_v = h->head[i].at.d_v;

    return h->mechanism->run(z + (int64_t)i * d_v, (int64_t)h->n * d_v, &h->head[i],
                             room);
}

static void head_task(void *self, int i, struct arena *scratch)
{
    const struct job *job = self;

    run_head(job->h, i, job->z, arena_alloc_raw(scratch, job->h->room_bytes, 1));
}

void mechanism_attend(const struct mechanism_heads *h, float *z, struct par *par)
{
    struct job job = { h, z };

    par_for(par, h->n, head_task, &job);
}

int64_t mechanism_attend_alone(const struct mechanism_heads *h, float *z, void *room)
{
    int64_t count = 0;

    for (int i = 0; i < h->n; i++)
        count += run_head(h, i, z, room);
    return count;
}

/* ---- rows ---- */

void mechanism_rows(const struct mechanism_heads *h, int i, float *w,
                    struct arena *scratch)
{
    const struct mechanism *mechanism = h->mechanism;
    const struct attention *a = &h->head[i];
    size_t count = (size_t)a->T * (size_t)a->at.S;
    struct arena_mark mark = arena_mark(scratch);
    double *rows = arena_alloc_raw(scratch, count, sizeof *rows);
    double *out = arena_alloc_raw(scratch, (size_t)a->T * (size_t)a->at.d_v, sizeof *out);
    size_t size = mechanism->reference_room != NULL ? mechanism->reference_room(a) : 0;
    void *room = arena_alloc_raw(scratch, size, 1);

    mechanism->reference(rows, out, a, room);
    for (size_t j = 0; j < count; j++)
        w[j] = (float)rows[j];
    arena_reset(scratch, mark);
}
